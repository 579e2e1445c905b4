#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Which mechanism the service takes, what it says of it, and that a change of mechanism costs no
count. What bpf counts is compared with direct elsewhere: live/mechanisms, and the guest."""
import os
import pathlib
import tempfile
import time

import live
from cgroups import Cgroups
from exporter import Exporter
from own_mounts import own_mounts

INFO = "pmu_exporter_mechanism_info"
CYCLE = 1.0
UNTOLD = "pmu_exporter_untold_switches_total"
SUPPORTED = "pmu_exporter_latency_supported"
FAULTS = "pmu_cgroup_page_faults_total"
PASSED = "the self-test has passed"
NO_CAPABILITY = "CAP_BPF or CAP_PERFMON is missing"
BUSY = "the self-test could not run"
NOT_BUILT = "built without libbpf"
READERS = 4  # processes that the exporter forks first
NO_LEAK_CHECK = {"ASAN_OPTIONS": "detect_leaks=0"}  # LeakSanitizer cannot work under strace


def choice(metrics, scope="cgroup"):
    return (*metrics.labels(INFO, "mechanism", scope=scope),
            *metrics.labels(INFO, "reason", scope=scope))


class MechanismChoice(live.LiveTest):
    def setUp(self):
        self.cgroups = self.enterContext(Cgroups())

    def run_exporter(self, counting, cgroups=True, latency=False, **options):
        config = live.config(self.cgroups if cgroups else None, system="all")
        config = config.replace("counting: direct", f"counting: {counting}")
        if latency:
            config = config.replace("      groups:", "      latency: [scheduler]\n      groups:")
        return self.enterContext(Exporter(config, **options))

    def chosen(self, counting, **options):
        return choice(self.run_exporter(counting, **options).scrape())

    def need_bpf(self):
        if self.chosen("auto") == ("direct", NOT_BUILT):
            self.skipTest(NOT_BUILT)

    def test_direct_is_taken_where_it_is_configured(self):
        self.assertEqual(self.chosen("direct"), ("direct", "configured"))

    def test_direct_is_taken_where_nothing_is_counted_by_switches(self):
        metrics = self.run_exporter("auto", cgroups=False).scrape()
        self.assertEqual(choice(metrics, scope="system"),
                         ("direct", "no cgroup or process is counted"))

    def test_without_the_capability_it_is_direct_and_says_so(self):
        live.need("setpriv")
        self.need_bpf()
        bound = "--bounding-set=-bpf,-sys_admin"
        for counting in ("auto", "bpf"):
            with self.subTest(counting):
                exporter = self.run_exporter(counting, wrapper=("setpriv", bound))
                self.assertEqual(choice(exporter.scrape()), ("direct", NO_CAPABILITY))
                told = [line for line in exporter.log_lines() if NO_CAPABILITY in line]
                self.assertEqual(len(told), 1, exporter.stderr())

    def test_without_btf_it_is_direct_and_says_so(self):
        live.need("unshare")
        self.need_bpf()
        wrapper = own_mounts("/sys/kernel/btf", "mount -t tmpfs none /sys/kernel/btf")
        self.assertEqual(self.chosen("auto", wrapper=wrapper), ("direct", "the kernel has no BTF"))

    def fault(self, name, n):
        with live.Load(self.cgroups.directory(name), faults=n) as load:
            load.run()

    def test_bpf_is_taken_and_stays_also_where_the_kernel_hides_some_switches(self):
        """Such kernels there are; what is in doubt there is told, and is little."""
        self.need_bpf()
        path = self.cgroups.make("a.service")
        exporter = self.run_exporter("auto")
        judge = self.run_exporter("direct")
        both = (exporter, judge)
        before = self.settled(both, path)
        self.fault("a.service", 1000)
        after = self.settled(both, path)
        metrics = exporter.scrape()
        self.need_a_quiet_self_test(metrics)
        self.assertEqual(choice(metrics), ("bpf", PASSED))
        counted, truth = (after[i] - before[i] for i in range(2))
        self.assertGreaterEqual(truth, 1000)
        self.assertLessEqual(abs(counted - truth), max(5, truth * 5 // 1000))
        self.assert_doubt_is_told(metrics)
        self.assertEqual(judge.scrape().value(UNTOLD), 0)
        self.assertEqual(self.told(exporter), [f'"cgroups and processes are counted by bpf" '
                                               f'reason="{PASSED}"'])

    def test_the_program_that_is_tested_is_the_one_that_counts(self):
        """The kernel takes longest to check the program: it is asked to once, also where the
        self-test is made again, and by a reload that finds room."""
        exporter, trace = self.run_traced("auto", "trace=bpf")
        metrics = exporter.scrape()
        self.need_a_quiet_self_test(metrics)
        self.assertEqual(choice(metrics), ("bpf", PASSED))
        self.assertEqual(exporter.ask_control("POST", "/-/reload").status, 200)
        self.assert_loaded_once(trace)

    def test_what_is_configured_by_name_is_loaded_once_also_without_a_self_test(self):
        """The self-test could not make a process here, after those that read files of others."""
        exporter, trace = self.run_traced("bpf", "trace=bpf,clone",
                                          "-e", f"inject=clone:error=EAGAIN:when={READERS + 1}+")
        for _ in range(2):
            self.assertEqual(choice(exporter.scrape()), ("bpf", "configured"))
            self.assertEqual(exporter.ask_control("POST", "/-/reload").status, 200)
        self.assertIn("INJECTED", trace.read_text())
        self.assert_loaded_once(trace)

    def test_a_kernel_that_refuses_what_latencies_take_counts_all_the_rest(self):
        """The load of the program fails, and that which libbpf tries once more to get words. The
        same program without latencies is loaded then."""
        self.cgroups.make("counted")
        for counting in ("auto", "direct"):
            with self.subTest(counting):
                lines = self.run_traced(counting, "trace=bpf", latency=True)[1].read_text()
                at = 1 + lines[:lines.index('prog_name="on_timed_switch"')].count("\n")
                exporter, _ = self.run_traced(counting, "trace=bpf", "-e",
                                              f"inject=bpf:error=EINVAL:when={at}..{at + 1}",
                                              latency=True)
                metrics = exporter.scrape()
                if counting == "auto":
                    self.need_a_quiet_self_test(metrics)
                self.assertEqual(choice(metrics),
                                 ("bpf", PASSED) if counting == "auto" else ("direct", "configured"))
                self.assertEqual(metrics.value(SUPPORTED, kind="scheduler"), 0)
                self.assertNotEqual(metrics.labels(SUPPORTED, "reason"), [""])
                self.assertEqual(len(metrics.find(FAULTS)), 1)
                self.assertEqual(metrics.find("pmu_cgroup_run_queue_latency_seconds_count"), {})
                exporter.log_until("latencies are not counted")

    def run_traced(self, counting, *words, latency=False):
        live.need("strace")
        self.need_bpf()
        trace = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()), "trace")
        wrapper = ("strace", "-D", "-q", "-o", str(trace), "-e", *words)
        return self.run_exporter(counting, wrapper=wrapper, env=NO_LEAK_CHECK,
                                 latency=latency), trace

    def assert_loaded_once(self, trace):
        loaded = [line for line in trace.read_text().splitlines()
                  if "BPF_PROG_LOAD" in line and 'prog_name="on_switch"' in line]
        self.assertEqual(len(loaded), 1, loaded)

    def test_what_is_configured_by_name_is_obeyed(self):
        self.need_bpf()
        metrics = self.run_exporter("bpf").scrape()
        self.need_a_quiet_self_test(metrics)
        self.assertEqual(choice(metrics)[0], "bpf")

    def told(self, exporter):
        """Which mechanism counts what, each time that the log says so."""
        return [line.split("msg=", 1)[1] for line in exporter.log_lines()
                if "are counted" in line or "set up again" in line]

    def need_a_quiet_self_test(self, metrics):
        if choice(metrics) == ("direct", BUSY):
            self.skipTest("this machine was too busy for the self-test")

    def assert_doubt_is_told(self, metrics):
        untold, seconds = metrics.value(UNTOLD), metrics.value("pmu_exporter_unattributed_seconds_total")
        print(f"{untold:.0f} switches were not shown, {seconds:.6f} s are in doubt")
        self.assertGreaterEqual(seconds, 0)
        if untold == 0:
            self.assertEqual(seconds, 0)
        # how much it is depends on how busy others keep the machine; it is not more than there was
        there_was = os.cpu_count() * (time.time() - float(metrics.value("process_start_time_seconds")))
        self.assertLess(seconds, there_was)

    def settled(self, exporters, path):
        """What each mechanism has counted of a cgroup in which nothing runs."""
        time.sleep(3 * CYCLE)
        return [int(e.scrape().value(FAULTS, cgroup=path)) for e in exporters]


if __name__ == "__main__":
    live.main()
