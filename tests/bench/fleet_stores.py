# SPDX-License-Identifier: Apache-2.0
"""A Prometheus and a VictoriaMetrics with vmalert that scrape a fleet, as fleet.py asks them."""
import collections
import http.client
import json
import pathlib
import re
import subprocess
import time
import urllib.parse

from exporter import http_get
from prometheus import Prometheus
from victoria_metrics import VictoriaMetrics, VMAlert, without_what_vmalert_lacks

NEVER = "0001-01-01T00:00:00Z"  # as Go writes it

# Series that are there, and that were made so far; samples so far; CPU seconds of the store, and of
# this process, which serves the fleet; bytes of memory, and the most that there were.
Look = collections.namedtuple("Look", "series made samples cpu own_cpu resident peak")


def job_of(fleet, options):
    """Lines of the scrape configuration."""
    drop = ("" if not options.drop else "    metric_relabel_configs:\n"
            f"      - {{source_labels: [__name__], regex: '{options.drop}', action: drop}}\n")
    return fleet.relabelling() + drop


def peak(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return 1024 * int(re.search(r"VmHWM:\s*(\d+)", text)[1])


def sum_of(metrics, name):
    return sum(value for series, value in metrics.items() if re.split("[{ ]", series)[0] == name)


def version(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True)
    return re.search(r"\d+\.\d+\.\d+\S*", done.stdout + done.stderr)[0]


class OfPrometheus(Prometheus):
    def __init__(self, fleet, rules, options, past):
        super().__init__(*fleet.instances, blocks=past[0], rules=rules, every=f"{options.interval}s",
                         more=job_of(fleet, options), options=["--web.enable-admin-api"])

    def title(self):
        return f"prometheus {version('prometheus', '--version')}"

    def look(self):
        own = self.own_metrics()
        return Look(own["prometheus_tsdb_head_series"],
                    own["prometheus_tsdb_head_series_created_total"],
                    sum_of(own, "prometheus_tsdb_head_samples_appended_total"),
                    own["process_cpu_seconds_total"], time.process_time(),
                    own["process_resident_memory_bytes"], peak(self.process.pid))

    def ask_for(self, expression):
        return len(self.query(expression))

    def disk(self):
        """By a snapshot, which writes the head as a block."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        connection.request("POST", "/api/v1/admin/tsdb/snapshot")
        name = json.loads(connection.getresponse().read())["data"]["name"]
        connection.close()
        blocks = [path.parent for path in (self.top / "data/snapshots" / name).glob("*/meta.json")]
        metas = {path: json.loads((path / "meta.json").read_text()) for path in blocks}
        head = max(blocks, key=lambda path: metas[path]["maxTime"])
        stats = metas[head]["stats"]
        chunks = sum(file.stat().st_size for file in (head / "chunks").iterdir())
        index = (head / "index").stat().st_size
        wal = sum(file.stat().st_size for file in (self.top / "data/wal").rglob("*")
                  if file.is_file())
        yield (f"on disk: {chunks / stats['numSamples']:.2f} bytes a sample in chunks of "
               f"{stats['numSamples'] / stats['numChunks']:.1f}; index {index / stats['numSeries']:.0f} "
               f"bytes a series; WAL {wal / 1e6:.0f} MB")

    def faults(self):
        own = self.own_metrics()
        up = self.query("sum(up) / count(up)")
        yield f"up: {100 * float(up[0]['value'][1]):.1f} % of hosts" if up else "up: no host"
        slowest = self.query("max(scrape_duration_seconds)")
        yield f"slowest scrape: {float(slowest[0]['value'][1]):.2f} s" if slowest else "no scrape"
        for name in ("rule_group_iterations_missed_total", "rule_evaluation_failures_total",
                     "target_scrapes_sample_out_of_order_total",
                     "target_scrapes_sample_duplicate_timestamp_total",
                     "target_scrapes_sample_out_of_bounds_total"):
            if found := sum_of(own, f"prometheus_{name}"):
                yield f"{name}: {found:.0f}"
        for _, rule in self.rules():
            if rule["health"] == "err":
                yield f"{rule['name']}: {rule['lastError'][:200]}"


class OfVictoriaMetrics(VictoriaMetrics):
    def __init__(self, fleet, rules, options, past):
        self.vmalert, self.past = None, past[1]
        super().__init__(*fleet.instances, every=f"{options.interval}s", more=job_of(fleet, options),
                         memory=40)
        self.texts = [without_what_vmalert_lacks(text) for text in rules]

    def __enter__(self):
        super().__enter__()
        try:
            if self.past:
                subprocess.run(["curl", "-sSf", "-T", self.past, "-X", "POST",
                                f"http://127.0.0.1:{self.port}/api/v1/import/prometheus"], check=True)
            self.vmalert = VMAlert(self.port, self.texts)
            self.vmalert.__enter__()
        except BaseException:
            super().__exit__()
            raise
        return self

    def __exit__(self, *words):
        try:
            self.vmalert.__exit__(*words)
        finally:
            super().__exit__(*words)

    def title(self):
        return f"victoria-metrics and vmalert {version('dpkg-query', '-W', 'victoria-metrics')}"

    def rules(self):
        """This vmalert tells of a rule that records when it ended, from the beginning of its group. Where
        the rule before it has begun anew, it is not known what it took."""
        before = {}
        for group, rule in self.vmalert.rules():
            if rule["type"] == "recording":
                when, ended = before.get(group["name"], (rule["lastEvaluation"], 0))
                before[group["name"]] = rule["lastEvaluation"], rule["evaluationTime"]
                rule["evaluationTime"] -= ended
                if when != rule["lastEvaluation"]:
                    rule["lastEvaluation"] = NEVER
            yield group, rule

    def look(self):
        own = self.own_metrics()
        alert = self.vmalert.own_metrics()
        return Look(own['vm_cache_entries{type="storage/hour_metric_ids"}'],
                    own["vm_new_timeseries_created_total"], sum_of(own, "vm_rows_inserted_total"),
                    own["process_cpu_seconds_total"] + alert["process_cpu_seconds_total"],
                    time.process_time(), own["process_resident_memory_bytes"],
                    own["process_resident_memory_peak_bytes"])

    def ask_for(self, expression):
        words = urllib.parse.urlencode({"query": expression})
        answer = http_get(self.port, f"/api/v1/query?{words}", timeout=600)
        return len(json.loads(answer.body)["data"]["result"])

    def disk(self):
        http_get(self.port, "/internal/force_flush", timeout=600)
        own = self.own_metrics()
        size = {kind: sum(value for series, value in own.items() if kind in series and
                          series.startswith("vm_data_size_bytes")) for kind in ("storage/", "indexdb")}
        rows = sum(value for series, value in own.items() if series.startswith('vm_rows{type="storage/'))
        yield (f"on disk: {size['storage/'] / rows:.2f} bytes a sample, those of the week too; "
               f"index {size['indexdb'] / 1e6:.0f} MB; memory of vmalert "
               f"{self.vmalert.own_metrics()['process_resident_memory_bytes'] / 1e6:.0f} MB")

    def faults(self):
        own = self.own_metrics()
        up = own['vm_promscrape_targets{type="static_configs", status="up"}']
        down = own['vm_promscrape_targets{type="static_configs", status="down"}']
        yield f"up: {100 * up / (up + down):.1f} % of hosts"
        missed = sum_of(self.vmalert.own_metrics(), "vmalert_iteration_missed_total")
        if missed:
            yield f"evaluations that were missed: {missed:.0f}"
        for _, rule in self.rules():
            if rule["lastError"]:
                yield f"{rule['name']}: {rule['lastError'][:200]}"
            elif rule["type"] == "recording" and not rule["lastSamples"]:
                yield f"{rule['name']}{rule.get('labels') or ''} records nothing"


STORES = {"prometheus": OfPrometheus, "victoria-metrics": OfVictoriaMetrics}
