# SPDX-License-Identifier: Apache-2.0
"""Runs the rules over a history (history.py), as Prometheus would have, and judges what they tell.

promtool makes blocks of the history, then of what the recording rules would have recorded, level by
level, since a rule reads what others record. A real Prometheus answers the alerts' expressions
minute by minute; `for` is applied here.
"""
import collections
import contextlib
import pathlib
import re
import resource
import statistics
import tempfile
import time

import history
import rules
from prometheus import Prometheus

# One block of a week, not 84 of two hours: promtool reads the whole history for each.
BLOCKS = "--max-block-duration=162h"
LOSS = 0.2
# How long a regression is still told of after its end: the rules look a quarter of an hour back.
AFTERWARDS = 30
ALERT_OF = {"branch": "PMUBranchMissRegression", "cache": "PMUCacheMissRegression"}

Finding = collections.namedtuple("Finding", "regression at delay")
Firing = collections.namedtuple("Firing", "alert service begin end")


def promtool(*words):
    said = rules.promtool("tsdb", "create-blocks-from", "--quiet", BLOCKS, *words)
    if said is not None:
        raise AssertionError(said)


def levels():
    """The recording rules, each behind all that it reads: [[text of a rule]]."""
    head, *texts = re.split(r"(?m)^(?=      - record: )", rules.SERVICES.read_text())
    names = [re.match(r"\s*- record: (\S+)", text)[1] for text in texts]
    rank = {}
    for name, (_, expression) in zip(names, rules.expressions(rules.SERVICES), strict=True):
        of = rules.recorded_metrics(expression) - {name}
        rank[name] = max(rank.get(name, 0), 1 + max((rank[other] for other in of), default=-1))
    head = head[head.index("groups:"):]
    return [head + "".join(text for name, text in zip(names, texts) if rank[name] == level)
            for level in range(max(rank.values()) + 1)]


def alerts():
    """[(alert, expression, minutes that it has to hold)] of the regressions."""
    text = rules.ALERTS.read_text()
    lasts = dict(re.findall(r"- alert: (\w+)\n(?:.*\n)*?\s*for: (\d+)m", text))
    recording = {name for name, _ in rules.expressions(rules.SERVICES)}
    return [(name, expression, int(lasts[name]))
            for name, expression in rules.expressions(rules.ALERTS)
            if rules.recorded_metrics(expression) & recording]


@contextlib.contextmanager
def recorded(events):
    """A Prometheus that has the history, and what the rules have made of it."""
    with tempfile.TemporaryDirectory(prefix="backtest-") as directory:
        top = pathlib.Path(directory)
        blocks = top / "blocks"
        blocks.mkdir()
        with open(top / "history", "w", encoding="ascii") as file:
            events.write(file)
        promtool("openmetrics", top / "history", blocks)
        (top / "history").unlink()
        for level in levels():
            (top / "rules.yml").write_text(level)
            with Prometheus(blocks=blocks) as prometheus:
                promtool("rules", f"--url=http://127.0.0.1:{prometheus.port}",
                         f"--start={history.MONDAY}",
                         f"--end={history.MONDAY + 60 * history.END}",
                         f"--output-dir={blocks}", top / "rules.yml")
        with Prometheus(blocks=blocks) as prometheus:
            yield prometheus


def held(minutes, lasts):
    """[(begin, end)] of what fires, of the minutes in which an expression was true."""
    spans, since, last = [], None, None
    for t in [*minutes, history.NEVER]:
        if since is None or t != last + 1:
            if since is not None and last - since >= lasts:
                spans.append((since + lasts, last))
            since = t
        last = t
    return spans


def fired(prometheus):
    """What the alerts of the second week would have told."""
    begin, firings = history.MONDAY + 60 * history.WEEK, []
    for alert, expression, lasts in alerts():
        found = prometheus.query_range(expression, begin, history.MONDAY + 60 * history.END, 60)
        for series in found:
            minutes = [round((t - history.MONDAY) / 60) for t, _ in series["values"]]
            firings += [Firing(alert, series["metric"]["cgroup"], *span)
                        for span in held(minutes, lasts)]
    return firings


def is_true(firing, regression):
    """Whether an alert tells of that regression, and of what it consists of."""
    return (firing.service == regression.service and
            firing.alert in ("PMUIPCRegression", ALERT_OF.get(regression.cause)) and
            regression.begin <= firing.end and firing.begin <= regression.end + AFTERWARDS)


class Verdict:
    """What of the regressions was told, how late, and what else was told."""

    def __init__(self, events, firings):
        self.findings = []
        for one in events.regressions:
            at = min((f.begin for f in firings
                      if f.alert == "PMUIPCRegression" and is_true(f, one)), default=None)
            due = one.reaches(LOSS)
            self.findings.append(
                Finding(one, at, None if None in (at, due) else at - due))
        self.false = [f for f in firings if not any(is_true(f, one) for one in events.regressions)]
        self.service_weeks = len(events.services) * (history.END - history.WEEK) / history.WEEK

    def due(self):
        return [f for f in self.findings if f.regression.reaches(LOSS) is not None]

    def late(self, within):
        return [f for f in self.due() if f.at is None or f.delay > within]

    def print(self, name):
        print(f"{name}:")
        for depth in sorted({f.regression.depth for f in self.findings}):
            for slow in (False, True):
                of = [f for f in self.findings
                      if f.regression.depth == depth and bool(f.regression.ramp) == slow]
                told = [f for f in of if f.at is not None]
                delays = [f.delay for f in told if f.delay is not None]
                print(f"  -{100 * depth:.0f} % {'slowly' if slow else 'at once'}: "
                      f"{len(told)} of {len(of)} told of" +
                      (f", {statistics.median(delays):.0f} minutes after the loss was 20 % "
                       f"(median), at most {max(delays)}" if delays else ""))
        for finding in self.findings:
            if finding.at is None:
                print(f"  missed: {finding.regression}")
        print(f"  false alarms: {len(self.false)} in {self.service_weeks:.0f} service-weeks, "
              f"{len(self.false) / self.service_weeks:.2f} in one")
        for firing in self.false:
            print(f"    {firing.alert} {firing.service} for {firing.end - firing.begin} minutes "
                  f"from minute {firing.begin}")


def run(seed, noise):
    began = time.monotonic()
    events = history.History(seed, noise)
    with recorded(events) as prometheus:
        verdict = Verdict(events, fired(prometheus))
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    verdict.print(f"{noise}, seed {seed}, {time.monotonic() - began:.0f} s, the largest process "
                  f"had {largest} MiB")
    return verdict
