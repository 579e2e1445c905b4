# SPDX-License-Identifier: Apache-2.0
"""Runs the rules over a history (history.py), as Prometheus would have, and judges what they tell.

promtool makes blocks of the history, then of what the recording rules would have recorded, level by
level, since a rule reads what others record. A real Prometheus answers the alerts' expressions
minute by minute; `for` is applied here.
"""
import collections
import concurrent.futures
import contextlib
import os
import pathlib
import re
import statistics
import tempfile
import time

import history
import latencies
import rules
from prometheus import Prometheus

# One block of a week, not 84 of two hours: promtool reads the whole history for each.
BLOCKS = "--max-block-duration=162h"
WITHIN = 30  # minutes after the first in which it has to be noticed
# What is read for a week, and so are the rules behind it; what is made of it is not.
REMEMBERED = "job_cgroup_ratio:pmu_cgroup_ratio:rate15m"
# How long a regression is still told of after its end: the rules look a quarter of an hour back.
AFTERWARDS = 30
OF_LATENCIES = {latencies.RUN_QUEUE[2], latencies.READS[2]}

Finding = collections.namedtuple("Finding", "regression at delay")
Firing = collections.namedtuple("Firing", "alert service begin end")


def promtool(*words):
    said = rules.promtool("tsdb", "create-blocks-from", "--quiet", BLOCKS, *words)
    if said is not None:
        raise AssertionError(said)


def levels():
    """The recording rules, each behind all that it reads: [text of a file of rules]."""
    groups = [re.split(r"(?m)^(?=      - record: )", text) for text in
              re.split(r"(?m)^(?=  - name: )", rules.SERVICES.read_text())[1:]]
    names = [re.match(r"\s*- record: (\S+)", text)[1] for _, *texts in groups for text in texts]
    rank = {}
    for name, (_, expression) in zip(names, rules.expressions(rules.SERVICES), strict=True):
        of = rules.recorded_metrics(expression) - {name}
        rank[name] = max(rank.get(name, 0), 1 + max((rank[other] for other in of), default=-1))

    def of_level(level):
        name = iter(names)
        kept = [(head, [text for text in texts if rank[next(name)] == level])
                for head, *texts in groups]
        return "groups:\n" + "".join(head + "".join(texts) for head, texts in kept if texts)

    return [of_level(level) for level in range(max(rank.values()) + 1)]


def alerts():
    """[(alert, expression, minutes for which it must hold, and is held)] of the regressions."""
    lasts = re.findall(r"- alert: (\w+)\n(?:.*\n)*?\s*for: (\d+)m\n\s*keep_firing_for: (\d+)m",
                       rules.ALERTS.read_text())
    expressions = dict(rules.expressions(rules.ALERTS))
    return [(name, expressions[name], int(least), int(most)) for name, least, most in lasts]


def record(text, blocks, begin, end):
    """Puts into blocks what rules would have recorded of them from begin to end."""
    path = blocks.parent / "rules.yml"
    path.write_text(text)
    with Prometheus(blocks=blocks) as prometheus:
        promtool("rules", f"--url=http://127.0.0.1:{prometheus.port}", f"--start={begin}",
                 f"--end={end}", f"--output-dir={blocks}", path)


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
        is_remembered = True
        for text in levels():
            begin = 0 if is_remembered else history.WEEK - history.DAY
            is_remembered &= f"record: {REMEMBERED}\n" not in text
            record(text, blocks, history.MONDAY + 60 * begin, history.MONDAY + 60 * history.END)
        with Prometheus(blocks=blocks) as prometheus:
            yield prometheus


def held(minutes, least, kept):
    """[(begin, end)] of what fires, of the minutes in which an expression was true: from when it has
    been for `least` minutes without a break, until it has not been for `kept` minutes."""
    spans, since, last = [], None, None
    for t in minutes:
        if spans and t <= spans[-1][1] + 1:
            spans[-1][1] = t + kept
        else:
            since = t if since is None or t != last + 1 else since
            if t - since >= least:
                spans.append([t, t + kept])
        last = t
    return [tuple(span) for span in spans]


