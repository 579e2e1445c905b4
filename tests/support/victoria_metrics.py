# SPDX-License-Identifier: Apache-2.0
"""A real VictoriaMetrics for a test: on free loopback ports, with a directory that goes with it.

    with VictoriaMetrics(exporter.port) as victoria:
        victoria.samples("up")

It scrapes these ports of loopback once a second, or as often as `every` says, as job "pmu"; texts
stand for addresses, which `more`, lines of the job, may relabel.

    with VMAlert(victoria.port, rules=[text]) as vmalert:
        vmalert.rules()
"""
import json
import re
import urllib.parse

from exporter import http_get
from real_program import RealProgram, targets_of

CONFIG = """
global: {{scrape_interval: {every}, scrape_timeout: {every}}}
scrape_configs:
  - job_name: pmu
    static_configs: [{{targets: [{targets}]}}]
{more}"""


class VictoriaMetrics(RealProgram):
    NAME, READY = "victoria-metrics", "/health"
    COMPLAINTS = ("\twarn\t", "\terror\t")

    def __init__(self, *target_ports, more="", every="1s", memory=5):
        super().__init__()
        config = CONFIG.format(targets=targets_of(target_ports), more=more, every=every)
        (self.top / "scrape.yml").write_text(config)
        self.begin("victoria-metrics", f"-promscrape.config={self.top}/scrape.yml",
                   f"-storageDataPath={self.top}/data", f"-httpListenAddr=127.0.0.1:{self.port}",
                   f"-memory.allowedPercent={memory}", "-loggerLevel=WARN")

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


class VMAlert(RealProgram):
    """Evaluates rules by a VictoriaMetrics on that port, and writes there what they record."""
    NAME, READY = "vmalert", "/health"
    COMPLAINTS = ("\twarn\t", "\terror\t")

    def __init__(self, port, rules):
        super().__init__()
        for number, text in enumerate(rules):
            (self.top / f"{number}.rules.yml").write_text(text)
        url = f"http://127.0.0.1:{port}"
        self.begin("vmalert", f"-rule={self.top}/*.rules.yml", f"-datasource.url={url}",
                   f"-remoteWrite.url={url}", f"-notifier.url={url}", "-loggerLevel=WARN",
                   f"-httpListenAddr=127.0.0.1:{self.port}")

    def rules(self):
        """[(group, rule)] as its API tells of them."""
        answer = json.loads(http_get(self.port, "/api/v1/rules").body)
        return [(group, rule) for group in answer["data"]["groups"] for rule in group["rules"]]


def without_what_vmalert_lacks(text):
    """Rules less keep_firing_for, for which Debian's vmalert (1.79) refuses the whole file."""
    return re.sub(r"(?m)^ *keep_firing_for: .*\n", "", text)
