#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""System calls, against loads whose calls are known, and against what perf counts of them."""
import platform
import unittest

import live
from caller import Caller, PerfStat
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, quote, without_profiles
from own_mounts import enter_own_tracefs

CYCLE = 1.0
SUPPORTED = "pmu_exporter_latency_supported"
START = "pmu_cgroup_start_time_seconds"
CALLS = "system_calls_total"
ERRORS = "system_call_errors_total"
N_CALLS = 3000
N_ERRORS = 2000
N_FORKS = 40
MOST_LINES = 21  # and those of calls that other machines have made before
LARGEST = 512

class SystemCalls(live.LiveTest):
    def setUp(self):
        self.cgroups = self.enterContext(Cgroups())
        self.comm = live.own("calls")
        for name in "a", "a/b", "c":
            self.cgroups.make(name)

    def config(self, system="[system_calls]", cgroups="[system_calls]"):
        return (f"interval: {CYCLE:.0f}s\ncounting: {live.COUNTING}\nlinger: 30s\n"
                "groups: [{name: software, events: [task-clock]}]\n"
                "targets:\n"
                f"  system: {{groups: [software], latency: {system}}}\n"
                "  cgroups:\n"
                f"    - include: [{quote('/' + self.cgroups.top + '/**')}]\n"
                f"      groups: [software]\n      latency: {cgroups}\n"
                "  processes:\n"
                f"    - {{comm: [{self.comm}], name: \"{{{{.Comm}}}}\", groups: [software], "
                "latency: [system_calls]}\n")

    def start(self, **options):
        """An exporter, and a caller in the cgroup a/b, both counted."""
        self.caller = self.enterContext(Caller(self.cgroups.directory("a/b"), self.comm))
        exporter = self.enterContext(Exporter(self.config(**options)))
        metrics = exporter.scrape_until(
            lambda m: m.value("pmu_process_members", groupname=self.comm) == 1 and
            all(m.value(START, cgroup=self.cgroups.path(name)) for name in ("a", "a/b", "c")),
            PATIENCE, "the cgroups and the process")
        if metrics.sum(SUPPORTED, kind="system_calls") == 0:
            self.skipTest("system calls cannot be counted here: "
                          f"{metrics.labels(SUPPORTED, 'reason', kind='system_calls')}")
        return exporter

    def of_cgroup(self, metrics, name, family=CALLS, **labels):
        return metrics.sum(f"pmu_cgroup_{family}", cgroup=self.cgroups.path(name), **labels)

    def of_process(self, metrics, family=CALLS, **labels):
        return metrics.sum(f"pmu_process_{family}", groupname=self.comm, **labels)

    def has_lines(self, metrics, *calls):
        return set(calls) <= metrics.labels("pmu_machine_system_calls_total", "call")

    def make_dear(self, exporter, *calls):
        """Until each of these has a line of its own."""
        for _ in range(20):
            for call in calls:
                self.caller.run(call, 100000)
            metrics = exporter.after_cycles(2)
            if self.has_lines(metrics, *calls):
                return metrics
        raise AssertionError(f"no lines of {calls}")

    def reload(self, exporter, config):
        (exporter.directory / "pmu_exporter.yml").write_text(without_profiles(config))
        self.assertEqual(exporter.ask_control("POST", "/-/reload").status, 200)

    def test_each_call_and_each_error_is_counted_once(self):
        exporter = self.start()
        self.make_dear(exporter, "getppid", "dup")
        before = exporter.after_cycles(2)
        self.caller.run("getppid", N_CALLS)
        self.caller.run("dup", N_ERRORS)
        last = exporter.after_cycles(2)
        for who in (lambda m, *of, **labels: self.of_cgroup(m, "a/b", *of, **labels),
                    lambda m, *of, **labels: self.of_cgroup(m, "a", *of, **labels),
                    self.of_process):
            for family, call, n in ((CALLS, "getppid", N_CALLS), (ERRORS, "getppid", 0),
                                    (CALLS, "dup", N_ERRORS), (ERRORS, "dup", N_ERRORS)):
                with self.subTest(family=family, call=call):
                    self.assertEqual(who(last, family, call=call) - who(before, family, call=call),
                                     n)
        self.assertEqual(self.of_cgroup(last, "c"), 0)
        for family, call, n in (CALLS, "getppid", N_CALLS), (ERRORS, "dup", N_ERRORS):
            machine = f"pmu_machine_{family}"
            self.assertGreaterEqual(last.sum(machine, call=call) - before.sum(machine, call=call),
                                    n)

    def test_all_lines_together_are_what_perf_counts(self):
        """perf counts calls that begin: those of exit, which never return, are not counted here. The
        read in which the process waits has begun before perf, and the last one does not return."""
        live.need("perf")
        exporter = self.start()
        for what, n, exits in (("getppid", N_CALLS, 0), ("fork", N_FORKS, N_FORKS),
                               ("execute", N_FORKS, N_FORKS)):
            with self.subTest(what=what):
                before = exporter.after_cycles(2)
                with PerfStat(self.caller.pid) as perf:
                    self.caller.run(what, n)
                last = exporter.after_cycles(2)
                wanted = perf.enters - exits
                self.assertGreater(wanted, n)
                self.assertEqual(self.of_cgroup(last, "a/b") - self.of_cgroup(before, "a/b"),
                                 wanted)
                self.assertEqual(self.of_cgroup(last, "a") - self.of_cgroup(before, "a"), wanted)

    def test_numbers_that_are_no_call_have_few_lines(self):
        exporter = self.start()
        before = exporter.after_cycles(2)
        self.caller.run("numbers", 20)
        last = exporter.after_cycles(2)
        made = 20 * (1000 - 480 + 4)
        errors = self.of_cgroup(last, "a/b", ERRORS) - self.of_cgroup(before, "a/b", ERRORS)
        self.assertGreaterEqual(errors, made - 2 * 20, "1 << 30 and 0x40000027 may be calls of x32")
        self.assertLessEqual(errors, made + 20)
        for scope in "cgroup", "process", "machine":
            self.assertLessEqual(len(last.labels(f"pmu_{scope}_{CALLS}", "call")), MOST_LINES)

    def test_numbers_beyond_all_calls_are_one_line(self):
        exporter = self.start()
        for _ in range(20):
            self.caller.run("numbers", 100)
            metrics = exporter.after_cycles(2)
            if self.has_lines(metrics, "unknown"):
                break
        before = exporter.after_cycles(2)
        self.caller.run("numbers", 1)
        last = exporter.after_cycles(2)
        self.assertEqual(self.of_cgroup(last, "a/b", call="unknown") -
                         self.of_cgroup(before, "a/b", call="unknown"), 1000 - LARGEST + 4)

    @unittest.skipUnless(platform.machine() == "x86_64", "the code is for x86")
    def test_calls_of_32_bits_are_one_line(self):
        exporter = self.start()
        try:
            self.caller.run("compat", 1)
        except AssertionError as reason:
            self.skipTest(f"the kernel takes no calls of 32 bits: {reason}")
        self.make_dear(exporter, "compat")
        before = exporter.after_cycles(2)
        self.caller.run("compat", N_CALLS)
        last = exporter.after_cycles(2)
        self.assertEqual(self.of_cgroup(last, "a/b", call="compat") -
                         self.of_cgroup(before, "a/b", call="compat"), N_CALLS)

    def test_what_ends_with_its_cgroup_stays_part_of_its_parent(self):
        exporter = self.start()
        before = self.make_dear(exporter, "getppid")
        with Caller(self.cgroups.directory("c"), "other") as caller:
            caller.run("getppid", N_CALLS)
        self.cgroups.remove("c")
        last = exporter.after_cycles(2)
        self.assertEqual(self.of_cgroup(last, "c", call="getppid"), N_CALLS)
        self.assertEqual(self.of_cgroup(last, "a", call="getppid"),
                         self.of_cgroup(before, "a", call="getppid"))

    def test_a_reload_loses_nothing_and_begins_and_ends_what_is_asked_for(self):
        exporter = self.start()
        before = self.make_dear(exporter, "getppid")
        self.caller.run("getppid", N_CALLS)
        self.reload(exporter, self.config().replace("linger: 30s", "linger: 31s"))
        self.caller.run("getppid", N_CALLS)
        last = exporter.after_cycles(2)
        self.assertEqual(self.of_cgroup(last, "a/b", call="getppid") -
                         self.of_cgroup(before, "a/b", call="getppid"), 2 * N_CALLS)
        self.reload(exporter, self.config(system="[]", cgroups="[]").replace(
            "latency: [system_calls]", "latency: []"))
        self.caller.run("getppid", N_CALLS)
        metrics = exporter.after_cycles(2)
        for scope in "cgroup", "process", "machine":
            self.assertEqual(metrics.find(f"pmu_{scope}_{CALLS}"), {})
        self.reload(exporter, self.config())
        self.assertTrue(self.make_dear(exporter, "getppid"))


if __name__ == "__main__":
    enter_own_tracefs()
    live.main()
