# SPDX-License-Identifier: Apache-2.0
"""Requests to block devices, against a device of the test's own whose requests are known: direct
reads and writes of one block, of which each is one request, and what /sys/block tells of them.
"""
import os
import tempfile
import time

import live
from cgroups import Cgroups
from direct_io import BLOCK
from exporter import Exporter, quote, without_profiles
from loop_device import MIB, LoopDevice

CYCLE = 1.0
SUPPORTED = "pmu_exporter_latency_supported"
TRIES = 10
LATENCY = "block_io_latency_seconds"
QUEUE = "block_io_queue_seconds"
START = "pmu_cgroup_start_time_seconds"


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
        (exporter.directory / "pmu_exporter.yml").write_text(without_profiles(config))
        self.assertEqual(exporter.ask_control("POST", "/-/reload").status, 200)

    def make(self, exporter, *names):
        for name in names:
            self.cgroups.make(name)
        exporter.scrape_until(
            lambda m: all(m.value(START, cgroup=self.cgroups.path(name)) for name in names),
            10 * CYCLE, "the cgroups")

    def load(self, name, op, n, offset=0):
        """Returns how many requests have failed."""
        return self.disk.use(self.cgroups.directory(name), op, n, offset=offset)

    def of_cgroup(self, metrics, name, family=f"{LATENCY}_count", **labels):
        return metrics.sum(f"pmu_cgroup_{family}", cgroup=self.cgroups.path(name), **labels)

    def of_disk(self, metrics, family=f"{LATENCY}_count", **labels):
        return metrics.sum(f"pmu_machine_{family}", device=self.disk.name, **labels)

    def loaded(self, exporter, name, op, n):
        """The scrapes before and after a load all of whose requests the kernel has shown: some
        kernels hide the ends of some, which are never counted twice."""
        for _ in range(TRIES):
            before = exporter.after_cycles(2)
            self.load(name, op, n)
            after = exporter.after_cycles(2)
            counted = self.of_cgroup(after, name, op=op) - self.of_cgroup(before, name, op=op)
            self.assertLessEqual(counted, n)
            if counted == n:
                return before, after
        self.fail(f"of {n} requests some were missing in each of {TRIES} tries")

    def test_each_request_is_counted_once_by_cgroup_operation_and_device(self):
        exporter = self.start()
        self.make(exporter, "a", "a/b", "c")
        for op, n in ("read", 300), ("write", 200):
            other = "write" if op == "read" else "read"
            before, after = self.loaded(exporter, "a/b", op, n)

            def grown(of, *words, **labels):
                return of(after, *words, **labels) - of(before, *words, **labels)

            for name, expected in ("a", n), ("a/b", n), ("c", 0):
                with self.subTest(op=op, cgroup=name):
                    self.assertEqual(grown(self.of_cgroup, name, op=op), expected)
                    self.assertEqual(grown(self.of_cgroup, name, op=other), 0)
                    self.assertEqual(grown(self.of_cgroup, name, f"{QUEUE}_count"), expected)
                    self.assertEqual(grown(self.of_cgroup, name, "block_io_bytes_total", op=op),
                                     BLOCK * expected)
                    self.assertEqual(grown(self.of_cgroup, name, "block_io_errors_total"), 0)
            with self.subTest(op=op, device=self.disk.name):
                self.assertEqual(grown(self.of_disk, op=op), n)
                self.assertEqual(grown(self.of_disk, "block_io_requests_total", op=op), n)
                self.assertEqual(grown(self.of_disk, "block_io_bytes_total", op=op), BLOCK * n)

    def test_two_capabilities_are_enough(self):
        live.need("setpriv")
        self.start().stop()  # or it is skipped: root cannot count them here
        directory = self.enterContext(tempfile.TemporaryDirectory())
        os.chown(directory, 65534, 65534)
        exporter = self.enterContext(Exporter(self.config(), directory=directory,
                                              wrapper=live.AS_THE_UNIT))
        self.make(exporter, "a")
        self.loaded(exporter, "a", "read", 50)

    def test_requests_are_those_that_the_kernel_accounts(self):
        exporter = self.start()
        self.make(exporter, "a")
        for _ in range(TRIES):
            first, reads = exporter.after_cycles(2), self.disk.statistics()[0]
            self.load("a", "read", 250)
            last, done = exporter.after_cycles(2), self.disk.statistics()[0] - reads
            counted = self.of_disk(last, op="read") - self.of_disk(first, op="read")
            self.assertLessEqual(counted, done)
            if counted == done:
                break
        self.assertEqual(counted, done)
        self.assertGreaterEqual(done, 250)

    def test_durations_are_no_longer_than_the_load(self):
        """One request at a time: with the device and in its queue together."""
        exporter = self.start()
        self.make(exporter, "a")
        exporter.after_cycles(1)
        begin = time.monotonic()
        self.load("a", "read", 500)
        took = time.monotonic() - begin
        last = exporter.after_cycles(2)
        ours = sum(self.of_cgroup(last, "a", f"{family}_sum") for family in (LATENCY, QUEUE))
        self.assertGreater(ours, 0)
        self.assertLessEqual(float(ours), took)

    def test_what_ends_with_its_cgroup_is_told_and_stays_part_of_its_parent(self):
        exporter = self.start()
        self.make(exporter, "a")
        for i in range(TRIES):
            name = f"a/{i}"
            self.make(exporter, name)
            before = exporter.after_cycles(1)
            self.load(name, "read", 100)
            self.cgroups.remove(name)
            last = exporter.after_cycles(2)
            counted = self.of_cgroup(last, name, op="read")
            self.assertEqual(self.of_cgroup(last, "a", op="read") -
                             self.of_cgroup(before, "a", op="read"), counted)
            if counted == 100:
                break
        self.assertEqual(counted, 100)
        _, last = self.loaded(exporter, "a", "read", 50)
        self.assertEqual(self.of_cgroup(last, name, op="read"), 100)

    def test_requests_that_fail_are_errors(self):
        exporter = self.start()
        self.make(exporter, "a")
        exporter.after_cycles(1)
        self.disk.truncate(MIB)
        for _ in range(TRIES):
            before = exporter.after_cycles(2)
            self.assertEqual(self.load("a", "read", 20, offset=2 * MIB), 20)
            last = exporter.after_cycles(2)
            failed = (self.of_cgroup(last, "a", "block_io_errors_total") -
                      self.of_cgroup(before, "a", "block_io_errors_total"))
            self.assertLessEqual(failed, 20)
            if failed == 20:
                break
        self.assertEqual(failed, 20)
        self.assertEqual(self.of_disk(last, "block_io_errors_total", op="read") -
                         self.of_disk(before, "block_io_errors_total", op="read"), failed)

    def test_a_reload_loses_nothing_and_counts_nothing_twice(self):
        exporter = self.start()
        self.make(exporter, "a")
        for i in range(TRIES):
            before = exporter.after_cycles(2)
            self.load("a", "write", 60)
            self.reload(exporter, self.config().replace("linger: 30s", f"linger: {31 + i}s"))
            self.load("a", "write", 40)
            last = exporter.after_cycles(2)
            counted = (self.of_cgroup(last, "a", op="write") -
                       self.of_cgroup(before, "a", op="write"))
            self.assertEqual(self.of_disk(last, "block_io_requests_total", op="write") -
                             self.of_disk(before, "block_io_requests_total", op="write"), counted)
            self.assertLessEqual(counted, 100)
            if counted == 100:
                break
        self.assertEqual(counted, 100)

    def test_what_nobody_asks_for_is_not_there_and_comes_with_a_reload(self):
        exporter = self.start(system="[scheduler]")
        self.make(exporter, "a")
        _, before = self.loaded(exporter, "a", "read", 10)
        self.assertEqual(self.of_disk(before), 0)
        self.reload(exporter, self.config(cgroups="[scheduler]"))
        self.load("a", "read", 70)
        last = exporter.after_cycles(2)
        self.assertGreater(self.of_disk(last, op="read"), 0)
        self.assertEqual(last.value("pmu_cgroup_block_io_bytes_total",
                                    cgroup=self.cgroups.path("a"), op="read"), None)


if __name__ == "__main__":
    live.main()
