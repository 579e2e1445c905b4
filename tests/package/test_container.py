# SPDX-License-Identifier: Apache-2.0
"""The image of config/container/Containerfile, built and run by podman: in namespaces of its own, as
its user, with two capabilities, it counts the host's cgroups and processes.

The base is a Debian that mmdebstrap has made and that has what the package depends on.
"""
import json
import os
import pathlib
import re
import secrets
import shutil
import subprocess
import tempfile
import unittest

import bare_debian
import live
from cgroups import Cgroups
from exporter import Metrics, free_port, http_get, quote

CONTAINERFILE = bare_debian.HERE.parents[1] / "config/container/Containerfile"
FAULTS = 3000
MOST = 10000  # open files, processes of one user
CAPABILITIES = 1 << 38 | 1 << 39  # CAP_PERFMON, CAP_BPF


class Container(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        live.need("podman", "runc")
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pmu-test-container-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        cls.addClassCleanup(cls.podman, "rmi", "--all", "--force")
        cls.podman("import", bare_debian.folder() / "slim.tar", "localhost/base")
        context = cls.folder / "context"
        context.mkdir()
        shutil.copy(bare_debian.find("pmu-exporter"), context)
        cls.podman("build", "--no-cache", "--network=host", "--build-arg=BASE=localhost/base", "-t",
                   "localhost/pmu_exporter", "-f", CONTAINERFILE, context)

    @classmethod
    def podman(cls, *words):
        """podman with a store of this test. crun knows no hybrid hierarchy of cgroups; runc does."""
        return bare_debian.run("podman", "--root", cls.folder / "store", "--runroot",
                               cls.folder / "run", "--runtime=runc", "--cgroup-manager=cgroupfs",
                               "--events-backend=none", *words)

    def setUp(self):
        self.cgroups = self.enterContext(Cgroups())
        self.cgroup = self.cgroups.make("a.service")
        self.name = f"pmu-test-{secrets.token_hex(4)}"
        self.port = free_port()

    def options(self):
        """Those that the Containerfile tells a user to take."""
        text = re.search(r"podman run -d --name pmu_exporter(.*?)pmu_exporter\n#\n", CONTAINERFILE.read_text(),
                         re.S)[1]
        words = text.replace("\\\n#", " ").split()
        self.assertIn("--cap-drop=all", words)
        return words

    def start(self, counting, *more):
        configuration = self.folder / f"{self.name}.yml"
        configuration.write_text(
            f"interval: 1s\ncounting: {counting}\n"
            "groups: [{name: software, events: [task-clock, page-faults]}]\n"
            "targets:\n"
            f"  cgroups: [{{include: [{quote(self.cgroup)}], groups: [software]}}]\n"
            "  processes: [{comm: [load], name: load, groups: [software]}]\n")
        configuration.chmod(0o644)
        self.folder.chmod(0o755)
        # podman's own are above what a machine that is a container itself may give
        limits = [f"--ulimit={name}={MOST}:{MOST}" for name in ("nofile", "nproc")]
        self.podman("run", "-d", "--name", self.name, "--cgroupns=private", *limits, *more, *self.options(),
                    "-v", f"{configuration}:/etc/pmu_exporter/pmu_exporter.yml:ro",
                    "localhost/pmu_exporter", "--path.procfs=/host/proc", "--path.sysfs=/host/sys",
                    f"--web.listen-address=127.0.0.1:{self.port}",
                    "--storage.path=/var/lib/pmu_exporter",
                    "--control.socket=/var/lib/pmu_exporter/control")
        self.addCleanup(self.podman, "rm", "--force", "--time=10", self.name)
        self.until(lambda m: m is not None, "an answer")
        return int(json.loads(self.podman("inspect", self.name))[0]["State"]["Pid"])

    def scrape(self):
        try:
            answer = http_get(self.port, "/metrics")
        except OSError:
            return None
        return Metrics(answer.body, 0) if answer.status == 200 else None

    def log(self):
        done = subprocess.run(["podman", "--root", self.folder / "store", "--runroot",
                               self.folder / "run", "logs", self.name], capture_output=True, text=True)
        return done.stdout + done.stderr

    def until(self, condition, what):
        for _ in live.tries(bare_debian.PATIENCE):
            metrics = self.scrape()
            if condition(metrics):
                return metrics
        raise AssertionError(f"{what} did not come: {self.log()[-3000:]}")

    def load(self):
        load = self.enterContext(live.Load(self.cgroups.directory("a.service"), faults=FAULTS,
                                           burn_ms=6000))
        self.until(lambda m: m.sum("pmu_process_members", groupname="load") >= 1, "the load")
        load.go()

    def test_it_has_its_own_namespaces_and_user_and_two_capabilities(self):
        pid = self.start("auto")
        status = dict(line.split(":\t", 1) for line in
                      pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
        self.assertNotIn("0", status["Uid"].split())
        for which in ("CapEff", "CapPrm", "CapBnd", "CapAmb"):
            self.assertEqual(int(status[which], 16), CAPABILITIES, which)
        self.assertEqual(status["NoNewPrivs"], "1")
        for kind in ("pid", "mnt", "cgroup"):
            self.assertNotEqual(os.readlink(f"/proc/{pid}/ns/{kind}"), os.readlink(f"/proc/self/ns/{kind}"))

    def test_by_bpf_it_counts_the_hosts_cgroups_and_processes(self):
        self.start("auto")
        self.load()
        info = "pmu_exporter_mechanism_info"
        if self.scrape().labels(info, "mechanism", scope="process") != {"bpf"}:
            reasons = str(self.scrape().labels(info, "reason", scope="process"))
            self.assertNotRegex(reasons, "namespace|something else")
            self.skipTest(f"bpf cannot count here: {reasons}")
        for name, labels in (("pmu_cgroup_page_faults_total", {"cgroup": self.cgroup}),
                             ("pmu_process_page_faults_total", {"groupname": "load"})):
            self.until(lambda m, name=name, labels=labels: m.sum(name, **labels) >= FAULTS, name)

    def test_by_direct_it_counts_the_hosts_cgroups_and_says_that_it_counts_no_process(self):
        self.start("direct")
        self.load()
        self.until(lambda m: m.sum("pmu_cgroup_page_faults_total", cgroup=self.cgroup) >= FAULTS,
                   "the page faults of the cgroup")
        self.assertEqual(self.scrape().value("pmu_exporter_targets_uncounted", kind="process",
                                             reason="not_supported"), 1)
        self.assertIn("share the PID namespace of the host", self.log())

    def test_by_direct_it_counts_processes_in_the_hosts_pid_namespace(self):
        self.start("direct", "--pid=host")
        self.load()
        self.until(lambda m: m.sum("pmu_process_page_faults_total", groupname="load") >= FAULTS,
                   "the page faults of the process")


if __name__ == "__main__":
    live.main()
