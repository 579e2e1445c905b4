#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How long system calls took, against loads whose calls are known, and against a trace by perf."""
import json
import os
import re
import subprocess
import tempfile

import live
from caller import MIXED, Caller
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, quote, without_profiles
from open_perf import OpenPerf
from own_mounts import enter_own_tracefs

SUPPORTED = "pmu_exporter_latency_supported"
ONE_IN = "pmu_exporter_system_call_timed_one_in"
START = "pmu_cgroup_start_time_seconds"
LOST = "pmu_exporter_latency_unknown_total"
SECONDS = "system_call_seconds"
NAP = "clock_nanosleep"
N_NAPS = 50
N_CALLS = 1700
N_KILLED = 20
SLEEP = 0.02
TIMED = (NAP, *MIXED)
WORKING, WAITING = "working", "waiting"


class PerfTrace(OpenPerf):
    """`perf record` of the calls of a process; behind the block `durations(name)` has their times."""

    def __init__(self, pid):
        self.directory = tempfile.TemporaryDirectory()
        self.data = f"{self.directory.name}/data"
        super().__init__("record", "-q", "-m", "1024", "-o", self.data, "-e",
                         "raw_syscalls:sys_enter,raw_syscalls:sys_exit", "-p", str(pid))

    def __exit__(self, *_):
        super().__exit__()
        text = subprocess.run(["perf", "script", "--ns", "-F", "tid,time,event,trace", "-i",
                               self.data], capture_output=True, text=True, check=True).stdout
        self.directory.cleanup()
        began, self.times = {}, {}
        for tid, time, event, number in re.findall(
                r"(\d+)\s+([\d.]+):\s+raw_syscalls:(sys_enter|sys_exit):\s+NR (-?\d+)", text):
            if event == "sys_enter":
                began[tid] = number, float(time)
            elif began.get(tid, (None,))[0] == number:
                self.times.setdefault(int(number), []).append(float(time) - began.pop(tid)[1])

    def durations(self, number):
        return sorted(self.times.get(number, []))


def quantile_bucket(buckets, q):
    """The place of the bucket (ascending limits, cumulative counts) that has the quantile."""
    counts = [float(count) for _, count in buckets]
    return next(i for i, count in enumerate(counts) if count >= q * counts[-1])


