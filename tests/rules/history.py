# SPDX-License-Identifier: Apache-2.0
"""Two weeks of twenty services that never were, as an exporter would have shown them.

Each minute of each service has a load with daily and weekly waves, and an efficiency with waves of
its own and noise. Services are restarted, Prometheus misses scrapes, the exporter is restarted. In
the second week 20 regressions are injected into 14 services; the other six have troubles that
nobody wants to be told of. Eight services have histograms of latencies too (latencies.py), four of
them with a slowdown of each. All of it follows from a seed.

Two models of noise: "waves", which forgets soon, and "mixture", which wanders for hours.
"""
import math
import random

import latencies
import ramp

HOUR, DAY, WEEK = 60, 24 * 60, 7 * 24 * 60
END = 2 * WEEK
MONDAY = 1767571200  # 2026-01-05 00:00 UTC, minute 0
N_SERVICES = 20
NEVER = 10 * END
COUNTERS = ("cycles_total", "instructions_total", "branch_misses_total", "cache_misses_total",
            "context_switches_total", "task_clock_seconds_total")
TIMES = ("group_enabled_seconds_total", "group_running_seconds_total")


# What tells of a loss of instructions per cycle, and of what it consists of.
ALERT_OF = {"branch": "PMUBranchMissRegression", "cache": "PMUCacheMissRegression"}
LOSS = 0.2  # of which has to be told


class Regression:
    """From `begin` on the service executes `depth` fewer instructions per cycle, after `over`
    minutes."""
    alert = "PMUIPCRegression"

    def __init__(self, service, begin, depth, over, end, cause):
        self.service, self.begin, self.depth, self.over = service, begin, depth, over
        self.end, self.cause = end, cause
        self.alerts = (self.alert, ALERT_OF.get(cause))

    def loss(self, t):
        return ramp.height(self, self.depth, t)

    def due(self):
        """The first minute in which it has to be noticed; None if it need not be."""
        return ramp.reaches(self, self.depth, LOSS)

    def __str__(self):
        return f"{self.service} -{100 * self.depth:.0f} % {ramp.text(self)} by {self.cause}"


class Waves:
    """Noise that forgets within ten minutes, and waves that are the same each day."""

    def __init__(self, rng):
        self.rng = rng
        self.spread, self.memory = rng.uniform(0.01, 0.03), math.exp(-1 / rng.uniform(4, 10))
        self.amplitude, self.phase = rng.uniform(0, 0.15), rng.uniform(0, DAY)
        self.weekend = rng.uniform(0.95, 1.05)
        self.state = 0.0

    def factor(self, t):
        self.state = (self.memory * self.state +
                      math.sqrt(1 - self.memory ** 2) * self.rng.gauss(0, self.spread))
        wave = 1 + self.amplitude * math.sin(2 * math.pi * (t - self.phase) / DAY)
        return wave * (self.weekend if t % WEEK >= 5 * DAY else 1.0) * (1 + self.state)


class Mixture:
    """Two kinds of work whose shares wander for hours, rare large outliers, a wave that comes
    earlier or later each day, and a drift from day to day."""

    def __init__(self, rng):
        self.rng = rng
        self.share, self.memory = 0.0, math.exp(-1 / rng.uniform(40, 120))
        self.distance = rng.uniform(0.02, 0.10)
        self.outlier = rng.uniform(0.01, 0.02)
        self.amplitude, self.phase = rng.uniform(0, 0.10), rng.uniform(0, DAY)
        self.drift, self.late = 0.0, 0.0

    def factor(self, t):
        if t % DAY == 0:
            self.drift = 0.7 * self.drift + self.rng.gauss(0, 0.01)
            self.late = self.rng.uniform(-20, 20)
        self.share = (self.memory * self.share +
                      math.sqrt(1 - self.memory ** 2) * self.rng.gauss(0, 1))
        mixed = 1 + self.distance * math.tanh(self.share)
        shock = self.outlier * self.rng.gauss(0, 1) / math.sqrt(self.rng.gammavariate(1.5, 1 / 1.5))
        wave = 1 + self.amplitude * math.sin(2 * math.pi * (t - self.phase - self.late) / DAY)
        return wave * mixed * (1 + self.drift) * min(1.5, max(0.5, 1 + shock))


NOISES = {"waves": Waves, "mixture": Mixture}


