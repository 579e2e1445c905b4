// SPDX-License-Identifier: Apache-2.0
//
// A configuration, if it has the fields of the defaults and no others, of the same types. Else an error
// tells of each that is wrong.
local defaults = (import 'config.libsonnet')._config.pmuExporter;

local wrong(path, default, value) =
  if std.type(value) != std.type(default) then
    ['%s should be of type %s, and is of type %s' % [path, std.type(default), std.type(value)]]
  else if std.isObject(value) then
    std.flattenArrays([
      local inside = path + '.' + name;
      if !std.objectHas(default, name) then
        ['%s: there is no such field' % inside]
      else if !std.objectHas(value, name) then
        ['%s is missing: was %s written without +?' % [inside, path]]
      else
        wrong(inside, default[name], value[name])
      for name in std.setUnion(std.objectFields(default), std.objectFields(value))
    ])
  else
    [];

function(config)
  local all = wrong('_config.pmuExporter', defaults, config);
  if all == [] then config else error std.join('\n', all)
