# SPDX-License-Identifier: Apache-2.0
"""Spans, the time from one event to another: each is counted once, with a length that the load has
measured too, for the cgroup that began it; and what cannot be followed says so, while the rest goes
on."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import live
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, quote, without_profiles
from own_mounts import enter_own_tracefs
from probed import Probed

SUPPORTED = "pmu_exporter_span_supported"
UNKNOWN = "pmu_exporter_latency_unknown_total"
START = "pmu_cgroup_start_time_seconds"
PLACES = 4096  # for begins that wait for their end, of a span
TIMES = 1000

EXEC = "{name: exec, begin: \"sched:sched_process_exec\", end: \"sched:sched_process_exit\"}"
CHILD = ("{name: child, begin: \"sched:sched_process_fork\", end: \"sched:sched_process_exit\", "
         "key: child_pid, end_key: pid}")

# Enters a cgroup, then forks so many children that sleep for so long, and waits for all of them.
# It tells how long each child has lived at least, and how long all this has taken, in seconds.
FORKS = """import os, sys, time
cgroup, n, nap, others = sys.argv[1:5]
open(cgroup + "/cgroup.procs", "w").write("0")
begin = time.monotonic()
for _ in range(int(n)):
    if os.fork() == 0:
        open(others + "/cgroup.procs", "w").write("0") if others else None
        time.sleep(float(nap))
        os._exit(0)
    os.wait()
