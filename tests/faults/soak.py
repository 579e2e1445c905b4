# SPDX-License-Identifier: Apache-2.0
"""A soak: random faults in random order, and after each of them the exporter is as it was.

PMU_TEST_SECONDS says for how long (30); the long mode takes minutes, and fits lines through the
descriptors, the memory and the CPU time of a cycle at rest: none of them may rise beyond its own
noise. PMU_TEST_SEED repeats a run, as far as a machine repeats itself.

    class Soak(soak.SoakTest):          # of an exporter that is started in one way
        FAULTS = injectors.ANYWHERE     # what can be done to it so

        def start_exporter(self, config):
            ...                         # an exporter.RunningExporter
"""
import collections
import contextlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

import injectors
import live
import slope
from cgroups import Cgroups
from exporter import CYCLES, PATIENCE, is_sanitized
from witness import Witness

SECONDS = int(os.environ.get("PMU_TEST_SECONDS", "30"))
SEED = int(os.environ.get("PMU_TEST_SEED", "0")) or random.randrange(1, 1 << 32)
LINGER = 3.0
SWITCHES = "pmu_cgroup_context_switches_total"
STEADY = ("pmu_process_context_switches_total", "pmu_process_page_faults_total")
STEADY_PROGRAM = "import time\nwhile True: time.sleep(0.2)"
START = "pmu_cgroup_start_time_seconds"
UNCOUNTED = "pmu_exporter_targets_uncounted"
STANDING = [f"standing{i}.service" for i in range(5)]
PROCESSES = """  processes:
    - {comm: [%s], name: steady, groups: [software]}
    - {comm: [%s], name: "{{.Comm}}-{{.PID}}", groups: [software]}
    - {comm: [%s], name: threads, groups: [software]}
    - {comm: [%s], name: family, children: true, groups: [software]}
    - {comm: [%s], name: exec, groups: [software]}
""" % tuple(live.own(name) for name in ("steady", "birth", "threads", "family", "exec"))
DESCRIPTORS_BACK_WITHIN = 30.0
SLACK_DESCRIPTORS = 2
RESTS_FOR_A_LINE = 50  # fewer say nothing
PARTS_OF_A_LINE = 8
REST = 2.5  # seconds, in which two cycles begin
NOISE = 3.0  # standard errors of a slope
# What is no slope, whatever its error: such a part of the mean in an hour.
FLAT = 0.01


