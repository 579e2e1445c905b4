# SPDX-License-Identifier: Apache-2.0
"""Requests to block devices, against a device of the test's own whose requests are known: direct
reads and writes of one block, of which each is one request, and what /sys/block tells of them.
"""
import subprocess
import sys

import live
from cgroups import Cgroups
from exporter import Exporter, quote
from loop_device import MIB, LoopDevice

CYCLE = 1.0
BLOCK = 4096
SUPPORTED = "pmu_exporter_latency_supported"
UNKNOWN = "pmu_exporter_latency_unknown_total"
LATENCY = "block_io_latency_seconds"
QUEUE = "block_io_queue_seconds"
START = "pmu_cgroup_start_time_seconds"

# Enters a cgroup, and then reads or writes so many blocks from an offset on, past all caches. It
# says how many have failed.
LOAD = """import mmap, os, sys
cgroup, path, op, n, offset = sys.argv[1:6]
open(cgroup + "/cgroup.procs", "w").write("0")
disk = os.open(path, os.O_RDWR | os.O_DIRECT)
block = mmap.mmap(-1, 4096)
failed = 0
for i in range(int(n)):
    try:
        if op == "read":
            os.preadv(disk, [block], int(offset) + 4096 * i)
        else:
            os.pwritev(disk, [block], int(offset) + 4096 * i)
    except OSError:
        failed += 1
print(failed)
"""


