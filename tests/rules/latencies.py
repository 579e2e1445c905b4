# SPDX-License-Identifier: Apache-2.0
"""How long the threads of a service that never was wait for CPUs and block devices, minute by
minute, in the buckets of an exporter's histograms: a part of history.py.

Durations are lognormal. What 99 of 100 take at most has the waves and the noise of a service, much
stronger than its efficiency has them; it is longer in bursts of a few minutes, in jobs and after a
start, and longer by a known factor while a slowdown lasts.
"""
import math
import random

import ramp

HOUR, DAY, WEEK = 60, 24 * 60, 7 * 24 * 60
# A factor by which each slowdown has to be told of; the smaller ones need not.
DUE = 6
FACTORS = (2, 2, 6, 6, 6, 20, 20, 20)
Z99 = 2.3263  # 99 of 100 of a normal distribution are below
STRONGER = 3  # the exponent of a service's noise
N_LIMITS = 6
# of a distribution: its histogram, the label that tells it apart, the alert that tells of it, what
# 99 of 100 take at most in seconds, how many there are in a second
RUN_QUEUE = ("run_queue_latency_seconds", "", "PMURunQueueLatencyRegression", (0.002, 0.008),
             (100, 2000))
READS = ("block_io_latency_seconds", 'op="read"', "PMUBlockIOLatencyRegression", (0.001, 0.01),
         (10, 200))
WRITES = ("block_io_latency_seconds", 'op="write"', "PMUBlockIOLatencyRegression", (0.002, 0.03),
          (10, 200))


class Slowdown:
    """From `begin` on all takes `factor` times as long, after `over` minutes."""

    def __init__(self, service, alert, begin, factor, over, end):
        self.service, self.alert, self.alerts = service, alert, (alert,)
        self.begin, self.factor, self.over, self.end = begin, factor, over, end

    def at(self, t):
        return 1 + ramp.height(self, self.factor - 1, t)

    def due(self):
        """The first minute in which it has to be noticed; None if it need not be."""
        return ramp.reaches(self, self.factor - 1, DUE - 1)

    def __str__(self):
        return f"{self.service} {self.factor} times as long {ramp.text(self)} by {self.alert}"


def share_above(deviations):
    """What part of a normal distribution is more than that above its middle."""
    return 0.5 * math.erfc(deviations / math.sqrt(2))


def poisson(rng, mean):
    if mean > 50:
        return max(0, round(rng.gauss(mean, math.sqrt(mean))))
    n, product, least = 0, rng.random(), math.exp(-mean)
    while product > least:
        n, product = n + 1, product * rng.random()
    return n


def log_uniform(rng, least, most):
    return math.exp(rng.uniform(math.log(least), math.log(most)))


class Durations:
    """One histogram of a service: how long its waits or requests of a kind take."""

    def __init__(self, seed, noise, kind):
        self.rng = rng = random.Random(seed)
        self.name, self.label, self.alert, p99, rate = kind
        self.noise = noise(rng)
        self.p99, self.rate = log_uniform(rng, *p99), log_uniform(rng, *rate)
        self.width = rng.uniform(0.8, 1.6)
        # Limits are powers of four. Those far from what 99 of 100 take at most decide nothing, and
        # are left out for the sake of time.
        first = math.floor(math.log(self.p99 / 16, 4))
        self.limits = [4.0 ** (first + i) for i in range(N_LIMITS)]
        self.burst_end = 0
        self.slowdowns = []

    def columns(self, labels):
        labels += f",{self.label}" if self.label else ""
        return [f'pmu_cgroup_{self.name}_bucket{{{labels},le="{limit}"}}'
                for limit in [*self.limits, "+Inf"]] + [f"pmu_cgroup_{self.name}_count{{{labels}}}"]

    def burst(self, t):
        """About once a day all takes 30 times as long for a few minutes, and nobody wants to know."""
        if self.rng.random() < 1 / DAY:
            self.burst_end = t + self.rng.randint(1, 6)
        return 30 if t < self.burst_end else 1

    def minute(self, t, busy, odd):
        """What is added to each of the columns; `busy` is 1 at the usual load, `odd` how much
        longer it takes for reasons of the service."""
        p99 = self.p99 * self.noise.factor(t) ** STRONGER * odd * self.burst(t)
        p99 *= math.prod(one.at(t) for one in self.slowdowns)
        n = 60 * self.rate * busy
        above = [n] + [n * share_above(Z99 + math.log(limit / p99) / self.width)
                       for limit in self.limits] + [0]
        counts, total = [], 0
        for longer, longest in zip(above, above[1:]):
            total += poisson(self.rng, longer - longest)
            counts.append(total)
        return [*counts, total]


def equip(seed, noise, service, block_io):
    """Gives a service its histograms."""
    service.durations = [Durations(f"{seed} {service.name} {i}", noise, kind)
                         for i, kind in enumerate((RUN_QUEUE, block_io))]


def slow_down(seed, services, week, is_free):
    """Each distribution of each service once, in the week that begins then, where is_free(service,
    minute) says that nothing else happens; the slowdowns."""
    rng = random.Random(f"slowdowns {seed}")
    places = [(service, durations) for service in services for durations in service.durations]
    kinds = [(factor, i % 2) for i, factor in enumerate(FACTORS)]
    rng.shuffle(kinds)
    slowdowns = []
    for (service, durations), (factor, slow) in zip(places, kinds, strict=True):
        while True:
            begin = week + rng.randint(3 * HOUR, 5 * DAY)
            over = rng.randint(2 * HOUR, DAY // 2) if slow else 0
            one = Slowdown(service.name, durations.alert, begin, factor, over,
                           begin + over + rng.randint(4 * HOUR, 30 * HOUR))
            if is_free(service, begin) and (one.due() is None or is_free(service, one.due())):
                break
        durations.slowdowns.append(one)
        slowdowns.append(one)
    return slowdowns
