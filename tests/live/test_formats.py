# SPDX-License-Identifier: Apache-2.0
"""The metrics in both formats, as real scrapers ask for them, judged by strict readers."""
import decimal
import os
import pathlib
import re
import subprocess
import tempfile
import time

import live
import strict_exposition
from cgroups import Cgroups
from exporter import CYCLES, PATIENCE, Exporter

TEXT = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"
OPENMETRICS_001 = "application/openmetrics-text; version=0.0.1; charset=utf-8"

# What real clients send, and what they are to get.
CLIENTS = {
    "Prometheus 2.42": (
        "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;"
        "q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", OPENMETRICS),
    "Prometheus 2.20": (
        "application/openmetrics-text; version=0.0.1,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
        OPENMETRICS_001),
    "Prometheus 3.14": (
        "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
        "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;"
        "escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
        OPENMETRICS + "; escaping=allow-utf-8"),
    "VictoriaMetrics": ("text/plain;version=0.0.4;q=1,*/*;q=0.1", TEXT),
    "curl": ("*/*", TEXT),
    "a browser": ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", TEXT),
    "nobody in particular": (None, TEXT),
}

HOSTILE = (b'q"uote', b"back\\slash", b"}", b"\xff", b"# EOF")


def openmetrics_reader():
    """The strict parser of the Prometheus project, of the package for Python."""
    try:
        from prometheus_client.openmetrics import parser
    except ImportError:
        if os.environ.get("PMU_TEST_PROMETHEUS") == "required":
            raise
        raise live.unittest.SkipTest("python3-prometheus-client is not installed") from None
    return parser.text_string_to_metric_families


def series_of(families):
    """{(name, labels): value} of families of the strict parser."""
    return {(s.name, frozenset(s.labels.items())): s.value for f in families for s in f.samples}


