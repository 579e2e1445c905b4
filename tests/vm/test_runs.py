# SPDX-License-Identifier: Apache-2.0
"""Runs on a real PMU of seven counters: instructions are exact, a run takes what our share of the
PMU leaves and nothing of what we count with, a pause holds it up, and it leaves nothing open."""
import json
import unittest

import live
from guest import COUNTING, Scenario

# Our share is three counters of seven, and two of them are taken: one is left for runs.
CONFIG = f"counting: {COUNTING}\n" + """
interval: 1s
groups:
  - name: core
    events: [cycles, instructions]
targets:
  cgroups:
    - include: ["/load"]
      groups: [core]
"""
KNOWN = 64 * 1_500_000 + 4
SHORT, LONG = 64 * 200_000 + 4, 64 * 900_000 + 4  # of the same length, which is parsed
SEVEN = ["instructions:u", "cycles:u", "r01", "r02", "r03", "r04", "r05"]


def request(title, events, **more):
    """What is posted, as one word of the shell."""
    asked = {"title": title, "target": "cgroup:/load", "events": events, "interval_seconds": 0.1,
             "duration_seconds": 60, **more}
    return f"'{json.dumps(asked)}'"


SCRIPT = f"""
enable_counting
make_cgroup /load
read_ahead /tmp/bin/pmutool
api=http://127.0.0.1:10138/api/v1/runs
load() {{
    known_load $cgroups/load/cgroup.procs $cgroups/rest/cgroup.procs $1
}}
# count_open NAME: how many events of perf the exporter has open
count_open() {{
    find /proc/$exporter/fd -type l | xargs -n 1 readlink | grep -c perf_event >"$OUT/$1"
}}
# begin NAME REQUEST
begin() {{
    wget -q -O "$OUT/$1.begun" --post-data "$2" $api
    run=$(sed 's/^{{"id": *\\([0-9]*\\).*/\\1/' "$OUT/$1.begun")
}}
# finish NAME: stops the run that was begun last; with all that it has counted
finish() {{
    wget -q -O /dev/null --post-data '' $api/$run/stop
    until wget -q -O "$OUT/$1.run" $api/$run && ! grep -q '"running"' "$OUT/$1.run"; do
        sleep 0.02
    done
}}
start_exporter config sh -c 'exec "$@" --web.enable-lifecycle' sh
sleep 2
count_open before.open

begin exact {request("exact", ["instructions:u"])}
load {KNOWN}
count_open exact.open
finish exact
count_open exact.after

begin ratio {request("ratio", [["cycles", "instructions"]], counters="free")}
load {KNOWN}
finish ratio

(enter /load known_load /dev/null /dev/null 64000000004) & load=$!
sleep 1
begin budget {request("budget", SEVEN)}
sleep 1.5
scrape budget
finish budget
begin free {request("free", SEVEN, counters="free")}
pmutool runs start none --free -e instructions:u --socket /tmp/control 2>"$OUT/refused" || true
sleep 1.5
scrape free
finish free

begin paused {request("paused", ["instructions:u", "task-clock"])}
sleep 0.5
pmutool pause 20s --socket /tmp/control >"$OUT/said"
sleep 1
pmutool pause off --socket /tmp/control
sleep 1
finish paused
kill $load
wait $load || true

random=/proc/sys/kernel/randomize_va_space
before=$(cat $random)
echo 0 >$random
for n in {SHORT} {LONG}; do
    pmutool stat --run "stat $n" --socket /tmp/control -x, -o "$OUT/stat.$n" \\
        -e instructions:u -- /tmp/bin/known_load /dev/null /dev/null $n
done
echo "$before" >$random
wget -q -O "$OUT/list" $api
sleep 1.5
count_open after.open
stop_exporter
"""
SCENARIO = Scenario("runs", SCRIPT, {"config": CONFIG})


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = SCENARIO.run()

    def run_of(self, name):
        return json.loads(self.results.text(f"{name}.run"))

    def open(self, name):
        return int(self.results.text(name))

    def column(self, run, name):
        return run["values"][[c["name"] for c in run["columns"]].index(name)]

    def test_it_is_this_mechanism(self):
        found = self.results.scrape("free")
        reason = found.labels("pmu_exporter_mechanism_info", "reason")
        if reason == {"built without libbpf"}:
            self.skipTest("built without libbpf")
        self.assertEqual(found.labels("pmu_exporter_mechanism_info", "mechanism"), {COUNTING},
                         reason)

    def test_user_instructions_of_a_cgroup_are_exact(self):
        run = self.run_of("exact")
        self.assertEqual(run["state"], "stopped")
        self.assertEqual(sum(self.column(run, "instructions:u")), KNOWN)
        self.assertEqual(run["summary"][0]["total"], KNOWN)
        self.assertEqual(run["events"][0]["coverage"], 1)

    def test_a_ratio_is_that_of_its_group(self):
        """A cycle is an instruction here."""
        run = self.run_of("ratio")
        ratios = [c["name"] for c in run["columns"] if c["kind"] == "ratio"]
        self.assertEqual(ratios, ["instructions_per_cycle"])
        known = [value for value in self.column(run, ratios[0]) if value is not None]
        self.assertGreater(len(known), 0)
        self.assertEqual(set(known), {1.0})
        self.assertGreaterEqual(sum(self.column(run, "instructions")), KNOWN)

    def counted(self, run):
        """How many of the events are counted; the others are left out for want of counters."""
        reasons = [event["reason"] for event in run["events"]]
        self.assertLessEqual(set(reasons), {None, "over_budget"})
        return reasons.count(None)

    def test_a_run_takes_what_our_share_leaves(self):
        run = self.run_of("budget")
        self.assertEqual(self.counted(run), 1)
        self.assertIn("limits.pmu_counters", run["events"][-1]["why"])

    def test_a_run_takes_what_is_free_and_the_next_is_refused(self):
        self.assertEqual(self.counted(self.run_of("free")), 5)
        self.assertIn("over_budget", self.results.text("refused"))

    def test_what_we_count_with_keeps_its_counters(self):
        for name in ("budget", "free"):
            coverage = self.results.scrape(name).value("pmu_cgroup_group_coverage_ratio",
                                                       cgroup="/load", group="core")
            self.assertEqual(coverage, 1, name)
            for event in self.run_of(name)["events"]:
                self.assertIn(event["coverage"], (1, None), event)

    def test_a_pause_holds_up_what_takes_counters(self):
        run = self.run_of("paused")
        counts = self.column(run, "instructions:u")
        print("instructions:u in a run with a pause:", counts)
        self.assertIn("not counted until", self.results.text("said"))
        absent = [i for i, count in enumerate(counts) if count is None]
        self.assertGreater(len(absent), 8)
        self.assertEqual(absent, list(range(absent[0], absent[-1] + 1)))
        self.assertTrue(all(count > 0 for count in counts[:absent[0]] + counts[absent[-1] + 1:]))
        self.assertGreater(absent[0], 2)
        self.assertLess(absent[-1], len(counts) - 3)
        self.assertTrue(all(ms > 0 for ms in self.column(run, "task-clock")))

    def test_a_command_that_stat_has_counted_is_kept_as_it_was(self):
        kept = {run["title"]: run["summary"][0]["total"]
                for run in json.loads(self.results.text("list"))["runs"]}
        for n in (SHORT, LONG):
            printed = int(self.results.text(f"stat.{n}").split(",")[0])
            self.assertEqual(kept[f"stat {n}"], printed)
        self.assertEqual(kept[f"stat {LONG}"] - kept[f"stat {SHORT}"], LONG - SHORT)

    def test_nothing_is_open_after_the_end(self):
        before = self.open("before.open")
        self.assertGreater(self.open("exact.open"), before)
        self.assertEqual(self.open("exact.after"), before)
        self.assertEqual(self.open("after.open"), before)


if __name__ == "__main__":
    live.main()
