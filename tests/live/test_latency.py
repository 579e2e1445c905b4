# SPDX-License-Identifier: Apache-2.0
"""Latencies, against what the kernel tells of the same tasks and against loads whose waits, blocks
and switches are known. Whatever a scrape has is a whole histogram: support/strict_exposition.py
judges each.

Where the kernel cannot tell how long a wait was, that wait is counted as unknown, of whomever it
was. So sums equal the kernel's where no wait is missing, and are below it elsewhere.
"""
import dataclasses
import decimal
import os
import subprocess
import sys

import live
import strict_exposition
from cgroups import Cgroups
from exporter import Exporter, quote
from turns import Turns

CYCLE = 1.0
LINGER = 3.0
UNKNOWN = "pmu_exporter_latency_unknown_total"
SUPPORTED = "pmu_exporter_latency_supported"
START = "pmu_cgroup_start_time_seconds"
CLOCK = "pmu_cgroup_task_clock_seconds_total"
LATENCY = "latency: [scheduler]"
OTHER = {"direct": "bpf", "bpf": "direct"}[live.COUNTING]
CLOCKS_APART = decimal.Decimal("0.001")  # the scheduler's clock and that of programs

MOST_TRIES = 50

FORKS = 500
FORK_STORM = """import os, sys
open(sys.argv[1] + "/cgroup.procs", "w").write("0")
for _ in range(int(sys.argv[2])):
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
"""


@dataclasses.dataclass(frozen=True)
class Latencies:
    """What a target has in one scrape, or between two of them: numbers, and seconds."""
    waits: decimal.Decimal
    waited: decimal.Decimal
    slices: decimal.Decimal
    ran: decimal.Decimal
    blocks: decimal.Decimal
    blocked: decimal.Decimal
    voluntary: decimal.Decimal
    involuntary: decimal.Decimal
    moves: decimal.Decimal

    def _with(self, other, sign):
        return Latencies(*(a + sign * b for a, b in zip(dataclasses.astuple(self),
                                                        dataclasses.astuple(other))))

    def __add__(self, other):
        return self._with(other, 1)

    def __sub__(self, other):
        return self._with(other, -1)


def latencies(metrics, scope="cgroup", **labels):
    """Those of a target; what has not been seen yet is 0."""
    def value(name, **more):
        return metrics.sum(f"pmu_{scope}_{name}", **labels, **more)

    return Latencies(
        waits=value("run_queue_latency_seconds_count"),
        waited=value("run_queue_latency_seconds_sum"),
        slices=value("on_cpu_seconds_count"), ran=value("on_cpu_seconds_sum"),
        blocks=value("off_cpu_seconds_count"), blocked=value("off_cpu_seconds_sum"),
        voluntary=value("switches_total", kind="voluntary"),
        involuntary=value("switches_total", kind="involuntary"),
        moves=value("migrations_total"))


class LatencyTest(live.LiveTest):
    def setUp(self):
        self.cgroups = self.enterContext(Cgroups())
        self.name = live.own("turns")

    def config(self, counting=live.COUNTING, cgroups=LATENCY, patterns=("**",)):
        patterns = ", ".join(quote(f"/{self.cgroups.top}/{pattern}") for pattern in patterns)
        return (f"interval: {CYCLE:.0f}s\ncounting: {counting}\nlinger: {LINGER:.0f}s\n"
                "groups: [{name: software, events: [task-clock, cpu-migrations]}]\n"
                "targets:\n"
                f"  system: {{groups: [software], by: all, {LATENCY}}}\n"
                "  cgroups:\n"
                f"    - {{include: [{patterns}], groups: [software], {cgroups}}}\n"
                "  processes:\n"
                f"    - {{comm: [{self.name}], name: \"{{{{.Comm}}}}\", groups: [software], "
                f"{LATENCY}}}\n")

    def start(self, **options):
        exporter = self.enterContext(Exporter(self.config(**options)))
        metrics = exporter.scrape()
        reasons = metrics.labels(SUPPORTED, "reason")
        if metrics.sum(SUPPORTED) == 0:
            self.skipTest(f"there are no latencies here: {reasons}")
        return exporter

    def turns(self, name, **options):
        """Two tasks in that cgroup, which take turns when they are told to."""
        self.cgroups.make(name)
        return self.enterContext(Turns(self.cgroups.directory(name), name=self.name, **options))

    def settled(self, exporter, *names):
        """A scrape in which these cgroups are counted, after all that has ended before."""
        exporter.scrape_until(
            lambda m: all(m.value(START, cgroup=self.cgroups.path(name)) for name in names),
            3 * CYCLE, "the cgroups")
        return exporter.after_cycles(2)

    def seen(self, exporter, loads, *names):
        """The same, once all tasks of the loads have come and gone: a block that had begun before
        anybody looked is not known."""
        self.settled(exporter, *names)
        for turns in loads:
            turns.take()
            turns.told()  # blocked again
        return exporter.after_cycles(2)

    def of(self, metrics, name):
        return latencies(metrics, cgroup=self.cgroups.path(name))

    def assert_told(self, ours, told, unknown=0):
        """What we have is what the kernel tells, but for waits that are unknown."""
        self.assertEqual(ours.slices, told.arrivals)
        self.assertEqual((ours.voluntary, ours.involuntary), (told.voluntary, told.involuntary))
        self.assertLessEqual(ours.waits, told.arrivals)
        self.assertGreaterEqual(ours.waits, told.arrivals - unknown)
        self.assertLessEqual(ours.blocks, told.voluntary)
        self.assertGreaterEqual(ours.blocks, told.voluntary - unknown)
        self.assertLessEqual(ours.waited, told.waited)
        if ours.waits == told.arrivals:
            self.assertEqual(ours.waited, told.waited)

    def unknown(self, before, after):
        return after.value(UNKNOWN) - before.value(UNKNOWN)


