# SPDX-License-Identifier: Apache-2.0
"""A real Prometheus for a test: on a free loopback port, with a directory that goes with it.

    with Prometheus(exporter.port) as prometheus:
        prometheus.wait_for_first_scrape()
        prometheus.query("up")

It scrapes these ports of loopback once a second, or as often as `every` says, as job "pmu"; texts
stand for addresses, which `more`, lines of the job, may relabel. scrape() adds one. `blocks` is a directory of blocks
that promtool made: they become its past. `rules` are texts of rules, evaluated once a second, where
their groups do not say how often. `options` are more words of its command.
"""
import decimal
import json
import shutil
import time
import urllib.parse

from exporter import http_get
from real_program import RealProgram, targets_of

CONFIG = """
global: {{scrape_interval: {every}, scrape_timeout: {every}, evaluation_interval: 1s}}
rule_files: ["*.rules.yml"]
scrape_configs:
  - job_name: pmu
    static_configs: [{{targets: [{targets}]}}]
    file_sd_configs: [{{files: [added.json], refresh_interval: 1s}}]
{more}"""
# Blocks stay as they are, however old they are.
RETENTION = "10y"
# Of a query, which Prometheus ends after two minutes otherwise, also where the machine is busy.
PATIENCE = "1h"


class Prometheus(RealProgram):
    NAME, READY = "prometheus", "/-/ready"
    COMPLAINTS = ("level=warn", "level=error")

    def __init__(self, *target_ports, blocks=None, rules=(), more="", every="1s", options=()):
        super().__init__()
        config = CONFIG.format(targets=targets_of(target_ports), more=more, every=every)
        (self.top / "prometheus.yml").write_text(config)
        for number, text in enumerate(rules):
            (self.top / f"{number}.rules.yml").write_text(text)
        self.added = []
        self.write_added()
        if blocks:
            shutil.copytree(blocks, self.top / "data")
        self.begin("prometheus", f"--config.file={self.top}/prometheus.yml",
                   f"--storage.tsdb.path={self.top}/data",
                   f"--storage.tsdb.retention.time={RETENTION}", f"--query.timeout={PATIENCE}",
                   f"--web.listen-address=127.0.0.1:{self.port}", *options)

    def write_added(self):
        whole = self.top / "added.new"
        whole.write_text(json.dumps([{"targets": self.added}]))
        whole.replace(self.top / "added.json")

    def scrape(self, port):
        """Scrapes this port of loopback too, from now on."""
        self.added.append(f"127.0.0.1:{port}")
        self.write_added()

    def wait_for_first_scrape(self, within=60.0):
        """It takes its time to find its targets."""
        end = time.monotonic() + within
        while not self.query("up"):
            if time.monotonic() > end:
                raise AssertionError("prometheus never scraped:\n" + self.log.read_text())
            time.sleep(0.1)

    def ask(self, path, **parameters):
        """The data of an answer of its API; AssertionError with the reason where there is none."""
        words = urllib.parse.urlencode(parameters, doseq=True)
        answer = http_get(self.port, f"/api/v1/{path}?{words}", timeout=600)
        result = json.loads(answer.body)
        if result["status"] != "success":
            raise AssertionError(f"{parameters}: {result}")
        return result["data"]

    def query(self, text, **parameters):
        """The raw result of an instant query."""
        return self.ask("query", query=text, **parameters)["result"]

    def query_range(self, text, start, end, step):
        """The raw result of a query over a span of time, in seconds."""
        return self.ask("query_range", query=text, start=start, end=end, step=step)["result"]

    def label_values(self, series, label, **parameters):
        """The values of a label among those series, sorted."""
        found = self.ask("series", **{"match[]": series}, **parameters)
        return sorted({labels[label] for labels in found if label in labels})

    def rules(self):
        """[(group, rule)] as its API tells of them."""
        return [(group, rule) for group in self.ask("rules")["groups"] for rule in group["rules"]]

    def samples(self, selector):
        """[(labels, [(time, value)])] of the last minutes, every sample as it was scraped."""
        return [(series["metric"], [(t, decimal.Decimal(v)) for t, v in series["values"]])
                for series in self.query(f"{selector}[5m]")]