class SystemCallTimes(live.LiveTest):
    def setUp(self):
        self.cgroups = self.enterContext(Cgroups())
        self.comm = live.own("times")
        for name in "a", "a/b":
            self.cgroups.make(name)

    def config(self, timed=TIMED, one_in=1, latency="[system_calls]"):
        return (f"interval: 1s\ncounting: {live.COUNTING}\nlinger: 30s\n"
                "groups: [{name: software, events: [task-clock]}]\n"
                f"system_calls: {{timed: [{', '.join(timed)}], one_in: {one_in}}}\n"
                "targets:\n"
                f"  system: {{groups: [software], latency: {latency}}}\n"
                "  cgroups:\n"
                f"    - include: [{quote('/' + self.cgroups.top + '/**')}]\n"
                f"      groups: [software]\n      latency: {latency}\n"
                "  processes:\n"
                f"    - {{comm: [{self.comm}], name: \"{{{{.Comm}}}}\", groups: [software], "
                f"latency: {latency}}}\n")

    def start(self, **options):
        """An exporter, and a caller in the cgroup a/b, both counted."""
        self.caller = self.enterContext(Caller(self.cgroups.directory("a/b"), self.comm))
        exporter = self.enterContext(Exporter(self.config(**options)))
        metrics = exporter.scrape_until(
            lambda m: m.value("pmu_process_members", groupname=self.comm) == 1 and
            all(m.value(START, cgroup=self.cgroups.path(name)) for name in ("a", "a/b")),
            PATIENCE, "the cgroups and the process")
        if metrics.sum(SUPPORTED, kind="system_calls") == 0:
            self.skipTest("system calls cannot be counted here: "
                          f"{metrics.labels(SUPPORTED, 'reason', kind='system_calls')}")
        return exporter

    def scopes(self):
        return {"the cgroup": ("pmu_cgroup", {"cgroup": self.cgroups.path("a/b")}),
                "the cgroup above it": ("pmu_cgroup", {"cgroup": self.cgroups.path("a")}),
                "the process": ("pmu_process", {"groupname": self.comm})}

    def count(self, metrics, call, what="count", scope="the cgroup", **labels):
        prefix, who = self.scopes()[scope]
        return metrics.sum(f"{prefix}_{SECONDS}_{what}", call=call, **who, **labels)

    def buckets(self, metrics, call):
        found = metrics.find(f"pmu_cgroup_{SECONDS}_bucket", call=call,
                             cgroup=self.cgroups.path("a/b"))
        pairs = [(re.search(r'le="([^"]+)"', str(key)) or re.search(r"'le', '([^']+)'", str(key)),
                  value) for key, value in found.items()]
        return sorted((float(le[1]), value) for le, value in pairs)

    def reload(self, exporter, config):
        (exporter.directory / "pmu_exporter.yml").write_text(without_profiles(config))
        self.assertEqual(exporter.ask_control("POST", "/-/reload").status, 200)

    def links(self, exporter):
        """How many BPF programs are attached."""
        return sum(re.sub("[-_]", "", link).startswith("anoninode:bpflink") for link in exporter.links())

    def test_each_nap_is_timed_for_as_long_as_it_took(self):
        exporter = self.start()
        self.caller.run("sleep", N_NAPS)
        self.caller.run("getppid", N_CALLS)
        metrics = exporter.after_cycles(2)
        for scope in self.scopes():
            with self.subTest(scope):
                self.assertEqual(self.count(metrics, NAP, scope=scope), N_NAPS)
                self.assertEqual(self.count(metrics, "getppid", scope=scope), N_CALLS)
                self.assertGreaterEqual(self.count(metrics, NAP, "sum", scope), N_NAPS * SLEEP)
                self.assertGreater(self.count(metrics, "getppid", "sum", scope), 0)
        self.assertEqual(self.count(metrics, NAP, **{"class": WAITING}), N_NAPS)
        self.assertEqual(self.count(metrics, "getppid", **{"class": WORKING}), N_CALLS)
        below = max(value for le, value in self.buckets(metrics, NAP) if le < SLEEP)
        self.assertEqual(below, 0)
        self.assertGreaterEqual(metrics.sum(f"pmu_machine_{SECONDS}_count", call=NAP), N_NAPS)
        self.assertEqual(metrics.value(ONE_IN, call=NAP, reason="", **{"class": WAITING}), 1)

    def test_a_call_that_is_not_named_is_not_timed(self):
        exporter = self.start(timed=("getuid",))
        self.caller.run("getppid", N_CALLS)
        self.caller.run("sleep", 2)
        metrics = exporter.after_cycles(2)
        self.assertEqual(metrics.labels(f"pmu_machine_{SECONDS}_count", "call") - {"getuid"}, set())
        self.assertEqual(metrics.labels(ONE_IN, "call"), {"getuid"})

    def test_times_are_those_of_a_trace_by_perf(self):
        live.need("perf")
        number = {"x86_64": 230, "aarch64": 115}.get(os.uname().machine)
        if not number:
            self.skipTest("the number of the call is not known here")
        exporter = self.start()
        with PerfTrace(self.caller.pid) as perf:
            self.caller.run("naps", 200)
        metrics = exporter.after_cycles(2)
        exact = perf.durations(number)
        buckets = self.buckets(metrics, NAP)
        limits = [le for le, _ in buckets]
        self.assertEqual(len(exact), 200)
        self.assertEqual(self.count(metrics, NAP), len(exact))
        # what either adds to a call may be in the time of the other one
        self.assertAlmostEqual(float(self.count(metrics, NAP, "sum")) / sum(exact), 1, delta=0.02)
        for q in 0.1, 0.5, 0.9, 0.99:
            value = exact[min(int(q * len(exact)), len(exact) - 1)]
            wanted = next(i for i, le in enumerate(limits) if value <= le)
            with self.subTest(q=q, value=value):
                self.assertLessEqual(abs(quantile_bucket(buckets, q) - wanted), 1)

    def test_one_in_17_is_timed_of_each_call_of_a_loop(self):
        exporter = self.start(one_in=17)
        self.caller.run("getppid", N_CALLS)
        before = exporter.after_cycles(2)
        self.assertEqual(self.count(before, "getppid"), N_CALLS / 17)
        self.assertEqual(self.count(before, "getppid", scope="the process"), N_CALLS / 17)
        for kinds in 2, 4, 8:
            self.caller.run(f"mixed{kinds}", N_CALLS)
            metrics = exporter.after_cycles(2)
            for call in MIXED[:kinds]:
                with self.subTest(kinds=kinds, call=call):
                    self.assertEqual(self.count(metrics, call) - self.count(before, call),
                                     N_CALLS / 17)
            before = metrics
        self.assertEqual(before.value(ONE_IN, call="getppid", reason="", **{"class": WORKING}), 17)
        status = json.loads(exporter.get("/api/v1/status").body)["latency"]["timed_calls"]
        self.assertEqual(status, {"calls": list(TIMED), "one_in": 17, "reason": None})
        self.assertIn(b"one in 17", exporter.get("/metrics").body)

    def test_a_thread_that_is_killed_in_a_call_has_returned_from_it(self):
        """Its nap would have lasted 1000 s."""
        exporter = self.start()
        self.caller.run("killed", N_KILLED)
        self.caller.run("sleep", N_NAPS)
        metrics = exporter.after_cycles(2)
        self.assertEqual(self.count(metrics, NAP), N_KILLED + N_NAPS)
        self.assertLess(self.count(metrics, NAP, "sum"), N_KILLED * 1000)

    def test_what_a_thread_left_behind_is_not_the_next_ones_of_its_number(self):
        exporter = self.start(timed=("execve", "getppid"))
        self.caller.run("renumbered", 1)
        self.caller.run("getppid", N_CALLS)
        metrics = exporter.after_cycles(2)
        self.assertEqual(self.count(metrics, "getppid"), N_CALLS)
        self.assertEqual(self.count(metrics, "execve"), 0)
        self.assertGreater(metrics.sum(LOST), 0)

    def test_a_reload_times_what_it_names_and_counts_on(self):
        exporter = self.start(timed=("getppid", "getuid"))
        for _ in range(20):  # until the call has a line
            self.caller.run("getppid", 100000)
            before = exporter.after_cycles(2)
            if "getppid" in before.labels("pmu_machine_system_calls_total", "call"):
                break
        attached = self.links(exporter)
        self.caller.run("getppid", N_CALLS)
        self.caller.run("mixed2", 1)
        self.reload(exporter, self.config(timed=("getgid", "getuid")))
        self.caller.run("mixed4", N_CALLS)
        last = exporter.after_cycles(2)
        for call, n in ("getppid", N_CALLS + 1), ("getuid", 1 + N_CALLS), ("getgid", N_CALLS):
            with self.subTest(call=call):
                self.assertEqual(self.count(last, call) - self.count(before, call), n)
        self.assertEqual(self.calls(last) - self.calls(before), 2 * N_CALLS + 1)
        self.assertEqual(self.links(exporter), attached)
        self.reload(exporter, self.config(timed=()))
        self.caller.run("getppid", N_CALLS)
        last = exporter.after_cycles(2)
        self.assertEqual(self.calls(last) - self.calls(before), 3 * N_CALLS + 1)
        self.assertEqual(last.find(f"pmu_cgroup_{SECONDS}_count"), {})
        self.assertEqual(last.find(ONE_IN), {})
        self.assertEqual(self.links(exporter), attached - 1)

    def calls(self, metrics):
        return metrics.sum("pmu_cgroup_system_calls_total", cgroup=self.cgroups.path("a/b"),
                           call="getppid")


if __name__ == "__main__":
    enter_own_tracefs()
    live.main()
