# SPDX-License-Identifier: Apache-2.0
"""The pod of config/kubernetes, run by podman as kubectl renders it: it counts cgroups and processes of its
host, and tells of which pod they are; and it has no mount and no capability that it could do without.

Cgroups have the names that kubelet gives them, below one of the test.
"""
import copy
import json
import os
import pathlib
import re
import secrets

import bare_debian
import image
import live
import manifests
import pod
from cgroups import Cgroups

FAULTS = 3000
CYCLES = 3
MOST_CPUS = 4  # for which the memory that the pod requests is enough
UID = "0f6b8a52-6c3e-4d1f-9b7a-2e5d8c4f1a90"
ID = "4bd3a2e1f0c94d55a7c0d6e8b9f1a2c34bd3a2e1f0c94d55a7c0d6e8b9f1a2c"
# By kubelet's two cgroup drivers.
SYSTEMD = ("kubepods.slice/kubepods-burstable.slice/"
           f"kubepods-burstable-pod{UID.replace('-', '_')}.slice/cri-containerd-{ID}1.scope")
CGROUPFS = f"kubepods/burstable/pod{UID}/{ID}2"
FILTER = pathlib.Path("/usr/share/containers/seccomp.json")  # podman's default


def is_named(metrics, cgroup):
    return bool(metrics.find("pmu_cgroup_info", cgroup=cgroup, pod="web-0", namespace="shop",
                             container="nginx"))


# What the pod is able to, as its first cgroup shows it.
ABILITIES = {
    "machine": lambda m, cgroup: m.find("pmu_machine_page_faults_total"),
    "cgroups": lambda m, cgroup: m.find("pmu_cgroup_page_faults_total", cgroup=cgroup),
    "processes": lambda m, cgroup: m.find("pmu_process_page_faults_total", groupname="load"),
    "latency": lambda m, cgroup: m.find("pmu_machine_run_queue_latency_seconds_count"),
    "names": is_named,
    "history": lambda m, cgroup: m.value("pmu_exporter_history_in_memory") == 0,
}
# What it is not able to without a mount, and what the log says of that.
WITHOUT_MOUNT = {
    "proc": (set(ABILITIES), 'cannot open directory" path=/host/proc'),
    "cgroup": ({"cgroups", "names"}, "no cgroup can be counted"),
    "container-logs": ({"names"}, "cannot look for names"),
    "state": ({"history"}, "the history is kept in memory"),
    "config": ({"cgroups", "processes", "names"}, "rules_of_processes=0"),
}
WITHOUT_CAPABILITY = {
    "BPF": ({"processes", "latency"}, "CAP_BPF or CAP_PERFMON is missing"),
    "PERFMON": ({"machine", "cgroups", "processes", "latency"}, "grant CAP_PERFMON"),
}


