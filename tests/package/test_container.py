# SPDX-License-Identifier: Apache-2.0
"""The image of config/container/Containerfile, run by podman: in namespaces of its own, as its user,
with two capabilities, it counts the host's cgroups and processes."""
import os
import re
import secrets

import image
import live
from cgroups import Cgroups
from exporter import free_port, quote

FAULTS = 3000


class Container(image.ImageTest):
    def setUp(self):
        self.cgroups = self.enterContext(Cgroups())
        self.cgroup = self.cgroups.make("a.service")
        self.name = f"pmu-test-{secrets.token_hex(4)}"
        self.port = free_port()

    def options(self):
        """Those that the Containerfile tells a user to take."""
        text = re.search(r"podman run -d --name pmu_exporter(.*?)pmu_exporter\n#\n",
                         image.CONTAINERFILE.read_text(), re.S)[1]
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
        self.run_image(self.name, *more, *self.options(),
                       "-v", f"{configuration}:/etc/pmu_exporter/pmu_exporter.yml:ro",
                       arguments=("--path.procfs=/host/proc", "--path.sysfs=/host/sys",
                                  f"--web.listen-address=127.0.0.1:{self.port}",
                                  "--storage.path=/var/lib/pmu_exporter",
                                  "--control.socket=/var/lib/pmu_exporter/control"))
        self.until(self.name, lambda m: True, "an answer")

    def start_load(self):
        self.load(self.name, self.cgroups.directory("a.service"), FAULTS)

    def test_it_has_its_own_namespaces_and_user_and_two_capabilities(self):
        self.start("auto")
        status = self.status(self.name)
        self.assertNotIn("0", status["Uid"].split())
        for which in ("CapEff", "CapPrm", "CapBnd", "CapAmb"):
            self.assertEqual(int(status[which], 16), image.CAPABILITIES, which)
        self.assertEqual(status["NoNewPrivs"], "1")
        for kind in ("pid", "mnt", "cgroup"):
            self.assertNotEqual(os.readlink(f"/proc/{self.pids[self.name]}/ns/{kind}"),
                                os.readlink(f"/proc/self/ns/{kind}"))

    def test_by_bpf_it_counts_the_hosts_cgroups_and_processes(self):
        self.start("auto")
        self.start_load()
        self.need_bpf(self.name)
        for name, labels in (("pmu_cgroup_page_faults_total", {"cgroup": self.cgroup}),
                             ("pmu_process_page_faults_total", {"groupname": "load"})):
            self.until(self.name, lambda m, name=name, labels=labels: m.sum(name, **labels) >= FAULTS, name)

    def test_by_direct_it_counts_the_hosts_cgroups_and_says_that_it_counts_no_process(self):
        self.start("direct")
        self.start_load()
        metrics = self.until(
            self.name, lambda m: m.sum("pmu_cgroup_page_faults_total", cgroup=self.cgroup) >= FAULTS,
            "the page faults of the cgroup")
        self.assertEqual(metrics.value("pmu_exporter_targets_uncounted", kind="process",
                                       reason="not_supported"), 1)
        self.assertIn("share the PID namespace of the host", self.log(self.name))

    def test_by_direct_it_counts_processes_in_the_hosts_pid_namespace(self):
        self.start("direct", "--pid=host")
        self.start_load()
        self.until(self.name,
                   lambda m: m.sum("pmu_process_page_faults_total", groupname="load") >= FAULTS,
                   "the page faults of the process")


if __name__ == "__main__":
    live.main()
