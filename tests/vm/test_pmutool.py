# SPDX-License-Identifier: Apache-2.0
"""What pmutool shows of a real PMU: which events it counts, how many counters are free, cycles and
instructions of a command and of a cgroup.

A cycle is an instruction here. This PMU refuses the generic events of branches and caches, and none
of its events (cycles, instructions, stalls) is near to one of them: what is counted as the nearest
event where the PMU lacks one (event/fallback.c) cannot be shown in this guest. Here it must be told
as refused, not as counted.
"""
import json
import unittest

import live
from guest import Scenario

CONFIG = """
counting: direct
groups:
  - name: core
    events: [cycles, instructions, branches, "instructions:u", "cycles:u"]
limits: {pmu_counters: auto}
targets:
  cgroups: [{include: [/load], groups: [core]}]
"""
KNOWN = 64 * 5_000_000 + 4
# Nine programmable events of six counters, in groups that fit.
GROUPS = "{instructions:u,r01,r02},{instructions:u,r03,r04},{instructions:u,r05,r06}"
SCRIPT = f"""
enable_counting
make_cgroup /load
read_ahead /tmp/bin/pmutool
pmutool events --try --json --kind=hardware,cache,pmu >"$OUT/tried"
pmutool check budget --json /t/config >"$OUT/budget"
pmutool stat --json -o "$OUT/usual" -- known_load /dev/null /dev/null {KNOWN}
pmutool stat --json -o "$OUT/groups" -e '{GROUPS}' -- known_load /dev/null /dev/null {KNOWN}
(enter /load known_load /dev/null /dev/null 64000000004) &
load=$!
pmutool top -b -n 2 -d 0.3 --standalone >"$OUT/top"
kill $load
wait $load || true
"""
SCENARIO = Scenario("pmutool", SCRIPT, {"config": CONFIG})


class Pmutool(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = SCENARIO.run()

    def json(self, name):
        return json.loads(self.results.text(name))

    def stat(self, name):
        return self.json(name)["events"]

    def test_trying_tells_what_the_pmu_counts(self):
        events = {event["name"]: event for event in self.json("tried")["events"]}
        for name in ("cycles", "instructions", "armv8_pmuv3/inst_retired/"):
            self.assertTrue(events[name]["counted"], name)
        for name in ("branches", "cache-misses", "LLC-loads"):
            self.assertFalse(events[name]["counted"], name)
            self.assertEqual(events[name]["absence"], "not_supported", name)

    def test_the_budget_is_that_of_the_pmu(self):
        budget = self.json("budget")["budget"]
        print("budget:", budget)
        self.assertEqual((budget["free"], budget["allowed"]), (7, 3))

    def test_usual_events_of_a_command(self):
        events = {event["event"]: event for event in self.stat("usual")}
        print("usual events:", events)
        self.assertEqual(events["cycles"]["value"], events["instructions"]["value"])
        self.assertGreater(events["instructions"]["value"], KNOWN)
        self.assertLess(events["instructions"]["value"], 1.05 * KNOWN)
        per_cycle = [d["value"] for d in events["instructions"]["derived"]
                     if d["unit"] == "insn per cycle"]
        self.assertEqual(per_cycle, [1.0])
        self.assertIsNone(events["branches"]["value"])
        self.assertEqual(events["branches"]["absence"], "not_supported")

    def test_groups_that_take_turns_tell_their_coverage(self):
        events = self.stat("groups")
        coverage = [event["coverage"] for event in events]
        print("coverage of three groups:", coverage)
        self.assertEqual(coverage[0::3], coverage[1::3])
        self.assertEqual(coverage[0::3], coverage[2::3])
        self.assertLess(max(coverage), 1)
        self.assertGreater(min(coverage), 0.1)
        for event in events[0::3]:
            self.assertAlmostEqual(event["value"], KNOWN, delta=0.1 * KNOWN)

    def test_top_has_instructions_per_cycle_of_a_cgroup(self):
        text = self.results.text("top")
        print(text)
        tables = [dict(zip(head.split(), row.split()))
                  for head, row in zip([line for line in text.splitlines() if "CPUS" in line],
                                       [line for line in text.splitlines() if "/load" in line])]
        self.assertEqual([table["IPC"] for table in tables], ["1.00", "1.00"])
        self.assertTrue(all(float(table["CPUS"]) > 0 for table in tables))


if __name__ == "__main__":
    live.main()
