# SPDX-License-Identifier: Apache-2.0
"""Random faults in random order, and after each of them the exporter is as it was.

PMU_TEST_SECONDS says for how long (30); the long mode takes minutes, and looks for a slope too.
PMU_TEST_SEED repeats a run, as far as a machine repeats itself.
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
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, is_sanitized, unit_environment
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
# Holes in the heap come and go: in 19 minutes the lowest of each minute rose by an eighth, and fell
# again to where it had been.
MORE_MEMORY = 1.1
RESTS_FOR_A_SLOPE = 50  # fewer say nothing


class SoakTest(live.LiveTest):
    def start(self):
        """Makes cgroups that stay, with processes that keep switching, and starts the exporter."""
        self.cgroups = self.enterContext(Cgroups())
        self.cgroups.make("soak")
        for name in STANDING:
            self.cgroups.make(name)
            process = subprocess.Popen(["sh", "-c", "while sleep 0.2; do :; done"])
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            self.cgroups.enter(name, process.pid)
        self.start_steady()
        # In memory the history would grow up to its bound. It is kept on disk, as by the unit.
        state = self.enterContext(tempfile.TemporaryDirectory())
        self.exporter = self.enterContext(
            Exporter(live.config(self.cgroups, system="all", more=PROCESSES),
                     env={**unit_environment(), "STATE_DIRECTORY": state}))
        self.witness = self.enterContext(Witness(self.exporter))
        self.scene = injectors.Scene(self.exporter, self.cgroups, self.witness,
                                     random.Random(SEED))
        self.addCleanup(self.scene.close)
        self.working = {self.cgroups.path(name) for name in STANDING}
        self.kept = self.working | {self.cgroups.path("soak")}
        time.sleep(2)
        self.births = self.look()
        self.descriptors = self.rest()

    def start_steady(self):
        """A process that stays, under a name of its own. It has no children: one has its parent's
        name until it is another program, and is a second member so long."""
        directory = self.enterContext(tempfile.TemporaryDirectory())
        program = os.path.join(directory, live.own("steady"))
        os.symlink(os.path.realpath(sys.executable), program)
        process = subprocess.Popen([program, "-S", "-c", STEADY_PROGRAM])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
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
            self.assertIsNone(self.exporter.process.poll(), f"the same process goes on: {fault}")
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

    def soak(self, seconds, memory, released):
        end, queue = time.monotonic() + seconds, []
        done = collections.Counter()
        while time.monotonic() < end:
            if not queue:
                queue = self.scene.random.sample(injectors.ALL, len(injectors.ALL))
            inject = queue.pop()
            inject(self.scene)
            done[inject.__name__] += 1
            self.check_recovered(inject.__name__)
            released.append(self.wait_until_released(inject.__name__))
            memory.append(self.exporter.memory())
            self.assertEqual(self.witness.faults, [], f"in or after {inject.__name__}")
        return done

    def check_promtool(self):
        if shutil.which("promtool"):
            done = subprocess.run(["promtool", "check", "metrics"], capture_output=True,
                                  input=self.exporter.scrape().body, timeout=PATIENCE)
            self.assertEqual(done.stdout + done.stderr, b"")

    def check_slope(self, memory):
        """What leaks raises the lowest that is seen too. The first fifth of the time is the one in
        which caches fill."""
        fifth = len(memory) // 5
        first, last = min(memory[fifth:2 * fifth]), min(memory[-fifth:])
        print(f"memory, the lowest of the second and of the last fifth: {first / 1024:.0f}, "
              f"{last / 1024:.0f} KiB")
        if not is_sanitized():
            self.assertLessEqual(last, first * MORE_MEMORY)

    def test_random_faults_in_random_order(self):
        print(f"PMU_TEST_SEED={SEED}")
        self.start()
        memory, released = [self.exporter.memory()], []
        began = time.monotonic()
        with contextlib.ExitStack() as stack:
            stack.callback(lambda: print(f"{time.monotonic() - began:.0f} s; {self.witness}"))
            done = self.soak(SECONDS, memory, released)
        print(", ".join(f"{n} x {name}" for name, n in sorted(done.items())))
        print(f"descriptors {self.descriptors} -> {self.rest()}, back within "
              f"{max(released):.1f} s; memory {' '.join(str(m // 1024) for m in memory)} KiB")
        if len(memory) >= RESTS_FOR_A_SLOPE:
            self.check_slope(memory[1:])
        before = self.exporter.scrape()
        time.sleep(LINGER + 2)
        after = self.exporter.scrape()
        for path in self.working:
            self.assertGreater(after.value(SWITCHES, cgroup=path),
                               before.value(SWITCHES, cgroup=path), "it goes on counting")
        self.assertEqual(set(self.look()), self.kept, "nothing lingers for ever")
        self.check_promtool()
        self.exporter.check_log_rate()
        self.assertEqual(self.witness.faults, [])


if __name__ == "__main__":
    live.main()
