# SPDX-License-Identifier: Apache-2.0
"""What a Prometheus would know of a fleet (tests/support/fleet.py) from before it began: blocks.

    fleet_past.write_minutes(fleet, end, every, file)     what was scraped, for rules that look back
    fleet_past.write_week(fleet, end, file)               ratios of a week, for baselines and spreads
"""
import re

import rules

MINUTE, DAY = 60, 86400
REMEMBERED = 11 * MINUTE  # how far ratios look back at rates
SCRAPED = REMEMBERED + 5 * MINUTE
RATIO = "job_cgroup_ratio:pmu_cgroup_ratio:rate15m"
# The spread compares seven days with the day before each, from midnight to midnight.
DAYS = 9
MORE_EACH_DAY = 0.02  # that a ratio was a day before
LATENCY = 0.001
OF_COUNTERS = {
    "instructions_per_cycle": ("instructions_total", "cycles_total", 1),
    "branch_misses_per_kilo_instruction": ("branch_misses_total", "instructions_total", 1000),
    "cache_misses_per_kilo_instruction": ("cache_misses_total", "instructions_total", 1000),
    "context_switches_per_cpu_second": ("context_switches_total", "task_clock_seconds_total", 1)}


def with_interval(text, interval):
    """Rules whose groups are all evaluated that often."""
    return re.sub(r"(?m)^(    interval: ).*", rf"\g<1>{interval}", text)


def scraped_names():
    expressions = [e for path in (rules.SERVICES, rules.ALERTS) for _, e in rules.expressions(path)]
    return set().union(*map(rules.scraped_metrics, expressions))


def write_minutes(fleet, end, every, file):
    fleet.write_past(scraped_names(), end - SCRAPED, end, every, file)


def ratios():
    return re.findall(r"labels: \{ratio: (\w+)\}", rules.SERVICES.read_text())


def level(days_ago):
    """What a ratio was then, of what it is."""
    return 1 + MORE_EACH_DAY * round(days_ago)


def value_now(fleet, service, ratio):
    """What a ratio of a service is over all hosts; of a latency one that is worth no alert."""
    if ratio not in OF_COUNTERS:
        return LATENCY
    above, below, factor = OF_COUNTERS[ratio]
    hosts = range(len(fleet.hosts))
    return factor * (sum(fleet.per_second(host, service.number, above) for host in hosts) /
                     sum(fleet.per_second(host, service.number, below) for host in hosts))


def write_week(fleet, end, file, second=1, before=None):
    """Each minute: what it is now, times level(). second: how many units of a time stamp. before: what
    some were besides, as {(number of the service, ratio): of what it is now}."""
    for service in fleet.services:
        for ratio in ratios():
            labels = f'job="pmu",cgroup="/system.slice/{service.name}",ratio="{ratio}"'
            now = value_now(fleet, service, ratio) * (before or {}).get((service.number, ratio), 1)
            file.writelines(f"{RATIO}{{{labels}}} {now * level((end - t) / DAY):.7g} {t * second}\n"
                            for t in range(end - DAYS * DAY, end, MINUTE))
