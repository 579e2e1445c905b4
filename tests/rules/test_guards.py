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

RATIO = "job_cgroup_ratio:pmu_cgroup_ratio"

# (what is taken out, in which file, {text: what stands there then}, who is told of)
GUARDS = [
    ("a minimum of cycles and of CPU", "SERVICES", {">= 100e6": ">= 0", ">= 0.05": ">= 0"}, "/idle"),
    ("a minimum of waits", "SERVICES", {">= 5\n": ">= 0\n"}, "/idle"),
    ("reads apart from writes", "SERVICES",
     {"(job, cgroup, op, le)": "(job, cgroup, le)", "(job, cgroup, op)": "(job, cgroup)",
      '{op="read"}': "", '{op="write"}': ""}, "/writes_more"),
    ("ten minutes from a start", "SERVICES", {"time() - 600": "time() + 1"}, "/restarts"),
    ("a minimum of coverage", "SERVICES", {">= 0.5": ">= 0"}, "/shared"),
    ("the median of seven days", "SERVICES",
     {f"              {RATIO}:rate15m_median7d\n          )\n            and":
      f"              {RATIO}:rate15m offset 1w\n          )\n            and"}, "/better_a_week_ago"),
    ("the day of the week", "SERVICES", {"< 0.88 *": "< 0 *", "> 1.12 *": "> 99 *"}, "/saturdays"),
    ("the last value before a gap", "SERVICES", {"[1h] offset 1w": "[2m] offset 1w"},
     "/saturdays_with_gap"),
    ("minutes enough", "SERVICES", {"[2m] offset 5m": "[2m]"}, "/brief_from_start"),
    ("the quarter of the hour", "SERVICES",
     {"offset 1w": "offset 167h", **{f"offset {n}d": f"offset {24 * n - 1}h" for n in range(1, 8)}},
     "/job_at_this_hour"),
    ("a week to compare with", "SERVICES", {"offset 167h30m": "offset 1h"}, "/young"),
    ("its own spread", "ALERTS", {f"{n} * last_over_time": "0 * last_over_time"
                                  for n in ("0.2", "1.1", "1.5")}, "/restless"),
    ("three quarters of ten minutes", "SERVICES",
     {"quantile_over_time(0.25,": "quantile_over_time(0.75,"}, "/brief"),
    ("ten minutes of it", "ALERTS", {"for: 10m": "for: 0m"}, "/brief"),
    ("twelve minutes of long waits", "ALERTS", {"for: 12m": "for: 0m"}, "/brief"),
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
