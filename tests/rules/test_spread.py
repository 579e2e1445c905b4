#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the rules take for the spread of a service: how far it is off from day to day when nothing is
wrong. From ratios as they would be recorded, over ten days, judged by promtool."""
import unittest

import live
import rules

STEP = 10  # minutes, as often as the rule looks
HOUR, DAY = 60, 24 * 60
END = 10 * DAY
IPC, SWITCHES = "instructions_per_cycle", "context_switches_per_cpu_second"


def series(cgroup, ratio, value):
    """A ratio of a service as input for promtool; value: a function of the minute, None is absent."""
    name = (f'job_cgroup_ratio:pmu_cgroup_ratio:rate15m{{job="pmu",cgroup="{cgroup}",'
            f'ratio="{ratio}"}}')
    values = (value(t) for t in range(0, END, STEP))
    return (f"      - series: '{name}'\n        values: '" +
            " ".join("_" if v is None else str(v) for v in values) + "'\n")


def restless(t):
    """A fifth lower in every second span of 70 minutes, which is not in step with days."""
    return 0.8 if t // 70 % 2 else 1


def verdict(cgroup, ratio, value, spread):
    """promtool's verdict on one service, by itself lest there be too many samples for promtool;
    spread: None where none is expected."""
    expected = f" [{{labels: '{{ratio=\"{ratio}\"}}', value: {spread}}}]"
    return rules.promtool_test(
        f"rule_files: [{rules.SERVICES}]\nevaluation_interval: 6h\n"
        f"tests:\n  - interval: {STEP}m\n    input_series:\n{series(cgroup, ratio, value)}"
        f"    promql_expr_test:\n      - eval_time: {END - 6 * HOUR}m\n        expr: round(sum by "
        f"(ratio) (job_cgroup_ratio:pmu_cgroup_ratio:rate15m_spread7d), 0.001)\n"
        f"        exp_samples:{' []' if spread is None else expected}\n")


class Spread(unittest.TestCase):
    def setUp(self):
        rules.need("promtool")

    def check(self, *cases):
        for case in cases:
            with self.subTest(case[0]):
                self.assertIsNone(verdict(*case))

    def test_it_is_what_a_day_shows_against_the_day_before(self):
        self.check(
            ("/restless", IPC, restless, 0.2),
            ("/restless", SWITCHES, restless, 0.25),
            ("/wave", IPC, lambda t: 1 + 0.001 * (t % DAY), 0),
            ("/forty_minutes_a_day", IPC, lambda t: 0.5 if t % (DAY + 40) < 40 else 1, 0.5),
            ("/ten_minutes_a_day", IPC, lambda t: 0.5 if t % (DAY + 30) < 10 else 1, 0),
        )

    def test_an_incident_does_not_widen_it(self):
        self.check(
            ("/of_two_days", IPC, lambda t: 0.5 if 5.2 * DAY < t < 7.1 * DAY else 1, 0),
            ("/that_lasts", IPC, lambda t: 0.5 if t > 8 * DAY else 1, 0),
            ("/coming_back", IPC,
             lambda t: 0.5 if any(0 < t - n * DAY < 3 * HOUR for n in (4.3, 6.6, 8.2)) else 1, 0),
        )

    def test_it_is_there_after_two_days_and_not_before(self):
        self.check(
            ("/two_days", IPC, lambda t: 1 if t > 7.5 * DAY else None, 0),
            ("/one_day", IPC, lambda t: 1 if t > 8.5 * DAY else None, None),
        )


if __name__ == "__main__":
    live.main()
