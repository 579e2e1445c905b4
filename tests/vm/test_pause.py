# SPDX-License-Identifier: Apache-2.0
"""A pause: the counters are others' within a cycle, and totals neither jump nor fall by it."""
import unittest

import live
from guest import COUNTING, Scenario

CONFIG = f"counting: {COUNTING}\n" + """
interval: 1s
groups:
  - name: core
    events: [cycles, instructions, "instructions:u", "cycles:u"]
  - name: software
    events: [task-clock, page-faults]
targets:
  system: {groups: [core], by: all}
  cgroups:
    - include: ["/load"]
      groups: [core, software]
limits: {pmu_counters: all}
"""
# Seven counters: cycles, and six more. At 8 ns an instruction the load goes on for 51 seconds.
SEVEN = "cycles,instructions,instructions:u,r01,r02,r03,r04"
SCRIPT = f"""
enable_counting
make_cgroup /load; make_cgroup /perf; install_perf
neighbour() {{
    (LD_LIBRARY_PATH=/tmp/perf enter /perf /tmp/perf/perf stat -a -x ';' -e '{SEVEN}' \\
        -o "$OUT/$1.perf" -- sleep 1)
}}
start_exporter config
(enter /load known_load /dev/null /dev/null $((64 * 100000000 + 4))) & load=$!
sleep 3.2
scrape before
neighbour beside
pmutool pause 20s --socket /tmp/control >"$OUT/said"
scrape begun
sleep 1.2
neighbour paused
scrape paused.1
sleep 2
scrape paused.2
pmutool pause off --socket /tmp/control
scrape ended
sleep 3.2
scrape after
kill $load
stop_exporter
"""
SCENARIO = Scenario("pause", SCRIPT, {"config": CONFIG}, shift=3)
TOTALS = ("pmu_machine_instructions_total", "pmu_cgroup_instructions_user_total",
          "pmu_cgroup_cycles_total")


def coverage(text):
    return {float(line.split(";")[4]) for line in text.splitlines() if line.count(";") > 4}


class Pause(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = SCENARIO.run()

    def value(self, scrape, name):
        return float(self.results.scrape(scrape).value(name))

    def test_all_counters_are_free_for_the_other_within_a_cycle(self):
        beside, paused = (coverage(self.results.text(f"{n}.perf")) for n in ("beside", "paused"))
        print(f"coverage of seven events of another: {beside} beside us, {paused} in the pause")
        self.assertEqual(paused, {100.0})
        self.assertLess(max(beside), 90)

    def test_totals_of_the_pmu_stand_still_and_go_on(self):
        for name in TOTALS:
            begun, first, second = (self.value(n, name) for n in ("begun", "paused.1", "paused.2"))
            ended, after = self.value("ended", name), self.value("after", name)
            self.assertLessEqual(begun, first, name)
            self.assertEqual(first, second, name)
            self.assertLessEqual(second, ended, name)
            # three seconds at 8 ns an instruction, and nothing of the pause
            seconds = (self.results.scrape("after").at - self.results.scrape("ended").at)
            most = 1.05 * (seconds + 1) * (1e9 if "cycles" in name else 1e9 / 8)
            self.assertGreater(after - ended, 0.5 * most, name)
            self.assertLess(after - ended, most, name)

    def test_software_events_go_on(self):
        name = "pmu_cgroup_task_clock_seconds_total"
        self.assertAlmostEqual(self.value("paused.2", name) - self.value("paused.1", name),
                               self.results.scrape("paused.2").at -
                               self.results.scrape("paused.1").at, delta=1.2)

    def test_it_is_told(self):
        self.assertEqual([self.value(n, "pmu_exporter_paused") for n in ("before", "paused.1",
                                                                         "after")], [0, 1, 0])
        self.assertIn("not counted until", self.results.text("said"))

    def test_rates_and_ratios_are_absent_while_it_lasts(self):
        for name in ("pmu_cgroup_instructions_per_second", "pmu_cgroup_instructions_per_cycle"):
            self.assertTrue(self.results.scrape("before").find(name))
            self.assertFalse(self.results.scrape("paused.2").find(name))
            self.assertTrue(self.results.scrape("after").find(name))


if __name__ == "__main__":
    live.main()