def fired(prometheus):
    """What the alerts of the second week would have told."""
    begin, firings = history.MONDAY + 60 * history.WEEK, []
    for alert, expression, least, kept in alerts():
        found = prometheus.query_range(expression, begin, history.MONDAY + 60 * history.END, 60)
        for series in found:
            minutes = [round((t - history.MONDAY) / 60) for t, _ in series["values"]]
            firings += [Firing(alert, series["metric"]["cgroup"], *span)
                        for span in held(minutes, least, kept)]
    return firings


def is_true(firing, regression):
    """Whether an alert tells of that regression, and of what it consists of."""
    return (firing.service == regression.service and firing.alert in regression.alerts and
            regression.begin <= firing.end and firing.begin <= regression.end + AFTERWARDS)


class Verdict:
    """What of the regressions was told, how late, and what else was told of so many services."""

    def __init__(self, regressions, firings, n_services):
        self.findings = []
        for one in regressions:
            at = min((f.begin for f in firings if f.alert == one.alert and is_true(f, one)),
                     default=None)
            due = one.due()
            self.findings.append(
                Finding(one, at, None if None in (at, due) else at - due))
        self.false = [f for f in firings if not any(is_true(f, one) for one in regressions)]
        self.service_weeks = n_services * (history.END - history.WEEK) / history.WEEK

    def due(self):
        return [f for f in self.findings if f.regression.due() is not None]

    def late(self, within):
        return [f for f in self.due() if f.at is None or f.delay > within]

    def in_one_line(self):
        delays = [f.delay for f in self.due() if f.delay is not None]
        return (f"{len(self.due()) - len(self.late(WITHIN))} of {len(self.due())} told of within "
                f"{WITHIN} minutes (median {statistics.median(delays):.0f}), "
                f"{sum(f.at is not None for f in self.findings if f not in self.due())} of "
                f"{len(self.findings) - len(self.due())} smaller ones, "
                f"{len(self.false)} false alarms in {self.service_weeks:.0f} service-weeks")

    def details(self):
        """What was late, and what was false."""
        for finding in self.late(WITHIN):
            yield (f"{finding.regression}: " + ("missed" if finding.at is None else
                                                f"after {finding.delay} minutes"))
        for firing in self.false:
            yield (f"{firing.alert} {firing.service} for {firing.end - firing.begin} minutes "
                   f"from minute {firing.begin}")


def verdicts_of(events, firings):
    """{what is judged: verdict}: each has alerts and regressions of its own."""
    return {
        "efficiency": Verdict(events.regressions,
                              [f for f in firings if f.alert not in OF_LATENCIES],
                              len(events.services)),
        "latencies": Verdict(events.slowdowns, [f for f in firings if f.alert in OF_LATENCIES],
                             sum(bool(service.durations) for service in events.services)),
    }


def run(noise, seed):
    """The verdicts over one history."""
    events = history.History(seed, noise)
    with recorded(events) as prometheus:
        return verdicts_of(events, fired(prometheus))


def run_all(noises, seeds):
    """{(noise, what is judged): [verdict]}, as many histories at a time as there are CPUs; tells of
    each. Where one cannot be judged, those that have not begun are left out."""
    verdicts = collections.defaultdict(list)
    began = time.monotonic()
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        jobs = {pool.submit(run, noise, seed): (noise, seed) for seed in seeds for noise in noises}
        for job in concurrent.futures.as_completed(jobs):
            noise, seed = jobs[job]
            if job.exception():
                pool.shutdown(cancel_futures=True)
            for what, verdict in job.result().items():
                verdicts[noise, what].append(verdict)
                print(f"{noise}, seed {seed}, {what}, after {time.monotonic() - began:.0f} s: "
                      f"{verdict.in_one_line()}", *verdict.details(), sep="\n    ", flush=True)
    return verdicts


def spread(verdicts):
    """What many of them come to, and how far they are apart."""
    late = [len(v.late(WITHIN)) for v in verdicts]
    false = [len(v.false) for v in verdicts]
    due, weeks = sum(len(v.due()) for v in verdicts), sum(v.service_weeks for v in verdicts)
    return (f"{len(verdicts)} seeds: {100 * (1 - sum(late) / due):.1f} % told of within {WITHIN} "
            f"minutes, late in one seed: {sorted(late)}; {50 * sum(false) / weeks:.2f} false alarms "
            f"in 50 service-weeks, in one seed: {sorted(false)}")
