# SPDX-License-Identifier: Apache-2.0
"""What must hold of the exporter after every fault, whatever it was, and what is right to the end.

    class Family(standing.FaultTest):
        def test_something(self):
            with self.standing() as exporter:
                ...                                # the fault, and what is special of it

At the end of the block the fault is over, and these are asserted:

- the same process goes on;
- /metrics answers within a second, and promtool, a strict reader and a real Prometheus take it;
- descriptors and memory are what they were;
- the log had at most ten lines in any second;
- no counter has fallen meanwhile, within one life of its target, and nothing was no number;
- a cgroup with a known load, which was counted meanwhile, has the count that its load knows.

A fault may be such that some of this cannot hold; standing() has an argument for each of them, and
who passes one says why. The mechanism is that of PMU_TEST_COUNTING.
"""
import atexit
import contextlib
import functools
import os
import shutil
import subprocess
import time

import live
import strict_exposition
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, is_sanitized
from lateness import Lateness
from line_program import LineProgram
from own_mounts import enter_own_pids
from prometheus import Prometheus
from witness import Witness

SAMPLED = "pmu_exporter_profile_supported"
FAULTS = "pmu_cgroup_page_faults_total"
SWITCHES = "pmu_cgroup_context_switches_total"
RECOVERS_WITHIN = 5.0
RELEASES_WITHIN = 30.0
SLACK_DESCRIPTORS = 2
MORE_MEMORY = 1.05
# Bytes: pages of the heap that hold little, since what came and went stood between what stays. They
# are used again; the soak tells whether they become more.
PAGES_OF_THE_HEAP = 1024 * 1024
# Faults that the kernel takes in place of the process are accounted to it without an event (Linux:
# mm_account_fault() with no registers).
BESIDE = 8
CONTROL = "control.service"


def is_there(tool):
    if not shutil.which(tool) and os.environ.get("PMU_TEST_PROMETHEUS") == "required":
        raise AssertionError(f"{tool} is required")
    return shutil.which(tool) is not None


@functools.cache
def prometheus():
    """The one of this process, which scrapes what it is told to; None where there is none."""
    if not is_there("prometheus"):
        return None
    running = Prometheus()
    running.__enter__()
    atexit.register(running.__exit__)
    return running


class Control:
    """A cgroup with a load that knows its counts."""

    def __init__(self, cgroups):
        self.path = cgroups.make(CONTROL)
        self.load = LineProgram([live.program("control_load"),
                                 (cgroups.directory(CONTROL) + b"/cgroup.procs").decode()])

    def rest(self):
        """(page faults, context switches) that it has made; it makes no more until it goes on."""
        return tuple(map(int, self.load.ask("rest").split()))

    def go(self):
        self.load.ask("go")

    def close(self):
        self.load.__exit__()


class Standing(Exporter):
    """The exporter under a fault, with what is known of it before."""

    def begin(self, control):
        self.load = control
        if control:
            self.scrape_until(lambda m: m.value(FAULTS, cgroup=control.path) is not None, PATIENCE,
                              "the control cgroup is counted")
            self.made = control.rest()
            self.first = self.after_cycles(2)
            control.go()
        if "profiles: {enabled: false}" not in self.config:
            self.scrape_until(lambda m: m.find(SAMPLED), PATIENCE, "the profiler has begun, or said why not")
        if prometheus():
            prometheus().scrape(self.port)
        self.descriptors, self.bytes = self.least_descriptors(), self.memory_but_for_the_past()

    def memory_but_for_the_past(self):
        """The history in memory grows up to history.bytes, and profiles up to profiles.memory, whatever
        is done to the program."""
        metrics = self.scrape()
        past = metrics.value("pmu_exporter_profile_kept_bytes") or 0
        if metrics.value("pmu_exporter_history_in_memory"):
            past += metrics.value("pmu_exporter_history_bytes") or 0
        return self.memory() - int(past)

    def least_descriptors(self):
        """Without those of connections that are open for a moment."""
        return min(self.open_descriptors() for _ in range(10) if not time.sleep(0.02))


