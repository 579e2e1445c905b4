# SPDX-License-Identifier: Apache-2.0
"""Three groups of four events take turns on six counters: what is scaled is near the truth.

Every group has an event that counts user instructions, each under a name of its own, so that each
group's total has a known truth.
"""
import unittest

import live
from guest import COUNTING, Scenario

CONFIG = f"""
interval: 1s
counting: {COUNTING}
groups:
  - name: a
    events: ["instructions:u", r01, r02, r03]
  - name: b
    events: ["r08:u", r04, r05, r06]
  - name: c
    events: ["r008:u", r07, r09, r0a]
targets:
  cgroups:
    - include: ["/load"]
      groups: [a, b, c]
limits: {{pmu_counters: all}}
"""
GROUPS = {"a": "pmu_cgroup_instructions_user_total", "b": "pmu_cgroup_r08_user_total",
          "c": "pmu_cgroup_r008_user_total"}
# At 8 ns an instruction these are 20 and 10 seconds.
STEADY = 64 * 40_000_000 + 4
DISTURBED = 64 * 20_000_000 + 4
SCRIPT = f"""
enable_counting
make_cgroup /load
make_cgroup /perf
install_perf
load() {{
    known_load $cgroups/load/cgroup.procs $cgroups/rest/cgroup.procs $1
}}
start_exporter config
sleep 2
scrape begin
load {STEADY} & load=$!
for i in $(seq -w 100); do
    sleep 0.15
    scrape steady.$i
done
wait $load
sleep 2
scrape end
load {DISTURBED} & load=$!
for i in $(seq 5); do
    sleep 0.5
    (LD_LIBRARY_PATH=/tmp/perf enter /perf /tmp/perf/perf stat -a -x ';' -o $OUT/perf.$i \\
        -e instructions:u,r01,r02,r03 -- sleep 1)
done
wait $load
sleep 2
scrape disturbed
stop_exporter
"""
SCENARIO = Scenario("multiplexing", SCRIPT, {"config": CONFIG}, shift=3)


class Multiplexing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = SCENARIO.run()

    def test_it_is_this_mechanism(self):
        scrape = self.results.scrape("end")
        reason = scrape.labels("pmu_exporter_mechanism_info", "reason")
        if reason == {"built without libbpf"}:
            self.skipTest("built without libbpf")
        self.assertEqual(scrape.labels("pmu_exporter_mechanism_info", "mechanism"), {COUNTING},
                         reason)

    def delta(self, name, begin, end, **labels):
        return float(self.results.scrape(end).value(name, **labels) -
                     self.results.scrape(begin).value(name, **labels))

    def errors(self, begin, end, truth):
        errors = {g: self.delta(name, begin, end) / truth - 1 for g, name in GROUPS.items()}
        print(", ".join(f"{group} {100 * error:+.4f} %" for group, error in errors.items()))
        return errors.values()

    def test_totals_of_a_steady_load_are_within_half_a_percent(self):
        for error in self.errors("begin", "end", STEADY):
            self.assertLess(abs(error), 0.005)

    def test_the_same_while_a_second_user_comes_and_goes(self):
        self.assertIn("instructions:u", self.results.text("perf.5"))
        for error in self.errors("end", "disturbed", DISTURBED):
            self.assertLess(abs(error), 0.005)

    def test_one_of_three_groups_is_on_the_pmu_at_a_time(self):
        running = {group: self.delta("pmu_cgroup_group_running_seconds_total", "begin", "end",
                                     group=group) for group in GROUPS}
        enabled = self.delta("pmu_cgroup_group_enabled_seconds_total", "begin", "end", group="a")
        print(f"enabled {enabled} s, running {running}")
        for seconds in running.values():
            self.assertAlmostEqual(seconds / enabled, 1 / 3, delta=0.01)
        self.assertAlmostEqual(sum(running.values()) / enabled, 1, delta=0.005)

    def test_coverage_is_told_for_the_last_interval(self):
        for group in GROUPS:
            ratio = self.results.scrape("steady.050").value("pmu_cgroup_group_coverage_ratio",
                                                            group=group)
            self.assertAlmostEqual(float(ratio), 1 / 3, delta=0.02)

    def test_totals_never_fall(self):
        scrapes = self.results.scrapes("steady.*")
        self.assertEqual(len(scrapes), 100)
        for name in [n for n in scrapes[0].families if n.endswith("_total")]:
            for labels in scrapes[0].families[name]:
                values = [s.families[name][labels] for s in scrapes]
                self.assertEqual(values, sorted(values), (name, labels))


if __name__ == "__main__":
    live.main()
