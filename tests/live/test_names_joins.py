# SPDX-License-Identifier: Apache-2.0
"""The joins of the README with kube-state-metrics and cAdvisor, run by a real Prometheus as they
stand there. The exporter is real and names real cgroups; the other two are pages of the test with
the metrics that they have."""
import collections
import decimal
import http.server
import pathlib
import re
import subprocess
import tempfile
import threading
import time

import live
from cgroups import Cgroups
from exporter import PATIENCE, Exporter
from prometheus import Prometheus

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
INFO = "pmu_cgroup_info"
RATE = "rate(pmu_cgroup_task_clock_seconds_total[5m])"
# (pod, container, its quota in microseconds of a period of 100 ms)
CONTAINERS = (("web-0", "nginx", 50000), ("web-0", "logs", 20000), ("web-1", "nginx", 50000),
              ("db-0", "postgres", 200000))
APPS = {"web-0": "web", "web-1": "web", "db-0": "db"}
# What an operator has a scrape put on the targets that it finds by Kubernetes.
OF_TARGETS = {"namespace": "monitoring", "pod": "pmu-exporter-x1y2z", "container": "pmu-exporter"}


def blocks():
    """What stands in the fenced blocks of the README's section."""
    section = README.read_text().split("\n## Names\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"(?m)^```\w*\n(.*?)^```$", section, re.DOTALL)


def block_with(word):
    found = [block for block in blocks() if word in block]
    if len(found) != 1:
        raise AssertionError(f"{len(found)} blocks of the README have {word}")
    return found[0]


class Page:
    """A server that shows one text of metrics, whatever it is asked for."""

    def __init__(self, text):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def as_an_operator(port, more=""):
    """Lines of a job that puts these labels on the target with this port."""
    rules = "".join(f'      - {{source_labels: [__address__], regex: "127.0.0.1:{port}", '
                    f"target_label: {label}, replacement: {value}}}\n"
                    for label, value in OF_TARGETS.items())
    return f"    relabel_configs:\n{rules}{more}"


def series(name, value, **labels):
    return f"{name}{{{','.join(f'{k}={chr(34)}{v}{chr(34)}' for k, v in labels.items())}}} {value}\n"


class Pods:
    """Pods and containers of a node: their cgroups, links of kubelet's, and a load in each."""

    def __init__(self, cgroups, root):
        self.cgroups, self.root = cgroups, pathlib.Path(root)
        self.loads = []
        self.paths = {}

    def uid(self, pod):
        return f"0f6b8a52-6c3e-4d1f-9b7a-{sorted(APPS).index(pod):012x}"

    def __enter__(self):
        logs = self.root / "var/log/containers"
        logs.mkdir(parents=True)
        for pod in APPS:  # so that the cgroups of pods have names as well
            (self.root / f"var/log/pods/shop_{pod}_{self.uid(pod)}").mkdir(parents=True)
        for number, (pod, container, _) in enumerate(CONTAINERS):
            name = (f"kubepods.slice/kubepods-pod{self.uid(pod).replace('-', '_')}.slice/"
                    f"cri-containerd-{number:064x}.scope")
            self.paths[pod, container] = self.cgroups.make(name)
            (logs / f"{pod}_shop_{container}-{number:064x}.log").symlink_to("/var/log/pods/x")
            load = subprocess.Popen(["sh", "-c", "while sleep 0.05; do :; done"])
            self.loads.append(load)
            self.cgroups.enter(name, load.pid)
        return self

    def __exit__(self, *_):
        for load in self.loads:
            load.kill()
            load.wait()

    def kube_state(self):
        return "".join(
            series("kube_pod_info", 1, namespace=namespace, pod=pod, uid=self.uid(pod),
                   host_ip="192.0.2.1", node="node-1", created_by_kind="ReplicaSet",
                   created_by_name=app) +
            series("kube_pod_labels", 1, namespace=namespace, pod=pod, uid=self.uid(pod),
                   label_app=app)
            for namespace in ("shop", "other") for pod, app in APPS.items())

    def cadvisor(self):
        """It shows the cgroup of each pod too, with labels that are empty."""
        text = ""
        for (pod, container, quota) in CONTAINERS:
            path = self.paths[pod, container]
            for labels in ({"container": container, "id": path},
                           {"container": "", "id": path.rsplit("/", 1)[0] + "/" + container}):
                labels |= {"namespace": "shop", "pod": pod}
                text += series("container_spec_cpu_quota", quota, **labels)
                text += series("container_spec_cpu_period", 100000, **labels)
                text += series("container_start_time_seconds", 1.7e9, **labels)
        return text


class Joins(live.LiveTest):
    def setUp(self):
        live.need("prometheus")
        root = self.enterContext(tempfile.TemporaryDirectory())
        self.cgroups = self.enterContext(Cgroups())
        self.pods = self.enterContext(Pods(self.cgroups, root))
        names = pathlib.Path(root, "names.csv")
        names.write_text("".join(f"cgroup:{path},{APPS[pod]},,{container}\n"
                                 for (pod, container), path in self.pods.paths.items()))
        config = live.config(self.cgroups, more=f"names: {{file: {names}}}\n")
        self.exporter = self.enterContext(Exporter(config, args=[f"--path.rootfs={root}"]))
        self.exporter.scrape_until(
            lambda m: len(m.labels(INFO, "container") - {None}) == 3 and
            len(m.find(INFO, namespace="shop")) == len(CONTAINERS) + len(APPS) and
            len(m.labels(INFO, "role") - {None}) == 3, PATIENCE,
            "names of all containers and pods")

    def scraped(self, more=""):
        """A Prometheus that has scraped all three, some times."""
        pages = [self.enterContext(Page(text))
                 for text in (self.pods.kube_state(), self.pods.cadvisor())]
        prometheus = self.enterContext(
            Prometheus(self.exporter.port, *(page.port for page in pages), more=more))
        for _ in live.tries(PATIENCE, 0.2):
            if (len(prometheus.query(f"{RATE} > 0 and on(cgroup) {INFO}")) > len(CONTAINERS) and
                    prometheus.query("kube_pod_info") and
                    prometheus.query("container_spec_cpu_quota")):
                return prometheus
        raise AssertionError("Prometheus has not scraped all three")

    def rates(self, prometheus, at):
        """{(pod, container): its CPUs}, without a join."""
        by_path = {found["metric"]["cgroup"]: decimal.Decimal(found["value"][1])
                   for found in prometheus.query(RATE, time=at)}
        return {key: by_path[path] for key, path in self.pods.paths.items()}

    def check_quota(self, prometheus):
        at = time.time()
        rates = self.rates(prometheus, at)
        found = {(f["metric"]["pod"], f["metric"]["container"]): f
                 for f in prometheus.query(block_with("container_spec_cpu_quota"), time=at)}
        self.assertEqual(set(found), set(rates))
        for pod, container, quota in CONTAINERS:
            share = decimal.Decimal(found[pod, container]["value"][1])
            self.assertAlmostEqual(share, rates[pod, container] * 100000 / quota, 9)
            self.assertGreater(share, 0)
            self.assertEqual(found[pod, container]["metric"]["namespace"], "shop")

    def test_cpu_time_by_a_label_of_kube_state_metrics(self):
        prometheus = self.scraped()
        at = time.time()
        rates = self.rates(prometheus, at)
        found = {f["metric"]["label_app"]: decimal.Decimal(f["value"][1])
                 for f in prometheus.query(block_with("kube_pod_labels"), time=at)}
        wanted = collections.Counter()
        for (pod, _), rate in rates.items():
            wanted[APPS[pod]] += rate
        self.assertEqual(set(found), set(wanted))
        for key, rate in wanted.items():
            self.assertAlmostEqual(found[key], rate, 9)
            self.assertGreater(rate, 0)

    def test_cpu_time_by_names_of_the_users_own(self):
        prometheus = self.scraped()
        at = time.time()
        found = {(f["metric"]["name"], f["metric"]["role"]): decimal.Decimal(f["value"][1])
                 for f in prometheus.query(block_with("group_left(name, role)"), time=at)}
        wanted = collections.Counter()
        for (pod, container), rate in self.rates(prometheus, at).items():
            wanted[APPS[pod], container] += rate
        self.assertEqual(set(found), set(wanted))
        for key, rate in wanted.items():
            self.assertAlmostEqual(found[key], rate, 9)

    def test_the_share_of_the_quota_of_cadvisor(self):
        self.check_quota(self.scraped())

    def test_labels_of_targets_take_ours_away_unless_they_are_dropped(self):
        rule = block_with("labeldrop").strip()
        port = self.exporter.port
        prometheus = self.scraped(as_an_operator(port))
        self.assertEqual(prometheus.query(block_with("container_spec_cpu_quota")), [])
        self.assertTrue(prometheus.query(INFO + '{exported_pod="web-0"}'))
        prometheus = self.scraped("    honor_labels: true\n" + as_an_operator(port))
        self.assertTrue(prometheus.query(f'{INFO}{{pod="{OF_TARGETS["pod"]}"}}'))  # who is in none
        prometheus = self.scraped(as_an_operator(port, f"      - {rule}\n"))
        self.assertEqual(prometheus.query(f'{INFO}{{pod="{OF_TARGETS["pod"]}"}}'), [])
        self.check_quota(prometheus)


if __name__ == "__main__":
    live.main()
