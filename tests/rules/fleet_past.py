# SPDX-License-Identifier: Apache-2.0
"""What a Prometheus would know of a fleet (tests/support/fleet.py) from before it began: blocks.

    fleet_past.write_minutes(fleet, end, every, file)     what was scraped, for rules that look back
    fleet_past.write_week(fleet.services, end, file)      ratios of a week, for baselines and spreads
"""
import re

import rules

MINUTE, DAY = 60, 86400
REMEMBERED = 11 * MINUTE  # how far ratios look back at rates
SCRAPED = REMEMBERED + 5 * MINUTE
RATIO = "job_cgroup_ratio:pmu_cgroup_ratio:rate15m"
# The spread compares seven days with the day before each, from midnight to midnight.
DAYS = 9
BETTER_EACH_DAY = 0.02  # that a ratio was a day before


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
    return 1 + BETTER_EACH_DAY * round(days_ago)


def write_week(services, end, file, second=1):
    """Each minute: level(). second: how many units of a time stamp."""
    for service in services:
        for ratio in ratios():
            labels = f'job="pmu",cgroup="/system.slice/{service.name}",ratio="{ratio}"'
            file.writelines(f"{RATIO}{{{labels}}} {level((end - t) / DAY):.6g} {t * second}\n"
                            for t in range(end - DAYS * DAY, end, MINUTE))
