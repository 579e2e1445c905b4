#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Rules, their tests and their runbooks belong together, as promtool and we see it."""
import pathlib
import re
import unittest

import live
import rules


class Promtool(unittest.TestCase):
    def setUp(self):
        rules.need("promtool")

    def test_the_rules_are_valid(self):
        self.assertIsNone(rules.promtool("check", "rules", rules.SERVICES, rules.ALERTS))

    def test_alerts_come_and_stay_away(self):
        self.assertIsNone(rules.promtool("test", "rules",
                                         *pathlib.Path(__file__).parent.glob("*.test.yml")))

    def test_every_query_of_a_runbook_is_valid(self):
        queries = [q for path in rules.RUNBOOKS.glob("*.md") for q in rules.runbook_queries(path)]
        block = "".join("      - eval_time: 1m\n        expr: |\n" +
                        "".join(f"          {line}\n" for line in query.splitlines())
                        for query in queries)
        self.assertGreater(len(queries), 20)
        self.assertIsNone(rules.promtool_test(
            f"tests:\n  - interval: 1m\n    promql_expr_test:\n{block}"))


class Text(unittest.TestCase):
    ALERTS = ("PMUIPCRegression", "PMUCacheMissRegression", "PMUBranchMissRegression",
              "PMUContextSwitchStorm", "PMURunQueueLatencyRegression",
              "PMUBlockIOLatencyRegression", "PMUCoverageLow", "PMUTargetsUncounted",
              "PMUCyclesLate", "PMUEventUnsupported", "PMUConfigReloadFailed",
              "PMUWebConfigReloadFailed", "PMUExporterStale", "PMUExporterDown")

    def alerts(self):
        """{alert: its text}"""
        parts = re.split(r"(?m)^\s*- alert: (\w+)\n", rules.ALERTS.read_text())
        return dict(zip(parts[1::2], parts[2::2]))

    def test_the_alerts_are_those_that_are_promised(self):
        self.assertEqual(tuple(self.alerts()), self.ALERTS)

    def test_each_alert_has_what_its_reader_needs(self):
        for alert, text in self.alerts().items():
            with self.subTest(alert):
                for word in ("severity: ", "summary: ", "description: ", "{{ $value", "$labels."):
                    self.assertIn(word, text)
                self.assertIn(f"runbook_url: dashboards/runbooks/{alert}.md", text)

    def test_each_alert_has_a_runbook_with_all_its_parts(self):
        self.assertEqual({path.stem for path in rules.RUNBOOKS.glob("*.md")}, set(self.ALERTS))
        for alert in self.ALERTS:
            path = rules.RUNBOOKS / f"{alert}.md"
            with self.subTest(alert):
                heads = re.findall(r"(?m)^## (.*)", path.read_text())
                self.assertEqual(heads, ["What it means", "What to look at first", "Usual causes",
                                         "What to do", "When to silence it"])
                self.assertTrue(rules.runbook_queries(path))

    def test_recorded_names_are_of_three_parts_and_what_is_read_is_recorded(self):
        recorded = {name for name, _ in rules.expressions(rules.SERVICES)}
        for name in recorded:
            self.assertRegex(name, r"^job_(cgroup(_ratio|_op|_group)?:pmu_cgroup|"
                                   r"instance(_group)?:pmu_cgroup|"
                                   r"instance(_device_op)?:pmu_machine)_\w+:\w+$")
        texts = [e for path in (rules.SERVICES, rules.ALERTS) for _, e in rules.expressions(path)]
        texts += [q for path in rules.RUNBOOKS.glob("*.md") for q in rules.runbook_queries(path)]
        texts += [q for path in rules.GRAFANA.glob("*.json") for q in rules.dashboard_queries(path)]
        read = set().union(*map(rules.recorded_metrics, texts))
        self.assertEqual(read - recorded, set())
        self.assertEqual(recorded - read, set())

    def test_the_number_of_series_is_the_one_that_is_told(self):
        text = rules.SERVICES.read_text()
        ratios = len(set(re.findall(r"labels: \{ratio: (\w+)\}", text)))
        series = sum(ratios if name.endswith(("_median7d", "_baseline", "_spread7d")) else
                     2 if name.startswith("job_cgroup_op:") else 1  # reads and writes
                     for name, _ in rules.expressions(rules.SERVICES)
                     if name.startswith("job_cgroup") and not name.startswith("job_cgroup_group"))
        groups = 2 * sum(name.startswith("job_cgroup_group:") for name, _ in
                         rules.expressions(rules.SERVICES))
        said = text.replace("\n# ", " ")
        self.assertIn(f"there are {series} series for each service, and two for each group", said)
        self.assertIn(f"of two groups, record {60 * (series + groups):,} series", said)
        self.assertIn(f"record {series} series for each service and two for each group of its events",
                      (rules.TOP / "README.md").read_text())

    def test_gauges_of_the_last_interval_are_not_used(self):
        for path in (rules.SERVICES, rules.ALERTS):
            for name, expression in rules.expressions(path):
                for metric in rules.scraped_metrics(expression):
                    self.assertNotRegex(metric, r"_per_second$|_ratio$|_used$|_per_cycle$", name)


class Names(unittest.TestCase):
    """What the tests above take names by."""

    def test_scraped_metrics_are_found_and_nothing_else(self):
        expression = ('sum by (job, pmu) (rate(pmu_cgroup_cycles_total{a="pmu_x"}[5m]) and on (pmu)'
                      ' pmu_exporter_event_info{metric="pmu_y_total"}) / job_a:pmu_b:c > up')
        self.assertEqual(rules.scraped_metrics(expression), {
            "pmu_cgroup_cycles_total", "pmu_exporter_event_info", "pmu_y_total", "up"})
        self.assertEqual(rules.recorded_metrics(expression), {"job_a:pmu_b:c"})

    def test_every_rule_has_an_expression(self):
        for path, n in ((rules.SERVICES, 28), (rules.ALERTS, 14)):
            found = rules.expressions(path)
            self.assertEqual(len(found), n)
            for name, expression in found:
                self.assertTrue(rules.scraped_metrics(expression) |
                                rules.recorded_metrics(expression), name)


if __name__ == "__main__":
    live.main()
