# SPDX-License-Identifier: Apache-2.0
"""A real VictoriaMetrics for a test: on free loopback ports, with a directory that goes with it.

    with VictoriaMetrics(exporter.port) as victoria:
        victoria.samples("up")

It scrapes these ports of loopback once a second, as job "pmu".
"""
import json
import urllib.parse

from exporter import http_get
from real_program import RealProgram, targets_of

CONFIG = """
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
scrape_configs:
  - job_name: pmu
    static_configs: [{{targets: [{targets}]}}]
"""


class VictoriaMetrics(RealProgram):
    NAME, READY = "victoria-metrics", "/health"
    COMPLAINTS = ("\twarn\t", "\terror\t")

    def __init__(self, *target_ports):
        super().__init__()
        (self.top / "scrape.yml").write_text(CONFIG.format(targets=targets_of(target_ports)))
        self.begin("victoria-metrics", f"-promscrape.config={self.top}/scrape.yml",
                   f"-storageDataPath={self.top}/data", f"-httpListenAddr=127.0.0.1:{self.port}",
                   "-memory.allowedPercent=5", "-loggerLevel=WARN")

    def samples(self, selector):
        """[(labels, [values])] of all that was stored, in the order of time."""
        if http_get(self.port, "/internal/force_flush").status != 200:
            raise AssertionError("victoria-metrics does not flush")
        words = urllib.parse.urlencode({"match[]": selector})
        answer = http_get(self.port, f"/api/v1/export?{words}")
        blocks = [json.loads(line) for line in answer.body.splitlines()]
        series = {}
        for block in blocks:
            points = series.setdefault(frozenset(block["metric"].items()), [])
            points += zip(block["timestamps"], block["values"])
        return [(dict(labels), [v for _, v in sorted(points, key=lambda p: p[0])])
                for labels, points in series.items()]
