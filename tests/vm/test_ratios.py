# SPDX-License-Identifier: Apache-2.0
"""Ratios compare what was counted together: two loads beside each other, each with its own.

An instruction takes one cycle here, whatever it does: what tells the loads apart is the share of
user instructions. (A system call costs qemu much time, the guest about 600 instructions.)
"""
import unittest

import live
from guest import COUNTING, Scenario

CONFIG = f"counting: {COUNTING}\n" + """
interval: 1s
groups:
  - name: core
    events: [cycles, instructions, "instructions:u"]
ratios:
  - name: user_share
    formula: instructions:u / instructions
limits: {pmu_counters: all}  # nobody else counts here
targets:
  system: {groups: [core], by: all}
  cgroups:
    - include: ["/loop", "/calls", "/idle"]
      groups: [core]
"""
SCRIPT = """
enable_counting
make_cgroup /loop; make_cgroup /calls; make_cgroup /idle
start_exporter config
(enter /loop known_load /dev/null /dev/null $((64 * 31250000 + 4))) & loop=$!
(enter /calls known_calls 140000 16000) & calls=$!
sleep 1.5
scrape begin
sleep 1
scrape end
kill $loop $calls
stop_exporter
"""
SCENARIO = Scenario("ratios", SCRIPT, {"config": CONFIG})
PER_CYCLE = "pmu_cgroup_instructions_per_cycle"


class Ratios(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        results = SCENARIO.run()
        cls.begin, cls.end = results.scrape("begin"), results.scrape("end")

    def test_instructions_per_cycle_of_each_target_is_1(self):
        for cgroup in ("/loop", "/calls"):
            self.assertAlmostEqual(float(self.end.value(PER_CYCLE, cgroup=cgroup)), 1, delta=0.01)

    def test_the_machine_is_busy_with_both(self):
        self.assertAlmostEqual(float(self.end.value("pmu_machine_instructions_per_cycle")), 1,
                               delta=0.01)

    def test_an_idle_cgroup_has_no_ratio(self):
        self.assertIsNone(self.end.value(PER_CYCLE, cgroup="/idle"))
        self.assertEqual(self.end.value("pmu_cgroup_instructions_total", cgroup="/idle"), 0)

    def share(self, cgroup):
        return float(self.end.value("pmu_cgroup_user_share", cgroup=cgroup))

    def share_of_totals(self, cgroup):
        user, all_ = (self.end.value(name, cgroup=cgroup) - self.begin.value(name, cgroup=cgroup)
                      for name in ("pmu_cgroup_instructions_user_total",
                                   "pmu_cgroup_instructions_total"))
        return float(user / all_)

    def test_each_load_has_its_own(self):
        self.assertGreater(self.share("/loop"), 0.99)
        self.assertLess(self.share("/calls"), 0.975)

    def test_a_ratio_is_that_of_the_totals(self):
        for cgroup in ("/loop", "/calls"):
            print(f"{cgroup}: {self.share(cgroup)}, by totals {self.share_of_totals(cgroup)}")
            self.assertAlmostEqual(self.share(cgroup), self.share_of_totals(cgroup), delta=0.005)


if __name__ == "__main__":
    live.main()
