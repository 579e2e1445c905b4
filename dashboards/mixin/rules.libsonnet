// SPDX-License-Identifier: Apache-2.0
//
// Alerts and recorded series: those of ../rules, with the values of the configuration.
local checked = import 'check.libsonnet';
local defaults = (import 'config.libsonnet')._config.pmuExporter;
local pattern = import 'pattern.libsonnet';
local places = import 'places.libsonnet';
local sources = import 'rules.json';  // made by generate.py
local substitute = import 'substitute.libsonnet';

// All places of alerts as one object, and the values that belong there.
local alertPlaces = {
  [alert + '.' + field]: { rule: alert } + places.alerts[alert][field]
  for alert in std.objectFields(places.alerts)
  for field in std.objectFields(places.alerts[alert])
} + { selector: places.selector };

local alertValues(config) = {
  [alert + '.' + field]: config.alerts[alert][field]
  for alert in std.objectFields(config.alerts)
  for field in std.objectFields(config.alerts[alert])
} + { selector: config.selector };

local runbook(config, alert) = pattern(config, 'runbookURLPattern', alert, 'the name of the alert');

// The address of a page, as it stands in annotations.
local page(config) =
  pattern(config, 'pageURLPattern', '{{ .Labels.instance }}', 'the instance') + '/#profile?';

local withPages(config, annotations) = {
  [name]: std.strReplace(annotations[name], page(defaults), page(config))
  for name in std.objectFields(annotations)
};

local withoutField(object, name) =
  { [key]: object[key] for key in std.objectFields(object) if key != name };

local alert(config, rule) =
  local own = config.alerts[rule.alert];
  withoutField(rule, 'keep_firing_for') {
    'for': own['for'],
    labels+: { severity: own.severity },
    annotations: withPages(config, rule.annotations) { runbook_url: runbook(config, rule.alert) },
    [if own.keepFiringFor != '0s' then 'keep_firing_for']: own.keepFiringFor,
  };

local withIntervals(config, groups) =
  [group { interval: config.groupIntervals[group.name] } for group in groups];

{
  local config = checked($._config.pmuExporter),

  prometheusAlerts+:: {
    groups+: [
      group { rules: [alert(config, rule) for rule in group.rules] }
      for group in withIntervals(config, substitute(
        sources.pmu_alerts.groups, alertPlaces, alertValues(defaults), alertValues(config)
      ))
    ],
  },

  prometheusRules+:: {
    groups+: withIntervals(config, substitute(
      sources.pmu_services.groups, places.services, defaults.services, config.services
    )),
  },
}
