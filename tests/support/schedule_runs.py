# SPDX-License-Identifier: Apache-2.0
"""What tests of runs that record the scheduler have in common: an exporter, and its runs."""
import pathlib
import subprocess
import time

import live
from asked_runs import AskedRuns
from exporter import PATIENCE, Exporter, binary

PMUTOOL = str(pathlib.Path(binary()).parent / "pmutool")
CONFIG = live.config(system="all")


class ScheduleRuns(AskedRuns, live.LiveTest):
    def begin(self, config=CONFIG, wrapper=(), storage=None):
        args = ["--web.enable-lifecycle"] + ([f"--storage.path={storage}"] if storage else [])
        self.exporter = self.enterContext(Exporter(config, args=args, wrapper=wrapper))
        self.programs = self.held("bpf-prog")

    def start(self, target, **more):
        status, run = self.ask("POST", "", {"title": "a run", "target": target, "kind": "schedule",
                                            "interval_seconds": 0.05, "duration_seconds": 600,
                                            **more})
        if status == 403:
            self.skipTest(run["error"])
        self.assertEqual(status, 200, run)
        self.assertEqual((run["kind"], run["state"]), ("schedule", "running"))
        return run["id"]

    def stop(self, number):
        status, answer = self.ask("POST", f"/{number}/stop")
        self.assertEqual(status, 200, answer)
        return self.until_over(number)

    def until_rows(self, number, count):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if len(self.ask("GET", f"/{number}")[1]["times"]) >= count:
                return
            time.sleep(0.02)
        raise AssertionError("no rows in time")

    def pmutool(self, *words):
        done = subprocess.run([PMUTOOL, "schedule", f"--socket={self.exporter.control}", *words],
                              capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout
