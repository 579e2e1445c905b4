# SPDX-License-Identifier: Apache-2.0
"""Whatever makes a CPU look at what it counts interrupts it. Which CPUs the exporter has the program
at each switch run on is seen in its system calls."""
import os
import pathlib
import re
import subprocess
import tempfile
import time

import live
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, quote

SUPPORTED = "pmu_exporter_latency_supported"
START = "pmu_cgroup_start_time_seconds"
LATENCY = "latency: [scheduler]"


class Refreshes(live.LiveTest):
    def setUp(self):
        live.need("strace")
        self.cgroups = self.enterContext(Cgroups())
        self.cpus = os.sched_getaffinity(0)
        if len(self.cpus) < 2:
            self.skipTest("there is one CPU")

    def start(self, counting):
        pattern = quote(f"/{self.cgroups.top}/**")
        exporter = self.enterContext(Exporter(
            f"interval: 1s\ncounting: {counting}\n"
            "groups: [{name: software, events: [page-faults]}]\n"
            f"targets:\n  system: {{groups: [software], by: all, {LATENCY}}}\n"
            f"  cgroups:\n    - {{include: [{pattern}], groups: [software], {LATENCY}}}\n"))
        metrics = exporter.scrape()
        if metrics.sum(SUPPORTED) == 0:
            self.skipTest(f"there are no latencies here: {metrics.labels(SUPPORTED, 'reason')}")
        return exporter

    def settle(self, exporter, name):
        path = self.cgroups.path(name)
        exporter.scrape_until(lambda m: m.value(START, cgroup=path), PATIENCE, "the cgroup")
        exporter.after_cycles(2)

    def refreshed(self, exporter, cycles, meanwhile=lambda: None):
        """The CPUs that the program was run on meanwhile, each as often as it was."""
        with tempfile.TemporaryDirectory() as directory:
            trace = pathlib.Path(directory, "trace")
            with subprocess.Popen(["strace", "-q", "-f", "-e", "trace=bpf", "-o", trace, "-p",
                                   str(exporter.pid)]) as strace:
                self.wait_for_strace(exporter, strace)
                meanwhile()
                exporter.after_cycles(cycles)
                strace.terminate()
            return [int(cpu) for cpu in
                    re.findall(r"BPF_PROG_TEST_RUN, .*\bcpu=(\d+)", trace.read_text())]

    def wait_for_strace(self, exporter, strace):
        status = pathlib.Path(f"/proc/{exporter.pid}/status")
        end = time.monotonic() + PATIENCE
        while f"TracerPid:\t{strace.pid}\n" not in status.read_text():
            if strace.poll() is not None or time.monotonic() > end:
                self.skipTest("strace cannot attach itself")
            time.sleep(0.01)

    def test_a_cpu_without_counters_is_refreshed_only_when_targets_come_or_go(self):
        self.cgroups.make("a")
        exporter = self.start("direct")
        self.settle(exporter, "a")
        self.assertEqual(self.refreshed(exporter, 3), [])
        born = self.refreshed(exporter, 3, lambda: self.cgroups.make("b"))
        self.assertLessEqual(self.cpus, set(born))
        self.assertLess(len(born), 3 * len(set(born)))
        self.settle(exporter, "b")
        ended = self.refreshed(exporter, 3, lambda: self.cgroups.remove("b"))
        self.assertLessEqual(self.cpus, set(ended))

    def test_a_cpu_with_counters_is_refreshed_in_each_cycle(self):
        self.cgroups.make("a")
        exporter = self.start("bpf")
        self.settle(exporter, "a")
        refreshed = self.refreshed(exporter, 3)
        for cpu in self.cpus:
            self.assertGreaterEqual(refreshed.count(cpu), 3)


if __name__ == "__main__":
    live.main()
