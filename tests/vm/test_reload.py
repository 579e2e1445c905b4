# SPDX-License-Identifier: Apache-2.0
"""Reloads while a load of known length runs: groups come and go, rules and limits change, and by
bpf the program has to be replaced by larger ones. Each instruction is counted, and once.
"""
import os
import unittest

import live
from guest import Scenario

COUNTING = os.environ.get("PMU_TEST_COUNTING", "direct")  # run for each mechanism
# At 8 ns an instruction longer than all reloads; to load the program anew takes seconds there.
LENGTH = 64 * 80_000_000 + 4
NAME = "instructions_user_total"


def config(counting=COUNTING, groups="[core]", include='["/load", "/idle"]', cgroups=10):
    return f"""
interval: 1s
counting: {counting}
groups:
  - name: core
    events: ["instructions:u"]
  - name: more
    events: [cycles, instructions]
  - name: software
    events: [task-clock, context-switches, cpu-migrations, page-faults]
limits: {{pmu_counters: all, cgroups: {cgroups}}}
targets:
  system: {{groups: [core], by: all}}
  cgroups:
    - include: {include}
      groups: {groups}
"""


CONFIGS = {
    "first": config(),
    "more_groups": config(groups="[more, core, software]"),
    "fewer_groups": config(groups="[software, core]"),
    "other_rule": config(include='["/lo*", "/r*"]'),
    "higher_limit": config(cgroups=1000),
    "lower_limit": config(cgroups=5),
    "direct": config(counting="direct"),
    "back": config(),
}
SCRIPT = f"""
enable_counting
make_cgroup /load; make_cgroup /idle
mkdir /tmp/configs
cp /t/*.config /tmp/configs
cp /tmp/configs/first.config /tmp/running
start_exporter ../tmp/running
sleep 2
scrape begin
known_load $cgroups/load/cgroup.procs $cgroups/rest/cgroup.procs {LENGTH} & load=$!
sleep 1
n=10
for name in {" ".join(CONFIGS)}; do
    cp /tmp/configs/$name.config /tmp/running
    kill -HUP $exporter
    n=$((n + 1))
    for _ in $(seq 600); do
        [ $(grep -c "configuration reloaded" $OUT/exporter.log) -eq $((n - 10)) ] && break
        sleep 0.1
    done
    sleep 1.2
    scrape during.$n.$name
done
kill -0 $load || die "the load was too short"
wait $load
sleep 2
scrape end
stop_exporter
"""
SCENARIO = Scenario("reload", SCRIPT, {f"{name}.config": text for name, text in CONFIGS.items()},
                    shift=3)


class Reload(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = SCENARIO.run()
        cls.scrapes = [cls.results.scrape("begin"), *cls.results.scrapes("during.*"),
                       cls.results.scrape("end")]

    def test_each_configuration_was_taken(self):
        for scrape in self.scrapes:
            self.assertEqual(scrape.value("pmu_exporter_config_last_reload_successful"), 1)
        self.assertEqual(self.results.log().count("configuration reloaded"), len(CONFIGS))

    def test_each_mechanism_was_there(self):
        for name in CONFIGS:
            scrape = next(s for s in self.results.scrapes(f"during.*.{name}"))
            if "built without libbpf" in scrape.labels("pmu_exporter_mechanism_info", "reason"):
                self.skipTest("built without libbpf")
            self.assertEqual(scrape.labels("pmu_exporter_mechanism_info", "mechanism"),
                             {"direct" if name == "direct" else COUNTING}, name)

    def test_no_instruction_is_lost_or_counted_twice(self):
        self.assertEqual(self.scrapes[-1].value("pmu_cgroup_" + NAME, cgroup="/load"), LENGTH)

    def test_totals_never_fall(self):
        cgroup = [s.value("pmu_cgroup_" + NAME, cgroup="/load") for s in self.scrapes]
        self.assertEqual(cgroup, sorted(cgroup))
        machine = [s.value("pmu_machine_" + NAME) for s in self.scrapes]
        self.assertEqual(machine, sorted(machine))
        self.assertGreaterEqual(machine[-1] - machine[0], LENGTH)


if __name__ == "__main__":
    live.main()
