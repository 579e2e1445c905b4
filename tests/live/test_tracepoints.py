#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tracepoints: each hit is counted once, for the cgroup and the process that it happens in, by both
mechanisms alike, and as perf counts it."""
import os
import subprocess
import sys

import live
from cgroups import Cgroups
from exporter import PATIENCE, Exporter
from own_mounts import enter_own_tracefs

CALLS = 1000
MATCHING = 100
NAPS = 200

# It asks for the process groups of ten processes in turn, and sleeps; then it waits, so that
# nothing happens in it while it is scraped.
CALLER = """import os, sys, time
if sys.argv[1]:
    with open(sys.argv[1], "w") as procs:
        procs.write("0")
with open("/proc/self/comm", "w") as comm:
    comm.write(sys.argv[2])
print(flush=True)
while sys.stdin.readline():
    for i in range(%d):
        try:
            os.getpgid(i %% 10 + 1)
        except OSError:
            pass
    for i in range(%d):
        os.getppid()
    for i in range(%d):
        time.sleep(0.0005)
    print(flush=True)
""" % (CALLS, CALLS, NAPS)


EVENTS = ("syscalls_sys_enter_getpgid", "of_seven", "sched_sched_switch", "preempted",
          "context_switches")
HITS = ("sys_enter_getppid", "sys_enter_getrandom")
OF_PERF = ("syscalls:sys_enter_getpgid", "sched:sched_switch")


class Caller:
    def __init__(self, procs, comm):
        self.process = subprocess.Popen([sys.executable, "-c", CALLER, procs, comm], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdout.readline()

    def run(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        if not self.process.stdout.readline():
            raise AssertionError(f"the caller ended with {self.process.wait()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def config(counting, cgroups, comm):
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
            "targets:\n"
            f"  cgroups: [{{include: [\"/{cgroups.top}/*\"], groups: [calls, some]}}]\n"
            f"  processes: [{{comm: [{comm}], name: \"{{{{.Comm}}}}\", groups: [calls, some]}}]\n")


class Perf:
    """`perf stat` over the cgroup while a command waits; behind the block it has `counts`."""

    def __init__(self, cgroup):
        self.process = subprocess.Popen(
            ["perf", "stat", "-a", "-x;", "-e", ",".join(OF_PERF), "-G",
             ",".join([cgroup.lstrip("/")] * len(OF_PERF)), "--", "sh", "-c", "echo open; read -r _"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "open\n":
            raise AssertionError(self.process.communicate()[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.counts = live.perf_stat_counts(self.process.communicate("\n", timeout=PATIENCE)[1])


class Tracepoints(live.LiveTest):
    def setUp(self):
        live.need("perf")
        self.comm = live.own("calls")
        self.cgroups = self.enterContext(Cgroups())
        self.path = self.cgroups.make("load")
        procs = os.fsdecode(self.cgroups.directory("load")) + "/cgroup.procs"
        self.caller = self.enterContext(Caller(procs, self.comm))

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

    def test_both_mechanisms_count_each_hit_once_as_perf_does(self):
        # bpf comes first: perf is then attached to the tracepoint of switches behind its program.
        exporters = {name: self.counting(name) for name in ("bpf", "direct")}
        for _ in range(20):
            before, doubt_before = self.counted(exporters)
            with Perf(self.path) as perf:
                self.caller.run()
            after, doubt = self.counted(exporters)
            deltas = {key: after[key] - before[key] for key in after}
            self.assert_direct(deltas, perf.counts)
            wrong = [(key, delta) for key, delta in deltas.items()
                     if delta != deltas[key[0], "direct", key[2]]]
            if not wrong:
                break
            self.assertNotEqual(doubt, doubt_before, wrong)
        else:
            self.skipTest("the kernel hides switches all the time")
        for exporter in exporters.values():
            self.assert_absences(exporter.scrape(), exporter.stderr())

    def assert_direct(self, deltas, counts):
        """direct knows no doubt."""
        for scope in ("cgroup", "process"):
            of = {event: deltas[event, "direct", scope] for event in EVENTS}
            self.assertEqual(of["syscalls_sys_enter_getpgid"], CALLS)
            self.assertEqual(of["of_seven"], MATCHING)
            self.assertGreaterEqual(of["sched_sched_switch"], NAPS)
            self.assertEqual(of["sched_sched_switch"], of["context_switches"])
            self.assertEqual(deltas["sys_enter_getppid", "direct", scope], CALLS)
            for event in OF_PERF:
                self.assertEqual(of[event.replace(":", "_")], counts[event], event)

    def assert_absences(self, metrics, log):
        for name in ("broken", "slip"):
            self.assertEqual(metrics.value("pmu_exporter_event_supported", scope="cgroup",
                                           event=name, reason="bad_filter"), 0, name)
        self.assertIn("did you mean pid?", log)


if __name__ == "__main__":
    enter_own_tracefs()
    live.main()
