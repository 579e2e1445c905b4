#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every metric that a rule or a runbook names is one that the exporter has.

Those of software events are taken from a live one. What a machine without a PMU or bpf does not
show is made of what is configured: a hardware event's name of the events in the shipped config, a
distribution's of the exporter's own table. So are families of the exporter itself, of which some
are not shown before they have something to say.
"""
import os
import re

import live
import rules
from cgroups import Cgroups
from exporter import PATIENCE, Exporter
from web_files import Files

OF_PROMETHEUS = {"up"}
PROCESS_RULE = f"  processes:\n    - {{pid: [{os.getpid()}], groups: [software]}}\n"


def families(system, last, more=""):
    """The families that an exporter with a cgroup, and the system by CPU or as one, shows as soon
    as `last` is among them."""
    with Cgroups() as cgroups, Files() as files:
        cgroups.make("a.service")
        web = files.write("web.yml", "basic_auth_users: {}\n")
        with Exporter(live.config(cgroups, system=system, more=more),
                      args=[f"--web.config.file={web}"]) as exporter:
            metrics = exporter.scrape_until(
                lambda m: last in m.families, PATIENCE, f"{last} is there")
    return set(re.findall(rb"(?m)^# TYPE (\S+)", metrics.body))


def hardware_events():
    """Counters of cgroups by the config's groups, those in its comments too."""
    text = (rules.TOP / "config/pmu_exporter.yml").read_text()
    events = {event.strip() for line in re.findall(r"events: \[(.*)\]", text)
              for event in line.split(",")}
    return {f"pmu_cgroup_{event.lower().replace('-', '_')}_total" for event in events}


def own_families():
    texts = [path.read_text() for path in (rules.TOP / "src/expose").glob("own_*.c")]
    return {name for text in texts for name in re.findall(r'\{"(pmu_exporter_\w+)"', text)}


def distributions():
    """The series of histograms, of cgroups and the machine, and of what is counted beside them."""
    text = "".join((rules.TOP / "src/metric" / name).read_text()
                   for name in ("plan_latency.c", "plan_breakdowns.c"))
    histograms = set(re.findall(r'"(\w+_seconds)"', text))
    return ({f"pmu_{scope}_{name}_{part}" for scope in ("cgroup", "machine") for name in histograms
             for part in ("bucket", "sum", "count")} |
            {f"pmu_{scope}_{name}" for scope in ("cgroup", "machine")
             for name in re.findall(r'"(\w+_total)"', text)})


class Names(live.LiveTest):
    def test_every_metric_exists(self):
        shown = (families("all", "pmu_process_task_clock_seconds_total", PROCESS_RULE) |
                 families("cpu", "pmu_cpu_page_faults_total"))
        have = ({name.decode() for name in shown} | hardware_events() | distributions() |
                own_families() | OF_PROMETHEUS)
        texts = [(str(path.name), expression) for path in (rules.SERVICES, rules.ALERTS)
                 for _, expression in rules.expressions(path)]
        texts += [(path.name, query) for path in rules.RUNBOOKS.glob("*.md")
                  for query in rules.runbook_queries(path)]
        missing = {(where, name) for where, text in texts
                   for name in rules.scraped_metrics(text) - have}
        self.assertEqual(missing, set())
        self.assertGreater(len(set().union(*(rules.scraped_metrics(t) for _, t in texts))), 20)

    def test_a_name_that_is_wrong_is_missed(self):
        self.assertNotIn("pmu_cgroup_cycels_total", hardware_events())
        self.assertIn("pmu_cgroup_cycles_total", hardware_events())
        self.assertNotIn("pmu_exporter_targets_uncuonted", own_families())
        self.assertIn("pmu_exporter_targets_uncounted", own_families())
        self.assertNotIn("pmu_cgroup_runqueue_latency_seconds_bucket", distributions())
        self.assertIn("pmu_cgroup_run_queue_latency_seconds_bucket", distributions())
        self.assertIn("pmu_machine_block_io_latency_seconds_bucket", distributions())
        self.assertIn("pmu_cgroup_block_io_errors_total", distributions())


if __name__ == "__main__":
    live.main()
