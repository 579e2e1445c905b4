# SPDX-License-Identifier: Apache-2.0
"""What the tests of the mixin share: it is rendered by jsonnet, with a configuration or without."""
import json
import pathlib
import subprocess

import rules

DASHBOARDS = rules.TOP / "dashboards"
RENDERED = """
local mixin = (import '%s/mixin/mixin.libsonnet') + { _config+:: { pmuExporter+: %s } };
{
  alerts: mixin.prometheusAlerts,
  rules: mixin.prometheusRules,
  dashboards: mixin.grafanaDashboards,
  config: mixin._config.pmuExporter,
}
"""


def jsonnet(program, *options):
    """(what it prints, what it complains of)"""
    done = subprocess.run(["jsonnet", *options, "-e", program], capture_output=True, text=True)
    return done.stdout, done.stderr


def render(config="{}", dashboards=DASHBOARDS):
    """All that the mixin has, with fields of the configuration as Jsonnet."""
    text, complaint = jsonnet(RENDERED % (dashboards, config))
    if complaint:
        raise AssertionError(complaint)
    return json.loads(text)


def complaint_of(config="{}", dashboards=DASHBOARDS):
    """What is said of a mixin that cannot be rendered."""
    text, complaint = jsonnet(RENDERED % (dashboards, config))
    if text:
        raise AssertionError("it was rendered")
    return complaint


def boards():
    return {path.name: json.loads(path.read_text())
            for path in pathlib.Path(DASHBOARDS / "grafana").glob("*.json")}


def nested(values):
    """{"a.b": 1} as the Jsonnet that changes these fields and no others."""
    inside, text = {}, ""
    for path, value in values.items():
        first, _, rest = path.partition(".")
        if rest:
            inside.setdefault(first, {})[rest] = value
        else:
            text += f"'{first}': {json.dumps(value)}, "
    return "{" + text + "".join(f"'{first}'+: {nested(more)}, " for first, more in inside.items()) + "}"


def leaves(config, path=""):
    """The names of all fields, as nested() takes them."""
    if not isinstance(config, dict):
        return {path}
    return set().union(*(leaves(value, f"{path}.{name}" if path else name)
                         for name, value in config.items()))