class Pod(image.ImageTest):
    @classmethod
    def setUpClass(cls):
        manifests.need()
        super().setUpClass()
        cls.cgroups = cls.enterClassContext(Cgroups())
        cls.cgroup, cls.other = (cls.cgroups.make(name) for name in (SYSTEMD, CGROUPFS))
        cls.enterClassContext(live.Load(None, faults=FAULTS))  # waits, so that there is a process
        cls.rendered = None

    def configuration(self):
        """That of the config map, for cgroups of the test; and a rule for processes."""
        (text,) = manifests.the(manifests.BASE, "ConfigMap")["data"].values()
        configuration = manifests.yaml.safe_load(text)
        for rule in configuration["targets"]["cgroups"]:
            rule["include"] = [self.cgroups.path() + pattern for pattern in rule["include"]]
        configuration["targets"]["processes"] = [{"comm": ["load"], "name": "load", "groups": ["software"]}]
        return manifests.yaml.safe_dump(configuration)

    def start(self, without=None, change=lambda context: None, flag=None, of_class=False):
        """A pod without a mount and a flag, or with another security context; its name."""
        name = f"pmu-test-{secrets.token_hex(4)}"
        host = pod.Host(self.folder / name, self.configuration())
        logs = host.path("/var/log/containers")
        for number in "12":
            (logs / f"web-0_shop_nginx-{ID}{number}.log").symlink_to("/var/log/pods/elsewhere/0.log")
        context = copy.deepcopy(manifests.container()["securityContext"])
        change(context)
        self.run_image(name, *pod.options(host, context, without),
                       arguments=[word for word in manifests.container()["args"] if word != flag],
                       of_class=of_class)
        return name

    def able(self, metrics):
        return {name for name, has in ABILITIES.items() if metrics and has(metrics, self.cgroup)}

    def complete(self):
        """The pod as it is rendered, when it is able to everything."""
        cls = type(self)
        cls.rendered = cls.rendered or self.start(of_class=True)
        self.need_bpf(cls.rendered)
        for ability in ABILITIES:
            self.until(cls.rendered, lambda m, ability=ability: ability in self.able(m), ability)
        return cls.rendered

    def test_it_counts_cgroups_and_processes_of_its_host_and_names_the_pod(self):
        name = self.complete()
        self.load(name, self.cgroups.directory(SYSTEMD), FAULTS, waiting=1)
        for metric, labels in (("pmu_cgroup_page_faults_total", {"cgroup": self.cgroup}),
                               ("pmu_process_page_faults_total", {"groupname": "load"})):
            self.until(name, lambda m, metric=metric, labels=labels: m.sum(metric, **labels) >= FAULTS,
                       metric)
        self.until(name, lambda m: is_named(m, self.other), "the name by the other driver")

    def test_its_probes_are_answered(self):
        name = self.complete()
        for probe in ("livenessProbe", "readinessProbe"):
            self.assertEqual(self.page(name, manifests.container()[probe]["httpGet"]["path"])[0], 200)

    def test_it_may_do_no_more_than_it_says(self):
        name = self.complete()
        status = self.status(name)
        for which in ("CapEff", "CapPrm", "CapBnd"):
            self.assertEqual(int(status[which], 16), image.CAPABILITIES, which)
        self.assertEqual(status["NoNewPrivs"], "1")
        mounts = pathlib.Path(f"/proc/{self.pids[name]}/mountinfo").read_text().splitlines()
        options = {line.split()[4]: line.split()[5].split(",") for line in mounts}
        writable = {mount["mountPath"] for mount in manifests.container()["volumeMounts"]
                    if "rw" in options[mount["mountPath"]]}
        self.assertEqual(writable, {"/var/lib/pmu_exporter"})
        self.assertIn("ro", options["/"])

    def test_nobody_else_may_change_its_configuration(self):
        self.assertNotIn("others than root", self.log(self.complete()))

    def test_it_takes_less_memory_than_it_requests(self):
        if os.cpu_count() > MOST_CPUS:
            self.skipTest("most of it is the kernel's, for each CPU: larger nodes need an overlay")
        requested = re.fullmatch(r"(\d+)Mi", manifests.container()["resources"]["requests"]["memory"])
        self.assertLess(self.memory(self.complete()), int(requested[1]) << 20)

    def memory(self, name):
        """The bytes that a container has, and the kernel for it, without the files that it has read."""
        cgroups = dict(line.split(":", 2)[1:] for line in
                       pathlib.Path(f"/proc/{self.pids[name]}/cgroup").read_text().splitlines())
        if "memory" in cgroups:
            place, usage, files = "memory" + cgroups["memory"], "memory.usage_in_bytes", "total_cache"
        else:
            place, usage, files = cgroups[""].lstrip("/"), "memory.current", "file"
        folder = pathlib.Path("/sys/fs/cgroup", place)
        if not (folder / usage).exists():
            self.skipTest("the cgroup of the container has no account of memory")
        stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        return int((folder / usage).read_text()) - int(stat[files])

    def assert_lost(self, name, lost, said):
        """Without something the pod has ended, or has read its counters some times: what it says, and is
        not able to."""
        metrics = None
        for _ in live.tries(bare_debian.PATIENCE):
            metrics = self.scrape(name)
            if metrics and metrics.value("pmu_exporter_cycles_total") >= CYCLES:
                break
            if not metrics and not self.state(name)["Running"]:
                break
        self.assertIn(said, self.log(name))
        self.assertEqual(set(ABILITIES) - self.able(metrics), lost)

    def test_every_mount_is_needed(self):
        self.complete()
        mounts = {mount["name"] for mount in manifests.container()["volumeMounts"]}
        self.assertEqual(mounts, set(WITHOUT_MOUNT))
        for mount in mounts:
            with self.subTest(mount):
                self.assert_lost(self.start(without=mount), *WITHOUT_MOUNT[mount])

    def test_its_own_proc_and_cgroups_would_not_do(self):
        self.complete()
        for mount, flag, lost, said in (
                ("proc", "--path.procfs=/host/proc", {"processes"}, "initial PID namespace"),
                ("cgroup", "--path.cgroupfs=/host/cgroup", {"cgroups", "names"}, "no cgroup")):
            with self.subTest(mount):
                self.assertIn(flag, manifests.container()["args"])
                self.assert_lost(self.start(without=mount, flag=flag), lost, said)

    def test_every_capability_is_needed(self):
        self.complete()
        capabilities = set(manifests.container()["securityContext"]["capabilities"]["add"])
        self.assertEqual(capabilities, set(WITHOUT_CAPABILITY))
        for capability in capabilities:
            with self.subTest(capability):
                name = self.start(change=lambda context, left_out=capability:
                                  context["capabilities"]["add"].remove(left_out))
                self.assert_lost(name, *WITHOUT_CAPABILITY[capability])

    def test_it_counts_nothing_behind_a_filter_that_is_older_than_the_capabilities(self):
        if '"CAP_PERFMON"' in FILTER.read_text():
            self.skipTest(f"{FILTER} knows CAP_PERFMON")
        self.complete()
        name = self.start(change=lambda context: context["seccompProfile"].update(type="RuntimeDefault"))
        self.assert_lost(name, {"machine", "cgroups", "processes", "latency"}, "not_permitted")

    def test_it_counts_behind_a_filter_that_knows_the_capabilities(self):
        """podman's, with what newer ones allow to who has CAP_BPF and CAP_PERFMON."""
        profile, ours = json.loads(FILTER.read_text()), {"bpf", "perf_event_open"}
        for rule in profile["syscalls"]:
            if rule["action"] == "SCMP_ACT_ERRNO":
                rule["names"] = [name for name in rule["names"] if name not in ours]
        profile["syscalls"].append({"names": sorted(ours), "action": "SCMP_ACT_ALLOW"})
        file = self.folder / "seccomp.json"
        file.write_text(json.dumps(profile))
        self.complete()
        name = self.start(change=lambda context: context["seccompProfile"].update(
            type="Localhost", localhostProfile=str(file)))
        for ability in ABILITIES:
            self.until(name, lambda m, ability=ability: ability in self.able(m), ability)


if __name__ == "__main__":
    live.main()
