# SPDX-License-Identifier: Apache-2.0
"""The rules of Grafana's dashboard-linter, by its names for them, and some of our own.

They are checked on the generated JSON, which is what people import.
"""
import json
import re
import unittest

import boards
import promql

# Units that Grafana knows, of those that are used.
UNITS = {"none", "short", "percentunit", "cps", "hertz", "watt", "bytes", "Bps", "s"}
PAGE = "http://${__value.raw}/#profile?"  # of an exporter
EXPECTED = {"overview", "fleet", "service", "process_overview", "process_groups", "cpus", "latency",
            "scheduler", "interrupts", "kvm", "explorer", "exporter"}
# They show all hosts of a job: what rules record over hosts has no instance, and a choice of one would
# change a part of what is shown.
OF_ALL_HOSTS = {"fleet"}
# What has a series for each cgroup, process or CPU of each host, or for each bucket.
OF_MANY_SERIES = re.compile(r"pmu_(cgroup|process|cpu|uncore)_|.*_bucket$")
# Rule, metric, and why it may break the rule.
EXEMPT = {("target-instance-rule", "ALERTS"):
          "an alert on a service is about all of its instances"}
OURS = ("pmu_", "ALERTS", "job_")
COUNTERS = ("_total", "_bucket", "_sum", "_count")
COMMON = ["datasource", "job", "instance"]
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}


def common(dashboard):
    return COMMON[:-1] if dashboard["uid"].removeprefix("pmu-") in OF_ALL_HOSTS else COMMON


class Dashboards(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.dashboards = boards.load()

    def each_panel(self):
        return [(f"{name} / {panel['title']}", panel) for name, dashboard in self.dashboards.items()
                for panel in boards.panels_of(dashboard)]

    def each_query(self):
        return [query for name, dashboard in self.dashboards.items()
                for query in boards.queries_of(name, dashboard)]


class Templates(Dashboards):
    def variable(self, dashboard, name):
        variable, = [v for v in dashboard["templating"]["list"] if v["name"] == name]
        return variable

    def test_template_datasource_rule(self):
        for dashboard in self.dashboards.values():
            variable = self.variable(dashboard, "datasource")
            self.assertEqual((variable["type"], variable["query"], variable["label"]),
                             ("datasource", "prometheus", "Data source"))

    def test_template_job_and_instance_rules(self):
        for dashboard in self.dashboards.values():
            for name in common(dashboard)[1:]:
                variable = self.variable(dashboard, name)
                self.assertEqual(variable["type"], "query")
                self.assertEqual(variable["datasource"], DATASOURCE)
                self.assertEqual(variable["label"], name.title())
                self.assertTrue(variable["multi"] and variable["includeAll"])
                self.assertEqual(variable["allValue"], ".+")

    def test_template_label_promql_rule(self):
        for name, dashboard in self.dashboards.items():
            asked = [v for v in dashboard["templating"]["list"] if v["type"] == "query"]
            self.assertEqual(len(list(boards.variables_of(dashboard))), len(asked), name)

    def test_template_on_time_change_reload_rule(self):
        for dashboard in self.dashboards.values():
            for variable in dashboard["templating"]["list"]:
                if variable["type"] == "query":
                    self.assertEqual(variable["refresh"], 2)

    def test_uneditable_dashboard_rule(self):
        for dashboard in self.dashboards.values():
            self.assertFalse(dashboard["editable"])

    def test_a_variable_stands_behind_those_that_it_needs(self):
        for dashboard in self.dashboards.values():
            known = [v["name"] for v in dashboard["templating"]["list"]]
            self.assertEqual(known[:len(common(dashboard))], common(dashboard))
            for variable in boards.variables_of(dashboard):
                needed = {a or b for a, b in boards.VARIABLE.findall(variable.series + variable.label)}
                before = known[:known.index(variable.name)]
                self.assertLessEqual(needed, set(before))


class Panels(Dashboards):
    def test_panel_datasource_rule(self):
        for where, panel in self.each_panel():
            for holder in (panel, *panel["targets"]):
                self.assertEqual(holder["datasource"], DATASOURCE, where)

    def test_panel_title_description_rule(self):
        for where, panel in self.each_panel():
            self.assertTrue(panel["title"], where)
            self.assertRegex(panel["description"], r"^[A-Z].*\.$", where)

    def test_panel_units_rule(self):
        for where, panel in self.each_panel():
            self.assertIn(panel["fieldConfig"]["defaults"]["unit"], UNITS, where)
            for override in panel["fieldConfig"]["overrides"]:
                for style in override["properties"]:
                    if style["id"] == "unit":
                        self.assertIn(style["value"], UNITS, where)

    def test_panel_no_targets_rule(self):
        for where, panel in self.each_panel():
            self.assertTrue(panel["targets"], where)

    def test_every_panel_has_thresholds(self):
        for where, panel in self.each_panel():
            steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"]
            self.assertIsNone(steps[0]["value"], where)
            bounds = [step["value"] for step in steps[1:]]
            self.assertEqual(bounds, sorted(bounds), where)

    def test_panels_fill_the_width_and_never_overlap(self):
        for name, dashboard in self.dashboards.items():
            taken = set()
            for panel in dashboard["panels"]:
                place = panel["gridPos"]
                self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
                cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                         for y in range(place["y"], place["y"] + place["h"])}
                self.assertFalse(cells & taken, f"{name} / {panel['title']}")
                taken |= cells

    def test_panels_and_queries_have_names_of_their_own(self):
        for dashboard in self.dashboards.values():
            numbers = [panel["id"] for panel in dashboard["panels"]]
            self.assertEqual(len(set(numbers)), len(numbers))
            titles = [(panel["type"], panel["title"]) for panel in boards.panels_of(dashboard)]
            self.assertEqual(sorted(set(titles)), sorted(titles))
            for panel in boards.panels_of(dashboard):
                names = [target["refId"] for target in panel["targets"]]
                self.assertEqual(len(set(names)), len(names))

    def test_every_series_of_a_graph_has_a_legend(self):
        for where, panel in self.each_panel():
            for target in panel["targets"]:
                self.assertTrue(target["legendFormat"], where)


