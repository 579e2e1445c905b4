// SPDX-License-Identifier: Apache-2.0
//
// Groups of rules with other values at some places of their expressions (places.libsonnet).

// The shortest decimal that is this number: Jsonnet itself writes 0.05 as 0.050000000000000003.
local decimal(number, digits=1) =
  local text = ('%.' + digits + 'f') % number;
  if number == std.floor(number) || digits > 15 then std.toString(number)
  else if std.parseJson(text) == number then text
  else decimal(number, digits + 1);

local written(value) = if std.isNumber(value) then decimal(value) else value;

local count(there, text) =
  (std.length(text) - std.length(std.strReplace(text, there, ''))) / std.length(there);

// Changes each expression. What is made stands in variables, since Jsonnet evaluates a field each time
// that somebody reads it.
local eachExpression(groups, change) =
  local changedRule(rule) =
    local text = change(rule);
    rule { expr: text };
  local changedGroup(group) =
    local rules = std.map(changedRule, group.rules);
    group { rules: rules };
  std.map(changedGroup, groups);

local hasPlace(place, rule) =
  !std.objectHas(place, 'rule') ||
  place.rule == (if std.objectHas(rule, 'alert') then rule.alert else rule.record);

local replaceIn(groups, place, there, by) =
  eachExpression(groups, function(rule)
    if hasPlace(place, rule) then std.strReplace(rule.expr, there, by) else rule.expr);

local marker(field) = '«' + field + '»';

// Puts a marker where the default stands, so that no value is taken for the place of another.
local mark(groups, field, place, default) =
  local there = std.strReplace(place.text, '%s', written(default));
  local counts = [
    count(there, rule.expr)
    for group in groups
    for rule in group.rules
    if hasPlace(place, rule)
  ];
  local times = std.foldl(function(sum, n) sum + n, counts, 0);
  if times == place.times then
    replaceIn(groups, place, there, std.strReplace(place.text, '%s', marker(field)))
  else
    error '%s: %s should stand %d times in the expressions of its rules, and stands there %d times' %
          [field, std.escapeStringJson(there), place.times, times];

local fill(groups, field, place, value) =
  local text = written(value);
  replaceIn(groups, place, marker(field), text);

// `places`, `defaults` and `values` are by the names of fields.
function(groups, places, defaults, values)
  local eachField(groups, change) = std.foldl(change, std.objectFields(places), groups);
  local ended = eachExpression(groups, function(rule) rule.expr + '\n');
  local marked = eachField(ended, function(groups, field)
    mark(groups, field, places[field], defaults[field]));
  local filled = eachField(marked, function(groups, field)
    fill(groups, field, places[field], values[field]));
  eachExpression(filled, function(rule) std.substr(rule.expr, 0, std.length(rule.expr) - 1))