class SoakTest(live.LiveTest):
    FAULTS = injectors.ANYWHERE
    LAST = ()  # what is done once at the end, after which there is no log to judge
    calls = None  # a FailingCalls in front of the exporter

    def make_cgroups(self):
        """Where the exporter looks for cgroups, for `with`."""
        return Cgroups()

    def among_its_processes(self):
        """For `with`: what is started in the block, the exporter sees."""
        return contextlib.nullcontext()

    def check_other(self, fault):
        """What has to hold after each fault beside what is true of every exporter."""

    def start(self):
        """Makes cgroups that stay, with processes that keep switching, and starts the exporter."""
        self.cgroups = self.enterContext(self.make_cgroups())
        self.cgroups.make("soak")
        for name in STANDING:
            self.cgroups.make(name)
            self.cgroups.enter(name, self.start_beside(["sh", "-c", "while sleep 0.2; do :; done"]).pid)
        self.start_steady()
        self.exporter = self.start_exporter(live.config(self.cgroups, system="all", more=PROCESSES))
        self.witness = self.enterContext(Witness(self.exporter))
        self.scene = injectors.Scene(self.exporter, self.calls, self.cgroups, self.witness,
                                     random.Random(SEED), self.among_its_processes)
        self.addCleanup(self.scene.close)
        self.working = {self.cgroups.path(name) for name in STANDING}
        self.kept = self.working | {self.cgroups.path("soak")}
        time.sleep(2)
        self.births = self.look()
        self.descriptors = self.rest()

    def start_beside(self, words):
        """A process that stays to the end of the test."""
        with self.among_its_processes():
            process = subprocess.Popen(words)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def start_steady(self):
        """A process that stays, under a name of its own. It has no children: one has its parent's
        name until it is another program, and is a second member so long."""
        directory = self.enterContext(tempfile.TemporaryDirectory())
        program = os.path.join(directory, live.own("steady"))
        os.symlink(os.path.realpath(sys.executable), program)
        self.start_beside([program, "-S", "-c", STEADY_PROGRAM])
        self.steady = {}

    def look_at_steady(self, metrics):
        """The steady process is counted, in the same life, and its counters never fall."""
        self.assertEqual(metrics.value("pmu_process_members", groupname="steady"), 1)
        now = {name: metrics.value(name, groupname="steady") for name in STEADY}
        self.assertNotIn(None, now.values())
        start = metrics.value("pmu_process_start_time_seconds", groupname="steady")
        self.assertEqual(start, self.steady.setdefault("start", start))
        for name, value in now.items():
            if value < self.steady.get(name, 0):
                self.witness.note(f"{name} fell from {self.steady[name]} to {value}")
        self.steady.update(now)

    def look(self):
        """{label: start time} of what is counted now."""
        metrics = self.exporter.scrape(timeout=PATIENCE)
        self.assertEqual(metrics.sum(UNCOUNTED, kind="cgroup"), 0)
        self.assertEqual(metrics.sum(UNCOUNTED, kind="process"), 0)
        self.look_at_steady(metrics)
        self.assertIsNotNone(metrics.value("pmu_machine_page_faults_total"))
        return {dict(labels)["cgroup"]: value for labels, value in metrics.find(START).items()}

    def check_recovered(self, fault):
        """The exporter answers, and counts the cgroups that stayed, in the same life."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                births = self.look()
                self.assertEqual({p: births.get(p) for p in self.kept}, self.births)
                return
            except (OSError, AssertionError):
                if time.monotonic() > end:
                    print(f"not recovered from {fault}:\n{self.exporter.stderr()}")
                    raise
            self.assertIsNone(self.exporter.process.poll(), f"the same process goes on: {fault}\n"
                              f"{self.exporter.stderr()}")
            time.sleep(0.1)

    def rest(self):
        """How many descriptors are open, without those of connections that are open for a
        moment."""
        return min(self.exporter.open_descriptors() for _ in range(10) if not time.sleep(0.05))

    def wait_until_released(self, fault):
        """Waits until its descriptors are as few as before; the seconds that it took."""
        began = time.monotonic()
        while abs(self.rest() - self.descriptors) > SLACK_DESCRIPTORS:
            if time.monotonic() - began > DESCRIPTORS_BACK_WITHIN:
                self.fail(f"{self.rest()} descriptors after {fault}, {self.descriptors} before")
        return time.monotonic() - began

    def figures(self):
        """(descriptors, bytes of memory, CPU seconds of a cycle) at rest. Meanwhile only the scraper and
        the witness ask: waiting for cycles would ask all the time, and a scrape takes more CPU time than
        a cycle."""
        begin, cpu = self.exporter.after_cycles(1).value(CYCLES), self.exporter.cpu_seconds()
        time.sleep(REST)
        cpu = self.exporter.cpu_seconds() - cpu
        n = self.exporter.scrape(timeout=PATIENCE).value(CYCLES) - begin
        return self.rest(), self.exporter.memory(), cpu / max(1.0, float(n))

    def suffer(self, inject):
        """The seconds until its descriptors are as before."""
        inject(self.scene)
        self.check_recovered(inject.__name__)
        self.check_other(inject.__name__)
        seconds = self.wait_until_released(inject.__name__)
        self.assertEqual(self.witness.faults, [], f"in or after {inject.__name__}")
        return seconds

    def soak(self, seconds, seen, released):
        """Adds to `seen` what figures() are after each fault, with the time."""
        began, queue = time.monotonic(), []
        done = collections.Counter()
        while time.monotonic() < began + seconds:
            if not queue:
                queue = self.scene.random.sample(self.FAULTS, len(self.FAULTS))
            inject = queue.pop()
            done[inject.__name__] += 1
            released.append(self.suffer(inject))
            seen.append((time.monotonic() - began, *self.figures()))
        return done

    def check_promtool(self):
        if shutil.which("promtool"):
            done = subprocess.run(["promtool", "check", "metrics"], capture_output=True,
                                  input=self.exporter.scrape().body, timeout=PATIENCE)
            self.assertEqual(done.stdout + done.stderr, b"")

    def check_lines(self, seen):
        """Caches fill in the first fifth of the time, which is left out."""
        settled = seen[len(seen) // 5:]
        for column, name in enumerate(("descriptors", "bytes of memory", "CPU seconds of a cycle"), 1):
            values = [row[column] for row in settled]
            mean = sum(values) / len(values)
            points = slope.parts([(row[0], row[column]) for row in settled], PARTS_OF_A_LINE)
            rise, error = (3600 * each for each in slope.slope(points))
            print(f"{name}: {mean:.6g} on average, {rise:+.3g} an hour, standard error {error:.3g}")
            if not is_sanitized():
                self.assertLessEqual(rise, NOISE * error + FLAT * mean, name)

    def test_random_faults_in_random_order(self):
        print(f"PMU_TEST_SEED={SEED}")
        self.start()
        seen, released = [], []
        began = time.monotonic()
        with contextlib.ExitStack() as stack:
            stack.callback(lambda: print(f"{time.monotonic() - began:.0f} s; {self.witness}"))
            done = self.soak(SECONDS, seen, released)
        print(", ".join(f"{n} x {name}" for name, n in sorted(done.items())))
        print(f"descriptors {self.descriptors} -> {self.rest()}, back within "
              f"{max(released):.1f} s; memory {' '.join(str(m // 1024) for _, _, m, _ in seen)} KiB")
        if len(seen) >= RESTS_FOR_A_LINE:
            self.check_lines(seen)
        else:
            print(f"no lines are fitted: {len(seen)} rests, not {RESTS_FOR_A_LINE}")
        before = self.exporter.scrape()
        time.sleep(LINGER + 2)
        after = self.exporter.scrape()
        for path in self.working:
            self.assertGreater(after.value(SWITCHES, cgroup=path),
                               before.value(SWITCHES, cgroup=path), "it goes on counting")
        self.assertEqual(set(self.look()), self.kept, "nothing lingers for ever")
        self.check_promtool()
        self.exporter.check_log_rate()
        for inject in self.LAST:
            self.suffer(inject)
        self.assertEqual(self.witness.faults, [])
