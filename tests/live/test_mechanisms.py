#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Cgroups counted by both mechanisms, and the machine as the sum of what bpf gives to whom."""
import os
import subprocess
import sys
import time

import live
from mechanisms import EVENTS, Counted, Waiting


def tree():
    """Makes 55 cgroups, three levels deep; their names."""
    names = []
    for top in range(5):
        names.append(f"t{top}")
        for middle in range(2):
            names.append(f"t{top}/m{middle}")
            names += [f"t{top}/m{middle}/l{leaf}" for leaf in range(4)]
    return names


class MachineTest(Counted):
    arguments = ("machine",)

    def test_targets_the_rest_and_what_is_nobodys_are_the_machine(self):
        """Also on a kernel that keeps switches to itself, of which this tells."""
        for name in "ab":
            self.cgroups.make(name)
            self.counting.add(name)
        self.counting.read()
        loads = [live.Load(self.cgroups.directory("a"), burn_ms=1500, faults=2000),
                 live.Load(self.cgroups.directory("b"), switches=20000, burn_ms=500)]
        before, parts = self.parts()
        for load in loads:
            self.enterContext(load).go()
        for load in loads:
            load.wait()
        after, parts_after = self.parts()
        for event in EVENTS:
            counted = parts_after[event] - parts[event]
            self.assertGreaterEqual(counted, after["machine-before"][event]
                                    - before["machine-after"][event], event)
            self.assertLessEqual(counted, after["machine-after"][event]
                                 - before["machine-before"][event], event)
        self.assert_little_is_nobodys(before, after)

    def parts(self):
        totals = self.counting.read()
        machine = dict(self.counting.machine)
        return machine, {event: sum(both["bpf"][event] for both in totals.values())
                         + machine["rest"][event] + machine["no-cgroups"][event]
                         for event in EVENTS}

    def assert_little_is_nobodys(self, before, after):
        machine, nobodys = ({event: after[part][event] - before[part][event] for event in EVENTS}
                            for part in ("machine-after", "no-cgroups"))
        print(f"untold switches: {self.counting.untold}, in doubt: "
              f"{self.counting.unattributed_ns} ns, nobody's: {nobodys} of {machine}")
        if self.counting.untold == 0:
            self.assertEqual(set(nobodys.values()), {0})
        self.assertLess(nobodys["enabled"], 0.02 * machine["enabled"])


SPINNER = """import os, signal, sys, time
try:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))  # it keeps its CPU
except OSError:
    pass
signal.alarm(20)
print(flush=True)
sys.stdin.readline()
end = time.monotonic() + 0.4
while time.monotonic() < end:
    pass
"""


class HoleTest(Counted):
    arguments = ("hole",)

    def test_a_move_is_divided_by_time_where_the_first_group_was_dropped(self):
        for name in "ab":
            self.cgroups.make(name)
            self.counting.add(name)
        spinner = self.enterContext(Waiting(sys.executable, "-c", SPINNER))
        spinner.process.stdout.readline()
        self.cgroups.enter("a", spinner.pid)
        self.counting.read()
        spinner.go()
        time.sleep(0.2)
        self.cgroups.enter("b", spinner.pid)
        spinner.wait()
        totals = self.counting.read()
        self.assertGreater(totals["b"]["direct"]["task-clock"], 20_000_000)
        for name, both in totals.items():
            apart = abs(both["direct"]["task-clock"] - both["bpf"]["task-clock"])
            self.assertLess(apart, 5_000_000 + self.counting.unattributed("task-clock"), totals)


