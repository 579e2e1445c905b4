# SPDX-License-Identifier: Apache-2.0
"""What tests of runs have in common: asking, and waiting for what becomes of them."""
import time

from exporter import PATIENCE, ask_runs


class AskedRuns:
    """For a live test, which has its exporter."""

    def ask(self, method, path, body=None):
        return ask_runs(self.exporter, method, path, body)

    def run_until(self, number, condition):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            status, run = self.ask("GET", f"/{number}")
            self.assertEqual(status, 200, run)
            if condition(run):
                return run
            time.sleep(0.02)
        raise AssertionError(f"not in time: {run}")

    def until_over(self, number):
        return self.run_until(number, lambda run: run["state"] != "running")

    def held(self, what):
        """How many descriptors of this kind the exporter has."""
        return sum(what in link for link in self.exporter.links())

    def counters(self):
        """How many perf events it has open."""
        return self.held("anon_inode:[perf_event]")
