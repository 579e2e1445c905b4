# SPDX-License-Identifier: Apache-2.0
"""What no schema sees of config/kubernetes: what belongs together in several objects, and in the exporter,
the rules and the dashboards."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import exporter
import live
import manifests
from manifests import BASE, DASHBOARDS, OPERATOR
from prometheus import Prometheus

RULES = DASHBOARDS / "rules"
LARGEST = 256 * 1024  # of an object that "kubectl apply" keeps a copy of, as an annotation
OVERLAY = """
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
bases: [{base}]
images: [{{name: pmu_exporter, newName: registry.example/pmu_exporter, newTag: "1"}}]
"""


def texts_of_config_maps(folder):
    return {name: text for thing in manifests.of_kind(folder, "ConfigMap")
            for name, text in thing["data"].items()}


def kubepods(configuration):
    return [pattern for rule in configuration["targets"]["cgroups"] for pattern in rule["include"]
            if pattern.startswith("/kubepods")]


class Manifests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        manifests.need()
        cls.labels = manifests.the(BASE, "DaemonSet")["spec"]["template"]["metadata"]["labels"]
        cls.ports = {port["name"]: port["containerPort"] for port in manifests.container()["ports"]}

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_all_is_in_the_namespace(self):
        namespace = manifests.the(BASE, "Namespace")["metadata"]["name"]
        for folder in (BASE, OPERATOR, DASHBOARDS):
            for thing in manifests.render(folder):
                if thing["kind"] != "Namespace":
                    self.assertEqual(thing["metadata"]["namespace"], namespace, thing["metadata"]["name"])

    def test_every_object_can_be_applied(self):
        for folder in (BASE, OPERATOR, DASHBOARDS):
            for thing in manifests.render(folder):
                self.assertLess(len(json.dumps(thing)), LARGEST, thing["metadata"]["name"])

    def test_every_selector_finds_the_pods(self):
        for selector in (manifests.the(BASE, "DaemonSet")["spec"]["selector"]["matchLabels"],
                         manifests.the(BASE, "Service")["spec"]["selector"],
                         manifests.the(OPERATOR, "PodMonitor")["spec"]["selector"]["matchLabels"]):
            self.assertTrue(selector)
            self.assertLessEqual(selector.items(), self.labels.items())

    def test_every_name_of_a_port_is_the_containers(self):
        self.assertEqual(self.ports, {"metrics": 10138})
        (service,) = manifests.the(BASE, "Service")["spec"]["ports"]
        (monitor,) = manifests.the(OPERATOR, "PodMonitor")["spec"]["podMetricsEndpoints"]
        probes = [manifests.container()[probe]["httpGet"]["port"]
                  for probe in ("livenessProbe", "readinessProbe")]
        for port in (service["targetPort"], monitor["port"], *probes):
            self.assertIn(port, self.ports)

    def test_every_volume_is_mounted_and_every_mount_has_a_volume(self):
        volumes = [volume["name"] for volume in manifests.pod()["volumes"]]
        self.assertCountEqual(volumes, [mount["name"] for mount in manifests.container()["volumeMounts"]])

    def test_the_pod_has_the_configuration(self):
        (volume,) = [v["configMap"] for v in manifests.pod()["volumes"] if "configMap" in v]
        self.assertEqual(volume["name"], manifests.the(BASE, "ConfigMap")["metadata"]["name"])
        self.assertEqual(texts_of_config_maps(BASE),
                         {"pmu_exporter.yml": (BASE / "pmu_exporter.yml").read_text()})

    def test_the_pod_has_no_token(self):
        account = manifests.the(BASE, "ServiceAccount")
        self.assertEqual(manifests.pod()["serviceAccountName"], account["metadata"]["name"])
        for thing in (account, manifests.pod()):
            self.assertIs(thing["automountServiceAccountToken"], False)

    def test_the_configuration_is_accepted(self):
        done = subprocess.run([exporter.binary(), "--config.check",
                               f"--config.file={BASE / 'pmu_exporter.yml'}"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_configuration_counts_the_pods_that_the_default_counts(self):
        ours, default = (manifests.yaml.safe_load(path.read_text()) for path in
                         (BASE / "pmu_exporter.yml", manifests.TOP / "config/pmu_exporter.yml"))
        self.assertTrue(kubepods(ours))
        self.assertEqual(kubepods(ours), kubepods(default))

    def test_an_overlay_says_where_the_image_is(self):
        base = os.path.relpath(BASE, os.path.realpath(self.folder))
        (self.folder / "kustomization.yaml").write_text(OVERLAY.format(base=base))
        done = subprocess.run(["kubectl", "kustomize", self.folder], capture_output=True, text=True)
        self.assertIn("image: registry.example/pmu_exporter:1\n", done.stdout, done.stderr)

    def test_each_dashboard_has_the_label_of_the_sidecar(self):
        self.assertEqual(texts_of_config_maps(DASHBOARDS),
                         {path.name: path.read_text() for path in (DASHBOARDS / "grafana").iterdir()})
        for thing in manifests.render(DASHBOARDS):
            self.assertEqual(thing["metadata"]["labels"]["grafana_dashboard"], "1")


class Rules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        manifests.need()

    def test_they_are_those_of_the_dashboards(self):
        specs = {thing["metadata"]["name"]: thing["spec"]
                 for thing in manifests.of_kind(OPERATOR, "PrometheusRule")}
        self.assertEqual(specs, {
            path.name.removesuffix(".rules.yml").replace("_", "-"): manifests.yaml.safe_load(path.read_text())
            for path in RULES.glob("*.rules.yml")})

    def test_the_generator_makes_what_is_committed(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([OPERATOR / "generate", folder], check=True)
            for path in pathlib.Path(folder).iterdir():
                self.assertEqual(path.read_text(), (OPERATOR / path.name).read_text(),
                                 "config/kubernetes/prometheus-operator/generate makes it anew")

    def test_promtool_takes_them(self):
        live.need("promtool")
        for thing in manifests.of_kind(OPERATOR, "PrometheusRule"):
            with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
                file.write(manifests.yaml.safe_dump(thing["spec"]))
                file.flush()
                done = subprocess.run(["promtool", "check", "rules", file.name], capture_output=True,
                                      text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"SUCCESS: [1-9]\d* rules found")

    def test_the_job_is_one_that_they_look_for(self):
        label = manifests.the(OPERATOR, "PodMonitor")["spec"]["jobLabel"]
        labels = manifests.the(BASE, "DaemonSet")["spec"]["template"]["metadata"]["labels"]
        patterns = {pattern for path in RULES.iterdir()
                    for pattern in re.findall(r'job=~"([^"]+)"', path.read_text())}
        self.assertTrue(patterns)
        for pattern in patterns:
            self.assertRegex(labels[label], f"^(?:{pattern})$")


class Monitor(unittest.TestCase):
    """What a real Prometheus makes of the labels. Before ours the operator has rules that set those of the
    pod, and Prometheus knows its node."""

    FOUND = {"__meta_kubernetes_pod_node_name": "node-a", "namespace": "pmu-exporter",
             "pod": "pmu-exporter-x", "container": "pmu-exporter", "endpoint": "metrics"}

    def test_the_instance_is_the_node_and_no_label_is_of_the_pod(self):
        manifests.need()
        live.need("prometheus")
        (endpoint,) = manifests.the(OPERATOR, "PodMonitor")["spec"]["podMetricsEndpoints"]
        rules = [{"target_label": name, "replacement": value} for name, value in self.FOUND.items()]
        for rule in endpoint["relabelings"]:
            rules.append({re.sub("[A-Z]", lambda m: f"_{m[0].lower()}", key): value
                          for key, value in rule.items()})
        more = f"    relabel_configs: {json.dumps(rules)}\n"
        with Prometheus(exporter.free_port(), more=more) as prometheus:  # nobody is there: it is down
            prometheus.wait_for_first_scrape()
            (up,) = prometheus.query("up")
        self.assertEqual(up["metric"], {"__name__": "up", "job": "pmu", "instance": "node-a",
                                        "endpoint": "metrics"})


if __name__ == "__main__":
    live.main()