class Truth(LatencyTest):
    def counted(self, turns, *names, least_spun=0):
        """Has them take turns, until they have spun for so long: the scrapes before and after, what
        the kernel tells of it, and how long they have spun."""
        exporter = self.start()
        before = self.seen(exporter, [turns], *names)
        told = turns.told()
        spun = turns.take()
        for _ in range(MOST_TRIES):
            if spun >= least_spun:
                break
            spun += turns.take()  # a busy machine lets the other one come early
        told = turns.told() - told
        return before, exporter.after_cycles(2), told, spun

    def test_turns_are_what_the_kernel_tells_of_them_and_as_many_blocks_of_each(self):
        """But for those that the machine has ended by preemption, because it is busy."""
        turns = self.turns("a", turns=2000)
        before, after, told, _ = self.counted(turns, "a")
        ours = self.of(after, "a") - self.of(before, "a")
        unknown = self.unknown(before, after)
        self.assert_told(ours, told, unknown)
        self.assertGreaterEqual(ours.voluntary + ours.involuntary, 2 * 2000)
        self.assertGreaterEqual(ours.blocks, 2 * 2000 - ours.involuntary - unknown)
        self.assertEqual(ours.moves, 0)

    def test_who_spins_on_after_a_wake_lets_the_other_wait_for_so_long(self):
        turns = self.turns("a", turns=500, spin_us=400)
        before, after, told, spun = self.counted(turns, "a",
                                                 least_spun=decimal.Decimal("0.05"))
        ours = self.of(after, "a") - self.of(before, "a")
        self.assert_told(ours, told, self.unknown(before, after))
        print(f"spun {spun} s, waited {ours.waited} s")
        self.assertGreater(spun, 0)
        if ours.waits == told.arrivals:
            self.assertGreaterEqual(ours.waited, spun * (1 - CLOCKS_APART))

    def test_slices_are_as_long_as_the_clock_of_the_task(self):
        """Slices begin and end with the scheduler, a little outside of what perf counts. One task
        has no more of them than time goes on."""
        path = self.cgroups.make("a")
        exporter = self.start()
        before = self.settled(exporter, "a")
        with live.Load(self.cgroups.directory("a"), burn_ms=500) as load:
            load.run()
        after = exporter.after_cycles(2)
        slices = self.of(after, "a").ran - self.of(before, "a").ran
        clock = after.value(CLOCK, cgroup=path) - before.value(CLOCK, cgroup=path)
        print(f"slices {slices} s, task-clock {clock} s")
        self.assertGreaterEqual(slices, clock * (1 - 10 * CLOCKS_APART))
        passed = decimal.Decimal(after.at - before.at) + decimal.Decimal(CYCLE)
        self.assertLess(slices, passed * (1 + CLOCKS_APART))

    def test_the_processes_alone_in_a_cgroup_have_what_it_has_and_the_machine_no_less(self):
        turns = self.turns("a")
        before, after, told, _ = self.counted(turns, "a")
        cgroup = self.of(after, "a") - self.of(before, "a")
        processes, machine = (latencies(after, scope, **labels) - latencies(before, scope, **labels)
                              for scope, labels in (("process", {"groupname": self.name}),
                                                    ("machine", {})))
        self.assert_told(processes, told, self.unknown(before, after))
        self.assertEqual(processes, cgroup)
        for field in dataclasses.fields(Latencies):
            self.assertGreaterEqual(getattr(machine, field.name), getattr(cgroup, field.name))

    def test_a_cgroup_contains_those_below_it_also_what_is_no_target(self):
        loads = [self.turns(name, turns=300) for name in ("p", "p/a", "p/b", "p/b/untold")]
        exporter = self.start(patterns=("p", "p/a", "p/b"))
        before = self.seen(exporter, loads, "p", "p/a", "p/b")
        told = [turns.told() for turns in loads]
        for turns in loads:
            turns.take()
        own, *_ = told = [turns.told() - first for turns, first in zip(loads, told)]
        after = exporter.after_cycles(2)
        p, a, b = (self.of(after, name) - self.of(before, name) for name in ("p", "p/a", "p/b"))
        unknown = self.unknown(before, after)
        self.assert_told(p, sum(told[1:], own), unknown)
        self.assert_told(a, told[1], unknown)
        self.assert_told(b, told[2] + told[3], unknown)
        self.assert_told(p - a - b, own, unknown)
        self.assertIsNone(after.value(START, cgroup=self.cgroups.path("p/b/untold")))

    def test_moves_between_cpus_are_those_that_the_kernel_counts(self):
        name, moves = "pmu_cgroup_cpu_migrations_total", 200
        self.cgroups.make("a")
        exporter = self.start()
        before = self.settled(exporter, "a")
        with live.Load(self.cgroups.directory("a"), migrations=moves) as load:
            load.run()
        after = exporter.after_cycles(2)
        ours = self.of(after, "a").moves - self.of(before, "a").moves
        path = self.cgroups.path("a")
        theirs = after.value(name, cgroup=path) - before.value(name, cgroup=path)
        print(f"moves: {ours}, cpu-migrations: {theirs}")
        if len(os.sched_getaffinity(0)) > 1:
            self.assertGreaterEqual(ours, moves - 1)


