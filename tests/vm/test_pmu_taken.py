# SPDX-License-Identifier: Apache-2.0
"""Somebody pins every counter: that is told, nothing else breaks, and we come back after it."""
import unittest

import live
from guest import COUNTING, Scenario

CONFIG = f"counting: {COUNTING}\n" + """
interval: 1s
groups:
  - name: core
    events: [cycles, instructions, "instructions:u"]
  - name: software
    events: [task-clock, page-faults]
targets:
  cgroups:
    - include: ["/load"]
      groups: [core, software]
"""
PINNED = ",".join(f"{event}:D" for event in ("cycles", "instructions", "r01", "r02", "r03", "r04",
                                             "r05"))
SCRIPT = f"""
enable_counting
make_cgroup /load; make_cgroup /perf; install_perf
# one that takes all counters for that long, and has them when this returns
take() {{
    (LD_LIBRARY_PATH=/tmp/perf enter /perf /tmp/perf/perf stat -a -x ';' -I 500 -e '{PINNED}' \\
        -o "$OUT/$1.perf" -- sleep $2) & taker=$!
    for _ in $(seq 100); do
        grep -qs instructions "$OUT/$1.perf" && return
        sleep 0.1
    done
    die "perf does not count"
}}
# so many seconds of work, at 8 ns an instruction
work() {{
    (enter /load known_load /dev/null /dev/null $((64 * 1953125 * $1 + 4)))
    sleep 1.5
}}
take first 60 # longer than programs of bpf take to be loaded
start_exporter config
work 1
scrape taken_at_start
wait $taker
sleep 65
work 1
scrape freed
take second 12
work 8
scrape taken_later
wait $taker
sleep 65
work 1
scrape back
stop_exporter
"""
SCENARIO = Scenario("pmu_taken", SCRIPT, {"config": CONFIG}, shift=3)
INSTRUCTIONS = "pmu_cgroup_instructions_user_total"
CLOCK = "pmu_cgroup_task_clock_seconds_total"


class PmuTaken(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = SCENARIO.run()

    def value(self, scrape, name, **labels):
        return self.results.scrape(scrape).value(name, **labels)

    def test_at_the_start_its_events_are_busy_and_software_is_counted(self):
        scrape = self.results.scrape("taken_at_start")
        events = scrape.find("pmu_exporter_event_supported", scope="cgroup", reason="pmu_busy")
        self.assertEqual({dict(labels)["event"] for labels in events},
                         {"cycles", "instructions", "instructions:u"})
        self.assertFalse(scrape.find(INSTRUCTIONS))
        self.assertTrue(scrape.find(CLOCK))

    def test_they_are_counted_within_a_minute_after_it(self):
        scrape = self.results.scrape("freed")
        self.assertTrue(scrape.find(INSTRUCTIONS))
        self.assertFalse(scrape.find("pmu_exporter_event_supported", reason="pmu_busy"))

    def test_taken_later_the_group_is_closed_and_its_total_stands(self):
        scrape = self.results.scrape("taken_later")
        self.assertEqual(scrape.value("pmu_exporter_targets_uncounted", kind="cgroup",
                                      reason="pmu_busy"), 1)
        self.assertGreaterEqual(scrape.value(INSTRUCTIONS), self.value("freed", INSTRUCTIONS))
        self.assertGreater(scrape.value(CLOCK), self.value("freed", CLOCK))

    def test_and_it_goes_on_where_it_stood(self):
        back = self.results.scrape("back")
        self.assertGreater(back.value(INSTRUCTIONS), self.value("taken_later", INSTRUCTIONS))
        self.assertFalse(back.find("pmu_exporter_targets_uncounted", reason="pmu_busy"))


if __name__ == "__main__":
    live.main()
