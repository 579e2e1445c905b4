# SPDX-License-Identifier: Apache-2.0
"""Two events an interval, counted for a third of the time: no fraction is lost.

Each of twenty cgroups has two page faults a second for ten minutes, which is the kernel's own event
in a group of hardware events: it takes turns with them. Less than one of each is sampled in an
interval. Over all of them chance is 0.9 %; cut to whole numbers, much of them would be missing.
(Of cgroups that have the PMU for a few milliseconds an interval a sample is less than that: of a
hundred, each for 3 ms, 7 % were missing, of instructions as of faults. Switches weigh too much.)
"""
import unittest

import live
from guest import Guest

CONFIG = """
interval: 1s
counting: direct
groups:
  - name: a
    events: ["instructions:u", r01, r02, page-faults]
  - name: b
    events: ["r08:u", r04, r05, r06]
  - name: c
    events: ["r008:u", r07, r09, r0a]
targets:
  cgroups:
    - include: ["/load/*"]
      groups: [a, b, c]
limits: {pmu_counters: all}
"""
CGROUPS, FAULTS = 20, 1200
# At 8 ns an instruction each has a fault every 25 ms of its own.
SCRIPT = f"""
enable_counting
make_cgroup /load
for i in $(seq {CGROUPS}); do
    make_cgroup /load/$i
    (enter /load/$i known_faults {FAULTS} $((64 * 48830)) 20) &
done
start_exporter config
sleep 5
scrape begin
sleep 25
scrape middle
wait_for_loads() {{
    for _ in $(seq 1000); do
        pidof known_faults >/dev/null || return 0
        sleep 1
    done
    die "the loads do not end"
}}
wait_for_loads
sleep 2
scrape end
stop_exporter
"""
NAME = "pmu_cgroup_page_faults_total"


class RareEvents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = Guest("rare_events", shift=3, seconds=600).run(SCRIPT, config=CONFIG)

    def test_their_sum_is_within_5_percent(self):
        count = self.results.scrape("end").sum(NAME) - self.results.scrape("begin").sum(NAME)
        error = float(count) / (CGROUPS * FAULTS) - 1
        print(f"{count} of {CGROUPS * FAULTS}: {100 * error:+.2f} %")
        self.assertLess(abs(error), 0.05)

    def test_they_were_sampled(self):
        coverage = self.results.scrape("middle").find("pmu_cgroup_group_coverage_ratio", group="a")
        self.assertEqual(len(coverage), CGROUPS)
        self.assertAlmostEqual(float(sum(coverage.values())) / CGROUPS, 1 / 3, delta=0.1)


if __name__ == "__main__":
    live.main()