class MechanismTest(Counted):
    def make(self, *names):
        for name in names:
            self.cgroups.make(name)
            self.counting.add(name)

    def shell(self, name, script):
        """Starts a shell that is in the cgroup from its first instruction on."""
        procs = os.fsdecode(self.cgroups.directory(name)) + "/cgroup.procs"
        return subprocess.Popen(["/bin/sh", "-c", f"echo 0 > '{procs}'; {script}"],
                                stdout=subprocess.DEVNULL)

    def loads(self, name, **what):
        load = live.Load(self.cgroups.directory(name), **what)
        self.enterContext(load)
        return load

    @live.again_where_switches_are_hidden
    def test_a_tree_of_three_levels_under_mixed_loads(self):
        self.make(*tree())
        before = self.counting.read()
        loads = [self.loads("t0/m0/l0", switches=20000), self.loads("t0/m0/l1", burn_ms=400),
                 self.loads("t0/m1/l0", faults=3000), self.loads("t1/m0/l0", migrations=300),
                 self.loads("t1", burn_ms=200, faults=100), self.loads("t2/m0", switches=3000)]
        for load in loads:
            load.go()
        shells = [self.shell("t3/m0/l0", "for i in 1 2 3 4 5 6 7 8; do sleep 0.1; done"),
                  self.shell("t3/m1/l1", "for i in $(seq 100); do /bin/true; done"),
                  self.shell("t4", "(sleep 0.2; /bin/true) & /bin/true; wait")]
        readings = [before]
        while any(p.poll() is None for p in [load.process for load in loads] + shells):
            time.sleep(0.2)
            readings.append(self.counting.read())
        readings.append(self.counting.read())
        self.assert_agree(readings[-1])
        self.assert_never_falls(readings)
        self.assertGreaterEqual(readings[-1]["t0/m0/l0"]["bpf"]["context-switches"], 20000)

    def test_a_parent_is_its_children_and_its_own(self):
        self.make("p", "p/a", "p/b", "p/b/c")
        self.loads("p/a", switches=2000, burn_ms=50).run()
        self.loads("p/b/c", faults=2000).run()
        totals = {name: both["bpf"] for name, both in self.counting.read().items()}
        for event in EVENTS:
            self.assertEqual(totals["p/b"][event], totals["p/b/c"][event], event)
            self.assertEqual(totals["p"][event], totals["p/a"][event] + totals["p/b"][event], event)
        self.loads("p", faults=500).run()
        after = {name: both["bpf"] for name, both in self.counting.read().items()}
        self.assertGreaterEqual(after["p"]["page-faults"], totals["p"]["page-faults"] + 500)
        self.assertEqual(after["p/a"], totals["p/a"])

    @live.again_where_switches_are_hidden
    def test_what_a_removed_child_has_counted_stays_in_its_parent(self):
        self.make("p", "p/a")
        for round_ in range(3):
            self.make(f"p/{round_}")
            self.loads(f"p/{round_}", switches=1000, faults=200).run()
            self.cgroups.remove(f"p/{round_}")
            self.assert_agree(self.counting.read())
            self.counting.close(f"p/{round_}")
            self.assert_agree(self.counting.read())
        parent = self.counting.read()["p"]["bpf"]
        self.assertGreaterEqual(parent["page-faults"], 600)
        self.assertGreaterEqual(parent["context-switches"], 3000)

    @live.again_where_switches_are_hidden
    def test_a_child_that_is_counted_later_takes_nothing_from_its_parent(self):
        self.make("p")
        self.cgroups.make("p/a")
        self.cgroups.make("p/a/b")
        self.counting.add("p/a/b")
        with self.shell("p/a/b", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"):
            time.sleep(0.1)
            self.counting.add("p/a")  # this one takes the CPU from the two while they count
            time.sleep(0.1)
        self.loads("p/a", faults=300).run()
        self.assert_agree(self.counting.read())

    @live.again_where_switches_are_hidden
    def test_what_is_not_counted_itself_counts_for_who_contains_it(self):
        self.make("p")
        for i in range(20):  # each born, run and gone without ever being a target
            self.cgroups.make(f"p/{i}/x/y")
            self.loads(f"p/{i}/x/y", faults=50, switches=100, burn_ms=10).run()
            for name in (f"p/{i}/x/y", f"p/{i}/x", f"p/{i}"):
                self.cgroups.remove(name)
        totals = self.counting.read()
        self.assert_agree(totals)
        self.assertGreaterEqual(totals["p"]["bpf"]["page-faults"], 1000)

    @live.again_where_switches_are_hidden
    def test_20000_cgroups_of_one_user_count_for_who_contains_them(self):
        self.make("p", "other")
        # more than the program remembers; each runs something, and none is a target
        wanderer = ("import os, sys\n"
                    "for i in range(20000):\n"
                    "    path = f'{sys.argv[1]}/{i}'\n"
                    "    os.mkdir(path)\n"
                    "    open(path + '/cgroup.procs', 'w').write('0')\n"
                    "    i and os.rmdir(f'{sys.argv[1]}/{i - 1}')\n")
        directory = os.fsdecode(self.cgroups.directory("p"))
        procs = f"echo 0 > '{directory}/cgroup.procs'"
        with subprocess.Popen(["/bin/sh", "-c", f"{procs}; exec {sys.executable} -c \"$1\" '{directory}'",
                               "sh", wanderer]) as process:
            self.assertEqual(process.wait(60), 0)
        self.loads("other", faults=500).run()
        totals = self.counting.read()
        self.assert_agree(totals)
        self.assertGreater(totals["p"]["bpf"]["task-clock"], 100_000_000)

    @live.again_where_switches_are_hidden
    def test_a_task_that_moves_itself_or_sleeps_is_charged_where_it_is(self):
        self.make("a", "b")
        a, b = (os.fsdecode(self.cgroups.directory(n)) + "/cgroup.procs" for n in "ab")
        burn = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done;"
        moving = f"echo 0 > {b}; {burn} echo 0 > {a}; {burn}"
        with self.shell("a", moving * 3):
            pass
        with self.shell("a", "sleep 0.3; /bin/true"), self.shell("b", "sleep 0.3; /bin/true") as other:
            time.sleep(0.1)
            self.cgroups.enter("a", other.pid)
        self.assert_agree(self.counting.read())

    @live.again_where_switches_are_hidden
    def test_a_task_that_never_switches_counts_in_each_interval(self):
        self.make("a")
        with self.loads("a", burn_ms=600) as load:
            load.go()
            time.sleep(0.2)
            readings = []
            for _ in range(3):
                readings.append(self.counting.read()["a"])
                time.sleep(0.1)
            load.wait()
        # in each reading bpf looks first: it is between the last reading of direct and this one
        for before, after in zip(readings, readings[1:]):
            self.assertGreater(after["bpf"]["task-clock"],
                               before["direct"]["task-clock"] - 1_000_000)
            self.assertLess(after["bpf"]["task-clock"], after["direct"]["task-clock"] + 1_000_000)
        self.assert_agree(self.counting.read())

    def test_descriptors_do_not_grow_with_the_number_of_targets(self):
        self.make("a")
        self.counting.read()
        few = self.counting.open_counters
        self.make(*[f"n{i}" for i in range(50)])
        self.counting.read()
        many = self.counting.open_counters
        self.assertEqual(few[1], many[1])
        self.assertEqual(few[0] * 51, many[0])
        for i in range(50):
            self.counting.close(f"n{i}")
        self.counting.close("a")
        self.counting.read()
        self.assertEqual(self.counting.open_counters, [0, 0])


if __name__ == "__main__":
    live.main()
