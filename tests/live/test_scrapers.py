# SPDX-License-Identifier: Apache-2.0
"""Real scrapers store what they were given: Prometheus by OpenMetrics and by text, VictoriaMetrics.

A proxy between each of them and the exporter keeps what went over the wire; the store must have
just these samples, scrape by scrape.
"""
import time

import live
import strict_exposition
from cgroups import Cgroups
from exporter import PATIENCE, Exporter
from prometheus import Prometheus
from scrape_proxy import ScrapeProxy
from test_formats import OPENMETRICS, TEXT, openmetrics_reader, series_of
from victoria_metrics import VictoriaMetrics

N_SCRAPES = 6
LABELS_OF_SCRAPER = {"job", "instance", "__name__"}
TEXT_ONLY = "text/plain;version=0.0.4;q=1,*/*;q=0.1"
HOSTILE = (b'q"uote', b"back\\slash", b"\xff", b"}")


def wait_for_scrapes(proxy, n=N_SCRAPES):
    end = time.monotonic() + PATIENCE
    while len(proxy.scrapes) < n:
        if time.monotonic() > end:
            raise AssertionError(f"only {len(proxy.scrapes)} scrapes")
        time.sleep(0.1)


def read_text(body):
    return {key: float(sample.value)
            for key, sample in strict_exposition.parse(body).series.items()}


def given(proxy, read):
    """{(name, labels without empty ones): [value of each scrape that had it]}."""
    series = {}
    for scrape in list(proxy.scrapes):
        for (name, labels), value in read(scrape.body).items():
            key = name, frozenset(pair for pair in labels if pair[1])
            series.setdefault(key, []).append(value)
    return series


def stored(samples):
    """The same of what a store has, without the labels and series that it makes itself."""
    series = {}
    for labels, values in samples:
        if labels["__name__"].startswith(("pmu_", "process_")):
            own = {pair for pair in labels.items() if pair[0] not in LABELS_OF_SCRAPER}
            series[labels["__name__"], frozenset(own)] = values
    return series


class Stored(live.LiveTest):
    def assert_stored(self, was_given, was_stored, close=lambda a, b: a == b):
        """Each series has the values that were given, but perhaps for the last scrapes, which may
        be under way."""
        self.assertEqual(set(was_stored), set(was_given))
        for key, values in was_given.items():
            kept = was_stored[key]
            self.assertGreaterEqual(len(kept), min(len(values), N_SCRAPES - 2), key)
            self.assertTrue(all(map(close, kept, values)), (key, kept, values))
        self.assertGreater(len(was_given), 100)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cgroups = cls.enterClassContext(Cgroups())
        for name in HOSTILE:
            cgroups.make(name)
        cls.exporter = cls.enterClassContext(Exporter(live.config(cgroups, system="cpu")))
        # The last series to come: from now on all scrapes have the same ones.
        cls.exporter.scrape_until(
            lambda m: m.value("pmu_exporter_history_oldest_timestamp_seconds") is not None,
            PATIENCE, "the history has begun")


class ByPrometheus(Stored):
    """One Prometheus scrapes twice: as it wants to, and by text."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        live.need("prometheus")
        cls.read_openmetrics = staticmethod(openmetrics_reader())
        cls.proxies = [cls.enterClassContext(ScrapeProxy(cls.exporter.port, accept))
                       for accept in (None, TEXT_ONLY)]
        cls.prometheus = cls.enterClassContext(Prometheus(*(p.port for p in cls.proxies)))
        for proxy in cls.proxies:
            wait_for_scrapes(proxy)
        cls.samples = [cls.prometheus.samples(f'{{instance="127.0.0.1:{proxy.port}"}}')
                       for proxy in cls.proxies]
        cls.metadata = cls.prometheus.ask("metadata")

    def stored(self, number):
        return stored([(labels, [float(v) for _, v in values])
                       for labels, values in self.samples[number]])

    def test_it_asks_for_openmetrics_and_gets_it_compressed(self):
        scrape = self.proxies[0].scrapes[-1]
        self.assertEqual((scrape.content_type, scrape.encoding), (OPENMETRICS, "gzip"))
        self.assertEqual(self.proxies[1].scrapes[-1].content_type, TEXT)

    def test_openmetrics_is_stored_as_it_was_given(self):
        def read(body):
            return series_of(self.read_openmetrics(body.decode()))

        self.assert_stored(given(self.proxies[0], read), self.stored(0))

    def test_text_is_stored_as_it_was_given(self):
        self.assert_stored(given(self.proxies[1], read_text), self.stored(1))

    def test_both_formats_make_the_same_series(self):
        self.assertEqual(set(self.stored(0)), set(self.stored(1)))

    def test_it_knows_types_and_units_by_openmetrics(self):
        def told(name):
            return {(m["type"], m["unit"]) for m in self.metadata.get(name, [])}

        self.assertIn(("counter", "seconds"), told("pmu_cgroup_task_clock_seconds"))
        self.assertIn(("info", ""), told("pmu_cgroup"))
        self.assertIn(("counter", ""), told("pmu_cgroup_task_clock_seconds_total"))

    def test_it_complains_of_nothing(self):
        self.assertEqual(self.prometheus.complaints(), [])


class ByVictoriaMetrics(Stored):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        live.need("victoria-metrics")
        cls.proxy = cls.enterClassContext(ScrapeProxy(cls.exporter.port))
        cls.victoria = cls.enterClassContext(VictoriaMetrics(cls.proxy.port))
        wait_for_scrapes(cls.proxy)
        cls.given = given(cls.proxy, read_text)
        cls.stored = stored(cls.victoria.samples('{job="pmu"}'))

    def test_it_gets_the_text_compressed(self):
        scrape = self.proxy.scrapes[-1]
        self.assertEqual((scrape.content_type, scrape.encoding), (TEXT, "gzip"))

    def test_it_stores_what_it_was_given(self):
        # its decimals have some 15 digits
        self.assert_stored(self.given, self.stored,
                           lambda a, b: abs(a - b) <= 1e-12 * max(abs(a), abs(b)))

    def test_it_complains_of_nothing(self):
        self.assertEqual(self.victoria.complaints(), [])


if __name__ == "__main__":
    live.main()
