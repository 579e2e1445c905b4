# SPDX-License-Identifier: Apache-2.0
"""Latencies of as many threads as one user may have here, up to 100,000, which sleep and are woken
all at once: each block is in the distribution, once."""
import os
import pathlib

import live
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, quote
from line_program import LineProgram, NotReady

MOST = 100000
SHARE = 0.5  # of the threads that the machine may have: others run here, too
TURNS = 3
UNKNOWN = "pmu_exporter_latency_unknown_total"
SUPPORTED = "pmu_exporter_latency_supported"
BLOCKS = "pmu_cgroup_off_cpu_seconds_count"
START = "pmu_cgroup_start_time_seconds"


def threads_here():
    """How many threads a test may start: limits of the kernel, of the cgroup that we are in, and a
    quarter of the memory that is free."""
    kernel = pathlib.Path("/proc/sys/kernel")
    limits = [int((kernel / name).read_text()) for name in ("threads-max", "pid_max")]
    memory = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4
    return min(MOST, int(min(limits) * SHARE), memory // (32 << 10))


class Crowd(live.LiveTest):
    def setUp(self):
        self.cgroups = self.enterContext(Cgroups())

    def start_exporter(self):
        exporter = self.enterContext(Exporter(
            "interval: 1s\ncounting: direct\n"
            "groups: [{name: software, events: [page-faults]}]\n"
            "targets:\n  cgroups:\n"
            f"    - {{include: [{quote(self.cgroups.path('*'))}], groups: [software], "
            "latency: [scheduler]}\n"))
        metrics = exporter.scrape()
        if metrics.sum(SUPPORTED) == 0:
            self.skipTest(f"there are no latencies here: {metrics.labels(SUPPORTED, 'reason')}")
        return exporter

    def start_sleepers(self, n):
        procs = os.fsdecode(self.cgroups.directory("a")) + "/cgroup.procs"
        try:
            return self.enterContext(LineProgram([live.program("sleepers"), procs, str(n)]))
        except NotReady as error:
            self.skipTest(f"{n} threads: {error}")

    def counted(self, metrics):
        return (metrics.sum(BLOCKS, cgroup=self.cgroups.path("a")), metrics.value(UNKNOWN))

    def test_each_block_of_each_thread_is_counted(self):
        path = self.cgroups.make("a")
        exporter = self.start_exporter()
        exporter.scrape_until(lambda m: m.value(START, cgroup=path), PATIENCE, "the cgroup")
        exporter.after_cycles(1)
        n = threads_here()
        sleepers = self.start_sleepers(n)
        blocks, unknown = self.counted(exporter.after_cycles(2))
        for _ in range(TURNS):
            self.assertEqual(sleepers.ask("go"), "done")
            exporter.after_cycles(1)  # all are blocked again
        metrics = exporter.after_cycles(1)
        blocks, unknown = (now - before for now, before in zip(self.counted(metrics),
                                                               (blocks, unknown)))
        print(f"{n} threads, {TURNS} turns: {blocks:.0f} blocks, {unknown:.0f} unknown")
        self.assertLess(unknown, TURNS * n / 1000 + 100)
        self.assertGreaterEqual(blocks + unknown, TURNS * n)
        self.assertLess(blocks, TURNS * n * 1.1 + 1000)


if __name__ == "__main__":
    live.main()
