# SPDX-License-Identifier: Apache-2.0
"""Our share of a real PMU of seven counters: what is found free, what is left out, and what
`perf stat` of a command has of the PMU beside us."""
import unittest

import live
from guest import Scenario

EVENTS = ["cycles", "instructions", "instructions:u", "cycles:u"]
SYSTEM = "  system: {groups: [core, software], by: all}\n"


def config(limit, system=SYSTEM):
    names = ", ".join(f'"{name}"' for name in EVENTS)
    return f"""
interval: 1s
counting: direct
groups:
  - name: core
    events: [{names}]
  - name: software
    events: [page-faults]
limits: {{pmu_counters: {limit}}}
targets:
{system}  cgroups:
    - include: ["/load", "/load/*"]
      groups: [core, software]
"""


# The load is long enough for many turns, should there be any.
SCRIPT = """
enable_counting
make_cgroup /load; make_cgroup /perf; install_perf
perf() {
    LD_LIBRARY_PATH=/tmp/perf enter "$@"
}
# a group of four of a command of somebody's, in a cgroup that we count
neighbour() {
    (perf /load /tmp/perf/perf stat -x ';' -e '{instructions,cycles,instructions:u,cycles:u}' \\
        -o "$OUT/$1.perf" -- known_load $cgroups/load/cgroup.procs $cgroups/rest/cgroup.procs \\
        200000004)
}
run() {
    start_exporter $1
    sleep 2.1
    neighbour $1
    sleep 2
    scrape $1
}
pmutool check config /t/auto >"$OUT/check"
run auto
# deeper than what stood when we began
make_cgroup /load/inner
sleep 2.1
scrape nested
stop_exporter
rmdir $cgroups/load/inner
run all
stop_exporter
# somebody counts the machine before we come
(perf /perf /tmp/perf/perf stat -x ';' -I 1000 -a -e '{instructions,cycles,instructions:u,cycles:u}' \\
    -o "$OUT/taken.perf" -- sleep 20) &
taken=$!
for _ in $(seq 100); do
    grep -qs instructions "$OUT/taken.perf" && break
    sleep 0.1
done
start_exporter auto
sleep 2.1
scrape taken
stop_exporter
wait $taken
"""
SCENARIO = Scenario("budget", SCRIPT, {"auto": config("auto"), "all": config("all")})


def coverage(text):
    """Percent of the time that each event of `perf stat -x ;` had the PMU."""
    return [float(line.split(";")[4]) for line in text.splitlines() if line.count(";") > 4]


class Budget(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = SCENARIO.run()

    def counters(self, scrape):
        found = self.results.scrape(scrape).find("pmu_exporter_pmu_counters")
        return {dict(labels)["state"]: value for labels, value in found.items()}

    def over_budget(self, scrape, scope):
        found = self.results.scrape(scrape).find("pmu_exporter_event_supported",
                                                 scope=scope, reason="over_budget")
        return {dict(labels)["event"] for labels in found}

    def test_half_of_what_is_free_is_ours_and_cgroups_come_before_the_system(self):
        self.assertEqual(self.counters("auto"), {"free": 7, "budget": 3, "used": 3})
        self.assertEqual(self.over_budget("auto", "cgroup"), {"cycles:u"})
        self.assertEqual(self.over_budget("auto", "system"), set(EVENTS))
        value = self.results.scrape("auto").value("pmu_cgroup_instructions_total", cgroup="/load")
        self.assertGreater(value, 200_000_000)

    def test_the_check_of_a_configuration_says_so_before(self):
        printed = self.results.text("check")
        self.assertIn("hardware counters of each CPU: 7 free now, pmu_exporter may use 3", printed)
        self.assertIn("processes 0 + nested cgroups 3 + system 0 = 3 in use at once\n", printed)
        self.assertIn("left out: cgroup rule 1, group core: cycles:u\n", printed)

    def test_a_neighbour_has_the_pmu_all_the_time(self):
        beside_us = coverage(self.results.text("auto.perf"))
        beside_all = coverage(self.results.text("all.perf"))
        print(f"coverage of a neighbour's group of 4: {beside_us}, beside all of ours {beside_all}")
        self.assertEqual(beside_us, [100.0] * 4)
        self.assertTrue(all(share < 90 for share in beside_all))

    def test_all_leaves_nothing_out(self):
        self.assertEqual(self.counters("all"), {"free": 7, "used": 8})
        for scope in ("cgroup", "system"):
            self.assertEqual(self.over_budget("all", scope), set())

    def test_what_somebody_else_counts_with_is_not_free(self):
        self.assertEqual(self.counters("taken"), {"free": 3, "budget": 1, "used": 1})
        self.assertEqual(self.over_budget("taken", "cgroup"), set(EVENTS[1:]))

    def test_a_cgroup_below_those_that_stood_is_counted_without_the_pmu(self):
        scrape = self.results.scrape("nested")
        inner = "/load/inner"
        self.assertEqual(scrape.value("pmu_exporter_targets_uncounted",
                                      kind="cgroup", reason="over_budget"), 1)
        self.assertEqual(scrape.value("pmu_cgroup_page_faults_total", cgroup=inner), 0)
        self.assertEqual(scrape.find("pmu_cgroup_instructions_total", cgroup=inner), {})
        self.assertNotEqual(scrape.find("pmu_cgroup_instructions_total", cgroup="/load"), {})


if __name__ == "__main__":
    live.main()