class Lives(LatencyTest):
    def test_one_that_ends_between_cycles_keeps_what_it_had_and_its_series_end(self):
        exporter = self.start()
        turns = self.turns("short")
        path = self.cgroups.path("short")
        before = self.seen(exporter, [turns], "short")
        told = turns.told()
        turns.take()
        told = turns.told() - told
        turns.end()
        self.cgroups.remove("short")
        after = exporter.after_cycles(2)
        ours = self.of(after, "short") - self.of(before, "short")
        self.assertGreaterEqual(ours.slices, told.arrivals + 2)  # each has its end beside the turns
        self.assertGreaterEqual(ours.voluntary, told.voluntary + 2)
        self.assertGreaterEqual(ours.blocks, told.voluntary - self.unknown(before, after))
        gone = exporter.scrape_until(lambda m: not m.find(START, cgroup=path),
                                     LINGER + 3 * CYCLE, "the end of its series")
        self.assertNotIn(path.encode(), gone.body)

    def test_one_that_is_reborn_starts_at_0(self):
        exporter = self.start()
        turns = self.turns("phoenix", turns=2000)
        first = self.settled(exporter, "phoenix")
        turns.take()
        turns.end()
        self.cgroups.remove("phoenix")
        path = self.cgroups.make("phoenix")
        start = first.value(START, cgroup=path)
        exporter.scrape_until(lambda m: m.value(START, cgroup=path) not in (None, start),
                              3 * CYCLE, "another start time")
        self.assertEqual(self.of(exporter.after_cycles(2), "phoenix").slices, 0)

    def test_a_task_that_is_moved_between_cgroups_loses_nothing(self):
        turns = self.turns("a", turns=20000)
        self.cgroups.make("b")
        exporter = self.start()
        before = self.seen(exporter, [turns], "a", "b")
        told = turns.told()
        turns.take()
        turns.begin()
        for i in range(201):
            for pid in turns.pids():
                self.cgroups.enter("ba"[i % 2], pid)
        turns.finish()
        turns.take()
        told = turns.told() - told
        after = exporter.after_cycles(2)
        both = [self.of(after, name) - self.of(before, name) for name in "ab"]
        self.assert_told(both[0] + both[1], told, self.unknown(before, after))
        for each in both:
            self.assertGreater(each.slices, 0)

    def test_an_exec_keeps_what_a_process_had_and_goes_on(self):
        turns = self.turns("a")
        exporter = self.start()
        first = self.settled(exporter, "a")
        turns.take()
        turns.execute()
        before = self.seen(exporter, [turns], "a")
        told = turns.told()
        turns.take()
        told = turns.told() - told
        after = exporter.after_cycles(2)
        group = {"scope": "process", "groupname": self.name}
        of_first, of_before, of_after = (latencies(m, **group) for m in (first, before, after))
        self.assertGreaterEqual((of_before - of_first).voluntary, 2 * 1000)
        self.assert_told(of_after - of_before, told, self.unknown(before, after))
        self.assertEqual(strict_exposition.compare(first.exposition, after.exposition), [])

    def test_a_storm_of_forks_loses_no_switch(self):
        self.cgroups.make("a")
        exporter = self.start()
        before = self.settled(exporter, "a")
        subprocess.run([sys.executable, "-c", FORK_STORM, os.fsdecode(self.cgroups.directory("a")),
                        str(FORKS)], check=True)
        after = exporter.after_cycles(2)
        ours = self.of(after, "a") - self.of(before, "a")
        print(f"{FORKS} forks: {ours}")
        self.assertGreaterEqual(ours.voluntary, FORKS)  # each ends, which is one
        self.assertEqual(ours.slices, ours.voluntary + ours.involuntary)
        # all has ended: whoever came has left, but for the first, which came from outside
        self.assertGreaterEqual(ours.waits, ours.slices - 1 - self.unknown(before, after))
        self.assertLessEqual(ours.waits, ours.slices)


