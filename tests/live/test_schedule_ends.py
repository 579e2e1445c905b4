# SPDX-License-Identifier: Apache-2.0
"""Runs that record the scheduler, where something ends in their midst, or where there are several:
an exporter that is killed, a disk that is full, two runs at once, and a comparison of both."""
import json
import pathlib
import subprocess
import tempfile

import live
import schedule_runs
import turns
from cgroups import Cgroups
from own_mounts import own_mounts
from schedule_runs import PMUTOOL

TURNS = 500


class ScheduleEnds(schedule_runs.ScheduleRuns):
    def assert_recorded(self, run, told, pids):
        """The run has each switch of two threads that have taken turns, as the kernel tells it."""
        self.assertEqual(run["schedule"]["lost"], 0)
        self.assertEqual(sum(thread["voluntary"] + thread["involuntary"]
                             for thread in run["schedule"]["threads"] if thread["tid"] in pids),
                         told.voluntary + told.involuntary)

    def test_a_run_whose_exporter_is_killed_is_lost_and_the_next_one_begins_as_ever(self):
        state = self.enterContext(tempfile.TemporaryDirectory())
        self.begin(storage=state)
        over = self.stop(self.start("machine"))
        killed = self.start("machine")
        self.until_rows(killed, 3)
        self.exporter.kill()
        self.begin(storage=state)
        listed = {run["id"]: run["state"] for run in self.ask("GET", "")[1]["runs"]}
        self.assertEqual(listed, {over["id"]: over["state"], killed: "lost"})
        _, shown = self.ask("GET", f"/{killed}")
        self.assertEqual((shown["times"], shown.get("schedule")), ([], None))
        status, answer = self.ask("GET", f"/{killed}/map")
        self.assertEqual(status, 404, answer)
        # What was kept before is whole, and what begins now is recorded.
        kept = self.ask("GET", f"/{over['id']}")[1]["schedule"]
        self.assertEqual(kept, over["schedule"])
        again = self.stop(self.start("machine"))
        self.assertGreater(again["id"], killed)
        self.assertGreater(again["schedule"]["events"], 0)
        self.assertEqual(self.ask("DELETE", f"/{killed}")[0], 200)

    def test_a_record_whose_disk_fills_up_can_be_had_all_the_same(self):
        directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        mount = directory / "small"
        mount.mkdir()
        self.begin(storage=mount / "state", wrapper=own_mounts(
            str(directory), f"mount -t tmpfs -o size=2m none {mount}"))
        over = self.stop(self.start("machine"))
        cgroups = self.enterContext(Cgroups())
        path = cgroups.make("a.service")
        load = self.enterContext(turns.Turns(cgroups.directory("a.service"), TURNS))
        before = load.told()
        number = self.start(f"cgroup:{path}")
        filler = pathlib.Path(f"/proc/{self.exporter.pid}/root{mount}/filler")
        with self.assertRaises(OSError), filler.open("wb", buffering=0) as file:
            while file.write(bytes(4096)) == 4096:
                pass
        load.take()
        told = load.told() - before
        run = self.stop(number)
        self.assert_recorded(run, told, load.pids())
        self.assertEqual(self.ask("GET", f"/{number}.csv")[0], 200)
        filler.unlink()
        self.exporter.scrape_until(lambda _: self.ask("GET", f"/{over['id']}")[0] == 200, 200,
                                   "the disk to be used again")
        for kept in (over, run):
            self.assertEqual(self.ask("GET", f"/{kept['id']}")[1]["schedule"], kept["schedule"])

    def test_two_at_once_have_each_its_own_target_and_are_compared(self):
        self.begin()
        cgroups = self.enterContext(Cgroups())
        paths = [cgroups.make(name) for name in ("a.service", "b.service")]
        loads = [self.enterContext(turns.Turns(cgroups.directory(name), count))
                 for name, count in (("a.service", TURNS), ("b.service", 3 * TURNS))]
        before = [load.told() for load in loads]
        numbers = [self.start(f"cgroup:{path}") for path in paths]
        for load in loads:
            load.take()
        told = [load.told() - earlier for load, earlier in zip(loads, before)]
        runs = [self.stop(number) for number in numbers]
        for run, load, each in zip(runs, loads, told):
            self.assert_recorded(run, each, load.pids())
            self.assertEqual({thread["tid"] for thread in run["schedule"]["threads"]
                              if thread["slices"] > 0} - set(load.pids()), set())
        self.assertEqual(self.held("bpf-prog"), self.programs)
        summary = {column["name"]: each for column, each in
                   zip(runs[0]["columns"], runs[0]["summary"])}
        # in seconds, as its values are
        self.assertAlmostEqual(summary["longest-wait"]["max"],
                               runs[0]["schedule"]["longest_waits"][0]["seconds"], 9)
        status, both = self.ask("GET", f"/compare?a={runs[0]['id']}&b={runs[1]['id']}")
        self.assertEqual(status, 200, both)
        totals = {column["name"]: (column["a"]["total"], column["b"]["total"])
                  for column in both["columns"]}
        self.assertEqual(totals["switches"], tuple(run["schedule"]["switches"] for run in runs))
        self.assertEqual(totals["block-requests"], tuple(
            run["schedule"]["requests"]["count"] for run in runs))


    def test_a_child_that_ends_does_not_end_the_record(self):
        self.begin()
        self.stop(self.start("machine"))  # or it is skipped
        done = subprocess.run(["sh", "-c", 'sleep 0.3 & exec "$@"', "sh", PMUTOOL, "schedule",
                               f"--socket={self.exporter.control}", "--json", "-d", "1.5", "machine"],
                              capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(done.stdout)["state"], "over")

if __name__ == "__main__":
    live.main()
