# SPDX-License-Identifier: Apache-2.0
"""A real Prometheus scrapes us over a churn of cgroups, and promtool reads what we write."""
import collections
import random
import subprocess
import time

import live
from cgroups import Cgroups
from exporter import Exporter
from prometheus import Prometheus

SCRAPED_FOR = 30.0
CHURNED_FOR = 20.0
N_CGROUPS = 50

# What promtool takes for a fault in a metric's name, and is none: {metric: part of its complaint}.
# Parts of event names may look like units (`_h_`, `_ms_`, `_ns_`).
EXEMPT = {}


class Churn:
    """Fifty cgroups with a process in each that keeps switching; some die and are born again."""

    def __init__(self, cgroups):
        self.cgroups = cgroups
        self.processes = {}
        self.random = random.Random(42)
        self.n_deaths = 0

    def bear(self, name):
        self.cgroups.make(name)
        self.processes[name] = subprocess.Popen(["sh", "-c", "while sleep 0.2; do :; done"])
        self.cgroups.enter(name, self.processes[name].pid)

    def die(self, name):
        process = self.processes.pop(name)
        with open(self.cgroups.directory(name) + b"/cgroup.kill", "w", encoding="ascii") as file:
            file.write("1")
        process.wait()
        end = time.monotonic() + 60
        while True:
            try:
                self.cgroups.remove(name)
                break
            except OSError:  # its last process is still on its way out
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)
        self.n_deaths += 1

    def run(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            name = self.random.choice(sorted(self.processes))
            self.die(name)
            if self.random.random() < 0.5:  # else reborn at once, under the same labels
                time.sleep(self.random.random() * 3)
            self.bear(name)
            time.sleep(0.15)

    def __enter__(self):
        for i in range(N_CGROUPS):
            self.bear(f"app{i:02d}.service")
        return self

    def __exit__(self, *_):
        for name in list(self.processes):
            self.die(name)


def falls_within_a_birth(counters, starts):
    """A line for each counter that fell although the start time of its cgroup stayed the same."""
    start_at = collections.defaultdict(dict)
    for labels, samples in starts:
        start_at[labels["cgroup"]].update(dict(samples))
    fell = []
    for labels, samples in counters:
        births = start_at[labels["cgroup"]]
        for (t0, v0), (t1, v1) in zip(samples, samples[1:]):
            if v1 < v0 and births.get(t0) == births.get(t1):
                fell.append(f"{labels} fell from {v0} to {v1} at {t1}")
    return fell


class Scraped(live.LiveTest):
    """One run of Prometheus, looked at from all sides."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        live.need("prometheus")
        cgroups = cls.enterClassContext(Cgroups())
        cls.exporter = cls.enterClassContext(Exporter(live.config(cgroups, system="all",
                                                                  events=live.SOFTWARE)))
        prometheus = cls.enterClassContext(Prometheus(cls.exporter.port))
        prometheus.wait_for_first_scrape()
        began = time.monotonic()
        with Churn(cgroups) as churn:
            churn.run(CHURNED_FOR)
            time.sleep(max(0.0, SCRAPED_FOR - (time.monotonic() - began)))
            # nothing is born here or dies any more, so our count is that of the last scrapes
            cls.counted = len(cls.exporter.scrape().exposition.series)
            time.sleep(1.5)
            cls.up = prometheus.samples("up")
            cls.scraped = prometheus.samples("scrape_samples_scraped")
            cls.counters = prometheus.samples('{__name__=~"pmu_cgroup_.+_total"}')
            cls.starts = prometheus.samples("pmu_cgroup_start_time_seconds")
            cls.complaints = prometheus.complaints()
            cls.n_deaths = churn.n_deaths

    def test_the_target_was_up_throughout(self):
        (_, samples), = self.up
        self.assertGreaterEqual(len(samples), SCRAPED_FOR - 5)
        self.assertEqual({v for _, v in samples}, {1})

    def test_it_saw_as_many_samples_as_we_wrote(self):
        (_, samples), = self.scraped
        self.assertEqual(samples[-1][1], self.counted)
        self.assertGreater(self.counted, N_CGROUPS * len(live.SOFTWARE))

    def test_no_counter_fell_within_a_birth(self):
        self.assertGreaterEqual(len(self.counters), N_CGROUPS * len(live.SOFTWARE))
        self.assertEqual(falls_within_a_birth(self.counters, self.starts), [])

    def test_the_churn_was_one(self):
        self.assertGreater(self.n_deaths, 5)
        births = {(labels["cgroup"], v) for labels, samples in self.starts for _, v in samples}
        self.assertGreater(len(births), N_CGROUPS + 5)

    def test_prometheus_complained_of_nothing(self):
        self.assertEqual(self.complaints, [])


class Promtool(live.LiveTest):
    def lint(self, config):
        """What promtool complains of, without what is exempt."""
        with Exporter(config) as exporter:
            exporter.wait_until_ready()
            body = exporter.scrape().body
        done = subprocess.run(["promtool", "check", "metrics"], input=body, capture_output=True,
                              timeout=20)
        lines = (done.stdout + done.stderr).decode().splitlines()
        return [line for line in lines if EXEMPT.get(line.split(" ")[0], "\0") not in line]

    def setUp(self):
        live.need("promtool")

    def test_the_built_in_default_passes(self):
        self.assertEqual(self.lint(None), [])

    def test_every_software_event_passes(self):
        events = ("task-clock", "context-switches", "cpu-migrations", "page-faults", "minor-faults",
                  "major-faults", "alignment-faults", "emulation-faults", "cpu-clock")
        with Cgroups() as cgroups:
            cgroups.make("a.service")
            self.assertEqual(self.lint(live.config(cgroups, events=events, system="cpu")), [])

    def test_hostile_names_pass(self):
        with Cgroups() as cgroups:
            for name in (b'q"uote', b"back\\slash", b"esc\x1b[31m", b"\xff", b"}", b"\xe2\x80\xae"):
                cgroups.make(name)
            self.assertEqual(self.lint(live.config(cgroups)), [])


class FallsWithinABirth(live.LiveTest):
    """falls_within_a_birth() finds a fall where there is one."""

    def test_a_fall_is_found_and_a_rebirth_is_none(self):
        labels = {"cgroup": "/a"}
        counters = [(labels, [(1, 5), (2, 3)])]
        self.assertEqual(len(falls_within_a_birth(counters, [(labels, [(1, 9), (2, 9)])])), 1)
        self.assertEqual(falls_within_a_birth(counters, [(labels, [(1, 8), (2, 9)])]), [])


if __name__ == "__main__":
    live.main()
