# SPDX-License-Identifier: Apache-2.0
"""Instructions of known number in process groups: threads and children are counted once.

What runs sleeps before its loop, so that it has been found, and after it, so that it is read; what
it counts beside the loop is that it wakes, goes to sleep and ends.
"""
import os
import unittest

import live
from guest import Scenario

COUNTING = os.environ.get("PMU_TEST_COUNTING", "direct")  # run for each mechanism
CONFIG = f"""
interval: 1s
counting: {COUNTING}
groups:
  - name: core
    events: [instructions, "instructions:u"]
targets:
  processes:
    - comm: [known_family]
      groups: [core]
    - name: parent_and_all_it_starts
      comm: [known_parent]
      children: true
      groups: [core]
    - name: late
      comm: [known_late]
      children: true
      groups: [core]
limits: {{pmu_counters: all}}
"""
LOOP = 64 * 100_000
CHILDREN, THREADS = 3, 4
FAMILY = CHILDREN * THREADS * LOOP
# The third family is born of a parent that was found, and has ended at the next look.
SCRIPT = f"""
make_cgroup /perf
install_perf
cp /tmp/bin/known_family /tmp/bin/known_parent
cat >/tmp/bin/known_late <<'END'
#!/bin/sh
sleep 3
/tmp/bin/known_quick 3 4 {LOOP}
sleep 3
END
cp /tmp/bin/known_family /tmp/bin/known_quick
chmod +x /tmp/bin/known_late
start_exporter config
sleep 2
known_family {CHILDREN} {THREADS} {LOOP} 12 & family=$!
sleep 2.5
scrape family_sleeps
(LD_LIBRARY_PATH=/tmp/perf enter /perf /tmp/perf/perf stat -x ';' -e instructions:u,instructions \\
    -p $(pidof known_family | tr ' ' ',') -o $OUT/perf -- sleep 12)
scrape family
wait $family
sleep 2
scrape family_ended
known_parent {CHILDREN} {THREADS} {LOOP} 3
sleep 2
scrape parent
known_late
sleep 2
scrape late
known_family {CHILDREN} {THREADS} {LOOP} 3
sleep 2
scrape family_again
stop_exporter
"""
SCENARIO = Scenario("processes", SCRIPT, {"config": CONFIG})
USER = "pmu_process_instructions_user_total"


class Processes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = SCENARIO.run()

    def value(self, scrape, group, name=USER):
        return self.results.scrape(scrape).value(name, groupname=group)

    def check_near(self, count, truth):
        print(f"{count - truth:+} of {truth}")
        self.assertGreaterEqual(count, truth)
        self.assertLess(count, truth * 1.01)

    def test_it_is_this_mechanism(self):
        info = self.results.scrape("family").labels("pmu_exporter_mechanism_info", "mechanism")
        reason = self.results.scrape("family").labels("pmu_exporter_mechanism_info", "reason")
        if reason == {"built without libbpf"}:
            self.skipTest("built without libbpf")
        self.assertEqual(info, {COUNTING}, reason)

    def test_threads_of_children_are_counted_once(self):
        self.check_near(self.value("family", "known_family"), FAMILY)

    def test_perf_counts_the_same_of_the_same_threads(self):
        """perf begins and ends while all of them sleep; what they did since their birth is ours."""
        lines = [line.split(";") for line in self.results.text("perf").splitlines() if ";" in line]
        perf = {fields[2]: int(fields[0]) for fields in lines}
        names = {"instructions:u": USER, "instructions": "pmu_process_instructions_total"}
        ours = {event: self.value("family", "known_family", name) -
                self.value("family_sleeps", "known_family", name)
                for event, name in names.items()}
        self.assertEqual(ours["instructions:u"], perf["instructions:u"])
        if COUNTING == "direct":
            self.assertEqual(ours["instructions"], perf["instructions"])
        else:  # ours begins and ends within the kernel's switch, perf's events a little apart
            print(f"with the kernel {ours['instructions'] - perf['instructions']:+.0f}")
            self.assertAlmostEqual(ours["instructions"], perf["instructions"],
                                   delta=0.005 * perf["instructions"])

    def test_a_group_keeps_what_its_members_have_counted(self):
        self.check_near(self.value("family_ended", "known_family"), FAMILY)
        self.check_near(self.value("family_again", "known_family"), 2 * FAMILY)

    def test_children_are_counted_with_their_parent_where_the_rule_says_so(self):
        self.check_near(self.value("parent", "parent_and_all_it_starts"), FAMILY)

    def test_children_between_two_looks_are_inherited(self):
        self.check_near(self.value("late", "late"), FAMILY)


if __name__ == "__main__":
    live.main()
