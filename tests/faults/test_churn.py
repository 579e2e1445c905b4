# SPDX-License-Identifier: Apache-2.0
"""Cgroups by the hundred each second, and by the ten thousand: what one user can make us cost.

PMU_TEST_SECONDS says for how long (20); the long mode takes minutes.
"""
import contextlib
import os
import pathlib
import re
import signal
import statistics
import subprocess
import tempfile
import time

import live
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, binary, quote, unit_environment
from witness import Witness

SECONDS = int(os.environ.get("PMU_TEST_SECONDS", "20"))
CYCLE = 1.0
LOOK = 0.05
FAULTS = "pmu_cgroup_page_faults_total"
SUPPORTED = "pmu_exporter_latency_supported"
UNCOUNTED = "pmu_exporter_targets_uncounted"
DROPPED = "pmu_exporter_targets_dropped_total"
LINGER = 3.0
GIVE_BACK = 10.0  # seconds between two times that free memory is given back
WARM_UP = 10  # seconds: what is made once is made then
MOST_CGROUPS = 2000
TARGETS = "pmu_exporter_targets"

# Half live too short to be seen in most cycles, with names of their own; half live for a cycle and
# are born again under the names of the dead.
HALF = 250
CHURNS = {"short": (20, 1000000), "reborn": (1000, 400)}

MOST_DYING = 50
MOST_CPU = 0.20
MORE_MEMORY = 1.05
BODY = 8 << 20


class Churn:
    """Runs tests/faults/churn.c below a cgroup of its own. It ends by itself."""

    def __init__(self, cgroups, name, seconds, life_ms, n_names):
        program = os.environ.get("PMU_TEST_CHURN") or str(pathlib.Path(binary()).parent / "churn")
        cgroups.make(name)
        self.process = subprocess.Popen(
            [program, cgroups.directory(name), str(HALF), str(seconds), str(life_ms),
             str(n_names)], stdout=subprocess.PIPE, text=True)

    def is_running(self):
        return self.process.poll() is None

    def n_born(self):
        """Waits for the end; how many cgroups were born."""
        text, _ = self.process.communicate(timeout=PATIENCE)
        if self.process.returncode != 0:
            raise AssertionError(f"the churn ended with {self.process.returncode}")
        return int(re.match(r"(\d+) born, \1 gone", text)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.is_running():
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)
        self.process.stdout.close()


def n_held(pid):
    """How many cgroups that have ended the process still has open: with its directory go a cgroup's
    counters, for which the kernel keeps it."""
    n = 0
    for fd in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            n += os.readlink(f"/proc/{pid}/fd/{fd}").endswith(" (deleted)")
    return n


def spread(numbers):
    ordered = sorted(numbers)
    return (f"{statistics.median(ordered):.0f} (nine of ten at most {ordered[len(ordered) * 9 // 10]}, "
            f"all {ordered[-1]})")


def figures(exporter, cgroups):
    exporter.scrape(timeout=PATIENCE)  # the last page is kept, and may have been a long one
    return (exporter.open_descriptors(), exporter.memory(), cgroups.dying())


def settle(exporter, cgroups, within, wanted):
    """The first figures for which `wanted` is true, else the last ones, and the seconds it took."""
    began = time.monotonic()
    while True:
        now = figures(exporter, cgroups)
        if wanted(*now) or time.monotonic() - began > within:
            return now, time.monotonic() - began
        time.sleep(0.1)


