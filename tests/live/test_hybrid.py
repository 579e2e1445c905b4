# SPDX-License-Identifier: Apache-2.0
"""Cores of two kinds, on the real kernel.

This machine has one kind. So its sysfs says that the first CPU is of one and the second of another.
The core PMU of the first has the type of the msr PMU, and its event is the clock of the CPU. That of
the second has the type of tracepoints: an event of it is a system call that nobody else makes, and
counts where that PMU is, exactly.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import live
import own_sysfs
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, quote
from own_mounts import enter_own_tracefs

MSR = pathlib.Path("/sys/bus/event_source/devices/msr/type")
FIRST, SECOND = 1000, 300  # calls on the first CPU and on the second

LOAD = """
import os, sys
sys.stdin.readline()
for cpu, n in (({first}, {n_first}), ({second}, {n_second})):
    os.sched_setaffinity(0, [cpu])
    for _ in range(n):
        {call}
sys.stdout.write("done")
sys.stdout.flush()
sys.stdin.readline()
"""

CONFIG = """
interval: 1s
counting: {counting}
groups:
  - name: core
    events: [cpu_core/tsc/, cpu_atom/calls/, context-switches]
targets:
  system: {{groups: [core], by: cpu}}
  cgroups: [{{include: [{cgroup}], groups: [core]}}]
  processes: [{{name: load, pid: [{pid}], groups: [core]}}]
"""


def machine(first, second, tracepoint):
    core = {"type": MSR.read_text().strip(), "cpus": first, "format/event": "config:0-63",
            "events/tsc": "event=0"}
    atom = own_sysfs.pmu_of_tracepoints(None, {"calls": tracepoint}, {"cpus": second})
    del atom["cpumask"]
    return {"cpu_core": core, "cpu_atom": atom}


class Hybrid(live.LiveTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cpus = sorted(os.sched_getaffinity(0))[:2]
        if len(cls.cpus) < 2 or os.sysconf("SC_NPROCESSORS_ONLN") != 2:
            raise live.unittest.SkipTest("this takes a machine of two CPUs, of which each is a kind")
        if not MSR.exists():
            raise live.unittest.SkipTest("this machine has no msr PMU")
        [(tracepoint, cls.call)] = own_sysfs.own_calls(1)
        directory = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.sysfs = own_sysfs.make(directory, machine(*cls.cpus, tracepoint))

    def count(self, counting):
        """The metrics after the load, which runs in a cgroup of its own."""
        first, second = self.cpus
        text = LOAD.format(first=first, n_first=FIRST, second=second, n_second=SECOND,
                           call=self.call)
        with Cgroups() as cgroups, subprocess.Popen(
                [sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                text=True) as load:
            path = cgroups.make("a.service")
            cgroups.enter("a.service", load.pid)
            config = CONFIG.format(counting=counting, cgroup=quote(path), pid=load.pid)
            with Exporter(config, args=[f"--path.sysfs={self.sysfs}"]) as exporter:
                exporter.scrape_until(lambda m: m.find("pmu_cgroup_cpu_atom_calls_total") and
                                      m.find("pmu_process_context_switches_total"),
                                      PATIENCE, "counting began")
                load.stdin.write("go\n")
                load.stdin.flush()
                self.assertEqual(load.stdout.read(4), "done")
                metrics = exporter.after_cycles(2)
                load.stdin.write("end\n")
        return metrics

    def check_cpus(self, metrics):
        calls = {dict(labels)["cpu"]: value
                 for labels, value in metrics.families["pmu_cpu_cpu_atom_calls_total"].items()}
        clock = {dict(labels)["cpu"]: value
                 for labels, value in metrics.families["pmu_cpu_cpu_core_tsc_total"].items()}
        first, second = map(str, self.cpus)
        self.assertEqual(calls, {first: 0, second: SECOND})
        self.assertGreater(clock[first], 0)
        self.assertEqual(clock[second], 0)
        self.assertEqual(metrics.value("pmu_cgroup_cpu_atom_calls_total"), SECOND)
        self.assertEqual(metrics.value("pmu_cgroup_group_running_seconds_total"),
                         metrics.value("pmu_cgroup_group_enabled_seconds_total"))

    def test_direct_opens_an_event_of_one_kind_on_its_cpus_and_loses_nothing_on_others(self):
        metrics = self.count("direct")
        self.check_cpus(metrics)
        # nothing keeps this thread's tracepoints to one CPU: both are its own, in one of the parts
        self.assertEqual(metrics.value("pmu_process_cpu_atom_calls_total"), FIRST + SECOND)

    def test_bpf_counts_processes_too_by_the_pmu_of_each_cpu(self):
        metrics = self.count("bpf")
        self.check_cpus(metrics)
        self.assertEqual(metrics.value("pmu_process_cpu_atom_calls_total"), SECOND)


if __name__ == "__main__":
    enter_own_tracefs()
    live.main()
