# SPDX-License-Identifier: Apache-2.0
"""A real Prometheus for a test: on a free loopback port, with a directory that goes with it.

    with Prometheus(exporter.port) as prometheus:
        prometheus.wait_for_first_scrape()
        prometheus.query("up")

It scrapes these ports of loopback once a second, as job "pmu". `blocks` is a directory of blocks
that promtool made: they become its past. `rules` are texts of rules, evaluated once a second.
"""
import decimal
import json
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.parse

from exporter import free_port, http_get

CONFIG = """
global: {{scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}}
rule_files: ["*.rules.yml"]
scrape_configs:
  - job_name: pmu
    static_configs: [{{targets: [{targets}]}}]
"""
# Blocks stay as they are, however old they are.
RETENTION = "10y"


class Prometheus:
    def __init__(self, *target_ports, blocks=None, rules=()):
        self.port = free_port()
        self.directory = tempfile.TemporaryDirectory(prefix="prometheus-test-")
        top = pathlib.Path(self.directory.name)
        self.log = top / "log"
        targets = ", ".join(f'"127.0.0.1:{port}"' for port in target_ports)
        (top / "prometheus.yml").write_text(CONFIG.format(targets=targets))
        for number, text in enumerate(rules):
            (top / f"{number}.rules.yml").write_text(text)
        if blocks:
            shutil.copytree(blocks, top / "data")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                ["prometheus", f"--config.file={top}/prometheus.yml",
                 f"--storage.tsdb.path={top}/data", f"--storage.tsdb.retention.time={RETENTION}",
                 f"--web.listen-address=127.0.0.1:{self.port}"],
                stdout=log, stderr=log, cwd=top)

    def wait_until_ready(self, within=60.0):
        end = time.monotonic() + within
        while time.monotonic() < end:
            try:
                if http_get(self.port, "/-/ready").status == 200:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise AssertionError("prometheus is not ready:\n" + self.log.read_text())

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
        answer = http_get(self.port, f"/api/v1/{path}?{words}", timeout=30)
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

    def samples(self, selector):
        """[(labels, [(time, value)])] of the last minutes, every sample as it was scraped."""
        return [(series["metric"], [(t, decimal.Decimal(v)) for t, v in series["values"]])
                for series in self.query(f"{selector}[5m]")]

    def complaints(self):
        return [line for line in self.log.read_text().splitlines()
                if "level=warn" in line or "level=error" in line]

    def __enter__(self):
        try:
            self.wait_until_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.directory.cleanup()
