# SPDX-License-Identifier: Apache-2.0
"""What the tests of rules share: where rules are, what they say, and the tools that read them."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
RULES = TOP / "dashboards/rules"
RUNBOOKS = TOP / "dashboards/runbooks"
SERVICES = RULES / "pmu_services.rules.yml"
ALERTS = RULES / "pmu_alerts.rules.yml"
GRAFANA = TOP / "dashboards/grafana"

# A metric that is scraped, and one that a rule records: level:metric:operations.
SCRAPED = re.compile(r"(?<![\w:])(?:pmu|process|up)(?:_\w+)?(?![\w:({=])")
RECORDED = re.compile(r"(?<![\w:])\w+:\w+:\w+(?![\w:])")


def need(*tools):
    """Skips where a tool is missing, or fails: quickstart test wants them all."""
    for tool in tools:
        if shutil.which(tool):
            continue
        if os.environ.get("PMU_TEST_PROMETHEUS") == "required":
            raise AssertionError(f"{tool} is required, and not installed")
        raise unittest.SkipTest(f"{tool} is not installed")


def promtool(*words):
    """None if promtool is content, else what it says."""
    done = subprocess.run(["promtool", *map(str, words)], capture_output=True, text=True)
    return None if done.returncode == 0 else done.stdout + done.stderr


def promtool_test(text):
    """promtool's verdict on a file of tests: None, or what it says."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "test.yml")
        path.write_text(text)
        return promtool("test", "rules", path)


def expressions(path):
    """[(name of the rule, its expression)]"""
    rules, indent = [], None
    for line in path.read_text().splitlines():
        depth = len(line) - len(line.lstrip())
        if match := re.match(r"\s*- (?:record|alert): (\S+)", line):
            rules.append([match[1], ""])
            indent = None
        elif match := re.match(r"\s*expr: (.*)", line):
            rules[-1][1], indent = match[1].rstrip("|"), depth
        elif indent is not None and depth > indent:
            rules[-1][1] += "\n" + line.split("# ")[0]
        else:
            indent = None
    return [(name, text.strip()) for name, text in rules]


def runbook_queries(path):
    """The queries of a runbook: its blocks of code that are promql."""
    return re.findall(r"```promql\n(.*?)```", path.read_text(), re.DOTALL)


def dashboard_queries(path):
    """The queries of a dashboard's panels and marks."""
    return [json.loads(text) for text in re.findall(r'"expr": ("(?:[^"\\]|\\.)*")', path.read_text())]


def without_labels(expression):
    """An expression less what stands in braces and quotes, and less its lists of labels."""
    expression = re.sub(r'"(?:[^"\\]|\\.)*"', '""', expression)
    expression = re.sub(r"\{[^}]*\}", " ", expression)
    return re.sub(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)", " ", expression)


def scraped_metrics(expression):
    """Metrics of exporters that it names, also as the label `metric` of pmu_exporter_event_info."""
    return (set(SCRAPED.findall(without_labels(expression))) |
            set(re.findall(r'metric="(\w+)"', expression)))


def recorded_metrics(expression):
    return set(RECORDED.findall(without_labels(expression)))
