// SPDX-License-Identifier: Apache-2.0
//
// The dashboards of ../grafana, with the values of the configuration.
local boards = import 'boards.libsonnet';
local checked = import 'check.libsonnet';
local allDefaults = (import 'config.libsonnet')._config.pmuExporter;
local defaults = allDefaults.dashboards;
local pattern = import 'pattern.libsonnet';

// What has to be there with the default gets another value.
local replaced(where, text, there, by) =
  if std.length(std.findSubstr(there, text)) == 1 then std.strReplace(text, there, by)
  else error '%s: %s should be once in %s' % [where, there, std.escapeStringJson(text)];

local prefixed(where, text, there, by) =
  if std.startsWith(text, there) then by + std.substr(text, std.length(there), std.length(text))
  else error '%s: %s should begin with %s' % [where, std.escapeStringJson(text), there];

local tagged(where, tags, there, by) =
  if tags[:std.length(there)] == there then by + tags[std.length(there):]
  else error '%s: %s should begin with %s' % [where, tags, there];

// Queries of the variables from which exporters are chosen: where other matchers stand in them.
local choices = {
  job: { there: 'pmu_exporter_build_info,', by: 'pmu_exporter_build_info{%s},' },
  instance: { there: 'job=~"$job"}', by: 'job=~"$job", %s}' },
};

// "All" is then all that are offered, and no longer everything that there is.
local chosenFrom(where, variable, selector) =
  local choice = choices[variable.name];
  local query = replaced(
    where, variable.definition, choice.there, std.strReplace(choice.by, '%s', selector)
  );
  variable { definition: query, query+: { query: query }, allValue:: null };

local variable(where, config, variable) =
  if variable.name == 'datasource' then
    variable {
      [if config.datasource != '' then 'current']:
        { selected: true, text: config.datasource, value: config.datasource },
      [if config.datasourceRegex != '' then 'regex']: config.datasourceRegex,
    }
  else if config.exporterSelector != '' && std.objectHas(choices, variable.name) then
    chosenFrom('%s, variable %s' % [where, variable.name], variable, config.exporterSelector)
  else
    variable;

local links(prefix) = std.strReplace('"/d/%s', '%s', prefix);

// The address of a page, as it stands in the text of a dashboard.
local page(all) =
  local address = pattern(all, 'pageURLPattern', '${__value.raw}', 'the instance');
  local quoted = std.escapeStringJson(address);
  std.substr(quoted, 0, std.length(quoted) - 1) + '/#profile?';

local board(name, all) =
  local config = all.dashboards;
  local linked = std.strReplace(boards[name], links(defaults.uidPrefix), links(config.uidPrefix));
  local source = std.parseJson(std.strReplace(linked, page(allDefaults), page(all)));
  source {
    title: prefixed(name + ', title', source.title, defaults.titlePrefix, config.titlePrefix),
    uid: prefixed(name + ', uid', source.uid, defaults.uidPrefix, config.uidPrefix),
    tags: tagged(name + ', tags', source.tags, defaults.tags, config.tags),
    links: [
      link { tags: tagged(name + ', tags of links', link.tags, defaults.tags, config.tags) }
      for link in source.links
    ],
    timezone: config.timezone,
    refresh: config.refresh,
    time+: { from: config.from[name] },
    templating+: {
      list: [variable(name, config, each) for each in source.templating.list],
    },
  };

{
  local config = checked($._config.pmuExporter),

  grafanaDashboards+:: {
    [name + '.json']: board(name, config)
    for name in std.objectFields(boards)
  },
}
