# SPDX-License-Identifier: Apache-2.0
"""PMUs that count no core, on the real kernel.

This machine has none. So its sysfs gets some whose events are tracepoints of a system call that
nobody else makes: opened on one CPU, they count the calls that are made there, exactly. Instances of
one PMU then count the same calls, and their sum has each call once for each instance.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import live
import own_sysfs
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, binary, quote
from own_mounts import enter_own_tracefs, own_mounts

SCALE = "2.3283064365386962890625e-10"
FIRST, SECOND = 1000, 300  # calls on the first CPU and on the second

LOAD = """
import os
for cpu, n in (({first}, {n_first}), ({second}, {n_second})):
    os.sched_setaffinity(0, [cpu])
    for _ in range(n):
        {call}
        {other}
        {other}
"""

GROUPS = """
groups:
  - name: memory
    events: [uncore_imc/calls/, uncore_imc/others/]
  - name: apart
    events: ["uncore_imc_*/calls/"]
  - name: mixed
    events: [power/energy-pkg/, page-faults, uncore_cha_0/calls/, meter/energy-pkg/]
ratios:
  - {name: others_per_call, formula: uncore_imc/others/ / uncore_imc/calls/}
"""


def machine(first, second, calls):
    """The PMUs: two memory controllers and a meter of energy on one CPU, a cache on the other."""
    return {
        "uncore_imc_0": own_sysfs.pmu_of_tracepoints(first, calls),
        "uncore_imc_1": own_sysfs.pmu_of_tracepoints(first, calls),
        "uncore_cha_0": own_sysfs.pmu_of_tracepoints(second, calls),
        "power": own_sysfs.pmu_of_tracepoints(first, {"energy-pkg": calls["calls"]},
                                              {"events/energy-pkg.scale": SCALE,
                                               "events/energy-pkg.unit": "Joules"}),
        "meter": own_sysfs.pmu_of_tracepoints(first, {"energy-pkg": calls["calls"]},
                                              {"events/energy-pkg.scale": "0.5",
                                               "events/energy-pkg.unit": "Joules"}),
    }


class Uncore(live.LiveTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cpus = sorted(os.sched_getaffinity(0))[:2]
        if len(cls.cpus) < 2:
            raise live.unittest.SkipTest("this takes two CPUs")
        (call, cls.call), (other, cls.other) = own_sysfs.own_calls(2)
        cls.calls = {"calls": call, "others": other}
        cls.directory = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.sysfs = own_sysfs.make(cls.directory, machine(*cls.cpus, cls.calls))

    def load(self, n_first=FIRST, n_second=SECOND):
        first, second = self.cpus
        text = LOAD.format(first=first, n_first=n_first, second=second, n_second=n_second,
                           call=self.call, other=self.other)
        return [sys.executable, "-c", text]

    def config(self, cgroups, counting="auto", by="all", more=""):
        return (f"interval: 1s\ncounting: {counting}\n{GROUPS}targets:\n"
                f"  system: {{groups: [memory, apart, mixed], by: {by}}}\n"
                f"  cgroups: [{{include: [{quote(cgroups.path('*'))}], groups: [mixed]}}]\n{more}")

    def expected(self):
        return {("uncore_imc", "calls"): 2 * FIRST, ("uncore_imc_0", "calls"): FIRST,
                ("uncore_imc_1", "calls"): FIRST, ("uncore_cha_0", "calls"): SECOND,
                ("uncore_imc", "others"): 4 * FIRST}

    def totals(self, metrics):
        return {(pmu, event): metrics.value(f"pmu_uncore_{event}_total", pmu=pmu)
                for pmu, event in self.expected()}

    def count(self, counting, by):
        """Counts the load from a first cycle to a last one. The metrics, and what perf counted."""
        with Cgroups() as cgroups:
            cgroups.make("a.service")
            with Exporter(self.config(cgroups, counting, by),
                          args=[f"--path.sysfs={self.sysfs}"]) as exporter:
                exporter.scrape_until(lambda m: set(self.totals(m).values()) == {0}, PATIENCE,
                                      "every PMU counted, from 0")
                perf = subprocess.run(
                    ["perf", "stat", "-x;", "-a", "-C", str(self.cpus[0]), "-e",
                     self.calls["calls"], *self.load()],
                    check=True, capture_output=True, text=True)
                metrics = exporter.after_cycles(2)
        return metrics, live.perf_stat_counts(perf.stderr)

    def check(self, counting, by):
        metrics, perf = self.count(counting, by)
        self.assertEqual(self.totals(metrics), self.expected())
        self.assertEqual(perf[self.calls["calls"]], FIRST, "perf on the same CPU")
        self.assertAlmostEqual(
            float(metrics.value("pmu_uncore_energy_pkg_joules_total", pmu="power")),
            FIRST * float(SCALE), places=15)
        self.assertEqual(metrics.value("pmu_uncore_energy_pkg_joules_total", pmu="meter"),
                         FIRST / 2, "the scale is that of each PMU")
        return metrics

    def test_they_count_on_their_cpus_only_as_perf_does_there(self):
        live.need("perf")
        metrics = self.check("direct", "all")
        self.assertIsNotNone(metrics.value("pmu_machine_page_faults_total"),
                             "the rest of a mixed group is counted as ever")
        self.assertEqual([name for name in metrics.families if name.startswith("pmu_machine_calls")
                          or name.startswith("pmu_cgroup_calls")], [])
        self.assertEqual(metrics.labels("pmu_uncore_calls_total", "pmu"),
                         {"uncore_imc", "uncore_imc_0", "uncore_imc_1", "uncore_cha_0"})
        for event in ("power/energy-pkg/", "uncore_cha_0/calls/"):
            self.assertEqual(metrics.value("pmu_exporter_event_supported", scope="cgroup",
                                           event=event, reason="not_supported"), 0)
            self.assertEqual(metrics.value("pmu_exporter_event_supported", scope="system",
                                           event=event), 1)
        self.assertEqual(metrics.labels("pmu_exporter_event_info", "metric", scope="system",
                                        event="power/energy-pkg/"),
                         {"pmu_uncore_energy_pkg_joules_total"})

    def test_it_is_the_same_where_programs_of_the_kernel_count_targets(self):
        live.need("perf")
        self.check("auto", "cpu")

    def test_pmutool_stat_counts_the_machine_on_the_same_cpus(self):
        """On each other CPU the kernel would count the same once more. pmutool reads /sys, so the
        PMUs are mounted there, for it alone."""
        events = "uncore_imc/calls/,uncore_cha_0/calls/"
        devices = own_sysfs.DEVICES
        pmutool = pathlib.Path(binary()).parent / "pmutool"
        mounted = own_mounts(f"/sys/{devices}",
                             f"mount --bind {self.sysfs}/{devices} /sys/{devices}")
        done = subprocess.run([*mounted, pmutool, "stat", "-a", "-e", events, "--", *self.load()],
                              capture_output=True, text=True, check=True)
        lines = re.findall(r"(?m)^ +(\d+) +(\S+/)", done.stdout + done.stderr)
        self.assertEqual({name: int(count) for count, name in lines},
                         {"uncore_imc/calls/": 2 * FIRST,
                          "uncore_cha_0/calls/": SECOND})

    def test_ratios_compare_events_of_one_pmu(self):
        with Cgroups() as cgroups, Exporter(self.config(cgroups),
                                            args=[f"--path.sysfs={self.sysfs}"]) as exporter:
            exporter.after_cycles(2)
            with subprocess.Popen(self.load(n_first=10**9)) as busy:
                metrics = exporter.scrape_until(
                    lambda m: m.value("pmu_uncore_others_per_call", pmu="uncore_imc"), PATIENCE,
                    "a ratio")
                busy.kill()
        self.assertAlmostEqual(float(metrics.value("pmu_uncore_others_per_call", pmu="uncore_imc")),
                               2, places=2)
        self.assertGreater(metrics.value("pmu_uncore_calls_per_second", pmu="uncore_imc"), 0)

    def test_a_reload_keeps_totals_and_follows_the_cpus_of_the_pmu(self):
        """When a CPU goes offline, the kernel names another one. Nothing else asks for that here:
        the PMU has moved when the configuration is loaded again."""
        first, second = self.cpus
        sysfs = own_sysfs.make(self.enterContext(tempfile.TemporaryDirectory()), {
            "uncore_imc_0": own_sysfs.pmu_of_tracepoints(first, self.calls)})
        config = ("interval: 1s\ngroups: [{name: memory, events: [uncore_imc/calls/]}]\n"
                  "targets: {system: {groups: [memory]}}\n")
        with Exporter(config, args=[f"--path.sysfs={sysfs}"]) as exporter:
            def wait_for(total):
                exporter.scrape_until(
                    lambda m: m.value("pmu_uncore_calls_total", pmu="uncore_imc") == total,
                    PATIENCE, f"{total} calls")

            wait_for(0)
            subprocess.run(self.load(), check=True)
            wait_for(FIRST)
            own_sysfs.write(sysfs, "uncore_imc_0", "cpumask", second)
            self.assertEqual(exporter.pmutool("reload").returncode, 0)
            wait_for(FIRST)
            subprocess.run(self.load(), check=True)
            wait_for(FIRST + SECOND)


if __name__ == "__main__":
    enter_own_tracefs()
    live.main()
