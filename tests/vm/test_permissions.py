# SPDX-License-Identifier: Apache-2.0
"""Who may not count is told why, and counts as soon as he may.

Debian's kernel starts with perf_event_paranoid 3, at which it refuses even CAP_PERFMON. On a bare
v2 tree no cgroup but the root is counted until a controller was once enabled below the root.
"""
import unittest

import live
from guest import Guest

CONFIG = """
interval: 1s
counting: direct
groups:
  - name: core
    events: [cycles, instructions]
  - name: software
    events: [page-faults]
limits: {pmu_counters: all}  # nobody else counts here
targets:
  system: {groups: [core, software], by: all}
  cgroups:
    - include: ["/load", "/born*"]
      groups: [core, software]
"""
# What was refused is tried again within a minute.
SCRIPT = """
paranoid=/proc/sys/kernel/perf_event_paranoid
cat $paranoid >$OUT/paranoid
make_cgroup /load
(enter /load sleep 100000) &
start_exporter config
sleep 2.1
scrape bare_tree
enable_counting
sleep 62
scrape enabled
stop_exporter
start_exporter config as_nobody none
sleep 2.1
scrape nobody
echo -1 >$paranoid
sleep 62
scrape allowed
stop_exporter
for level in 3 2; do
    echo $level >$paranoid
    start_exporter config as_nobody perfmon
    sleep 2.1
    scrape perfmon_$level
    stop_exporter
done
start_exporter config as_nobody perfmon
sleep 2.1
for i in $(seq -w 20); do
    make_cgroup /born$i
    for level in -1 0 1 2 1; do
        echo $level >$paranoid
        sleep 0.1
    done
done
sleep 2.1
scrape changed
stop_exporter
"""
SCOPES = {"system": "pmu_machine_", "cgroup": "pmu_cgroup_"}


class Permissions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = Guest("permissions").run(SCRIPT, config=CONFIG)

    def check_counted(self, name):
        scrape = self.results.scrape(name)
        for scope, prefix in SCOPES.items():
            for event in ("cycles", "instructions", "page-faults"):
                self.assertEqual(scrape.labels("pmu_exporter_event_supported", "reason",
                                               scope=scope, event=event), {""})
                total = prefix + event.replace("-", "_") + "_total"
                labels = {"cgroup": "/load"} if scope == "cgroup" else {}
                self.assertIsNotNone(scrape.value(total, **labels), total)
        self.assertFalse(scrape.find("pmu_exporter_targets_uncounted"))

    def test_debians_kernel_forbids_all_to_others(self):
        self.assertEqual(self.results.text("paranoid").strip(), "3")

    def check_not_permitted(self, name):
        scrape = self.results.scrape(name)
        self.assertEqual(scrape.labels("pmu_exporter_event_supported", "reason"), {"not_permitted"})
        for prefix in SCOPES.values():
            self.assertFalse([n for n in scrape.families if n.startswith(prefix + "instructions")])
        self.assertEqual(scrape.value("pmu_exporter_open_counters"), 0)

    def test_without_capability_all_is_not_permitted(self):
        self.check_not_permitted("nobody")

    def test_above_2_not_even_the_capability_is_enough(self):
        self.check_not_permitted("perfmon_3")

    def test_each_log_names_capability_and_level_once(self):
        logs = self.results.log().split("starting pmu_exporter")[1:]
        lines = [[line for line in log.splitlines() if "CAP_PERFMON" in line] for log in logs]
        self.assertEqual([len(found) for found in lines], [0, 1, 1, 0, 0])
        self.assertTrue(all("perf_event_paranoid" in found[0] for found in lines if found))

    def test_what_is_permitted_later_is_counted_later(self):
        self.check_counted("allowed")

    def test_at_2_the_capability_is_enough(self):
        self.check_counted("perfmon_2")

    def test_while_the_level_changes_up_to_2_all_that_is_born_is_counted(self):
        self.check_counted("changed")
        scrape = self.results.scrape("changed")
        self.assertEqual(scrape.labels("pmu_cgroup_instructions_total", "cgroup"),
                         {"/load", *(f"/born{i:02}" for i in range(1, 21))})

    def test_a_bare_tree_is_explained(self):
        scrape = self.results.scrape("bare_tree")
        self.assertEqual(scrape.value("pmu_exporter_targets_uncounted", kind="cgroup",
                                      reason="not_supported"), 1)
        self.assertIsNone(scrape.value("pmu_cgroup_instructions_total"))
        self.assertGreater(scrape.value("pmu_machine_instructions_total"), 0)
        self.assertIn("cgroup.subtree_control", self.results.log())

    def test_a_tree_that_was_bare_is_counted_without_restart(self):
        self.check_counted("enabled")


if __name__ == "__main__":
    live.main()
