#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tracepoints: each hit is counted once, for the cgroup and the process that it happens in, by both
mechanisms alike, and as perf counts it."""
import os
import signal
import subprocess
import sys
import unittest

import live
import own_sysfs
import turns
from caller import Caller
from cgroups import Cgroups
from exporter import PATIENCE, Exporter
from open_perf import OpenPerf
from own_mounts import enter_own_tracefs

CALLS = 1000
MATCHING = 100
NAPS = 200

# The kernel waits for all CPUs to close a tracepoint that nobody counts any more, 300 times here.
CLOSING_WITHIN = 5 * PATIENCE

BURN = 1.0
MSR = "/sys/bus/event_source/devices/msr/events/tsc"
# What of a switch is counted for whom differs: each counter is stopped at a place of its own in it.
TICKS_SHARE = 1 / 50

EVENTS = ("syscalls_sys_enter_getpgid", "of_seven", "sched_sched_switch", "preempted",
          "context_switches")
HITS = ("sys_enter_getppid", "sys_enter_getrandom")
OF_PERF = ("syscalls:sys_enter_getpgid", "sched:sched_switch")


def config(counting, cgroups, comm):
    groups = "calls, some, ticks" if os.path.exists(MSR) else "calls, some"
    return (f"interval: 1s\ncounting: {counting}\nlinger: 3s\n"
            "groups:\n"
            "- name: calls\n"
            "  events:\n"
            "  - syscalls:sys_enter_getpgid\n"
            "  - {event: syscalls:sys_enter_getpgid, filter: \"pid == 7\", name: of_seven}\n"
            "  - {event: syscalls:sys_enter_getpgid, filter: \"pid <\", name: broken}\n"
            "  - {event: syscalls:sys_enter_getpgid, filter: \"pdi == 7\", name: slip}\n"
            "  - sched:sched_switch\n"
            "  - {event: sched:sched_switch, filter: \"prev_state == 0\", name: preempted}\n"
            "  - context-switches\n"
            "- {name: some, events: [\"syscalls:sys_enter_get[p-u]*\"]}\n"
            "- {name: ticks, events: [task-clock, msr/tsc/]}\n"
            "targets:\n"
            f"  cgroups: [{{include: [\"/{cgroups.top}/*\"], groups: [{groups}]}}]\n"
            f"  processes: [{{comm: [{comm}], name: \"{{{{.Comm}}}}\", groups: [{groups}]}}]\n")


def all_calls(counting, cgroups, calls="sys_enter_*"):
    return (f"interval: 1s\ncounting: {counting}\n"
            f"groups:\n- {{name: all, events: [\"syscalls:{calls}\"]}}\n"
            "- {name: soft, events: [page-faults]}\n"
            "targets:\n  system: {groups: [all]}\n"
            f"  cgroups: [{{include: [\"/{cgroups.top}/*\"], groups: [all, soft]}}]\n")


def hits_of_machine(metrics, name):
    found = metrics.families.get("pmu_machine_tracepoint_hits_total", {})
    return found.get(frozenset({("subsystem", "syscalls"), ("name", name)}))


class Perf(OpenPerf):
    """`perf stat` over the cgroup while a command waits; behind the block it has `counts`."""

    def __init__(self, cgroup, events=OF_PERF):
        super().__init__("stat", "-a", "-x;", "-e", ",".join(events), "-G",
                         ",".join([cgroup.lstrip("/")] * len(events)))

    def __exit__(self, *_):
        super().__exit__()
        self.counts = live.perf_stat_counts(self.text)


class Tracepoints(live.LiveTest):
    def setUp(self):
        live.need("perf")
        self.comm = live.own("calls")
        self.cgroups = self.enterContext(Cgroups())
        self.path = self.cgroups.make("load")
        self.caller = self.enterContext(Caller(self.cgroups.directory("load"), self.comm))

    def counting(self, mechanism):
        exporter = self.enterContext(Exporter(config(mechanism, self.cgroups, self.comm)))
        metrics = exporter.scrape_until(
            lambda m: m.value("pmu_process_members", groupname=self.comm) == 1
            and m.value("pmu_cgroup_of_seven_total", cgroup=self.path) is not None,
            PATIENCE, "the process and its cgroup")
        taken = metrics.labels("pmu_exporter_mechanism_info", "mechanism", scope="cgroup")
        if taken != {mechanism}:
            self.skipTest(metrics.labels("pmu_exporter_mechanism_info", "reason"))
        return exporter

    def counted(self, exporters):
        """What each exporter has counted for the cgroup and for the process, and the seconds that
        bpf could give to nobody, since the kernel has hidden switches."""
        scrapes = {name: exporter.after_cycles(2) for name, exporter in exporters.items()}
        totals = {(event, name, scope): m.value(f"pmu_{scope}_{event}_total", **labels)
                  for event in EVENTS for name, m in scrapes.items()
                  for scope, labels in (("cgroup", {"cgroup": self.path}),
                                        ("process", {"groupname": self.comm}))}
        for name, m in scrapes.items():
            for scope, labels in (("cgroup", {"cgroup": self.path}),
                                  ("process", {"groupname": self.comm})):
                for point in HITS:
                    wanted = {*labels.items(), ("subsystem", "syscalls"), ("name", point)}
                    totals[point, name, scope], = [
                        value for found, value
                        in m.families[f"pmu_{scope}_tracepoint_hits_total"].items()
                        if wanted <= found]
        return totals, scrapes["bpf"].value(live.UNATTRIBUTED)

    def switches(self):
        """How often the caller has left a CPU, by what the scheduler notes."""
        told, _ = turns.of_processes([self.caller.pid])
        return told.voluntary + told.involuntary

    def test_both_mechanisms_count_each_hit_once_as_perf_does(self):
        # bpf comes first: perf is then attached to the tracepoint of switches behind its program.
        exporters = {name: self.counting(name) for name in ("bpf", "direct")}
        for _ in range(20):
            (before, doubt_before), left_before = self.counted(exporters), self.switches()
            with Perf(self.path) as perf:
                for what, n in ("getpgid", CALLS), ("getppid", CALLS), ("naps", NAPS):
                    self.caller.run(what, n)
            (after, doubt), left = self.counted(exporters), self.switches()
            deltas = {key: after[key] - before[key] for key in after}
            self.assert_direct(deltas, perf.counts, left - left_before)
            wrong = [(key, delta) for key, delta in deltas.items()
                     if delta != deltas[key[0], "direct", key[2]]]
            if not wrong:
                break
            self.assertNotEqual(doubt, doubt_before, wrong)
        else:
            self.skipTest("the kernel hides switches all the time")
        for exporter in exporters.values():
            self.assert_absences(exporter.scrape(), exporter.stderr())

    def ticks(self, exporter):
        """(ticks, seconds on a CPU) of the cgroup, and of the process."""
        metrics = exporter.after_cycles(2)
        return [(int(metrics.value(f"pmu_{scope}_msr_tsc_total", **labels)),
                 float(metrics.value(f"pmu_{scope}_task_clock_seconds_total", **labels)))
                for scope, labels in (("cgroup", {"cgroup": self.path}),
                                      ("process", {"groupname": self.comm}))]

    @unittest.skipUnless(os.path.exists(MSR), "this machine has no PMU msr")
    def test_ticks_of_the_tsc_are_those_that_perf_counts(self):
        """In a second on a CPU there are as many ticks for us as for perf. The seconds themselves
        may be fewer: what the kernel takes to switch counters belongs to no thread."""
        exporters = {name: self.counting(name) for name in ("bpf", "direct")}
        before = {name: self.ticks(exporter) for name, exporter in exporters.items()}
        with Perf(self.path, ("msr/tsc/", "task-clock")) as perf:
            self.caller.run("burn", int(BURN * 1000))
        a_second = perf.counts["msr/tsc/"] / (perf.counts["task-clock"] / 1000)  # from milliseconds
        for name, exporter in exporters.items():
            for (ticks, seconds), (ticks_before, seconds_before) in zip(self.ticks(exporter),
                                                                        before[name]):
                seconds -= seconds_before
                ours = (ticks - ticks_before) / seconds
                print(f"{name}: {seconds} s, {ours:.0f} ticks a second, perf {a_second:.0f}")
                self.assertGreater(seconds, BURN / 2, name)
                self.assertAlmostEqual(ours / a_second, 1, delta=TICKS_SHARE, msg=name)

    def hits(self, exporter, name):
        """How often the system call was made on the machine."""
        metrics = exporter.after_cycles(2)
        return metrics, hits_of_machine(metrics, name)

    def call(self, statement):
        subprocess.run([sys.executable, "-c", f"import os\nfor _ in range({CALLS}): {statement}"],
                       check=True)

    def test_a_wildcard_of_all_system_calls_counts_each_of_them(self):
        """Also behind a reload by which its groups have other members."""
        [(tracepoint, statement)] = own_sysfs.own_calls(1)
        name = tracepoint.partition(":")[2]
        for mechanism in ("bpf", "direct"):
            exporter = self.enterContext(Exporter(all_calls(mechanism, self.cgroups)))
            _, begin = self.hits(exporter, name)
            self.call(statement)
            metrics, end = self.hits(exporter, name)
            self.assertEqual(end - begin, CALLS, mechanism)
            self.assertGreater(len(metrics.families["pmu_machine_tracepoint_hits_total"]), 300)
            self.assert_rest(metrics, tracepoint)
            (exporter.directory / "pmu_exporter.yml").write_text(
                all_calls(mechanism, self.cgroups, "sys_enter_[b-z]*"))
            os.kill(exporter.pid, signal.SIGHUP)
            exporter.scrape_until(
                lambda m: hits_of_machine(m, "sys_enter_accept") is None
                and hits_of_machine(m, name) is not None, PATIENCE, "the reload")
            self.call(statement)
            self.assertEqual(self.hits(exporter, name)[1] - begin, 2 * CALLS, mechanism)
            exporter.stop(within=CLOSING_WITHIN)

    def assert_rest(self, metrics, tracepoint):
        """By bpf there is no room for all that cgroups would have; other groups have theirs."""
        mechanism = metrics.labels("pmu_exporter_mechanism_info", "mechanism", scope="cgroup")
        over = metrics.value("pmu_exporter_event_supported", scope="cgroup", event=tracepoint,
                             reason="over_limit")
        self.assertEqual(over, 0 if mechanism == {"bpf"} else None, mechanism)
        self.assertIsNotNone(metrics.value("pmu_cgroup_page_faults_total", cgroup=self.path))
        self.assertEqual(metrics.sum("pmu_exporter_targets_uncounted"), 0)

    def assert_direct(self, deltas, counts, switches):
        """direct knows no doubt. Most naps are a switch: one whose time is over before it has begun
        is none."""
        self.assertGreater(switches, NAPS / 2)
        for scope in ("cgroup", "process"):
            of = {event: deltas[event, "direct", scope] for event in EVENTS}
            all_of_it = f"{scope}: {of}, perf {counts}, {switches} switches"
            self.assertEqual(of["syscalls_sys_enter_getpgid"], CALLS, all_of_it)
            self.assertEqual(of["of_seven"], MATCHING, all_of_it)
            self.assertEqual(of["sched_sched_switch"], switches, all_of_it)
            self.assertEqual(of["context_switches"], switches, all_of_it)
            self.assertEqual(deltas["sys_enter_getppid", "direct", scope], CALLS, all_of_it)
            for event in OF_PERF:
                self.assertEqual(of[event.replace(":", "_")], counts[event], all_of_it)

    def assert_absences(self, metrics, log):
        for name in ("broken", "slip"):
            self.assertEqual(metrics.value("pmu_exporter_event_supported", scope="cgroup",
                                           event=name, reason="bad_filter"), 0, name)
        self.assertIn("did you mean pid?", log)


if __name__ == "__main__":
    enter_own_tracefs()
    live.main()
