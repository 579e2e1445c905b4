# SPDX-License-Identifier: Apache-2.0
"""The generated dashboards, as tests look at them: panels, queries, variables.

A query knows where it stands ("overview / Services by cycles / A"), so that a test that refuses one
tells which.
"""
import dataclasses
import json
import pathlib
import re

TOP = pathlib.Path(__file__).resolve().parents[2]
FOLDER = TOP / "dashboards"
GENERATED = FOLDER / "grafana"
LABEL_VALUES = re.compile(r"label_values\((.+), ([\w$]+)\)")
VARIABLE = re.compile(r"\$(?:\{(\w+)(?::\w+)?\}|(\w+))")


@dataclasses.dataclass(frozen=True)
class Query:
    where: str
    text: str
    is_instant: bool
    repeat: str = None  # the variable for each value of which its panel is shown once


@dataclasses.dataclass(frozen=True)
class Variable:
    """One that asks Prometheus for the values of a label."""
    name: str
    series: str
    label: str
    has_all: bool
    all_value: str


def load():
    """{name: dashboard}."""
    return {path.stem: json.loads(path.read_text()) for path in sorted(GENERATED.glob("*.json"))}


def panels_of(dashboard):
    """All but the rows that only hold a heading."""
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def queries_of(name, dashboard):
    """What its panels and its annotations ask."""
    for panel in panels_of(dashboard):
        for target in panel["targets"]:
            yield Query(f"{name} / {panel['title']} / {target['refId']}", target["expr"],
                        target["instant"], panel.get("repeat"))
    for mark in dashboard["annotations"]["list"]:
        yield Query(f"{name} / annotation {mark['name']}", mark["expr"], False)


def variables_of(dashboard):
    """In the order in which they are filled."""
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            series, label = LABEL_VALUES.fullmatch(variable["query"]["query"]).groups()
            yield Variable(variable["name"], series, label, variable["includeAll"],
                           variable.get("allValue"))


def interpolate(text, values):
    """A query with the values in it, as Grafana writes them. KeyError: a variable has none."""
    return VARIABLE.sub(lambda match: values[match[1] or match[2]], text)


def escape(value):
    """A value within the quotes of a matcher."""
    return value.replace("\\", "\\\\").replace('"', '\\"')