class ChurnTest(live.LiveTest):
    def setUp(self):
        self.cgroups = self.enterContext(Cgroups())

    def churn(self, seconds, exporter=None):
        """Runs both halves to their end; how many were born, of each look meanwhile how many were
        dying and how many of these the exporter held, and by how many seconds this machine was late
        all in all, as this loop saw it."""
        dying, held, late = [], [], 0.0
        with contextlib.ExitStack() as stack:
            churns = [stack.enter_context(Churn(self.cgroups, name, seconds, *kind))
                      for name, kind in CHURNS.items()]
            while any(churn.is_running() for churn in churns):
                began = time.monotonic()
                dying.append(self.cgroups.dying())
                if exporter:
                    held.append(n_held(exporter.pid))
                time.sleep(LOOK)
                late += max(0.0, time.monotonic() - began - 1.2 * LOOK)
            return sum(churn.n_born() for churn in churns), dying, held, late

    def fill(self, exporter):
        """There are as many cgroups at once, for a while, as may be counted. Part of the memory that
        they take stays with malloc, and how many a churn has at once depends on how late the machine
        is."""
        names = [f"fill_{i}" for i in range(MOST_CGROUPS)]
        for name in names:
            self.cgroups.make(name)
        exporter.scrape_until(
            lambda m: m.value(TARGETS, kind="cgroup") + m.sum(UNCOUNTED, kind="cgroup") >= MOST_CGROUPS,
            PATIENCE, f"{MOST_CGROUPS} cgroups")
        for name in names:
            os.rmdir(self.cgroups.directory(name))
        exporter.scrape_until(lambda m: m.value(TARGETS, kind="cgroup") < MOST_CGROUPS / 10, PATIENCE,
                              "cgroups that are gone")

    def rest(self, exporter):
        """Figures at rest: each at its least since what was counted has gone."""
        time.sleep(LINGER + 2 * CYCLE)
        seen = []
        end = time.monotonic() + 2.5 * GIVE_BACK
        while time.monotonic() < end:
            seen.append(figures(exporter, self.cgroups))
            time.sleep(0.1)
        return tuple(min(column) for column in zip(*seen))

    def check_released(self, exporter, before):
        """Dying cgroups go, two cycles later where the machine is quiet; so do descriptors and
        memory."""
        descriptors, memory, _ = before
        (_, _, dying), took = settle(exporter, self.cgroups, PATIENCE,
                                     lambda f, m, d: d <= MOST_DYING)
        print(f"dying after it: {dying}, {took:.1f} s later")
        self.assertLessEqual(dying, MOST_DYING)
        after, took = settle(exporter, self.cgroups, PATIENCE,
                             lambda f, m, d: f <= descriptors + 2 and m <= memory * MORE_MEMORY)
        print(f"descriptors {descriptors} -> {after[0]}, memory {memory // 1024} -> "
              f"{after[1] // 1024} KiB, within {took:.1f} s")
        self.assertLessEqual(abs(after[0] - descriptors), 2)
        self.assertLessEqual(after[1], memory * MORE_MEMORY)

    def test_500_cgroups_come_and_go_each_second(self):
        self.check_churn(live.config(self.cgroups, more=f"limits: {{cgroups: {MOST_CGROUPS}}}\n"))

    def test_500_cgroups_come_and_go_each_second_while_latencies_are_counted(self):
        config = live.config(self.cgroups, more=f"limits: {{cgroups: {MOST_CGROUPS}}}\n")
        self.check_churn(config.replace("      groups: [software]\n",
                                        "      groups: [software]\n"
                                        "      latency: [scheduler]\n"))

    def check_churn(self, config):
        _, of_nobody, _, _ = self.churn(WARM_UP // 2)
        # In memory the history would grow up to its bound. It is kept on disk, as by the unit.
        state = self.enterContext(tempfile.TemporaryDirectory())
        exporter = self.enterContext(
            Exporter(config, env={**unit_environment(), "STATE_DIRECTORY": state}))
        metrics = exporter.scrape()
        if 0 in metrics.find(SUPPORTED).values():
            self.skipTest(f"there are no latencies here: {metrics.labels(SUPPORTED, 'reason')}")
        with Witness(exporter):
            self.churn(WARM_UP, exporter)
            self.fill(exporter)
        before = self.rest(exporter)
        cpu, began = exporter.cpu_seconds(), time.monotonic()
        with Witness(exporter) as witness:
            n, dying, held, late = self.churn(SECONDS, exporter)
            seen = exporter.scrape(timeout=PATIENCE).sum(FAULTS)
            seconds = time.monotonic() - began
            share = (exporter.cpu_seconds() - cpu) * len(CHURNS) * HALF / n
        print(f"{n} cgroups in {seconds:.1f} s: {share:.1%} of a CPU for {len(CHURNS) * HALF} a "
              f"second; dying {spread(dying)}, {spread(held)} of them held, {spread(of_nobody)} "
              f"where nobody counts; {late:.1f} s late; {witness}")
        self.assertEqual(witness.faults, [])
        self.assertEqual(n, len(CHURNS) * HALF * SECONDS)
        self.assertGreater(seen, 0, "some were counted to their end")
        self.assertLessEqual(share, MOST_CPU)
        # half live long enough to be counted, and are held for a cycle and no longer
        self.assertLessEqual(max(dying), (2 * CYCLE + late) * HALF)
        # and few at most times: the median, since what waits while others have the CPUs is theirs
        self.assertLessEqual(statistics.median(held), MOST_DYING)
        self.assertLessEqual(statistics.median(dying), statistics.median(of_nobody) + MOST_DYING)
        self.check_released(exporter, before)
        exporter.check_log_rate()

    def test_each_of_hundreds_that_came_and_went_is_counted_or_told(self):
        """Each has a name of its own, and what is counted lingers."""
        config = live.config(self.cgroups, linger="60s",
                             more=f"limits: {{cgroups: {MOST_CGROUPS}}}\n")
        with Exporter(config) as exporter, Churn(self.cgroups, "short", 3, *CHURNS["short"]) as churn:
            n = churn.n_born()
            metrics = exporter.after_cycles(2)
        path = f"/{self.cgroups.top}/short/"
        counted = sum(name.startswith(path) for name in metrics.labels(FAULTS, "cgroup"))
        dropped = {reason: int(metrics.sum(DROPPED, kind="cgroup", reason=reason))
                   for reason in metrics.labels(DROPPED, "reason", kind="cgroup")}
        print(f"{n} born, {counted} counted, others {dropped}")
        self.assertGreater(counted, 0)
        self.assertEqual(counted + sum(dropped.values()), n)


class ManyTest(live.LiveTest):
    """One user with 20,000 cgroups, and another who comes later."""

    N = 20000

    def setUp(self):
        self.mine, self.yours = self.enterContext(Cgroups()), self.enterContext(Cgroups())

    def config(self, more):
        include = ", ".join(quote(f"/{c.top}/**") for c in (self.mine, self.yours))
        return ("interval: 1s\ncounting: direct\nlinger: 3s\n"
                f"groups: [{{name: software, events: [{', '.join(live.SOFTWARE)}]}}]\n"
                f"targets: {{cgroups: [{{include: [{include}], groups: [software]}}]}}\n{more}")

    def scrape_until_told(self, exporter, n):
        return exporter.scrape_until(
            lambda m: len(m.find(FAULTS)) + m.sum(UNCOUNTED, kind="cgroup") == n, 10 * CYCLE,
            f"{n} cgroups counted or told to be uncounted")

    def check_newcomer(self, exporter):
        """Looks at the text alone: to parse a page of this size takes a good part of a cycle."""
        path = self.yours.make("late.service")
        end = time.monotonic() + PATIENCE
        while path.encode() not in exporter.get("/metrics").body:
            self.assertLess(time.monotonic(), end, "the other user's cgroup is not counted")
            time.sleep(0.05)
        self.assertIsNotNone(exporter.scrape().value(FAULTS, cgroup=path))

    def test_20000_cgroups_of_one_user(self):
        exporter = self.enterContext(Exporter(self.config("limits: {cgroups: 1000}\n")))
        before = figures(exporter, self.mine)
        with Witness(exporter) as witness:
            began = time.monotonic()
            for i in range(self.N):
                os.mkdir(self.mine.directory(f"m{i:05d}"))
            made = time.monotonic() - began
            metrics = self.scrape_until_told(exporter, self.N)
            self.check_newcomer(exporter)
            cpu, began = exporter.cpu_seconds(), time.monotonic()
            time.sleep(5 * CYCLE)
            idle = (exporter.cpu_seconds() - cpu) / (time.monotonic() - began)
        n = len(metrics.find(FAULTS))
        print(f"{self.N} made in {made:.1f} s, {n} counted; idle after that {idle:.1%} of a CPU, "
              f"memory {before[1] // 1024} -> {exporter.memory() // 1024} KiB; {witness}")
        self.assertEqual(witness.faults, [])
        self.assertLessEqual(n, 1000)
        self.assertGreaterEqual(n, 500)
        self.assertEqual(metrics.value(UNCOUNTED, kind="cgroup", reason="over_limit"), self.N - n)
        self.assertGreaterEqual(metrics.value(DROPPED, kind="cgroup", reason="over_limit"),
                                self.N - n)
        self.assertLessEqual(witness.longest, BODY)
        self.assertLessEqual(idle, 0.10)
        exporter.check_log_rate()

    def test_long_names_of_one_user_leave_room_on_the_page(self):
        exporter = self.enterContext(Exporter(self.config(f"limits: {{body: {BODY >> 20}MiB}}\n")))
        for i in range(800):
            os.mkdir(self.mine.directory("x" * 900 + f"{i:04d}"))
        metrics = self.scrape_until_told(exporter, 800)
        print(f"{len(metrics.find(FAULTS))} counted, {len(metrics.body) / 1024:.0f} KiB")
        self.assertLessEqual(len(metrics.body), BODY)
        self.check_newcomer(exporter)
        self.assertLessEqual(len(exporter.scrape().body), BODY)

    def test_descriptors_of_one_user_leave_room_for_another(self):
        exporter = self.enterContext(Exporter(self.config(""),
                                              wrapper=["prlimit", "--nofile=1024"]))
        for i in range(500):
            os.mkdir(self.mine.directory(f"m{i:03d}"))
        metrics = self.scrape_until_told(exporter, 500)
        print(f"{len(metrics.find(FAULTS))} counted with 1024 descriptors")
        self.check_newcomer(exporter)


if __name__ == "__main__":
    live.main()