class BlockIo(live.LiveTest):
    def setUp(self):
        self.cgroups = self.enterContext(Cgroups())
        self.disk = self.enterContext(LoopDevice())

    def config(self, system="[scheduler, block_io]", cgroups="[block_io]"):
        return (f"interval: {CYCLE:.0f}s\ncounting: {live.COUNTING}\nlinger: 30s\n"
                "groups: [{name: software, events: [task-clock]}]\n"
                "targets:\n"
                f"  system: {{groups: [software], latency: {system}}}\n"
                "  cgroups:\n"
                f"    - include: [{quote('/' + self.cgroups.top + '/**')}]\n"
                f"      groups: [software]\n      latency: {cgroups}\n")

    def start(self, **options):
        exporter = self.enterContext(Exporter(self.config(**options)))
        metrics = exporter.scrape()
        if metrics.sum(SUPPORTED, kind="block_io") == 0:
            self.skipTest("requests cannot be counted here: "
                          f"{metrics.labels(SUPPORTED, 'reason', kind='block_io')}")
        return exporter

    def reload(self, exporter, config):
        (exporter.directory / "pmu_exporter.yml").write_text(config)
        self.assertEqual(exporter.ask_control("POST", "/-/reload").status, 200)

    def make(self, exporter, *names):
        for name in names:
            self.cgroups.make(name)
        exporter.scrape_until(
            lambda m: all(m.value(START, cgroup=self.cgroups.path(name)) for name in names),
            10 * CYCLE, "the cgroups")

    def load(self, name, op, n, offset=0):
        """Returns how many requests have failed."""
        done = subprocess.run([sys.executable, "-c", LOAD, self.cgroups.directory(name),
                               self.disk.path, op, str(n), str(offset)], check=True, text=True,
                              capture_output=True)
        return int(done.stdout)

    def of_cgroup(self, metrics, name, family=f"{LATENCY}_count", **labels):
        return metrics.sum(f"pmu_cgroup_{family}", cgroup=self.cgroups.path(name), **labels)

    def of_disk(self, metrics, family=f"{LATENCY}_count", **labels):
        return metrics.sum(f"pmu_machine_{family}", device=self.disk.name, **labels)

    def test_each_request_is_counted_once_by_cgroup_operation_and_device(self):
        exporter = self.start()
        self.make(exporter, "a", "a/b", "c")
        first = exporter.after_cycles(2)
        reads, writes = self.disk.statistics()
        self.load("a/b", "read", 300)
        self.load("a", "write", 200)
        last = exporter.after_cycles(2)
        for name, read, written in ("a", 300, 200), ("a/b", 300, 0), ("c", 0, 0):
            with self.subTest(cgroup=name):
                self.assertEqual(self.of_cgroup(last, name, op="read"), read)
                self.assertEqual(self.of_cgroup(last, name, op="write"), written)
                self.assertEqual(self.of_cgroup(last, name, f"{QUEUE}_count"), read + written)
                self.assertEqual(self.of_cgroup(last, name, "block_io_bytes_total", op="read"),
                                 BLOCK * read)
                self.assertEqual(self.of_cgroup(last, name, "block_io_errors_total"), 0)
        after = self.disk.statistics()
        for op, done in ("read", after[0] - reads), ("write", after[1] - writes):
            with self.subTest(op=op):
                counted = self.of_disk(last, op=op) - self.of_disk(first, op=op)
                self.assertEqual(counted, done)
                self.assertGreaterEqual(counted, 300 if op == "read" else 200)
                self.assertEqual(
                    self.of_disk(last, "block_io_requests_total", op=op) -
                    self.of_disk(first, "block_io_requests_total", op=op), done)

    def test_durations_are_those_that_the_kernel_accounts(self):
        """One request at a time: all durations together are no longer than the load has taken, and
        none of them takes no time."""
        exporter = self.start()
        self.make(exporter, "a")
        exporter.after_cycles(1)
        self.load("a", "read", 500)
        last = exporter.after_cycles(2)
        took = self.of_cgroup(last, "a", f"{LATENCY}_sum") + self.of_cgroup(last, "a", f"{QUEUE}_sum")
        ran = int(open(f"/sys/block/{self.disk.name}/stat").read().split()[3]) / 1000
        self.assertGreater(took, 0)
        self.assertLessEqual(float(took), ran + 0.5, "milliseconds are rounded for each request")

    def test_what_ends_with_its_cgroup_is_told_and_stays_part_of_its_parent(self):
        exporter = self.start()
        self.make(exporter, "a", "a/b")
        exporter.after_cycles(1)
        self.load("a/b", "read", 100)
        self.cgroups.remove("a/b")
        last = exporter.after_cycles(2)
        self.assertEqual(self.of_cgroup(last, "a/b", op="read"), 100)
        self.assertEqual(self.of_cgroup(last, "a", op="read"), 100)
        self.load("a", "read", 50)
        last = exporter.after_cycles(2)
        self.assertEqual(self.of_cgroup(last, "a", op="read"), 150)
        self.assertEqual(self.of_cgroup(last, "a/b", op="read"), 100)

    def test_requests_that_fail_are_errors(self):
        exporter = self.start()
        self.make(exporter, "a")
        exporter.after_cycles(1)
        self.disk.truncate(MIB)
        failed = self.load("a", "read", 20, offset=2 * MIB)
        last = exporter.after_cycles(2)
        self.assertEqual(failed, 20)
        self.assertEqual(self.of_cgroup(last, "a", "block_io_errors_total"), failed)
        self.assertEqual(self.of_disk(last, "block_io_errors_total", op="read"), failed)
        self.assertEqual(self.of_cgroup(last, "a", op="read"), failed)

    def test_a_reload_loses_nothing_and_counts_nothing_twice(self):
        exporter = self.start()
        self.make(exporter, "a")
        exporter.after_cycles(1)
        self.load("a", "write", 60)
        self.reload(exporter, self.config().replace("linger: 30s", "linger: 31s"))
        self.load("a", "write", 40)
        last = exporter.after_cycles(2)
        self.assertEqual(self.of_cgroup(last, "a", op="write"), 100)
        self.assertEqual(self.of_disk(last, "block_io_requests_total", op="write"), 100)

    def test_what_nobody_asks_for_is_not_there_and_comes_with_a_reload(self):
        exporter = self.start(system="[scheduler]")
        self.make(exporter, "a")
        self.load("a", "read", 10)
        before = exporter.after_cycles(2)
        self.assertEqual(self.of_disk(before), 0)
        self.assertEqual(self.of_cgroup(before, "a"), 10)
        self.reload(exporter, self.config(cgroups="[scheduler]"))
        self.load("a", "read", 7)
        last = exporter.after_cycles(2)
        self.assertEqual(self.of_disk(last, op="read"), 7)
        self.assertEqual(last.value("pmu_cgroup_block_io_bytes_total",
                                    cgroup=self.cgroups.path("a"), op="read"), None)


if __name__ == "__main__":
    live.main()
