# SPDX-License-Identifier: Apache-2.0
"""Cgroups of a v1 hierarchy with perf_event: found by itself, and counted as perf stat counts them.

Mounting that controller takes it away from v2 for everybody, so it is given back whatever
happens; where it is in use already the test is skipped.
"""
import ctypes
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import live
from cgroups import Cgroups
from exporter import PATIENCE, Exporter
from own_mounts import own_mounts

FAULTS = "pmu_cgroup_page_faults_total"
CLOCK = "pmu_cgroup_task_clock_seconds_total"

MNT_DETACH = 2

libc = ctypes.CDLL(None, use_errno=True)


def hierarchy():
    """The number of the v1 hierarchy that has perf_event; 0 if v2 has it."""
    for line in pathlib.Path("/proc/cgroups").read_text().splitlines():
        name, number, *_ = line.split()
        if name == "perf_event":
            return int(number)
    raise unittest.SkipTest("this kernel has no perf_event controller")


class PerfEventMount:
    """perf_event mounted as v1 in a directory of the test."""

    def __init__(self, with_cgroup=True):
        self.with_cgroup = with_cgroup

    def __enter__(self):
        if hierarchy() != 0:
            raise unittest.SkipTest("perf_event is mounted as v1 already")
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="pmu_exporter-test-"))
        self.cgroup = self.directory / "a.service"
        if not self.mount():
            self.directory.rmdir()
            raise unittest.SkipTest(f"cannot mount: {os.strerror(ctypes.get_errno())}")
        if self.with_cgroup:
            self.cgroup.mkdir()
        return self

    def mount(self):
        return libc.mount(b"perf_event", os.fsencode(self.directory), b"cgroup", 0,
                          b"perf_event") == 0

    def __exit__(self, *_):
        """Unmounts. The kernel keeps a hierarchy that had cgroups at that time: it is mounted and
        unmounted once more then."""
        if self.with_cgroup:
            self.remove_cgroup()
        end = time.monotonic() + 20
        while True:
            libc.umount2(os.fsencode(self.directory), MNT_DETACH)
            time.sleep(0.2)
            if hierarchy() == 0 or time.monotonic() > end:
                break
            time.sleep(1)  # whoever counts in it closes its counters now
            self.mount()
            time.sleep(0.2)
        self.directory.rmdir()
        if hierarchy() != 0:
            raise AssertionError("perf_event did not go back to v2")

    def remove_cgroup(self):
        for _ in range(50):
            try:
                return self.cgroup.rmdir()
            except OSError:
                time.sleep(0.1)


class CgroupV1(live.LiveTest):
    CONFIG = ("counting: direct\ngroups: [{name: software, events: [task-clock, page-faults]}]\n"
              "targets: {cgroups: [{include: ['/*.service', '/'], groups: [software]}]}\n")

    def test_a_v1_hierarchy_is_found_and_counted_as_perf_stat_counts(self):
        live.need("perf")
        with PerfEventMount() as mounted, Exporter(self.CONFIG) as exporter:
            before = exporter.scrape_until(
                lambda m: m.value(FAULTS, cgroup="/a.service") is not None, 5, "the cgroup")
            perf = subprocess.Popen(
                ["perf", "stat", "-x,", "-a", "-e", "task-clock,page-faults",
                 "-G", "a.service,a.service", "sleep", "4"],
                stderr=subprocess.PIPE, text=True)
            time.sleep(1)
            with live.Load(mounted.cgroup, faults=20000, burn_ms=300) as load:
                load.run()
            lines = [line.split(",") for line in perf.communicate(timeout=20)[1].splitlines()]
            truth = {fields[2]: float(fields[0]) for fields in lines if len(fields) > 2}
            time.sleep(1.2)
            after = exporter.scrape()
        faults = after.value(FAULTS, cgroup="/a.service") - before.value(FAULTS,
                                                                         cgroup="/a.service")
        clock_ms = 1000 * float(after.value(CLOCK, cgroup="/a.service") -
                                before.value(CLOCK, cgroup="/a.service"))
        self.assertIsNone(after.value(FAULTS, cgroup="/"), "the root is the machine")
        self.assertEqual(after.value("pmu_exporter_targets_uncounted", kind="cgroup",
                                     reason="not_supported"), 1)
        self.assertEqual(faults, truth["page-faults"])
        self.assertGreaterEqual(faults, 20000)
        self.assertAlmostEqual(clock_ms, truth["task-clock"], delta=0.01 * truth["task-clock"])

    def test_counting_follows_perf_event_from_one_hierarchy_to_the_other(self):
        """Somebody mounts it as v1 while we run: what is open in v2 would stand still for ever."""
        label = "/a.service"
        with Cgroups() as cgroups:
            path = cgroups.make("a.service")
            config = live.config(cgroups, more="").replace(
                "    - include: [", "    - include: ['/*.service', ")
            with Exporter(config) as exporter:
                self.run_load(exporter, cgroups.directory("a.service"), path)
                with PerfEventMount() as mounted:
                    self.run_load(exporter, mounted.cgroup, label)
                self.run_load(exporter, cgroups.directory("a.service"), path)

    def test_a_hierarchy_that_comes_and_goes_unseen_leaves_no_counter_behind(self):
        """Mounted and unmounted within a cycle: the number of the hierarchy is as before then, but
        what was open counts nothing any more, and a reload takes it over as it is."""
        with Cgroups() as cgroups:
            path = cgroups.make("a.service")
            with Exporter(live.config(cgroups)) as exporter:
                self.run_load(exporter, cgroups.directory("a.service"), path)
                exporter.process.send_signal(signal.SIGSTOP)
                try:
                    with PerfEventMount(with_cgroup=False):
                        pass
                finally:
                    exporter.process.send_signal(signal.SIGCONT)
                before = exporter.scrape().value(FAULTS, cgroup=path)
                self.run_load(exporter, cgroups.directory("a.service"), path, within=30)
                self.assertGreaterEqual(exporter.scrape().value(FAULTS, cgroup=path), before)
                self.assertIn("stand still", exporter.stderr())

    def run_load(self, exporter, directory, label, within=30):
        """Runs loads of 5,000 faults until one is counted; the cgroup may take so long to be
        found."""
        end = time.monotonic() + within
        while True:
            before = exporter.scrape().value(FAULTS, cgroup=label)
            with live.Load(directory, faults=5000) as load:
                load.run()
            time.sleep(2.2)
            after = exporter.scrape().value(FAULTS, cgroup=label)
            if before is not None and after is not None and after - before >= 5000:
                return
            self.assertLess(time.monotonic(), end, exporter.stderr())


class Rubbish(live.LiveTest):
    """A container may show anything as /proc/cgroups."""

    def test_rubbish_for_a_list_of_controllers_costs_nothing(self):
        for text in ("", "perf_event\n", "x" * 5000 + " 1 2 3\n", "#a\tb\nperf_event\t-1\tx\t\n" * 90,
                     "\0" * 300):
            with self.subTest(text=text[:20]), Cgroups() as cgroups, \
                    tempfile.NamedTemporaryFile("w") as rubbish:
                rubbish.write(text)
                rubbish.flush()
                path = cgroups.make("a.service")
                wrapper = own_mounts("/proc", f"mount --bind {rubbish.name} /proc/cgroups")
                with Exporter(live.config(cgroups), wrapper=wrapper) as exporter:
                    exporter.scrape_until(lambda m: m.value(FAULTS, cgroup=path) is not None,
                                          PATIENCE, "the cgroup")


if __name__ == "__main__":
    live.main()
