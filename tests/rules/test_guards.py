#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Each guard of the alerts on regressions keeps some service quiet: without it, that one is told of.

Takes one guard after the other out of the rules, and runs a service of test_regressions.py that it
is there for. (Slow waves are told of by no guard: each time of the day is compared with itself.)
"""
import pathlib
import tempfile
import unittest
import unittest.mock

import live
import rules
import test_regressions as regressions

NOBODY = 'job="nobody",'
RATIO = "job_cgroup_ratio:pmu_cgroup_ratio"

# (what is taken out, in which file, {text: what stands there then}, who is told of)
GUARDS = [
    ("a minimum of cycles and of CPU", "SERVICES", {">= 1e8": ">= 0", ">= 0.05": ">= 0"}, "/idle"),
    ("ten minutes from a start", "SERVICES", {"> 600": "> -1"}, "/restarts"),
    ("a minimum of coverage", "SERVICES", {">= 0.5": ">= 0"}, "/shared"),
    ("the median of seven days", "SERVICES", {":rate1h_median7d{": f":rate1h_median7d{{{NOBODY}"},
     "/better_a_week_ago"),
    ("the hour a week ago", "SERVICES",
     {":rate1h{": f":rate1h{{{NOBODY}", ":rate15m{": f":rate15m{{{NOBODY}"}, "/saturdays"),
    ("the quarter of that hour", "SERVICES", {":rate15m{": f":rate15m{{{NOBODY}"},
     "/job_at_this_hour"),
    ("a week to compare with", "SERVICES",
     {f"          {RATIO}:rate1h offset 167h30m\n": f"          {RATIO}:rate1h_median7d\n"},
     "/young"),
    ("ten minutes of it", "ALERTS", {"for: 10m": "for: 0m"}, "/brief"),
]


class Guards(unittest.TestCase):
    def setUp(self):
        rules.need("promtool")
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def take_out(self, file, changes):
        """The rules without a guard, for this test."""
        path = getattr(rules, file)
        text = path.read_text()
        for there, then in changes.items():
            self.assertIn(there, text)
            text = text.replace(there, then)
        changed = self.directory / path.name
        changed.write_text(text)
        self.enterContext(unittest.mock.patch.object(rules, file, changed))

    def check(self, file, changes, cgroup):
        self.take_out(file, changes)
        told = 'group by (cgroup) (max_over_time(ALERTS{alertstate="firing",cgroup!=""}[90m]))'
        self.assertIsNone(regressions.run(
            [service for service in regressions.QUIET if service.cgroup == cgroup],
            [regressions.expectation(told, regressions.END, {f'{{cgroup="{cgroup}"}}': 1})]))


def add(name, *case):
    setattr(Guards, f"test_without_{name.replace(' ', '_')}_{case[-1][1:]}_is_told_of",
            lambda self: self.check(*case))


for guard in GUARDS:
    add(*guard)

if __name__ == "__main__":
    live.main()
