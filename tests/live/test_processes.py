# SPDX-License-Identifier: Apache-2.0
"""Processes: each count stands once, whoever comes and goes, and is what the process itself and
`perf stat -p` tell of the same time."""
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import live
from counted_processes import (CLOCK, CYCLE, FAULTS, FAULTS_A_PROCESS, MEMBERS, SLEEP, SLEEPERS, START,
                               UNCOUNTED, Crowd, ProcessTest, config)
from exporter import PATIENCE, Exporter
from live import own


class PerfStat:
    """`perf stat -p` of the same time, over a command that waits, which it runs when it counts."""

    def __init__(self, pid, *events):
        self.process = subprocess.Popen(
            ["perf", "stat", "-x;", "-e", ",".join(events), "-p", str(pid), "--", "sh", "-c",
             "echo open; read -r _"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "open\n":
            raise AssertionError(self.process.communicate()[1])

    def read(self):
        _, text = self.process.communicate("\n", timeout=PATIENCE)
        return live.perf_stat_counts(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


class Truth(ProcessTest):
    def test_threads_that_come_and_go_count_once_and_as_perf_stat_counts_them(self):
        live.need("perf")
        exporter = self.run_exporter(f"comm: [{own('crowd-a')}]")
        with Crowd(own("crowd-a"), "threads", 8, 500, 40) as crowd:
            before = self.seen(exporter, "crowd")
            with PerfStat(crowd.pid, "page-faults", "context-switches", "task-clock") as perf:
                told, _, _ = crowd.run()
                after = self.after(exporter)
                theirs = perf.read()
            ours = after.value(FAULTS, groupname="crowd") - before.value(FAULTS, groupname="crowd")
            self.assertGreaterEqual(told, 8 * 500 * 40)
            self.assertEqual(ours, theirs["page-faults"])
            self.check_between(ours, told, told * 1.001 + FAULTS_A_PROCESS)
            clock = after.value(CLOCK, groupname="crowd") - before.value(CLOCK, groupname="crowd")
            self.assertAlmostEqual(float(clock), theirs["task-clock"] / 1000,
                                   delta=0.02 * theirs["task-clock"] / 1000)
            crowd.end()

    def test_children_that_match_count_beside_their_parent(self):
        exporter = self.run_exporter(f'comm: [{own("crowd-p")}], name: "parent"',
                                     f'comm: [{own("crowd-c")}], name: "child"')
        with Crowd(own("crowd-p"), "children", 20, 500, own("crowd-c"), 0) as crowd:
            before = self.seen(exporter, "child", 20)
            of_self, of_children, _ = crowd.run()
            after = self.after(exporter)
        for name, told, processes in (("parent", of_self, 1), ("child", of_children, 20)):
            ours = after.value(FAULTS, groupname=name) - before.value(FAULTS, groupname=name)
            self.check_between(ours, told, told + processes * FAULTS_A_PROCESS)
        self.assertEqual(before.value(MEMBERS, groupname="parent"), 1)
        self.assertEqual(after.value(MEMBERS, groupname="child"), 0)

    def test_children_that_do_not_match_are_not_counted(self):
        exporter = self.run_exporter(f'comm: [{own("crowd-q")}], name: "parent"')
        with Crowd(own("crowd-q"), "children", 20, 500, "other", 0) as crowd:
            before = self.seen(exporter, "parent", 1)
            of_self, of_children, _ = crowd.run()
            after = self.after(exporter)
        ours = after.value(FAULTS, groupname="parent") - before.value(FAULTS, groupname="parent")
        self.assertGreaterEqual(of_children, 20 * 500)
        self.check_between(ours, of_self, of_self + FAULTS_A_PROCESS)

    def check_with_children(self, *rules, child_name):
        """All descendants stand in the parent's group, once, whoever else matches them."""
        exporter = self.run_exporter(*rules)
        with Crowd(own("crowd-r"), "children", 20, 500, child_name, 1) as crowd:
            before = self.seen(exporter, "family", 21)
            told = sum(crowd.run())
            after = self.after(exporter)
            self.assertEqual(after.value(MEMBERS, groupname="family"), 1)
        ours = after.value(FAULTS, groupname="family") - before.value(FAULTS, groupname="family")
        self.assertGreaterEqual(told, 41 * 500)
        self.check_between(ours, told, told + 41 * FAULTS_A_PROCESS)
        self.assertEqual(after.labels(FAULTS, "groupname"), {"family"})

    def test_with_children_descendants_are_counted_with_their_parent(self):
        self.check_with_children(f'comm: [{own("crowd-r")}], name: "family", children: true',
                                 child_name="other")

    def test_with_children_no_descendant_is_counted_twice_though_a_rule_matches_it(self):
        self.check_with_children(f'comm: [{own("crowd-r")}], name: "family", children: true',
                                 f'comm: [{own("crowd-s")}], name: "child"',
                                 child_name=own("crowd-s"))

    def test_children_born_while_counting_are_counted_after_their_parent_has_ended(self):
        exporter = self.run_exporter(f'comm: [{own("family")}], name: "family", children: true')
        script = ("import os, sys, time; sys.stdin.readline();"
                  "os.fork() and os._exit(0);"
                  "time.sleep(2.5); blob = bytearray(40000000);"
                  "blob[::4096] = bytes(len(blob[::4096])); os.read(int(sys.argv[1]), 1)")
        until, end = os.pipe()  # the orphan lives until we close its input
        process = subprocess.Popen(
            ["sh", "-c", 'exec "$0" -c "$1" "$2"', self.named(sys.executable, own("family")),
             script, str(until)], stdin=subprocess.PIPE, pass_fds=[until])
        os.close(until)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdin.close)
        ending = self.enterContext(contextlib.closing(os.fdopen(end, "wb")))
        before = self.seen(exporter, "family", 1)
        process.stdin.write(b"\n")
        process.stdin.close()
        process.wait(PATIENCE)
        metrics = exporter.scrape_until(
            lambda m: m.value(FAULTS, groupname="family") -
            before.value(FAULTS, groupname="family") > 9000, 6 * CYCLE, "the orphan's faults")
        self.assertEqual(metrics.value(MEMBERS, groupname="family"), 1)
        ending.close()
        exporter.scrape_until(lambda m: m.value(MEMBERS, groupname="family") == 0, 6 * CYCLE,
                              "its end")


class Life(ProcessTest):
    def test_a_group_keeps_its_totals_while_members_come_and_go(self):
        exporter = self.run_exporter(f"comm: [{own('crowd-t')}], name: \"group\"")
        last = 0
        for _ in range(3):
            with Crowd(own("crowd-t"), "threads", 1, 2000, 1) as crowd:
                before = self.seen(exporter, "group", 1)
                self.assertGreaterEqual(before.value(FAULTS, groupname="group"), last)
                self.assertIsNotNone(before.value(START, groupname="group"))
                crowd.run()
                crowd.end()
            after = exporter.scrape_until(lambda m: m.value(MEMBERS, groupname="group") == 0,
                                          3 * CYCLE, "its end")
            total = after.value(FAULTS, groupname="group")
            self.assertGreaterEqual(total, last + 2000, "what it did last is read after its end")
            last = total
        time.sleep(5 * CYCLE)  # longer than linger
        rested = exporter.scrape()
        self.assertEqual(rested.value(FAULTS, groupname="group"), last)
        self.assertIsNone(rested.value(START, groupname="group"))
        self.assertIsNone(rested.value("pmu_process_page_faults_per_second", groupname="group"))

    def test_a_group_of_one_process_ends_with_it(self):
        exporter = self.run_exporter(
            f'comm: [{own("crowd-u")}], name: "{{{{.Comm}}}}-{{{{.PID}}}}"')
        with Crowd(own("crowd-u"), "threads", 1, 10, 1) as crowd:
            name = f'{own("crowd-u")}-{crowd.pid}'
            self.seen(exporter, name, 1)
            crowd.end()
        exporter.scrape_until(lambda m: not m.find(FAULTS), 3 + 3.5 * CYCLE, "the end of linger")

    def test_one_thousand_ends_in_the_middle_of_a_scan_leave_nothing_behind(self):
        exporter = self.run_exporter(f'comm: [{own("true")}], name: "short"')
        program = self.named("/bin/true", own("true"))
        descriptors = exporter.open_descriptors()
        end = time.monotonic() + 6
        while time.monotonic() < end:
            for process in [subprocess.Popen([program]) for _ in range(20)]:
                process.wait()
        exporter.scrape_until(
            lambda m: m.sum(MEMBERS) == 0 and exporter.open_descriptors() <= descriptors + 2,
            3 * CYCLE, "all have ended, and nothing of them is open")
        exporter.check_log_rate()

    def test_an_exec_makes_it_another_group(self):
        exporter = self.run_exporter(f'comm: [{SLEEP}], name: "sleeps"',
                                     f'comm: [{own("sh")}], name: "shell"')
        shell, sleep = self.named("/bin/sh", own("sh")), self.named("/bin/sleep", SLEEP)
        process = subprocess.Popen([shell, "-c", f"read _; exec {sleep} 600"],
                                   stdin=subprocess.PIPE)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.seen(exporter, "shell", 1)
        process.stdin.write(b"\n")
        process.stdin.close()
        metrics = self.seen(exporter, "sleeps", 1)
        self.assertEqual(metrics.value(MEMBERS, groupname="shell"), 0)

    def test_an_exec_under_the_same_name_goes_on_with_a_group_of_one_process(self):
        shell = self.named("/bin/sh", own("sh"))
        exporter = self.run_exporter(f'comm: [{own("sh")}], name: "{{{{.Comm}}}}-{{{{.PID}}}}"')
        process = subprocess.Popen(
            [shell, "-c", "read _; for i in $(seq 50); do (:); done; "
             f"read _; exec {shell} -c 'read _'"],
            stdin=subprocess.PIPE)
        for cleanup in (process.wait, process.kill, process.stdin.close):
            self.addCleanup(cleanup)
        name = f'{own("sh")}-{process.pid}'
        first = self.seen(exporter, name, 1)
        process.stdin.write(b"\n")
        process.stdin.flush()
        before = exporter.scrape_until(
            lambda m: m.value(FAULTS, groupname=name) >= first.value(FAULTS, groupname=name) + 50,
            4 * CYCLE, "faults of the loop")
        process.stdin.write(b"\n")
        process.stdin.flush()
        after = self.after(exporter)
        self.assertGreater(after.value(FAULTS, groupname=name),
                           before.value(FAULTS, groupname=name))
        self.assertEqual(after.value(START, groupname=name), before.value(START, groupname=name))

    def test_an_exec_that_gains_privileges_goes_on_being_counted(self):
        """The kernel drops the counters there; `perf stat -p` counts nothing from then on."""
        live.need("setpriv")
        directory = self.enterContext(tempfile.TemporaryDirectory())
        os.chmod(directory, 0o755)
        program = os.path.join(directory, own("gains"))
        shutil.copy(live.program("crowd"), program)
        os.chmod(program, 0o4755)
        exporter = self.run_exporter(f'comm: [{own("before")}, {own("gains")}], name: "it"')
        script = "import ctypes, os, sys;" \
                 "ctypes.CDLL(None).prctl(15, sys.argv[1].encode(), 0, 0, 0);" \
                 "sys.stdin.readline(); os.execv(sys.argv[2], sys.argv[2:])"
        process = subprocess.Popen(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3",
             "-c", script, own("before"), program, own("gains"), "threads", "1", "20000", "1"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        for cleanup in (process.stdout.close, process.wait, process.kill, process.stdin.close):
            self.addCleanup(cleanup)
        self.seen(exporter, "it", 1)
        process.stdin.write("go\n")
        self.assertEqual(process.stdout.readline(), "ready\n")
        before = self.after(exporter)
        process.stdin.write("go\n")
        told = int(process.stdout.readline().split()[0])
        after = self.after(exporter)
        ours = after.value(FAULTS, groupname="it") - before.value(FAULTS, groupname="it")
        self.check_between(ours, told, told + FAULTS_A_PROCESS)

    def test_hostile_names_are_told_apart_and_cost_nobody_else(self):
        names = [b'a"b', b"a\\b", b"a\nb", b"\xff", b") R 1 (", "漢字".encode(), b"x\x1b[31m"]
        setter = ("import ctypes, sys, os, time;"
                  "ctypes.CDLL(None).prctl(15, bytes.fromhex(sys.argv[1]), 0, 0, 0);"
                  "print('ready', flush=True); time.sleep(600)")
        processes = [subprocess.Popen([sys.executable, "-c", setter, name.hex()],
                                      stdout=subprocess.PIPE) for name in names]
        for process in processes:
            self.addCleanup(process.stdout.close)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            process.stdout.readline()
        exporter = self.run_exporter(
            "pid: [" + ", ".join(str(p.pid) for p in processes) + '], name: "{{.Comm}}"')
        metrics = exporter.scrape_until(lambda m: len(m.find(FAULTS)) == len(names), 4 * CYCLE,
                                        "one group each")
        self.assertIn('a"b', metrics.labels(FAULTS, "groupname"))
        self.assertIn("漢字", metrics.labels(FAULTS, "groupname"))
        self.assertEqual(sum(g.startswith("%/") for g in metrics.labels(FAULTS, "groupname")), 3)


class Limits(ProcessTest):
    def test_a_limit_on_processes_holds_and_says_so(self):
        self.sleepers(10)
        exporter = self.run_exporter(SLEEPERS, more="limits: {processes: 6}\n")
        metrics = self.seen(exporter, SLEEP, 6)
        self.assertEqual(metrics.value(UNCOUNTED, kind="process", reason="over_limit"), 4)
        self.assertEqual(metrics.value("pmu_exporter_targets", kind="process"), 6)

    def test_a_limit_on_threads_refuses_whole_processes(self):
        """Those that it has when it is found: a thread that begins later is inherited."""
        self.sleepers(2)
        with Crowd(own("crowd-v"), "threads", 8, 1, 1):
            exporter = self.run_exporter(f'comm: [{own("crowd-v")}], name: "{{{{.Comm}}}}"',
                                         SLEEPERS, more="limits: {threads: 5}\n")
            self.seen(exporter, SLEEP, 2)
            metrics = exporter.scrape_until(
                lambda m: m.value(UNCOUNTED, kind="process", reason="over_limit") == 1, 4 * CYCLE,
                "that one is over the limit")
            self.assertIsNone(metrics.value(FAULTS, groupname=own("crowd-v")))

    def test_descriptors_that_do_not_suffice_are_told(self):
        self.sleepers(40)
        exporter = self.enterContext(Exporter(config(SLEEPERS),
                                              wrapper=["prlimit", "--nofile=128:128"]))
        metrics = exporter.scrape_until(
            lambda m: m.value(UNCOUNTED, kind="process", reason="no_descriptors"), 4 * CYCLE,
            "the reason")
        self.assertGreater(metrics.value("pmu_exporter_targets", kind="process"), 0)
        exporter.check_log_rate()


class Reload(ProcessTest):
    def test_a_reload_loses_no_count_of_threads_and_children_that_were_inherited(self):
        exporter = self.run_exporter(f'comm: [{own("crowd-w")}], name: "family", children: true')
        with Crowd(own("crowd-w"), "children", 4, 3000, "other", 1) as crowd:
            before = self.seen(exporter, "family", 5)
            path = exporter.directory / "pmu_exporter.yml"
            path.write_text(path.read_text().replace("linger: 3s", "linger: 4s"))
            exporter.process.send_signal(signal.SIGHUP)
            told = sum(crowd.run())
            for _ in range(3):
                exporter.process.send_signal(signal.SIGHUP)
                time.sleep(0.3)
            after = self.after(exporter)
        ours = after.value(FAULTS, groupname="family") - before.value(FAULTS, groupname="family")
        self.check_between(ours, told, told + 9 * FAULTS_A_PROCESS)

    def test_totals_of_a_group_without_members_survive_a_reload(self):
        exporter = self.run_exporter(f'comm: [{own("crowd-x")}], name: "group"')
        with Crowd(own("crowd-x"), "threads", 1, 2000, 1) as crowd:
            self.seen(exporter, "group", 1)
            crowd.run()
        total = exporter.scrape_until(lambda m: m.value(MEMBERS, groupname="group") == 0, 3 * CYCLE,
                                      "its end").value(FAULTS, groupname="group")
        time.sleep(1.2 * CYCLE)
        exporter.process.send_signal(signal.SIGHUP)
        after = self.after(exporter)
        self.assertEqual(after.value(FAULTS, groupname="group"), total)


if __name__ == "__main__":
    live.main(at_once=4)