class FaultTest(live.LiveTest):
    def setUp(self):
        self.cgroups = self.enterContext(Cgroups())

    def config(self, **more):
        return live.config(self.cgroups, **more)

    def make(self, n):
        """The paths of so many cgroups, which the configuration wants."""
        return [self.cgroups.make(f"n{i:04d}.service") for i in range(n)]

    def counted(self, metrics, paths):
        """How many of these paths have a series."""
        return len(metrics.labels(FAULTS, "cgroup") & set(paths))

    def remove(self, paths):
        for path in paths:
            self.cgroups.remove(path.rpartition("/")[2])

    @contextlib.contextmanager
    def standing(self, config=None, *, control="exact", answers=True, descriptors=True, memory=True,
                 **options):
        """An Exporter (of its options) with which all holds that stands at the top of this file.
        answers=False: nobody could answer in the block. control="at most": the load may have been
        left out for a while, so that less is counted than was made, but never more; None: there is
        no such cgroup."""
        load = Control(self.cgroups) if control else None
        if load:
            self.addCleanup(load.close)
        with Standing(config or self.config(), **options) as exporter:
            exporter.begin(load)
            with Witness(exporter) as witness:
                with contextlib.nullcontext() if answers else witness.excused():
                    yield exporter
                self.check_same_process(exporter)
                self.check_answers(exporter)
                if load:
                    self.check_counts(exporter, control == "exact")
            self.assertEqual(witness.faults, [], str(witness))
            if descriptors:
                self.check_descriptors(exporter)
            if memory:
                self.check_memory(exporter)
            exporter.check_log_rate()
            self.check_same_process(exporter)

    def check_same_process(self, exporter):
        self.assertIsNone(exporter.process.poll(), f"the same process goes on\n{exporter.stderr()}")

    def check_answers(self, exporter):
        began = time.monotonic()
        with Lateness() as late:
            body = exporter.answer_in_time().body
        self.assertLess(time.monotonic() - began, late.limit(RECOVERS_WITHIN))
        strict_exposition.parse(body)
        if is_there("promtool"):
            done = subprocess.run(["promtool", "check", "metrics"], input=body, capture_output=True,
                                  timeout=PATIENCE)
            self.assertEqual(done.stdout + done.stderr, b"")
        if prometheus():
            self.check_prometheus(exporter)

    def check_prometheus(self, exporter):
        """It takes a scrape that began after the fault."""
        up, fault_ended = f'up{{instance="127.0.0.1:{exporter.port}"}}', time.time()
        for _ in live.tries(PATIENCE):
            if prometheus().query(f"{up} == 1 and timestamp({up}) > {fault_ended}"):
                return
        self.fail("Prometheus does not take it: " + prometheus().log.read_text())

    def check_counts(self, exporter, exact):
        control, first = exporter.load, exporter.first
        made = [now - then for now, then in zip(control.rest(), exporter.made)]
        last = exporter.after_cycles(2)
        control.go()
        counted = [int(last.value(name, cgroup=control.path) - first.value(name, cgroup=control.path))
                   for name in (FAULTS, SWITCHES)]
        print(f"{self.id()}: the control load made {made} page faults and context switches; "
              f"{counted} were counted")
        self.assertLessEqual(counted[0], made[0] + BESIDE)
        if exact:
            self.assertGreaterEqual(counted[0], made[0] - BESIDE - live.faults_in_doubt(first, last))
            self.assertGreater(made[0], 0)

    def check_descriptors(self, exporter):
        for _ in live.tries(RELEASES_WITHIN):
            now = exporter.least_descriptors()
            if abs(now - exporter.descriptors) <= SLACK_DESCRIPTORS:
                return
        self.fail(f"{now} descriptors are open, {exporter.descriptors} were")

    def check_memory(self, exporter):
        """Sanitizers keep what was freed."""
        most = max(exporter.bytes * MORE_MEMORY, exporter.bytes + PAGES_OF_THE_HEAP)
        for _ in live.tries(RELEASES_WITHIN):
            now = exporter.memory_but_for_the_past()
            if is_sanitized() or now <= most:
                return
        self.fail(f"{now} bytes of memory, {exporter.bytes} before")


def main(**options):
    """Of live.main(). By bpf and auto numbers of processes are the machine's, since the kernel tells
    programs no others."""
    if live.COUNTING == "direct":
        enter_own_pids()
    live.main(**options)