class Reloads(LatencyTest):
    def reload(self, exporter, **options):
        (exporter.directory / "pmu_exporter.yml").write_text(self.config(**options))
        self.assertEqual(exporter.ask_control("POST", "/-/reload").status, 200)
        return exporter.after_cycles(2)

    def goes_on(self, exporter, turns):
        """Turns after a reload are counted from where the totals were; the scrape behind them."""
        before = self.seen(exporter, [turns], "a")
        told = turns.told()
        turns.take()
        told = turns.told() - told
        after = exporter.after_cycles(2)
        self.assert_told(self.of(after, "a") - self.of(before, "a"), told,
                         self.unknown(before, after))
        group = {"scope": "process", "groupname": self.name}
        self.assertEqual((latencies(after, **group) - latencies(before, **group)).slices,
                         told.arrivals)
        return after

    def test_a_reload_under_load_loses_nothing(self):
        turns = self.turns("a", turns=50000)
        exporter = self.start()
        before = self.seen(exporter, [turns], "a")
        told = turns.told()
        turns.begin()
        for _ in range(5):
            self.assertEqual(exporter.ask_control("POST", "/-/reload").status, 200)
        turns.finish()
        told = turns.told() - told
        after = exporter.after_cycles(2)
        self.assert_told(self.of(after, "a") - self.of(before, "a"), told,
                         self.unknown(before, after))

    def test_another_mechanism_of_counting_keeps_the_totals_and_goes_on(self):
        turns = self.turns("a")
        exporter = self.start()
        before = self.goes_on(exporter, turns)
        for counting in (OTHER, live.COUNTING):
            after = self.reload(exporter, counting=counting)
            with self.subTest(counting):
                self.assertEqual(self.of(after, "a"), self.of(before, "a"))
                self.assertEqual(after.value(START, cgroup=self.cgroups.path("a")),
                                 before.value(START, cgroup=self.cgroups.path("a")))
                before = self.goes_on(exporter, turns)

    def test_another_mechanism_under_load_counts_nothing_twice(self):
        """What takes place while the one is replaced by the other is counted by neither."""
        turns = self.turns("a", turns=200000)
        exporter = self.start()
        before = last = self.seen(exporter, [turns], "a")
        told = turns.told()
        turns.begin()
        for counting in (OTHER, live.COUNTING):
            now = self.reload(exporter, counting=counting)
            self.assertEqual(strict_exposition.compare(last.exposition, now.exposition), [])
            last = now
        turns.finish()
        told = turns.told() - told
        after = exporter.after_cycles(2)
        self.assertEqual(strict_exposition.compare(last.exposition, after.exposition), [])
        ours = self.of(after, "a") - self.of(before, "a")
        print(f"{ours.slices} slices of {told.arrivals}, {ours.waited} s of {told.waited} s waited")
        self.assertLessEqual(ours.slices, told.arrivals)
        self.assertLessEqual(ours.waits, told.arrivals)
        self.assertLessEqual(ours.voluntary, told.voluntary)
        self.assertGreater(ours.slices, told.arrivals / 2)

    def test_what_a_rule_begins_to_want_comes_and_what_it_no_longer_wants_goes(self):
        turns = self.turns("a")
        exporter = self.start(cgroups="latency: []")
        path = self.cgroups.path("a")
        self.settled(exporter, "a")
        turns.take()
        without = exporter.after_cycles(2)
        self.assertEqual(self.of(without, "a").slices, 0)
        self.assertEqual(without.find("pmu_cgroup_on_cpu_seconds_count"), {})
        self.reload(exporter)
        after = self.goes_on(exporter, turns)
        self.assertEqual(after.value(START, cgroup=path), without.value(START, cgroup=path))
        gone = self.reload(exporter, cgroups="latency: []")
        for name in ("on_cpu_seconds_count", "run_queue_latency_seconds_bucket", "switches_total",
                     "off_cpu_seconds_sum", "migrations_total"):
            self.assertEqual(gone.find(f"pmu_cgroup_{name}"), {})
        self.assertGreaterEqual(gone.value(CLOCK, cgroup=path), after.value(CLOCK, cgroup=path))
        self.assertGreater(latencies(gone, "process", groupname=self.name).slices, 0)


if __name__ == "__main__":
    live.main(at_once=4)
