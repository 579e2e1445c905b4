# SPDX-License-Identifier: Apache-2.0
"""Instructions of known number, counted in cgroups and system-wide, on one CPU.

User instructions are exact to the one. With the kernel there is what a load makes the kernel do:
ticks, switches, reads of its counters; how much is printed, and bounded.
"""
import unittest

import live
from guest import COUNTING, Scenario

CONFIG = f"""
interval: 1s
counting: {COUNTING}
groups:
  - name: core
    events: [cycles, instructions, "instructions:u"]
limits: {{pmu_counters: all}}  # nobody else counts here
targets:
  system: {{groups: [core], by: all}}
  cgroups:
    - include: ["/*"]
      groups: [core]
"""
EMPTY = 64 + 4
ALONE = 64 * 1_500_000 + 4
TOGETHER = {"/a": 64 * 900_000 + 4, "/b": 64 * 500_000 + 4}
FAMILY = 3 * 4 * 64 * 30_000
SCRIPT = f"""
enable_counting
make_cgroup /alone; make_cgroup /a; make_cgroup /b; make_cgroup /family
load() {{
    known_load $cgroups$1/cgroup.procs $cgroups/rest/cgroup.procs $2
}}
start_exporter config
sleep 2
scrape begin
sleep 2
scrape idle
load /a {EMPTY}
sleep 2
scrape warm
load /a {EMPTY}
sleep 2
scrape empty
load /alone {ALONE}
sleep 2
scrape alone
load /a {TOGETHER['/a']} &
first=$!
load /b {TOGETHER['/b']}
wait $first
sleep 2
scrape together
(enter /family known_family 3 4 0)
sleep 2
scrape family_empty
(enter /family known_family 3 4 {FAMILY // 12})
sleep 2
scrape family
stop_exporter
"""
SCENARIO = Scenario("exact_counts", SCRIPT, {"config": CONFIG})
# The most kernel instructions beside a load, as a share of its own: a tick takes some 1,000 each
# millisecond, and there are the reads of its counters.
KERNEL_SHARE = 0.005


class ExactCounts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = SCENARIO.run()

    def test_it_is_this_mechanism(self):
        info = self.results.scrape("family").labels("pmu_exporter_mechanism_info", "mechanism")
        reason = self.results.scrape("family").labels("pmu_exporter_mechanism_info", "reason")
        if reason == {"built without libbpf"}:
            self.skipTest("built without libbpf")
        self.assertEqual(info, {COUNTING}, reason)

    def delta(self, name, begin, end, **labels):
        values = [self.results.scrape(s).value(name, **labels) for s in (begin, end)]
        return int(values[1] - values[0])

    def user(self, cgroup, begin, end):
        return self.delta("pmu_cgroup_instructions_user_total", begin, end, cgroup=cgroup)

    def test_user_instructions_of_a_cgroup_are_exact(self):
        self.assertEqual(self.user("/alone", "empty", "alone"), ALONE)

    def test_user_instructions_of_two_that_take_turns_are_exact(self):
        for cgroup, instructions in TOGETHER.items():
            self.assertEqual(self.user(cgroup, "alone", "together"), instructions)

    def test_an_idle_cgroup_counts_nothing(self):
        self.assertEqual(self.user("/alone", "alone", "family"), 0)
        self.assertEqual(self.user("/alone", "begin", "idle"), 0)

    def test_threads_of_children_are_counted_once(self):
        empty = self.user("/family", "together", "family_empty")
        full = self.user("/family", "family_empty", "family")
        print(f"a family's own start: {empty} user instructions; loops miss {full - empty - FAMILY}")
        self.assertAlmostEqual(full - empty, FAMILY, delta=FAMILY * 0.0005)

    def test_with_the_kernel_there_is_little_more(self):
        count = self.delta("pmu_cgroup_instructions_total", "empty", "alone", cgroup="/alone")
        print(f"kernel instructions beside {ALONE}: {count - ALONE}")
        self.assertGreater(count, ALONE)
        self.assertLess(count, ALONE * (1 + KERNEL_SHARE))

    def test_the_machine_is_its_cgroups(self):
        """User instructions are all in some cgroup; they are read a moment after the machine."""
        machine = self.delta("pmu_machine_instructions_user_total", "begin", "family")
        cgroups = [dict(l)["cgroup"] for l in
                   self.results.scrape("begin").find("pmu_cgroup_instructions_user_total")]
        parts = sum(self.user(cgroup, "begin", "family") for cgroup in cgroups)
        print(f"the machine's user instructions: {machine}, of them in cgroups {parts - machine:+}")
        self.assertAlmostEqual(machine, parts, delta=1000)

    def test_the_machine_counts_the_load_and_what_it_does_anyway(self):
        """A load of nothing tells what starting one costs; what is left is ticks and reads. No
        start is quite like another, so the difference may be below zero, while all that the
        machine counts cannot be less than the load."""
        name = "pmu_machine_instructions_total"
        idle, empty = self.delta(name, "begin", "idle"), self.delta(name, "warm", "empty")
        full = self.delta(name, "empty", "alone")
        more = full - empty - (ALONE - EMPTY)
        print(f"machine: idle {idle}, start of a load {empty - idle}, beside {ALONE} {more}")
        self.assertGreater(full, ALONE)
        self.assertLess(more, ALONE * KERNEL_SHARE)


if __name__ == "__main__":
    live.main()
