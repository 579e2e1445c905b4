# SPDX-License-Identifier: Apache-2.0
"""The part of the test of the API (live/test_api.py) that is about runs which do more than count."""
import json
import os
import subprocess
import tempfile
import time

from api_description import API
from exporter import PATIENCE


class RunsOfApi:
    """Needs what Api has: ask(), refused() and one_run()."""

    def check_schedule(self):
        """A run that records the scheduler, where the kernel lets us."""
        wanted = json.dumps({"kind": "schedule", "title": "a", "target": "machine",
                             "interval_seconds": 0.02, "duration_seconds": 600})
        number = self.ask("POST", API + "runs", body=wanted, control=True)["id"]
        end = time.monotonic() + PATIENCE
        with tempfile.NamedTemporaryFile(dir="/var/tmp") as file:
            file.write(bytes(65536))
            file.flush()
            os.fsync(file.fileno())
        self.one_run(number, "/stop", "POST", control=True)
        while self.one_run(number)["state"] == "running" and time.monotonic() < end:
            time.sleep(0.02)
        self.assertGreater(self.one_run(number)["schedule"]["switches"], 0)
        for form in ".json", ".csv", "/trace":
            self.one_run(number, form)
        self.one_run(number, "/map", query="?start=0&end=1.5&columns=10")
        self.refused("GET", f"{API}runs/{number}/map", "?start=x", at=API + "runs/{id}/map",
                     word="expected seconds since the beginning")

    def check_recorded(self, path):
        """A run that records, and what it has sampled."""
        wanted = json.dumps({"kind": "record", "title": "a", "target": "machine", "rate": 999,
                             "events": ["page-faults"], "interval_seconds": 0.02,
                             "duration_seconds": 600})
        number = self.ask("POST", API + "runs", body=wanted, control=True)["id"]
        self.refused("POST", API + "runs", body=wanted, control=True, status=429, word="at a time")
        self.refused("GET", path, f"?target=run:{number}", status=404, word="or none yet")
        subprocess.run(["sh", "-c", "true; true"], check=True)
        self.one_run(number, "/stop", "POST", control=True)
        end = time.monotonic() + PATIENCE
        while self.one_run(number)["state"] == "running" and time.monotonic() < end:
            time.sleep(0.02)
        run = self.one_run(number)
        self.assertGreater(run["sampled"]["samples"], 0, run["sampled"])
        at = f"?target=run:{number}"
        self.assertGreaterEqual(self.ask("GET", path, at)["events"], run["sampled"]["samples"])
        self.ask("GET", path + "/table", at)
        self.ask("GET", path + "/difference", f"{at}&before_target=run:{number}")
        for word, more in ("only their shares can be compared", f"&before_target=run:{number}&measure=time"), \
                          ("compared with a run", ""), ("compared with a run", "&before_target=machine"):
            self.refused("GET", path + "/difference", at + more, word=word)
        for form in "collapsed", "speedscope", "pprof":
            self.ask("GET", path, f"{at}&format={form}")
        self.refused("GET", path + "/seconds", at, word="not kept one by one")
        self.refused("GET", path, "?target=run:x", word="expected the number of a run")