class Formats(live.LiveTest):
    """One exporter whose cgroups have names that need escapes."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.parse = staticmethod(openmetrics_reader())
        cgroups = cls.enterClassContext(Cgroups())
        for name in HOSTILE:
            cgroups.make(name)
        cls.exporter = cls.enterClassContext(Exporter(live.config(cgroups, system="cpu")))

    def ask(self, accept, path="/metrics"):
        return self.exporter.get(path, headers={"Accept": accept} if accept else {})

    def one_snapshot(self):
        """The text and the OpenMetrics of the same cycle."""
        end = time.monotonic() + PATIENCE
        while True:
            text, other = self.ask(None).body, self.ask("application/openmetrics-text").body
            lines = [re.search(rf"(?m)^{CYCLES} .*$", body.decode())[0] for body in (text, other)]
            if lines[0] == lines[1]:
                return text, other.decode()
            self.assertLess(time.monotonic(), end, "two answers were never of one cycle")

    def test_each_client_gets_what_it_prefers(self):
        for client, (accept, expected) in CLIENTS.items():
            with self.subTest(client):
                answer = self.ask(accept)
                self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, expected))
                is_openmetrics = answer.body.endswith(b"\n# EOF\n")
                self.assertEqual(is_openmetrics, "openmetrics" in expected)

    def test_the_strict_parsers_accept_both(self):
        text, other = self.one_snapshot()
        strict_exposition.parse(text)
        families = list(self.parse(other))
        self.assertGreater(len(families), 40)
        self.assertEqual({f.type for f in families}, {"counter", "gauge", "info"})
        units = {f.name: f.unit for f in families}
        self.assertEqual(units["pmu_cgroup_task_clock_seconds"], "seconds")
        self.assertEqual(units["process_resident_memory_bytes"], "bytes")
        self.assertEqual(units["pmu_cgroup_page_faults"], "")

    def test_both_formats_have_the_same_series_with_the_same_values(self):
        text, other = self.one_snapshot()
        expected = {key: float(sample.value)
                    for key, sample in strict_exposition.parse(text).series.items()}
        found = series_of(self.parse(other))
        # what is asked only when a page is written is another number each time
        moving = {key for key in expected
                  if key[0].startswith(("process_", "pmu_exporter_snapshot_age",
                                        "pmu_exporter_history_", "pmu_exporter_http_"))}
        self.assertEqual(set(found), set(expected))
        self.assertEqual({k: v for k, v in found.items() if k not in moving},
                         {k: v for k, v in expected.items() if k not in moving})
        self.assertLess(len(moving), len(expected) / 2)

    def test_both_formats_have_the_same_help(self):
        text, other = self.one_snapshot()
        helps = {f.name: f.documentation for f in self.parse(other)}
        for name, family in strict_exposition.parse(text).families.items():
            short = name[:-len("_total")] if family.type == "counter" else name
            if name.endswith("_info"):
                short = name[:-len("_info")]
            self.assertEqual(helps[short], family.help)

    def test_promtool_accepts_the_text(self):
        live.need("promtool")
        done = subprocess.run(["promtool", "check", "metrics"], input=self.ask(None).body,
                              capture_output=True, timeout=60)
        self.assertEqual((done.stdout, done.stderr, done.returncode), (b"", b"", 0))

    def test_prometheus_own_parser_makes_blocks_of_the_openmetrics(self):
        live.need("promtool")
        _, other = self.one_snapshot()
        families = list(self.parse(other))
        stamped = re.sub(r"(?m)^([^#\n].*)$", r"\1 1700000000", other)
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "metrics"
            path.write_text(stamped)
            done = subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", path,
                                   directory + "/data"], capture_output=True, text=True,
                                  timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
        # ULID, MIN TIME, MAX TIME, DURATION, NUM SAMPLES, NUM CHUNKS, NUM SERIES, SIZE
        n_series = done.stdout.splitlines()[-1].split()[-2]
        self.assertEqual(int(n_series), len(series_of(families)), done.stdout)

    def test_names_choose_families_in_each_format(self):
        query = "?name[]=pmu_cpu_page_faults_total&name[]=pmu_exporter_build"
        for accept in (None, "application/openmetrics-text"):
            body = self.ask(accept, "/metrics" + query).body.decode()
            names = {line.split("{")[0].split(" ")[0] for line in body.splitlines()
                     if not line.startswith("#")}
            self.assertEqual(names, {"pmu_cpu_page_faults_total", "pmu_exporter_build_info"})

    def test_an_unknown_name_is_refused_with_the_one_that_was_meant(self):
        answer = self.ask(None, "/metrics?name[]=pmu_cpu_page_fault_total")
        self.assertEqual(answer.status, 400)
        self.assertIn(b"did you mean pmu_cpu_page_faults_total?", answer.body)

    def test_other_arguments_hide_nothing(self):
        families = strict_exposition.parse(self.ask(None, "/metrics?x=1").body).families
        self.assertEqual(set(families), set(strict_exposition.parse(self.ask(None).body).families))


class Scaled(live.LiveTest):
    """Values that are no plain integers are read back as the same numbers."""

    def test_seconds_are_exact_in_both_formats(self):
        parse = openmetrics_reader()
        with Exporter(live.config(system="all")) as exporter:
            body = exporter.get("/metrics", headers={"Accept": CLIENTS["Prometheus 2.42"][0]}).body
        families = {f.name: f for f in parse(body.decode())}
        (sample,) = families["process_start_time_seconds"].samples
        line = re.search(r"(?m)^process_start_time_seconds (\S+)$", body.decode())[1]
        self.assertEqual(-decimal.Decimal(line).as_tuple().exponent, 9)
        self.assertEqual(sample.value, float(line))


class Limited(live.LiveTest):
    """limits.body bounds the longer format too."""

    LIMIT = 1 << 20
    N_CGROUPS = 400

    def test_neither_format_is_longer_than_the_limit(self):
        with Cgroups() as cgroups:
            for i in range(self.N_CGROUPS):
                cgroups.make(f"{i:03d}-" + "q\"" * 100 + ".service")
            config = live.config(cgroups, more=f"limits: {{body: {self.LIMIT >> 10}KiB}}\n")
            with Exporter(config) as exporter:
                metrics = exporter.after_cycles()
                accept = {"Accept": CLIENTS["Prometheus 2.42"][0]}
                other = exporter.get("/metrics", headers=accept).body
        self.assertGreater(metrics.value("pmu_exporter_targets_uncounted", kind="cgroup",
                                         reason="over_limit"), 0)
        for body in (metrics.body, other):
            self.assertGreater(len(body), self.LIMIT / 4)
            self.assertLessEqual(len(body), self.LIMIT)


class Stale(live.LiveTest):
    def test_a_stale_snapshot_is_about_the_exporter_only_and_ends_as_it_should(self):
        live.need("strace")
        parse = openmetrics_reader()
        accept = {"Accept": CLIENTS["Prometheus 2.42"][0]}
        with Exporter(live.config(system="all")) as exporter:
            with live.Stuck(exporter.pid, "read"):
                exporter.scrape_until(lambda m: not m.find("pmu_machine_cpus"), 30, "staleness")
                body = exporter.get("/metrics", headers=accept).body.decode()
            self.assertEqual({f.name.split("_")[0] for f in parse(body)}, {"pmu", "process"})
            self.assertNotIn("\npmu_machine", body)


if __name__ == "__main__":
    live.main()
