#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The alerts on regressions, from counters as they would be scraped, over a week and two hours.

All cases are services of one Prometheus, each with its own fate; promtool runs the rules over them.
What is wrong with a service at a time is a number from 0 to 1: at 1 it executes 30 % fewer
instructions per cycle, misses caches and branches three times as often, switches five times as
often and waits fifteen times as long for CPUs and block devices, so that all six alerts have to
come, or none.

How much a service is used to wander is given: promtool would evaluate the group that records it
each minute instead of each hour. That one is tested by test_spread.py.
"""
import math
import pathlib
import re
import tempfile
import unittest

import live
import rules

STEP = 2  # minutes between samples, and between evaluations
HOUR, DAY = 60, 24 * 60
NOW = 7 * DAY + 2 * HOUR  # when it becomes worse
END = NOW + 90
# Only what can be compared with the time from NOW to END is scraped, lest it take minutes.
FROM_NOW = range(-40, END - NOW + 35)
RATIOS = ("instructions_per_cycle", "cache_misses_per_kilo_instruction",
          "branch_misses_per_kilo_instruction", "context_switches_per_cpu_second",
          "run_queue_latency_p99_seconds", "block_io_read_latency_p99_seconds",
          "block_io_write_latency_p99_seconds")
SPREAD = "job_cgroup_ratio:pmu_cgroup_ratio:rate15m_spread7d"
ALERTS = ("PMUIPCRegression", "PMUCacheMissRegression", "PMUBranchMissRegression",
          "PMUContextSwitchStorm", "PMURunQueueLatencyRegression", "PMUBlockIOLatencyRegression")
BLOCK_IO = "block_io_latency_seconds"
MILLISECOND = 2.0 ** -10  # a limit of buckets


def from_now(t):
    return float(t >= NOW)


def is_compared(t):
    return (t - NOW - FROM_NOW.start) % DAY < len(FROM_NOW)


class Service:
    """What a cgroup executes on one host: functions of the minute."""

    def __init__(self, cgroup, wrong=lambda t: 0.0, instance="a", busy=1.0, coverage=1.0,
                 starts=(-DAY,), scraped=lambda t: True, switches_wrong=None, waits_wrong=None,
                 spreads=(0.02, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05), writes=None):
        self.cgroup, self.wrong, self.instance = cgroup, wrong, instance
        self.busy, self.coverage, self.starts, self.scraped = busy, coverage, starts, scraped
        self.switches_wrong, self.spreads = switches_wrong or wrong, spreads
        self.waits_wrong = waits_wrong or self.switches_wrong
        self.writes = writes  # to block devices, in a second

    def rates(self, t):
        """What is added to each counter in a second."""
        wrong = self.wrong(t)
        cycles = 2e9 * self.busy
        instructions = 1.2 * cycles * (1 - 0.3 * wrong)
        cpus = 0.8 * self.busy
        return {"cycles_total": cycles, "instructions_total": instructions,
                "branch_misses_total": 0.004 * instructions * (1 + 2 * wrong),
                "cache_misses_total": 0.003 * instructions * (1 + 2 * wrong),
                "context_switches_total": 4000 * cpus * (1 + 4 * self.switches_wrong(t)),
                "task_clock_seconds_total": cpus, **self.waits(t),
                'group_enabled_seconds_total{group="core"}': cpus,
                'group_running_seconds_total{group="core"}': cpus * self.coverage}

    def waits(self, t):
        """For CPUs and block devices; writes are slower than reads."""
        waits = {**self.durations(t, "run_queue_latency_seconds", "", 400, MILLISECOND),
                 **self.durations(t, BLOCK_IO, 'op="read"', 1000, MILLISECOND)}
        if self.writes:
            waits |= self.durations(t, BLOCK_IO, 'op="write"', self.writes(t), 4 * MILLISECOND)
        return waits

    def durations(self, t, name, label, rate, usual):
        """By their limit: if nothing is wrong, 99 of 100 take less than usual."""
        n = rate * self.busy
        long = min(0.5, 0.1 * self.waits_wrong(t) ** 2)
        shares = {usual: 0.995 - long, 4 * usual: 1 - long, 16 * usual: 1, "+Inf": 1}
        return {f"{name}_count" + (f"{{{label}}}" if label else ""): n} | {
            f'{name}_bucket{{{label + "," * bool(label)}le="{limit}"}}': share * n
            for limit, share in shares.items()}

    def start(self, t):
        return max((s for s in self.starts if s <= t), default=None)

    def series(self):
        """{name and labels: [a value for each step, or None]}"""
        labels = f'job="pmu",instance="{self.instance}",cgroup="{self.cgroup}"'
        names = list(self.rates(0))
        columns = {name: [] for name in [*names, "start_time_seconds"]}
        totals = dict.fromkeys(names, 0.0)
        for t in range(0, END + STEP, STEP):
            start = self.start(t)
            if start is not None and start > t - STEP:
                totals = dict.fromkeys(names, 0.0)
            seen = start is not None and self.scraped(t) and is_compared(t)
            columns["start_time_seconds"].append(60 * start if seen else None)
            for name, rate in self.rates(t).items():
                totals[name] += 60 * STEP * rate
                columns[name].append(totals[name] if seen else None)
        spreads = {f'{SPREAD}{{job="pmu",cgroup="{self.cgroup}",ratio="{ratio}"}}':
                   [spread] * (END // STEP + 1)
                   for ratio, spread in zip(RATIOS, self.spreads, strict=True)}
        return spreads | {
                f"pmu_cgroup_{name[:-1]},{labels}}}" if name.endswith("}")
                else f"pmu_cgroup_{name}{{{labels}}}": column for name, column in columns.items()}


def wave(t):
    """Worse in the middle of each night, with the steepest rise at NOW."""
    return (1 + math.sin(2 * math.pi * (t - NOW) / DAY)) / 2


# Whom all alerts have to name, half an hour after NOW at the latest.
FIRING = [
    Service("/slower", from_now),
    Service("/slower", from_now, instance="b", writes=lambda t: 50.0),
    Service("/lasting", lambda t: float(t >= NOW - 2 * DAY)),
    Service(r"/slow\\x2dly", lambda t: min(1.0, max(0.0, (t - NOW + 6 * HOUR) / (6 * HOUR)))),
    Service("/redeployed", from_now, starts=(-DAY, NOW)),
    # not so for a quarter of an hour, and told of on
    Service("/lapsing", lambda t: float(t >= NOW and not NOW + 40 <= t < NOW + 54)),
    Service("/wave_and_more", lambda t: max(0.2 * wave(t), from_now(t))),
]
QUIET = [
    Service("/idle", from_now, busy=0.004),
    Service("/restart", lambda t: float(NOW <= t < NOW + 8), starts=(-DAY, NOW)),
    Service("/restarts", lambda t: float(t >= NOW),
            starts=(-DAY, *range(NOW, END, 9))),
    Service("/gap", scraped=lambda t: not NOW - 10 * HOUR < t < NOW + 20),
    Service("/gap_a_week_ago", from_now, scraped=lambda t: t > 6 * HOUR),
    Service("/young", from_now, starts=(3 * DAY,)),
    Service("/wave", wave),
    Service("/shared", from_now, coverage=0.3, switches_wrong=lambda t: 0.0),
    Service("/better_a_week_ago", lambda t: 0.0 if t < 6 * HOUR else 1.0),
    Service("/saturdays", lambda t: float(t < DAY or t >= 7 * DAY)),
    Service("/saturdays_with_gap", lambda t: float(t < DAY or t >= 7 * DAY),
            scraped=lambda t: not NOW - 7 * DAY <= t < NOW - 7 * DAY + 36),
    # every second hour, and the other hours on the next day
    Service("/restless", lambda t: 0.7 * ((t // HOUR + t // DAY) % 2),
            spreads=(0.21, 1.4, 1.4, 2.8, 9, 9, 9)),
    Service("/brief", lambda t: float(NOW <= t < NOW + 6)),
    # not for long, but all that there is behind the ten minutes from its start
    Service("/brief_from_start", starts=(-DAY, NOW - 10),
            waits_wrong=lambda t: float(NOW <= t < NOW + 10)),
    Service("/job_at_this_hour", lambda t: 2.0 * ((t - NOW) % DAY < 45)),
    # slower requests than before among all of them, but neither slower reads nor slower writes
    Service("/writes_more", writes=lambda t: 800.0 if t >= NOW else 5.5),
    Service("/ended", from_now, scraped=lambda t: t < NOW),
]


def text_of(series):
    lines = []
    for name, column in series.items():
        values = " ".join("_" if v is None else f"{v:.3f}".rstrip("0").rstrip(".") for v in column)
        lines.append(f"      - series: '{name}'\n        values: '{values}'\n")
    return "".join(lines)


def event_info(instance):
    return {f'pmu_exporter_event_info{{job="pmu",instance="{instance}",scope="cgroup",'
            f'metric="pmu_cgroup_{event}_total",group="core"}}': [1] * (END // STEP + 1)
            for event in ("cycles", "instructions", "branch_misses", "cache_misses")}


def expectation(expression, at, expected):
    """expected: {labels: value}"""
    samples = "".join(f"          - {{labels: '{labels}', value: {value}}}\n"
                      for labels, value in expected.items())
    return (f"      - expr: '{expression}'\n        eval_time: {at}m\n"
            f"        exp_samples:{chr(10) + samples if samples else ' []' + chr(10)}")


def group_names(*paths):
    """As rules stand in their files: alerts behind what they read, at each step. Without an order
    promtool has another one each time, in which an alert may see what was two minutes before."""
    return re.findall(r"(?m)^  - name: (\S+)$", "".join(path.read_text() for path in paths))


def run(services, expectations):
    """promtool's verdict over the rules: None, or what it says."""
    series = {}
    for service in services:
        series.update(service.series())
        series.update(event_info(service.instance))
    with tempfile.TemporaryDirectory() as directory:
        without_spread = pathlib.Path(directory, "services.yml")
        without_spread.write_text(
            rules.SERVICES.read_text().partition("  - name: pmu_services_spread\n")[0])
        return rules.promtool_test(
            f"rule_files: [{without_spread}, {rules.ALERTS}]\nevaluation_interval: {STEP}m\n"
            f"group_eval_order: [{', '.join(group_names(without_spread, rules.ALERTS))}]\n"
            f"tests:\n  - interval: {STEP}m\n    input_series:\n{text_of(series)}"
            f"    promql_expr_test:\n{''.join(expectations)}")


FIRED = 'group by (alertname, cgroup) (ALERTS{alertstate="firing"})'


def fired(*cgroups):
    return {f'{{alertname="{alert}", cgroup="{cgroup}"}}': 1
            for cgroup in cgroups for alert in ALERTS}


class Regressions(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        rules.need("promtool")

    def test_who_is_worse_is_named_and_nobody_else(self):
        before = fired("/lasting", r"/slow\\x2dly")
        after = fired(*{service.cgroup for service in FIRING})
        self.assertIsNone(run(FIRING + QUIET, [
            expectation(FIRED, NOW - 5 * DAY, {}),
            expectation(FIRED, NOW, before),
            expectation(FIRED, NOW + 8, before),
            expectation(FIRED, NOW + 30, after),
            *(expectation(FIRED, t, after) for t in range(NOW + 40, NOW + 70, 4)),
            expectation(FIRED, END, after),
        ]))


if __name__ == "__main__":
    live.main()