class Targets(Dashboards):
    def breaches(self, rule, is_wrong, exempt=()):
        """Every selector that breaks a rule, but for those, and dashboards, that may."""
        return [f"{query.where}: {selector}" for query in self.each_query()
                if query.where.split(" / ")[0] not in exempt
                for selector in promql.selectors(query.text)
                if is_wrong(selector) and (rule, selector.metric) not in EXEMPT]

    def test_target_job_rule(self):
        self.assertEqual(self.breaches(
            "target-job-rule", lambda s: ("job", "=~", "$job") not in s.matchers), [])

    def test_target_instance_rule(self):
        self.assertEqual(self.breaches(
            "target-instance-rule",
            lambda s: ("instance", "=~", "$instance") not in s.matchers, OF_ALL_HOSTS), [])

    def test_target_rate_interval_rule(self):
        self.assertEqual(self.breaches(
            "target-rate-interval-rule",
            lambda s: s.function in ("rate", "irate") and s.range != "$__rate_interval"), [])

    def test_target_counter_agg_rule(self):
        self.assertEqual(self.breaches(
            "target-counter-agg-rule",
            lambda s: s.metric.endswith(COUNTERS) and s.function not in ("rate", "increase")), [])

    def test_buckets_add_up_before_a_quantile_or_a_map_is_made_of_them(self):
        for query in self.each_query():
            for bucket in re.finditer(r"\w+_seconds_bucket{", query.text):
                self.assertRegex(query.text[:bucket.start()], r"sum by \(le[^()]*\) \(\w+\($",
                                 query.where)

    def test_a_map_of_buckets_has_them_in_their_order(self):
        for where, panel in self.each_panel():
            target = panel["targets"][0]
            if panel["type"] == "heatmap" and "_bucket{" in target["expr"]:
                self.assertEqual((target["format"], target["legendFormat"]), ("heatmap", "{{le}}"))
                self.assertEqual(panel["options"]["rowsFrame"]["layout"], "le", where)
                self.assertFalse(panel["options"]["calculate"], where)

    def test_an_increase_is_over_the_time_that_is_shown(self):
        self.assertEqual(self.breaches(
            "increase", lambda s: s.function == "increase" and s.range != "$__range"), [])

    def test_gauges_of_the_last_interval_are_not_used(self):
        gauge = re.compile(r"pmu_(machine|cpu|cgroup|process)_.*(_per_second|_ratio|_per_cycle|"
                           r"_per_kilo_instruction|cpus_used)$")
        self.assertEqual(self.breaches("gauge", lambda s: gauge.search(s.metric)), [])

    def test_what_other_jobs_have_too_is_asked_of_exporters_alone(self):
        for query in self.each_query():
            metrics = [selector.metric for selector in promql.selectors(query.text)]
            if any(not metric.startswith(OURS) for metric in metrics if metric):
                self.assertIn("pmu_exporter_build_info", metrics, query.where)

    def test_no_metric_stands_without_matchers(self):
        for query in self.each_query():
            self.assertEqual(promql.bare_words(query.text), [], query.where)

    def test_every_divisor_is_above_0(self):
        """Each `/` but those by the length of the time shown stands before `(… > 0)`, with no more than
        the labels to match by between."""
        for query in self.each_query():
            text = re.sub(promql.STRING, '""', query.text)
            for division in re.finditer(" / ", text):
                divisor = re.sub(r"^on \(\) group_left \(\) ", "", text[division.end():])
                if not divisor.startswith("$__range_s"):
                    self.assertRegex(self.first_bracket(divisor), r"> 0\)$", query.where)

    def first_bracket(self, text):
        depth = 0
        for end, character in enumerate(text):
            depth += {"(": 1, ")": -1}.get(character, 0)
            if depth == 0:
                return text[:end + 1]
        return text


