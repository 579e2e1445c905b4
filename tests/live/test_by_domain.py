#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a target had on each CPU (`by: cpu`): a load that is pinned to one CPU and then to another,
beside what it knows of itself and what perf counts of its cgroup on each CPU."""
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import urllib.parse

import live
import strict_exposition
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, quote

FIRST, SECOND = 0.8, 0.4  # seconds of CPU time, on the one CPU and then on the other
BURNER = """import os, sys, time
open('/proc/self/comm', 'w').write(sys.argv[1])
def burn(cpu, seconds):
    os.sched_setaffinity(0, {cpu})
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
print(flush=True)
for line in sys.stdin:
    cpu, seconds = line.split()
    burn(int(cpu), float(seconds))
    print(flush=True)
"""
EVENTS = {"task-clock": ("cpu_time_by_cpu_seconds_total", "task_clock_seconds_total"),
          "context-switches": ("context_switches_by_cpu_total", "context_switches_total")}
TIME, SWITCHES = (name for name, _ in EVENTS.values())


class Burner:
    """Burns CPU time where it is told to."""

    def __init__(self, name):
        self.process = subprocess.Popen([sys.executable, "-c", BURNER, name], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdout.readline()

    def burn(self, cpu, seconds):
        print(cpu, seconds, file=self.process.stdin, flush=True)
        self.process.stdout.readline()

    def end(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


class PerfStat:
    """`perf stat -a -A` of one cgroup, over a command that waits."""

    def __init__(self, cgroup):
        self.process = subprocess.Popen(
            ["perf", "stat", "-a", "-A", "-x;", "-e", ",".join(EVENTS),
             "-G", ",".join([cgroup[1:]] * len(EVENTS)), "--", "sh", "-c", "echo open; read -r _"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "open\n":
            raise AssertionError(self.process.communicate()[1])

    def read(self):
        """{event: {cpu: seconds or count}} of the whole time."""
        _, text = self.process.communicate("\n", timeout=PATIENCE)
        counts = collections.defaultdict(dict)
        for cpu, value, unit, event, *_ in (l.split(";") for l in text.splitlines() if ";" in l):
            number = float(value) if value[:1].isdigit() else 0.0  # on a CPU where it never ran
            counts[event][cpu.removeprefix("CPU")] = number / (1000 if unit == "msec" else 1)
        return counts

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.communicate(timeout=10)


def by_cpu(metrics, name, **labels):
    """{cpu: value}."""
    return {dict(l)["cpu"]: v for l, v in metrics.find(name, **labels).items()}


def kernel_says():
    """{cpu: seconds for which it was not idle}, by /proc/stat."""
    lines = re.findall(r"(?m)^cpu(\d+) (.*)$", pathlib.Path("/proc/stat").read_text())
    tick = 1 / os.sysconf("SC_CLK_TCK")
    return {cpu: tick * sum(int(n) for i, n in enumerate(fields.split()) if i in (0, 1, 2, 5, 6))
            for cpu, fields in lines}


class ByCpu(live.LiveTest):
    def setUp(self):
        cpus = sorted(os.sched_getaffinity(0))
        if len(cpus) < 2:
            self.skipTest("there is one CPU only")
        self.cpus = cpus[0], cpus[1]
        self.cgroups = self.enterContext(Cgroups())
        self.name = live.own("burn")

    def config(self, by="by: cpu"):
        return (f"interval: 1s\ncounting: {live.COUNTING}\nlinger: 60s\n"
                f"groups: [{{name: software, events: [{', '.join(EVENTS)}]}}]\n"
                "targets:\n"
                "  system: {groups: [software], by: cpu}\n"
                "  cgroups:\n"
                f"    - {{include: [{quote('/' + self.cgroups.top + '/**')}], groups: [software], "
                f"{by}}}\n"
                "  processes:\n"
                f"    - {{comm: [{self.name}], name: \"{{{{.Comm}}}}\", groups: [software], "
                f"{by}}}\n")

    def start(self):
        self.path = self.cgroups.make("a")
        self.burner = self.enterContext(Burner(self.name))
        self.cgroups.enter("a", self.burner.process.pid)
        exporter = self.enterContext(Exporter(self.config()))
        before = exporter.after_cycles(2)
        mechanisms = before.labels("pmu_exporter_mechanism_info", "mechanism", scope="cgroup")
        if mechanisms != {live.COUNTING}:
            self.skipTest(before.labels("pmu_exporter_mechanism_info", "reason", scope="cgroup"))
        return exporter, before

    def assert_sums(self, metrics, scope="cgroup", **labels):
        """Over the CPUs they are the totals of the same scrape, to the nanosecond."""
        for name, total in EVENTS.values():
            self.assertEqual(metrics.sum(f"pmu_{scope}_{name}", **labels),
                             metrics.value(f"pmu_{scope}_{total}", **labels), name)

    def growth(self, before, after, name, scope="cgroup", **labels):
        name = f"pmu_{scope}_{name}"
        labels = labels or {"cgroup": self.path}
        begin = by_cpu(before, name, **labels)
        return {cpu: float(v - begin[cpu]) for cpu, v in by_cpu(after, name, **labels).items()}

    def burn_on_both(self):
        self.burner.burn(self.cpus[0], FIRST)
        self.burner.burn(self.cpus[1], SECOND)

    def beside_perf(self, exporter):
        """Scrapes before and after CPU time is burnt on both, and what perf counts meanwhile."""
        with PerfStat(self.path) as perf:
            before = exporter.after_cycles(2)
            self.burn_on_both()
            return before, exporter.after_cycles(2), perf.read()

    def assert_as_perf(self, ours, theirs, in_doubt):
        """Each CPU has what perf counted there: on a busy host a process is charged for more time
        than it knows of, since the host's own stands in it."""
        for cpu, burnt in zip(self.cpus, (FIRST, SECOND)):
            self.assertGreater(theirs["task-clock"][str(cpu)], burnt / 2)
        for cpu, seconds in theirs["task-clock"].items():
            allowed = 0.02 * seconds + 2e-6 * theirs["context-switches"][cpu] + 0.001
            self.assertLessEqual(ours.get(cpu, 0), seconds + allowed, cpu)
            self.assertGreaterEqual(ours.get(cpu, 0), seconds - allowed - in_doubt, cpu)

    def test_a_load_that_moves_has_its_share_on_both_cpus_as_perf_counts_it(self):
        live.need("perf")
        exporter, _ = self.start()
        before, after, theirs = self.beside_perf(exporter)
        ours = {event: self.growth(before, after, name) for event, (name, _) in EVENTS.items()}
        print(f"{ours}, perf: {dict(theirs)}")
        self.assert_as_perf(ours["task-clock"], theirs,
                            float(live.seconds_in_doubt(before, after)))
        for cpu, switches in theirs["context-switches"].items():
            missing = 0 if live.COUNTING == "direct" else max(5, switches / 200)
            self.assertLessEqual(abs(ours["context-switches"][cpu] - switches), missing, cpu)
        self.assert_sums(after, cgroup=self.path)

    def test_a_group_of_processes_has_it_where_processes_are_counted_whole(self):
        live.need("perf")
        exporter, _ = self.start()
        before, after, theirs = self.beside_perf(exporter)
        labels = {"groupname": self.name}
        if live.COUNTING == "direct":  # counters of threads have no CPU
            self.assertEqual(after.find(f"pmu_process_{TIME}"), {})
            self.assertGreater(after.value("pmu_process_task_clock_seconds_total", **labels), 1)
            return
        ours = self.growth(before, after, TIME, "process", **labels)
        in_doubt = float(live.seconds_in_doubt(before, after))
        self.assert_as_perf(ours, theirs, in_doubt)
        for cpu, burnt in zip(self.cpus, (FIRST, SECOND)):
            self.assertGreaterEqual(ours[str(cpu)], 0.98 * burnt - in_doubt, ours)
        rest = sum(ours.values()) - sum(ours[str(cpu)] for cpu in self.cpus)
        self.assertLess(rest, 0.02, ours)
        self.assert_sums(after, "process", **labels)
        self.burner.end()
        ended = exporter.after_cycles(2)
        self.assert_sums(ended, "process", **labels)
        self.assertEqual(strict_exposition.compare(after.exposition, ended.exposition), [])

    def test_it_outlives_reloads_and_ends_and_never_falls(self):
        exporter, before = self.start()
        self.burner.burn(self.cpus[0], 0.3)
        last = exporter.after_cycles(2)
        for _ in range(2):
            self.assertEqual(exporter.ask_control("POST", "/-/reload").status, 200)
            self.burner.burn(self.cpus[1], 0.2)
            now = exporter.after_cycles(2)
            self.assertEqual(strict_exposition.compare(last.exposition, now.exposition), [])
            last = now
        self.burner.end()
        self.cgroups.remove("a")
        ended = exporter.after_cycles(2)
        self.assert_sums(ended, cgroup=self.path)
        ours = self.growth(before, ended, TIME)
        in_doubt = float(live.seconds_in_doubt(before, ended))
        self.assertGreaterEqual(ours[str(self.cpus[0])], 0.29 - in_doubt)
        self.assertGreaterEqual(ours[str(self.cpus[1])], 0.39 - in_doubt)

    def test_a_rule_that_does_not_want_it_has_none(self):
        self.cgroups.make("a")
        exporter = self.enterContext(Exporter(self.config(by="by: all")))
        metrics = exporter.after_cycles(2)
        for scope in ("cgroup", "process"):
            for name, _ in EVENTS.values():
                self.assertEqual(metrics.find(f"pmu_{scope}_{name}"), {})
        self.assertEqual(metrics.find("pmu_cgroup_task_clock_seconds_total").keys(),
                         {frozenset({("cgroup", self.cgroups.path("a"))})})

    def test_the_api_tells_it_where_it_is_named(self):
        exporter, _ = self.start()
        target = "/api/v1/targets?target=cgroup:" + urllib.parse.quote(self.path)
        columns = {}
        for words in ("", f"&column=pmu_cgroup_{TIME}"):
            table, = json.loads(exporter.get(target + words).body)["tables"]
            columns[words] = [c.get("cpu") for c in table["columns"]]
            self.assertEqual(len(table["rows"][0]["values"]), len(table["columns"]))
        online = by_cpu(exporter.scrape(), "pmu_machine_" + TIME)
        self.assertEqual(list(columns.values()), [[None] * len(columns[""]), sorted(online, key=int)])

    def test_the_machine_has_what_the_kernel_accounts_for_on_each_cpu(self):
        exporter, _ = self.start()
        name = "pmu_machine_" + TIME
        outer_begin, before, inner_begin = kernel_says(), exporter.after_cycles(2), kernel_says()
        self.burn_on_both()
        inner_end, after, outer_end = kernel_says(), exporter.after_cycles(2), kernel_says()
        tick = 1 / os.sysconf("SC_CLK_TCK")
        begin, end = by_cpu(before, name), by_cpu(after, name)
        self.assertEqual(end.keys(), outer_end.keys())
        for cpu, value in end.items():
            # each of five numbers is cut to a tick, at both ends
            ours = float(value - begin[cpu])
            self.assertGreaterEqual(ours, inner_end[cpu] - inner_begin[cpu] - 10 * tick, cpu)
            self.assertLessEqual(ours, outer_end[cpu] - outer_begin[cpu] + 10 * tick, cpu)
        self.assertAlmostEqual(float(sum(end.values()) - sum(begin.values())),
                               float(after.value("pmu_machine_cpu_seconds_total") -
                                     before.value("pmu_machine_cpu_seconds_total")),
                               delta=10 * tick * len(end))


if __name__ == "__main__":
    live.main()
