#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The service with counting: bpf: what it shows, how it changes over, and what it says without."""
import os
import signal
import time

import live
from cgroups import Cgroups
from exporter import Exporter

FAULTS = "pmu_cgroup_page_faults_total"
SWITCHES = "pmu_cgroup_context_switches_total"
START = "pmu_cgroup_start_time_seconds"
INFO = "pmu_exporter_mechanism_info"


def config(cgroups, counting):
    return f"counting: {counting}\n" + live.config(cgroups)


class CountingBpf(live.LiveTest):
    def setUp(self):
        self.cgroups = self.enterContext(Cgroups())
        self.path = self.cgroups.make("a")

    def start(self, counting="bpf", **options):
        return self.enterContext(Exporter(config(self.cgroups, counting), **options))

    def need_bpf(self, exporter):
        metrics = exporter.scrape()
        if metrics.value(INFO, mechanism="bpf") is None:
            self.skipTest(f"no bpf here: {metrics.labels(INFO, 'reason')}")

    def reload(self, exporter, counting):
        (exporter.directory / "pmu_exporter.yml").write_text(config(self.cgroups, counting))
        os.kill(exporter.pid, signal.SIGHUP)
        exporter.scrape_until(lambda m: m.value(INFO, scope="cgroup", mechanism=counting) == 1, 5,
                              f"counting {counting}")

    def count(self, exporter, **load):
        """What a load in a cgroup adds to its faults and switches."""
        before = exporter.scrape_until(lambda m: m.value(FAULTS, cgroup=self.path) is not None, 5,
                                       "the cgroup")
        with live.Load(self.cgroups.directory("a"), **load) as running:
            running.run()
        time.sleep(2.2)
        after = exporter.scrape()
        return [after.value(name, cgroup=self.path) - before.value(name, cgroup=self.path)
                for name in (FAULTS, SWITCHES)]

    def test_a_known_load_is_counted(self):
        exporter = self.start()
        self.need_bpf(exporter)
        counted = []
        for _ in range(4):  # some kernels hide the switches of one process: not in each try
            faults, switches = self.count(exporter, faults=20000, switches=10000)
            counted.append((faults, switches))
            if 20000 <= faults < 20200 and 10000 <= switches < 10200:
                return
        self.fail(f"20000 faults, 10000 switches: {counted}")

    def test_counters_do_not_grow_with_the_number_of_cgroups(self):
        exporter = self.start()
        self.need_bpf(exporter)
        few = exporter.scrape().value("pmu_exporter_open_counters")
        for i in range(40):
            self.cgroups.make(f"n{i}")
        many = exporter.scrape_until(lambda m: m.value("pmu_exporter_targets", kind="cgroup") == 41,
                                     5, "41 targets")
        self.assertEqual(many.value("pmu_exporter_open_counters"), few)

    def test_a_change_of_mechanism_keeps_totals(self):
        exporter = self.start()
        self.need_bpf(exporter)
        self.reload(exporter, "direct")
        self.count(exporter, faults=3000)
        before = exporter.scrape()
        for counting in ("bpf", "direct", "bpf"):
            self.reload(exporter, counting)
            after = exporter.scrape()
            self.assertGreaterEqual(after.value(FAULTS, cgroup=self.path),
                                    before.value(FAULTS, cgroup=self.path))
            self.assertEqual(after.value(START, cgroup=self.path),
                             before.value(START, cgroup=self.path))
            before = after
        faults, _ = self.count(exporter, faults=20000)
        self.assertGreater(faults, 10000)

    def test_auto_counts_direct_and_says_so(self):
        metrics = self.start("auto").scrape()
        self.assertEqual(metrics.value(INFO, scope="cgroup", mechanism="direct",
                                       reason="bpf is taken only where it is configured"), 1)

    def test_without_the_capability_it_counts_direct_and_says_why(self):
        live.need("setpriv")
        exporter = self.start(wrapper=("setpriv", "--bounding-set=-bpf,-sys_admin",
                                       "--inh-caps=-bpf,-sys_admin"))
        reasons = exporter.scrape().labels(INFO, "reason", mechanism="direct")
        if reasons == {"built without libbpf"}:
            self.skipTest("built without libbpf")
        self.assertEqual(reasons, {"CAP_BPF or CAP_PERFMON is missing"})
        self.assertIn("counted direct", exporter.stderr())


if __name__ == "__main__":
    live.main()