print(time.monotonic() - begin)
"""


class Spans(live.LiveTest):
    def setUp(self):
        self.cgroups = self.enterContext(Cgroups())
        self.directory = pathlib.Path(self.enterContext(
            tempfile.TemporaryDirectory(prefix="pmu_exporter-test-")))
        self.probed = str(self.directory / "probed")
        shutil.copy(live.program("probed"), self.probed)
        self.comm = live.own("probed")

    def config(self, *spans):
        return (f"interval: 1s\ncounting: {live.COUNTING}\nlinger: 30s\n"
                "groups: [{name: software, events: [task-clock]}]\n"
                "probes:\n"
                f"- {{name: call, user: \"{self.probed}:probed_call\"}}\n"
                "- {name: of_kernel, kernel: do_exit}\n"
                f"- {{name: return, user: \"{self.probed}:probed_call%return\"}}\n"
                f"- {{name: plain, usdt: \"{self.probed}:pmu_test:plain\"}}\n"
                f"- {{name: watched, usdt: \"{self.probed}:pmu_test:watched\"}}\n"
                f"- {{name: never, user: \"{self.probed}:never_called\"}}\n"
                "spans:\n" + "".join(f"- {span}\n" for span in spans) +
                "targets:\n  system: {groups: [software], latency: [spans]}\n"
                f"  processes: [{{comm: [{self.comm}], name: \"{{{{.Comm}}}}\", "
                "groups: [software], latency: [spans]}]\n"
                f"  cgroups:\n    - include: [{quote('/' + self.cgroups.top + '/**')}]\n"
                f"      groups: [software]\n      latency: [spans]\n")

    def start(self, *spans):
        exporter = self.enterContext(Exporter(self.config(*spans)))
        metrics = exporter.scrape()
        if metrics.sum("pmu_exporter_latency_supported", kind="spans") == 0:
            self.skipTest("spans cannot be followed here: " + str(
                metrics.labels("pmu_exporter_latency_supported", "reason", kind="spans")))
        return exporter

    def need_probes(self):
        if not os.path.exists("/sys/bus/event_source/devices/uprobe"):
            self.skipTest("this kernel has no uprobes")

    def procs(self, name):
        return os.fsdecode(self.cgroups.directory(name)) + "/cgroup.procs"

    def make(self, exporter, *names):
        for name in names:
            self.cgroups.make(name)
        exporter.scrape_until(
            lambda m: all(m.value(START, cgroup=self.cgroups.path(name)) for name in names),
            PATIENCE, "the cgroups")
        exporter.after_cycles(1)

    def of_cgroup(self, metrics, name, span, what="count"):
        return metrics.sum(f"pmu_cgroup_span_seconds_{what}", cgroup=self.cgroups.path(name),
                           span=span)

    def fork(self, name, n, nap, others=""):
        done = subprocess.run(
            [sys.executable, "-c", FORKS, self.cgroups.directory(name), str(n), str(nap),
             self.cgroups.directory(others) if others else ""],
            check=True, text=True, capture_output=True)
        return float(done.stdout)

    def reload(self, exporter, config):
        (exporter.directory / "pmu_exporter.yml").write_text(without_profiles(config))
        self.assertEqual(exporter.ask_control("POST", "/-/reload").status, 200)

    def test_spans_of_threads_are_those_of_the_cgroup_that_began_them(self):
        exporter = self.start(EXEC)
        self.make(exporter, "a", "a/b", "c")
        unknown = exporter.scrape().value(UNKNOWN)
        begin = time.monotonic()
        for _ in range(20):  # the shell begins a span, and then another one in the cgroup
            subprocess.run(["sh", "-c", f"echo 0 >{self.procs('a/b')}; "
                            "exec sleep 0.02"], check=True)
        took = time.monotonic() - begin
        last = exporter.after_cycles(2)
        for name, n in ("a", 20), ("a/b", 20), ("c", 0):
            self.assertEqual(self.of_cgroup(last, name, "exec"), n, name)
        total = float(self.of_cgroup(last, "a/b", "exec", "sum"))
        self.assertGreaterEqual(total, 20 * 0.02)
        self.assertLessEqual(total, took)
        self.assertGreaterEqual(last.value(UNKNOWN) - unknown, 20, "begins that were given up")

    def test_a_field_is_a_key_and_the_span_is_of_who_began_it(self):
        exporter = self.start(EXEC, CHILD)
        self.make(exporter, "a", "c")
        took = self.fork("a", 300, 0.001, others="c")
        last = exporter.after_cycles(2)
        self.assertEqual(self.of_cgroup(last, "a", "child"), 300)
        self.assertEqual(self.of_cgroup(last, "c", "child"), 0)
        total = float(self.of_cgroup(last, "a", "child", "sum"))
        self.assertGreaterEqual(total, 300 * 0.001)
        self.assertLessEqual(total, took)
        self.assertGreaterEqual(last.sum("pmu_machine_span_seconds_count", span="child"), 300)

    def test_probes_begin_and_end_spans_of_each_thread(self):
        self.need_probes()
        exporter = self.start("{name: call, begin: \"probe:call\", end: \"probe:return\"}",
                              "{name: inner, begin: \"probe:plain\", end: \"probe:watched\"}")
        self.make(exporter, "a")
        procs = self.procs("a")
        with Probed(self.probed, self.comm, procs) as probed:
            exporter.scrape_until(
                lambda m: m.value("pmu_process_members", groupname=self.comm) == 1, PATIENCE,
                "the process")
            exporter.after_cycles(2)
            begin = time.monotonic()
            probed.run(here=TIMES, in_thread=TIMES)
            took = time.monotonic() - begin
            last = exporter.after_cycles(2)
            for span in "call", "inner":
                self.assertEqual(self.of_cgroup(last, "a", span), 2 * TIMES, span)
                self.assertEqual(last.sum("pmu_process_span_seconds_count", groupname=self.comm,
                                          span=span), 2 * TIMES, span)
            call, inner = (float(self.of_cgroup(last, "a", span, "sum"))
                           for span in ("call", "inner"))
            self.assertLess(call, 2 * took, "two threads")
            self.assertLess(0, inner)
            self.assertLess(inner, call, "it is a part of the call")

    def test_begins_without_end_are_given_up_and_counted(self):
        self.need_probes()
        exporter = self.start(
            "{name: nested, begin: \"probe:call\", end: \"probe:never\"}",
            "{name: storm, begin: \"sched:sched_process_fork\", end: \"probe:never\", "
            "key: child_pid, end_key: thread}", EXEC)
        self.make(exporter, "a")
        before = exporter.after_cycles(1)
        with Probed(self.probed, self.comm) as probed:
            probed.run(here=100_000)
        after = exporter.after_cycles(2)
        self.assertGreaterEqual(after.value(UNKNOWN) - before.value(UNKNOWN), 99_999)
        self.fork("a", PLACES + 1000, 0)
        last = exporter.after_cycles(2)
        self.assertGreaterEqual(last.value(UNKNOWN) - after.value(UNKNOWN), 1000)
        for span in "nested", "storm":
            self.assertEqual(last.sum("pmu_machine_span_seconds_count", span=span), 0, span)
        subprocess.run(["sh", "-c", f"echo 0 >{self.procs('a')}; "
                        "exec true"], check=True)
        last = exporter.after_cycles(2)
        self.assertEqual(self.of_cgroup(last, "a", "exec"), 1, "others are counted as before")

    def test_what_cannot_be_followed_has_its_reason_and_the_rest_goes_on(self):
        spans = [EXEC, "{name: unknown, begin: \"sched:sched_proces_exec\", "
                 "end: \"sched:sched_process_exit\"}",
                 "{name: field, begin: \"sched:sched_process_fork\", "
                 "end: \"sched:sched_process_exit\", key: chidl_pid}",
                 "{name: text, begin: \"sched:sched_process_exec\", "
                 "end: \"sched:sched_process_exit\", key: comm}",
                 "{name: common, begin: \"sched:sched_process_exec\", "
                 "end: \"sched:sched_process_exit\", key: common_pid}",
                 "{name: of_probe, begin: \"probe:call\", end: \"probe:return\", key: pid}",
                 "{name: of_kernel, begin: \"sched:sched_process_exec\", "
                 "end: \"probe:of_kernel\"}"]
        exporter = self.start(*spans)
        metrics = exporter.scrape()
        self.assertEqual(metrics.value(SUPPORTED, span="exec", reason=""), 1)
        log, words = exporter.stderr(), {
            "unknown": "there is no such event", "field": "did you mean child_pid",
            "text": "no field comm", "common": "no field common_pid",
            "of_probe": "a probe has no fields"}
        if not os.path.exists("/sys/bus/event_source/devices/kprobe"):
            words["of_kernel"] = "probe:of_kernel: the kernel has no kprobes"
        for span, why in words.items():
            with self.subTest(span=span):
                [reason] = metrics.labels(SUPPORTED, "reason", span=span)
                self.assertIn(why, reason)
                self.assertRegex(log, f"span={span} reason=\"[^\"]*{re.escape(why)}")
        self.make(exporter, "a")
        self.fork("a", 10, 0)
        subprocess.run(["sh", "-c", f"echo 0 >{self.procs('a')}; "
                        "exec true"], check=True)
        self.assertEqual(self.of_cgroup(exporter.after_cycles(2), "a", "exec"), 1)

    def test_a_reload_adds_and_removes_spans_and_keeps_what_the_others_count(self):
        exporter = self.start(CHILD)
        self.make(exporter, "a")
        self.fork("a", 30, 0)
        self.reload(exporter, self.config(CHILD, EXEC))
        self.fork("a", 20, 0)
        last = exporter.after_cycles(2)
        self.assertEqual(self.of_cgroup(last, "a", "child"), 50)
        self.assertEqual(last.labels(SUPPORTED, "span"), {"child", "exec"})
        self.reload(exporter, self.config(EXEC))
        before = self.of_cgroup(exporter.after_cycles(1), "a", "child")
        self.fork("a", 20, 0)
        last = exporter.after_cycles(2)
        self.assertEqual(self.of_cgroup(last, "a", "child"), before)
        self.assertEqual(last.labels(SUPPORTED, "span"), {"exec"})

    def test_without_rights_the_reason_is_told(self):
        live.need("setpriv")
        text = self.config(EXEC)
        with Exporter(text, wrapper=("setpriv", "--bounding-set=-all", "--inh-caps=-all",
                                     "--")) as exporter:
            metrics = exporter.scrape()
            self.assertEqual(metrics.sum(SUPPORTED, span="exec"), 0)
            self.assertNotEqual(metrics.labels(SUPPORTED, "reason", span="exec"), {""})


if __name__ == "__main__":
    enter_own_tracefs()
    live.main()
