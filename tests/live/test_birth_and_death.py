# SPDX-License-Identifier: Apache-2.0
"""A series belongs to one birth: what a cgroup's life looks like from outside."""
import decimal
import os
import time

import live
import strict_exposition
from cgroups import Cgroups
from exporter import Exporter

CYCLE = 1.0
LINGER = 3.0
FAULTS = "pmu_cgroup_page_faults_total"
START = "pmu_cgroup_start_time_seconds"
CREATED = "pmu_cgroup_created_time_seconds"


class BirthAndDeath(live.LiveTest):
    def setUp(self):
        self.cgroups = self.enterContext(Cgroups())
        self.exporter = self.enterContext(Exporter(live.config(self.cgroups)))

    def seen(self, path, within=2.5 * CYCLE):
        return self.exporter.scrape_until(lambda m: m.value(FAULTS, cgroup=path) is not None,
                                          within, f"series of {path}")

    def wait_for_end(self, path, within=LINGER + 2.5 * CYCLE):
        """Waits until its last series has ended; the time of that."""
        return self.exporter.scrape_until(lambda m: not m.find(FAULTS, cgroup=path), within,
                                          f"the end of {path}").at

    def test_a_cgroup_that_lives_one_and_a_half_cycles_is_seen(self):
        for delay in (0.0, 0.5 * CYCLE):  # at any moment of the cycle
            time.sleep(delay)
            path = self.cgroups.make(f"short{delay}")
            self.exporter.after_cycles(2)  # one and a half cycles, and the delay
            self.cgroups.remove(f"short{delay}")
            self.assertIsNotNone(self.exporter.scrape().value(FAULTS, cgroup=path))

    def test_the_last_counts_are_kept_for_linger_and_then_end(self):
        path = self.cgroups.make("a")
        with live.Load(self.cgroups.directory("a"), faults=5000, burn_ms=50) as load:
            first = self.seen(path)
            self.assertEqual(first.value(FAULTS, cgroup=path), 0)
            load.run()
        self.cgroups.remove("a")
        gone_at = time.monotonic()
        after = self.exporter.after_cycles(2)
        self.assertGreaterEqual(after.value(FAULTS, cgroup=path),
                                5000 - live.faults_in_doubt(first, after))
        self.assertGreaterEqual(after.value("pmu_cgroup_task_clock_seconds_total", cgroup=path),
                                decimal.Decimal("0.05") - live.seconds_in_doubt(first, after))
        for rate in ("pmu_cgroup_page_faults_per_second", "pmu_cgroup_cpus_used"):
            self.assertIsNone(after.value(rate, cgroup=path), "rates of the dead end at once")
        ended = self.wait_for_end(path, gone_at + LINGER + 2.5 * CYCLE - time.monotonic())
        self.assertGreater(ended - gone_at, LINGER - 0.1)
        last = self.exporter.scrape().body
        self.assertNotIn(path.encode(), last, "no series of any family is left")

    def test_one_reborn_under_its_path_starts_at_0_and_says_so(self):
        path = self.cgroups.make("phoenix")
        with live.Load(self.cgroups.directory("phoenix"), faults=5000) as load:
            first = self.seen(path)
            load.run()
        before = self.exporter.scrape_until(
            lambda m: m.value(FAULTS, cgroup=path) >= 5000 - live.faults_in_doubt(first, m),
            2.5 * CYCLE, "5000 faults")
        self.cgroups.remove("phoenix")
        self.cgroups.make("phoenix")  # before its linger is over
        start = before.value(START, cgroup=path)
        after = self.exporter.scrape_until(lambda m: m.value(START, cgroup=path) != start,
                                           2.5 * CYCLE, "another start time")
        self.assertEqual(after.value(FAULTS, cgroup=path), 0)
        self.assertGreater(after.value(START, cgroup=path), start)
        self.assertEqual(strict_exposition.compare(before.exposition, after.exposition), [])

    def test_one_reborn_in_its_linger_replaces_the_old_series(self):
        path = self.cgroups.make("late")
        with live.Load(self.cgroups.directory("late"), faults=5000) as load:
            first = self.seen(path)
            load.run()
        start = first.value(START, cgroup=path)
        self.cgroups.remove("late")
        metrics = self.exporter.after_cycles(2)
        self.assertGreaterEqual(metrics.value(FAULTS, cgroup=path),
                                5000 - live.faults_in_doubt(first, metrics))
        self.cgroups.make("late")
        after = self.exporter.scrape_until(lambda m: m.value(START, cgroup=path) != start,
                                           2.5 * CYCLE, "another start time")
        self.assertEqual(after.value(FAULTS, cgroup=path), 0)

    def test_what_a_target_did_before_it_was_found_is_not_told(self):
        before = time.time()
        path = self.cgroups.make("old")
        os.stat(self.cgroups.directory("old"))  # the first look gives a cgroup its time stamp
        after = time.time()
        with live.Load(self.cgroups.directory("old"), faults=5000) as load:
            self.exporter.stop()
            load.run()
            with Exporter(live.config(self.cgroups)) as later:
                metrics = later.scrape()
                self.assertEqual(metrics.value(FAULTS, cgroup=path), 0)
                created = metrics.value(CREATED, cgroup=path)
                # but that there was something before is; the kernel's clock has coarse ticks
                self.assertGreater(created, before - 0.1)
                self.assertLess(created, after + 0.1)
                self.assertGreater(metrics.value(START, cgroup=path), after)

    def test_descriptors_return_to_where_they_were(self):
        before = self.exporter.open_descriptors()
        for i in range(10):
            self.cgroups.make(f"n{i}")
        self.seen(self.cgroups.path("n9"))
        if live.COUNTING == "direct":  # it has at least one descriptor for each event and CPU
            self.assertGreaterEqual(self.exporter.open_descriptors(),
                                    before + 10 * len(live.SOFTWARE))
        for i in range(10):
            self.cgroups.remove(f"n{i}")
        # without the descriptor of the connection that asks
        self.exporter.scrape_until(lambda m: self.exporter.open_descriptors() <= before + 1,
                                   2.5 * CYCLE, "descriptors as many as before")

    def test_deleted_cgroups_are_released_within_a_cycle(self):
        for i in range(20):
            self.cgroups.make(f"n{i}")
        self.seen(self.cgroups.path("n19"))
        before = self.cgroups.dying()
        for i in range(20):
            self.cgroups.remove(f"n{i}")
        # the kernel releases them a grace period after the last descriptor is closed
        self.exporter.scrape_until(lambda m: self.cgroups.dying() <= before, 2.5 * CYCLE + 10,
                                   "no dying cgroup of ours")

    def test_parents_are_the_nearest_exported_ancestor(self):
        top, inner = self.cgroups.make("a"), self.cgroups.make("a/b/c")
        metrics = self.seen(inner)
        name = "pmu_cgroup_info"
        self.assertEqual(metrics.labels(name, "parent", cgroup=inner), {f"{top}/b"})
        self.assertEqual(metrics.labels(name, "parent", cgroup=top), {""})

    def test_units_and_slices_are_told(self):
        path = self.cgroups.make("web.slice/nginx.service")
        self.seen(path)
        info = dict(next(iter(self.exporter.scrape().find("pmu_cgroup_info", cgroup=path))))
        self.assertEqual((info["unit"], info["slice"]), ("nginx.service", "web.slice"))


if __name__ == "__main__":
    live.main(at_once=3)
