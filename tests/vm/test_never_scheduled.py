# SPDX-License-Identifier: Apache-2.0
"""A group that the kernel accepts and never counts is told, closed, and costs others nothing.

Seven events open on six counters; eight would be refused.
"""
import unittest

import live
from guest import Scenario

CONFIG = """
interval: 1s
counting: direct
groups:
  - name: big
    events: ["instructions:u", r01, r02, r03, r04, r05, r06]
  - name: healthy
    events: [instructions]
targets:
  cgroups:
    - include: ["/load"]
      groups: [big, healthy]
limits: {pmu_counters: all}
"""
SCRIPT = """
enable_counting
make_cgroup /load
start_exporter config
sleep 2
scrape idle
(enter /load known_load /dev/null /dev/null $((64 * 100000000 + 4))) & load=$!
sleep 3
scrape waiting
sleep 10
scrape closed
sleep 2
scrape later
kill $load
stop_exporter
"""
SCENARIO = Scenario("never_scheduled", SCRIPT, {"config": CONFIG}, shift=3)
COVERAGE = "pmu_cgroup_group_coverage_ratio"
UNCOUNTED = "pmu_exporter_targets_uncounted"


class NeverScheduled(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = SCENARIO.run()

    def test_before_it_is_known_the_healthy_group_has_half_of_the_time(self):
        scrape = self.results.scrape("waiting")
        self.assertEqual(scrape.value(COVERAGE, group="big"), 0)
        self.assertAlmostEqual(float(scrape.value(COVERAGE, group="healthy")), 0.5, delta=0.05)

    def test_when_it_is_closed_the_healthy_group_has_the_pmu_for_itself(self):
        scrape = self.results.scrape("later")
        self.assertEqual(scrape.value(COVERAGE, group="healthy"), 1)
        self.assertEqual(scrape.value("pmu_exporter_open_counters"), 1)

    def test_the_reason_is_told(self):
        self.assertFalse(self.results.scrape("waiting").find(UNCOUNTED))
        self.assertEqual(self.results.scrape("closed").value(
            UNCOUNTED, kind="cgroup", reason="never_scheduled"), 1)
        self.assertIn("reason=never_scheduled", self.results.log())

    def test_what_was_never_counted_is_absent_and_not_0(self):
        self.assertEqual(self.results.scrape("idle").value("pmu_cgroup_r01_total"), 0)
        self.assertIsNone(self.results.scrape("closed").value("pmu_cgroup_r01_total"))
        self.assertIsNone(self.results.scrape("closed").value("pmu_cgroup_instructions_user_total"))

    def test_the_healthy_group_goes_on(self):
        name = "pmu_cgroup_instructions_total"
        values = [self.results.scrape(s).value(name) for s in ("waiting", "closed", "later")]
        self.assertEqual(values, sorted(set(values)))


if __name__ == "__main__":
    live.main()