class Service:
    """One cgroup; trouble names what is odd about it and no regression."""

    def __init__(self, name, seed, noise, trouble=None):
        self.name, self.trouble = name, trouble
        self.rng = rng = random.Random(seed)
        self.noises = {what: NOISES[noise](rng) for what in ("ipc", "branch", "cache", "switch")}
        self.ipc, self.cpus = rng.uniform(0.6, 2.2), rng.uniform(0.5, 8)
        self.branch, self.cache = rng.uniform(1, 8), rng.uniform(0.5, 12)
        self.switches = rng.uniform(300, 6000)
        self.load_wave, self.load_phase = rng.uniform(0.1, 0.6), rng.uniform(0, DAY)
        self.quiet_weekend = rng.uniform(0.4, 1.0)
        self.starts = self._starts(rng)
        # a job of 45 minutes in some services, on the minute but for three
        self.job = rng.randrange(DAY) if rng.random() < 0.4 else None
        self.job_late = [rng.randint(0, 3) for _ in range(END // DAY + 1)]
        self.regressions = []
        self.durations = []  # those of which there are histograms

    def _starts(self, rng):
        every = 70 if self.trouble == "restarts all day" else rng.uniform(2, 6) * DAY
        t, starts = -rng.uniform(0, every), set()
        while t < END:
            starts.add(int(t))
            t += rng.uniform(0.5, 1.5) * every
        if self.trouble == "born in the second week":
            starts = {s for s in starts if s > WEEK + 2 * DAY} | {WEEK + DAY}
        return starts

    def has_job(self, t):
        return (self.job is not None and
                0 <= t % DAY - self.job - self.job_late[t // DAY] < 45)

    def load(self, t):
        """CPUs used in that minute."""
        wave = 1 + self.load_wave * math.sin(2 * math.pi * (t - self.load_phase) / DAY)
        weekend = self.quiet_weekend if t % WEEK >= 5 * DAY else 1.0
        load = self.cpus * wave * weekend * max(0.2, self.rng.gauss(1, 0.1))
        load *= 1.5 if self.has_job(t) else 1.0
        if self.trouble == "idle at night" and (t % DAY) < 8 * HOUR:
            load = 0.005 * self.rng.uniform(0.2, 2)
        return load

    def odd(self, t):
        """A change of efficiency that is no regression."""
        return (0.75 if self.has_job(t) else 1.0) * self.trouble_of(t)

    def trouble_of(self, t):
        if self.trouble == "better for an evening a week ago" and WEEK / 2 < t < WEEK / 2 + 5 * HOUR:
            return 1.4
        if self.trouble == "worse at weekends" and t % WEEK >= 5 * DAY:
            return 0.7
        if self.trouble == "idle at night" and (t % DAY) < 8 * HOUR:
            return self.rng.uniform(0.4, 1.6)
        if self.trouble == "shared PMU" and t > WEEK + DAY:
            return max(0.1, self.rng.gauss(0.75, 0.3))
        return 1.0

    def waits(self, t, age, cpus):
        """What is added to each column of the histograms in that minute."""
        longer = (6 if self.has_job(t) else 1) * (1 + 3 * math.exp(-age / 4))
        if self.trouble == "better for an evening a week ago" and WEEK / 2 < t < WEEK / 2 + 5 * HOUR:
            longer /= 4
        if self.trouble == "worse at weekends" and t % WEEK >= 5 * DAY:
            longer *= 5
        return [n for durations in self.durations
                for n in durations.minute(t, cpus / self.cpus, longer)]

    def minute(self, t, age):
        """What is added to each of COUNTERS and TIMES, and to the histograms, in that minute."""
        loss = sum(r.loss(t) for r in self.regressions)
        causes = {r.cause for r in self.regressions if r.loss(t)}
        factor = {what: noise.factor(t) for what, noise in self.noises.items()}
        cold = 1 - 0.35 * math.exp(-age / 4) if age < 15 else 1.0
        cpus = self.load(t)
        cycles = 3e9 * 60 * cpus
        instructions = cycles * self.ipc * factor["ipc"] * cold * self.odd(t) * (1 - loss)
        worse = {c: 1 + 8 * loss if c in causes else 1.0 for c in ("branch", "cache")}
        covered = 0.3 if self.trouble == "shared PMU" and t > WEEK + DAY else 1.0
        return (cycles, instructions,
                instructions * self.branch / 1000 * factor["branch"] / cold * worse["branch"],
                instructions * self.cache / 1000 * factor["cache"] / cold * worse["cache"],
                60 * cpus * self.switches * factor["switch"], 60 * cpus,
                60 * cpus, 60 * cpus * covered, *self.waits(t, age, cpus))

    def names(self):
        """Of the columns."""
        labels = f'job="pmu",instance="a",cgroup="{self.name}"'
        return ([f"pmu_cgroup_{name}{{{labels}}}" for name in COUNTERS] +
                [f'pmu_cgroup_{name}{{{labels},group="core"}}' for name in TIMES] +
                [name for durations in self.durations for name in durations.columns(labels)])

    def columns(self, more_starts):
        """[(start of counting or None, values)] for each minute."""
        starts = self.starts | {s for s in more_starts if s > min(self.starts)}
        start, totals, n_columns = None, None, len(self.names())
        before = [s for s in starts if s <= 0]
        for t in range(END):
            if t in starts or (t == 0 and before):
                start, totals = (t if t in starts else max(before)), [0.0] * n_columns
            if start is None:
                yield None, None
                continue
            if t > start:
                totals = [a + b for a, b in zip(totals, self.minute(t, t - start))]
            yield start, totals


# The first 14 are injected into, six of them twice. Of the first four there are histograms, with
# slowdowns, and of four others without.
TROUBLES = ("idle at night", "shared PMU", "born in the second week", "worse at weekends",
            "better for an evening a week ago", "restarts all day")
WITH_SLOWDOWNS, WITHOUT_SLOWDOWNS = (0, 1, 2, 3), (14, 17, 18, 19)


class History:
    def __init__(self, seed, noise):
        self.rng = rng = random.Random(f"{noise} {seed}")
        self.services = [Service(f"/system.slice/service{i:02d}.service", rng.random(), noise,
                                 TROUBLES[i - 14] if i >= 14 else None)
                         for i in range(N_SERVICES)]
        self.regressions = self._inject(rng)
        self.exporter_starts = {self._free_minute(rng) for _ in range(3)}
        self.missed = set()  # minutes without a scrape
        for _ in range(6):
            begin = self._free_minute(rng)
            self.missed.update(range(begin, begin + rng.randint(3, 30)))
        self.slowdowns = self._slow_down(f"{noise} {seed}", NOISES[noise])

    def _slow_down(self, seed, noise):
        for i in WITH_SLOWDOWNS + WITHOUT_SLOWDOWNS:
            latencies.equip(seed, noise, self.services[i],
                            latencies.WRITES if i % 2 else latencies.READS)

        def is_free(service, t):
            return not any(-HOUR < t - other < HOUR
                           for other in service.starts | self.exporter_starts | self.missed)

        return latencies.slow_down(seed, [self.services[i] for i in WITH_SLOWDOWNS], WEEK, is_free)

    def _inject(self, rng):
        kinds = [(depth, slow) for depth, n in ((0.1, 2), (0.2, 4), (0.4, 4))
                 for slow in (False, True) for _ in range(n)]
        rng.shuffle(kinds)
        regressions = []
        for i, (depth, slow) in enumerate(kinds):
            service = self.services[i % 14]
            begin = WEEK + (rng.randint(3 * HOUR, 2 * DAY) if i < 14 else
                            rng.randint(4 * DAY + 12 * HOUR, 5 * DAY + 12 * HOUR))
            over = rng.randint(2 * HOUR, DAY) if slow else 0
            lasts = over + rng.randint(4 * HOUR, 30 * HOUR)
            end = NEVER if i >= 14 else begin + lasts
            one = Regression(service.name, begin, depth, over, end,
                             rng.choice(("nothing counted", "branch", "cache")))
            # nothing else happens while it has to be found, but for the release that brought it
            service.starts -= set(range(begin - HOUR, begin + HOUR))
            if one.due() is not None:
                service.starts -= set(range(one.due() - HOUR, one.due() + HOUR))
            if not slow and rng.random() < 0.5:
                service.starts.add(begin)
            service.regressions.append(one)
            regressions.append(one)
        return regressions

    def _free_minute(self, rng):
        """One at which no regression has to be found."""
        while True:
            t = rng.randrange(END)
            if all(one.due() is None or not -HOUR < t - one.due() < HOUR
                   for one in self.regressions):
                return t

    def write(self, file):
        """As OpenMetrics, series by series."""
        for service in self.services:
            labels = f'job="pmu",instance="a",cgroup="{service.name}"'
            seen = [(t, start, totals)
                    for t, (start, totals) in enumerate(service.columns(self.exporter_starts))
                    if start is not None and t not in self.missed]
            for i, name in enumerate(service.names()):
                file.writelines(f"{name} {totals[i]:.0f} {MONDAY + 60 * t}\n"
                                for t, _, totals in seen)
            file.writelines(f"pmu_cgroup_start_time_seconds{{{labels}}} {MONDAY + 60 * start} "
                            f"{MONDAY + 60 * t}\n" for t, start, _ in seen)
        for name in COUNTERS[:4]:
            file.writelines(
                f'pmu_exporter_event_info{{job="pmu",instance="a",scope="cgroup",group="core",'
                f'metric="pmu_cgroup_{name}"}} 1 {MONDAY + 60 * t}\n'
                for t in range(END) if t not in self.missed)
        file.write("# EOF\n")