class Fleet(Dashboards):
    """What has to be fast with any number of hosts."""

    def metrics(self, name):
        return {selector.metric for query in boards.queries_of(name, self.dashboards[name])
                for selector in promql.selectors(query.text)}

    def test_no_series_of_cgroups_processes_cpus_or_buckets_is_read(self):
        metrics = self.metrics("fleet")
        self.assertEqual({metric for metric in metrics if OF_MANY_SERIES.match(metric)}, set())
        self.assertNotIn("", metrics, "a name that is a matcher may be any")

    def test_the_overview_is_read_as_what_reads_them(self):
        """Else the test above could not tell."""
        many = {metric for metric in self.metrics("overview") if OF_MANY_SERIES.match(metric)}
        self.assertIn("pmu_cgroup_task_clock_seconds_total", many)
        self.assertIn("pmu_cpu_cycles_total", many)
        self.assertTrue(OF_MANY_SERIES.match("pmu_machine_run_queue_latency_seconds_bucket"))

    def test_no_instance_is_asked_for(self):
        self.assertNotRegex(json.dumps(self.dashboards["fleet"]), r"\$\{?instance")

    def test_graphs_of_all_hosts_have_no_needless_points(self):
        for panel in boards.panels_of(self.dashboards["fleet"]):
            if panel["type"] == "timeseries":
                self.assertEqual(panel["interval"], "2m", panel["title"])

    def test_its_description_tells_of_the_rules(self):
        self.assertIn("dashboards/rules", self.dashboards["fleet"]["description"])


class Whole(Dashboards):
    def test_all_are_there(self):
        self.assertEqual(set(self.dashboards), EXPECTED)

    def test_each_has_a_name_of_its_own_and_the_common_tag(self):
        uids = {dashboard["uid"] for dashboard in self.dashboards.values()}
        self.assertEqual(len(uids), len(EXPECTED))
        for dashboard in self.dashboards.values():
            self.assertEqual(dashboard["tags"][0], "pmu_exporter")
            self.assertTrue(dashboard["description"])

    def test_links_keep_the_time_and_the_variables(self):
        for dashboard in self.dashboards.values():
            link, = dashboard["links"]
            self.assertEqual((link["type"], link["tags"]), ("dashboards", ["pmu_exporter"]))
            self.assertTrue(link["keepTime"] and link["includeVars"])

    def test_links_in_tables_lead_to_a_dashboard_and_a_variable_of_it(self):
        by_uid = {dashboard["uid"]: dashboard for dashboard in self.dashboards.values()}
        linking = [(dashboard, url) for dashboard in self.dashboards.values()
                   for url in re.findall(r'"url": "([^"]+)"', json.dumps(dashboard))
                   if not url.startswith(PAGE)]
        self.assertTrue(linking)
        for dashboard, url in linking:
            uid, variables = re.match(r"/d/([\w-]+)\?(.*)", url).groups()
            names = {v["name"] for v in by_uid[uid]["templating"]["list"]}
            self.assertLessEqual(set(re.findall(r"var-(\w+)=", variables)), names)
            self.assertIn("${__url_time_range}", variables)
            self.assertEqual(re.findall(r"\$\{(\w+):queryparam\}", variables), common(dashboard), url)

    def test_a_service_leads_to_its_profile_on_the_page_of_its_instance(self):
        url, = re.findall(r'"url": "(http[^"]+)"', json.dumps(self.dashboards["service"]))
        self.assertEqual(url, PAGE + "target=cgroup:${cgroup:percentencode}"
                         "&start=${__from:date:seconds}&end=${__to:date:seconds}&before=1w")

    def test_restarts_are_marked(self):
        for dashboard in self.dashboards.values():
            marks = dashboard["annotations"]["list"]
            self.assertIn("Start of an exporter", [mark["name"] for mark in marks])
            for mark in marks:
                self.assertTrue(mark["useValueForTime"])
                self.assertTrue(mark["expr"].startswith("1000 * "))
        text = json.dumps(self.dashboards["service"]["annotations"])
        self.assertIn("pmu_cgroup_start_time_seconds", text)

    def test_the_lock_names_no_registry(self):
        text = (boards.FOLDER / "package-lock.json").read_text()
        self.assertNotIn("resolved", text)
        self.assertNotIn("://", text)


if __name__ == "__main__":
    unittest.main()
