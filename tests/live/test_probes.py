#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Probes: what a function is called, what it returns and which markers it passes is counted to the
one, by both mechanisms; and nothing is left of them."""
import itertools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import live
from cgroups import Cgroups
from exporter import PATIENCE, Exporter
from own_mounts import own_mounts
from probed import Probed

TIMES = 1000
SUPPORTED = "pmu_exporter_event_supported"
SYSTEM_CALL = {"x86_64": "__x64_sys_getppid"}.get(os.uname().machine, "__arm64_sys_getppid")
EVENTS = ("calls", "returns", "plain", "watched")


def has_pmu(name):
    return os.path.exists(f"/sys/bus/event_source/devices/{name}")


def config(counting, program, comm, cgroups=None, more=""):
    text = (f"interval: 1s\ncounting: {counting}\nlinger: 3s\n"
            "groups:\n"
            "- {name: calls, events: [\"probe:calls\", \"probe:returns\"]}\n"
            "- {name: markers, events: [\"probe:plain\", \"probe:watched\"]}\n"
            "- {name: wrong, events: [\"probe:slip\", \"probe:twice\", \"probe:kernel\"]}\n"
            "probes:\n"
            f"- {{name: calls, user: \"{program}:probed_call\"}}\n"
            f"- {{name: returns, user: \"{program}:probed_call%return\"}}\n"
            f"- {{name: plain, usdt: \"{program}:pmu_test:plain\"}}\n"
            f"- {{name: watched, usdt: \"{program}:pmu_test:watched\"}}\n"
            f"- {{name: slip, user: \"{program}:probed_cal\"}}\n"
            f"- {{name: twice, usdt: \"{program}:pmu_test:twice\"}}\n"
            f"- {{name: kernel, kernel: {SYSTEM_CALL}}}\n"
            "targets:\n"
            f"  processes: [{{comm: [{comm}], name: \"{{{{.Comm}}}}\", groups: [calls, markers]{more}}}]\n")
    if cgroups:
        text += (f"  cgroups: [{{include: [\"/{cgroups.top}/*\"], "
                 "groups: [calls, markers, wrong]}]\n")
    return text


class ProbesTest(live.LiveTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not has_pmu("uprobe"):
            raise cls.skipTest(cls, "this kernel has no uprobes")

    def setUp(self):
        self.hidden = 0
        self.comm = live.own("probed")
        self.directory = pathlib.Path(self.enterContext(
            tempfile.TemporaryDirectory(prefix="pmu_exporter-test-")))
        self.program = str(self.directory / "probed")
        shutil.copy(live.program("probed"), self.program)

    def hidden_switches(self):
        return self.hidden

    def note_hidden_switches(self, metrics):
        self.hidden = metrics.value("pmu_exporter_untold_switches_total") or 0

    def counted(self, exporter):
        """A scrape that has the process, after which all that it does is counted."""
        exporter.scrape_until(
            lambda m: m.value("pmu_process_members", groupname=self.comm) == 1
            and m.value("pmu_process_probe_watched_total", groupname=self.comm) is not None,
            PATIENCE, "the process")
        return exporter.after_cycles(2)

    def assert_counted(self, before, after, scope, times, **labels):
        self.note_hidden_switches(after)
        for event in EVENTS:
            metric = f"pmu_{scope}_probe_{event}_total"
            self.assertEqual(after.value(metric, **labels) - before.value(metric, **labels), times,
                             metric)


class Counting(ProbesTest):
    def check(self, counting):
        with Cgroups() as cgroups:
            path = cgroups.make("load")
            procs = os.fsdecode(cgroups.directory("load")) + "/cgroup.procs"
            text = config(counting, self.program, self.comm, cgroups)
            with Probed(self.program, self.comm, procs) as probed, Exporter(text) as exporter:
                before = self.counted(exporter)
                mechanisms = before.labels("pmu_exporter_mechanism_info", "mechanism",
                                           scope="cgroup")
                if mechanisms != {counting}:
                    self.skipTest(before.labels("pmu_exporter_mechanism_info", "reason"))
                raised, _ = probed.run(here=TIMES)
                self.assertEqual(raised, TIMES, "the semaphore was not raised")
                after = exporter.after_cycles(2)
                self.assert_counted(before, after, "cgroup", TIMES, cgroup=path)
                self.assert_counted(before, after, "process", TIMES, groupname=self.comm)
                probed.run(in_thread=TIMES)
                last = exporter.after_cycles(2)
                self.assert_counted(after, last, "cgroup", TIMES, cgroup=path)
                if counting == "bpf":  # direct: a thread is seen in the next cycle
                    self.assert_counted(after, last, "process", TIMES, groupname=self.comm)
                self.assert_absences(last, exporter.stderr())
                self.assert_help(last)
                self.assert_nothing_is_left(exporter, probed)

    def assert_absences(self, metrics, log):
        reasons = {"slip": "not_supported", "twice": "not_supported"}
        if not has_pmu("kprobe"):
            reasons["kernel"] = "no_pmu"
        for name, reason in reasons.items():
            self.assertEqual(metrics.value(SUPPORTED, scope="cgroup", event=f"probe:{name}",
                                           reason=reason), 0, name)
        self.assertEqual(log.count("did you mean probed_call?"), 1, log)
        self.assertEqual(log.count("there are 2, expected #1 to #2"), 1, log)

    def assert_help(self, metrics):
        text = metrics.exposition.families["pmu_cgroup_probe_returns_total"].help
        self.assertIn(f"Returns of probed_call in {self.program}", text)
        self.assertIn(f"uprobe/config=0x1,config1=\"{self.program}\",config2=0x", text)

    def assert_nothing_is_left(self, exporter, probed):
        """The byte of the function that the kernel replaces is back after a kill -9."""
        raised, probed_byte = probed.run()
        exporter.process.send_signal(signal.SIGKILL)
        exporter.process.wait(PATIENCE)
        end = time.monotonic() + PATIENCE  # by bpf the kernel ends maps, and what they hold, later
        while probed.run()[1] == probed_byte:
            self.assertLess(time.monotonic(), end, "the probe is still there")
            time.sleep(0.1)
        self.assertEqual(probed.run(here=7)[0], raised, "the semaphore is still raised")
        exporter.start()  # so that leaving the block finds it running

    def test_calls_returns_and_markers_are_counted_by_direct(self):
        self.check("direct")

    @live.again_where_switches_are_hidden
    def test_calls_returns_and_markers_are_counted_by_bpf(self):
        self.check("bpf")


class PerfStat:
    """`perf stat -a` of a probe that perf has by tracefs, over a command that waits. tracefs is
    mounted for it alone, but its probes are everybody's: this one is removed at the end."""
    TRACEFS = "/sys/kernel/tracing"

    def __init__(self, place):
        group = f"pmu_test_{os.getpid()}"
        script = (f"cd {self.TRACEFS} || exit 1\n"
                  "cat dynamic_events; echo end\n"
                  f"echo 'p:{group}/calls {place}' >>uprobe_events || exit 1\n"
                  f"perf stat -a '-x;' -e {group}:calls -- sh -c 'echo open; read -r _'\n"
                  f"echo '-:{group}/calls' >>uprobe_events\n")
        self.process = subprocess.Popen(
            [*own_mounts(self.TRACEFS, f"{{ [ -e {self.TRACEFS}/events ] || "
                                       f"mount -t tracefs tracefs {self.TRACEFS}; }}"),
             "sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        lines = iter(self.process.stdout.readline, "")
        self.dynamic_events = list(itertools.takewhile(lambda l: l != "end\n", lines))
        if next(lines, "") != "open\n":
            raise AssertionError(self.process.communicate(timeout=PATIENCE)[1])

    def read(self):
        """Ends perf; what it has counted."""
        _, text = self.process.communicate("\n", timeout=PATIENCE)
        (count,) = live.perf_stat_counts(text).values()
        return count

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.communicate("\n", timeout=PATIENCE)


class Watched(ProbesTest):
    @live.again_where_switches_are_hidden
    def test_perf_counts_the_same_and_sees_nothing_of_ours_in_tracefs(self):
        live.need("perf")
        with Probed(self.program, self.comm) as probed, \
                Exporter(config("auto", self.program, self.comm)) as exporter:
            before = self.counted(exporter)
            text = before.exposition.families["pmu_process_probe_calls_total"].help
            offset = re.search(r"config2=(0x[0-9a-f]+)", text)[1]
            with PerfStat(f"{self.program}:{offset}") as perf:
                self.assertFalse([l for l in perf.dynamic_events if self.program in l])
                probed.run(here=TIMES, in_thread=7)
                after = exporter.after_cycles(2)
                theirs = perf.read()
            self.note_hidden_switches(after)
            ours = (after.value("pmu_process_probe_calls_total", groupname=self.comm)
                    - before.value("pmu_process_probe_calls_total", groupname=self.comm))
            self.assertEqual((ours, theirs), (TIMES + 7, TIMES + 7))

    def test_a_watched_process_without_rights_can_start_threads_and_children(self):
        """A probe that is inherited would make its pthread_create() and fork() fail."""
        os.chmod(self.directory, 0o755)
        for more in ("", ", children: true"):
            with Probed(self.program, self.comm, user=65534, group=65534) as probed, \
                    Exporter(config("direct", self.program, self.comm, more=more)) as exporter:
                exporter.scrape_until(
                    lambda m: m.value("pmu_process_members", groupname=self.comm) == 1, PATIENCE,
                    "the process")
                exporter.after_cycles(2)
                probed.run(in_thread=5)

    @live.again_where_switches_are_hidden
    def test_after_an_update_a_reload_puts_the_probe_on_the_new_file(self):
        new = self.directory / "new"
        shutil.copy(self.program, new)
        with Exporter(config("auto", self.program, self.comm)) as exporter:
            os.rename(new, self.program)
            with Probed(self.program, self.comm) as probed:
                before = self.counted(exporter)
                probed.run(here=TIMES)
                old = exporter.after_cycles(2)
                self.assert_counted(before, old, "process", 0, groupname=self.comm)
                self.reload(exporter)
                before = exporter.after_cycles(2)
                probed.run(here=TIMES)
                after = exporter.after_cycles(2)
                self.assert_counted(before, after, "process", TIMES, groupname=self.comm)

    def reload(self, exporter):
        name = "pmu_exporter_config_last_reload_success_timestamp_seconds"
        before = exporter.scrape().value(name)
        time.sleep(1)
        os.kill(exporter.pid, signal.SIGHUP)
        exporter.scrape_until(lambda m: m.value(name) > before, PATIENCE, "the reload")


if __name__ == "__main__":
    live.main(at_once=4)
