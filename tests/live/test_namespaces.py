# SPDX-License-Identifier: Apache-2.0
"""An exporter that is in PID, mount and cgroup namespaces of its own, as in a container, and has the
host's /proc: it counts the host's cgroups and processes, or says why not."""
import live
from cgroups import Cgroups
from exporter import Exporter, quote

OWN = ("unshare", "--pid", "--fork", "--kill-child", "--mount", "--cgroup")  # /proc is the host's
CYCLE = 1.0
CYCLES = 3
FAULTS = 3000
MECHANISM = "pmu_exporter_mechanism_info"
UNCOUNTED = "pmu_exporter_targets_uncounted"


class Namespaces(live.LiveTest):
    def setUp(self):
        live.need("unshare")
        self.cgroups = self.enterContext(Cgroups())
        self.cgroup = self.cgroups.make("a.service")
        self.load = self.enterContext(live.Load(self.cgroups.directory("a.service"), faults=FAULTS,
                                                burn_ms=int(6000 * CYCLE)))

    def start(self, counting, rule=None):
        """An exporter of the test's cgroup and of processes by this rule; of its load if there is none."""
        rule = rule or f"pid: [{self.load.process.pid}], name: load"
        exporter = Exporter(f"interval: {CYCLE:.0f}s\ncounting: {counting}\n"
                            "groups: [{name: software, events: [task-clock, page-faults]}]\n"
                            "targets:\n"
                            f"  cgroups: [{{include: [{quote(self.cgroup)}], groups: [software]}}]\n"
                            f"  processes: [{{{rule}, groups: [software]}}]\n",
                            wrapper=OWN)
        self.addCleanup(exporter.clean)
        self.addCleanup(exporter.kill)
        exporter.start()
        return exporter

    def loaded(self, exporter):
        """A scrape after a load of the host has made its page faults, while it is still there."""
        exporter.scrape_until(lambda m: m.sum("pmu_process_members", groupname="load") >= 1,
                              30 * CYCLE, "the load")
        self.load.go()
        name = "pmu_cgroup_page_faults_total"
        return exporter.scrape_until(lambda m: m.sum(name, cgroup=self.cgroup) >= FAULTS,
                                     30 * CYCLE, "the page faults of the cgroup")

    def test_by_bpf_it_counts_the_hosts_cgroups_and_processes(self):
        exporter = self.start("auto")
        metrics = exporter.scrape()
        mechanisms = {dict(labels)["mechanism"] for labels in metrics.find(MECHANISM, scope="process")}
        if mechanisms != {"bpf"}:
            reasons = metrics.labels(MECHANISM, "reason", scope="process")
            self.assertNotRegex(str(reasons), "namespace|something else")
            self.skipTest(f"bpf cannot count here: {reasons}")
        self.loaded(exporter)
        exporter.scrape_until(
            lambda m: m.sum("pmu_process_page_faults_total", groupname="load") >= FAULTS,
            30 * CYCLE, "the page faults of the process")

    def test_by_direct_it_counts_the_hosts_cgroups_and_says_that_it_counts_no_process(self):
        exporter = self.start("direct")
        metrics = self.loaded(exporter)
        self.assertIsNone(metrics.value("pmu_process_page_faults_total", groupname="load"))
        self.assertEqual(metrics.value(UNCOUNTED, kind="process", reason="not_supported"), 1)
        self.assertIn("share the PID namespace of the host", exporter.stderr())

    def test_by_direct_no_process_of_its_own_is_counted_for_one_of_the_host(self):
        """Number 1 is the host's first process, and in here the exporter itself."""
        exporter = self.start("direct", "pid: [1], name: first")
        for _ in range(CYCLES):
            metrics = exporter.after_cycles(1)
            self.assertIsNone(metrics.value("pmu_process_task_clock_seconds_total",
                                            groupname="first"))
        self.assertEqual(metrics.value(UNCOUNTED, kind="process", reason="not_supported"), 1)


if __name__ == "__main__":
    live.main()
