# SPDX-License-Identifier: Apache-2.0
"""Runs that record the scheduler: every switch and wake-up of a known load, against what the kernel
tells of the same threads; losses, ends and names of strangers."""
import contextlib
import csv
import io
import itertools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import live
import schedule_runs
import turns
from cgroups import Cgroups
from exporter import PATIENCE
from schedule_runs import CONFIG, PMUTOOL

TURNS = 2000
SPIN_US = 200
MOST_EVENTS = 300000  # of a run: SCHEDULE_EVENTS_MAX
# Its first thread sleeps, and another one, which has a name of its own, reads and writes.
THREAD = """import sys, threading
def work():
    open("/proc/thread-self/comm", "w").write("worker")
    print("ready", flush=True)
    sys.stdin.readline()
    print("done", flush=True)
    sys.stdin.readline()
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""
# By bpf the exporter knows how many switches the kernel has shown in no tracepoint.
TELLS_HIDDEN = live.config(system="all", more='  cgroups: [{include: ["/pmu-test-*/a.service"], '
                           "groups: [software]}]\n").replace("counting: direct", "counting: auto")
HIDDEN = "pmu_exporter_untold_switches_total"
HOSTILE = "a\"<b>,\x1b[1m\\;"


class Schedule(schedule_runs.ScheduleRuns):
    def of_turns(self, count=TURNS, spin_us=0, name="turns"):
        """A run of a cgroup in which two threads take turns; what the kernel tells of both, and for
        how long one of them has spun while the other one waited."""
        with Cgroups() as cgroups:
            path = cgroups.make("a.service")
            with turns.Turns(cgroups.directory("a.service"), count, spin_us, name) as load:
                before = load.told()
                number = self.start(f"cgroup:{path}")
                spun = load.take()
                told = load.told() - before
                return self.stop(number), told, spun, load.pids()

    def hidden_switches(self):
        return self.exporter.after_cycles(2).value(HIDDEN)

    @live.again_where_switches_are_hidden
    def test_each_switch_and_wake_up_of_a_load_is_recorded(self):
        self.begin(TELLS_HIDDEN)
        run, told, _, pids = self.of_turns()
        report = run["schedule"]
        threads = [thread for thread in report["threads"] if thread["tid"] in pids]
        self.assertEqual((report["lost"], report["full"]), (0, False))
        self.assertEqual(len(threads), 2)
        self.assertEqual(sum(thread["voluntary"] for thread in threads), told.voluntary)
        self.assertEqual(sum(thread["involuntary"] for thread in threads), told.involuntary)
        self.assertGreaterEqual(told.voluntary, TURNS)
        self.assertEqual(sum(thread["slices"] for thread in threads), told.arrivals)
        # Each is woken once in a turn, where it is blocked, and one by the line that begins them.
        wakes = sum(thread["wake_ups"] for thread in threads)
        self.assertGreaterEqual(wakes, told.voluntary)
        self.assertLessEqual(wakes, 2 * TURNS + 5)
        # In the time on CPUs the kernel does not count what a hypervisor or an interrupt took.
        ran = sum(thread["ran_seconds"] for thread in threads)
        self.assertGreaterEqual(ran, float(told.ran) * 0.98)
        self.assertAlmostEqual(ran, report["ran_seconds"], 6)
        # CSV has all of it, line by line.
        status, text = self.ask("GET", f"/{run['id']}.csv")
        lines = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual((status, len(lines)), (200, report["events"]))
        of_load = [line for line in lines if line["event"] == "switch" and int(line["tid"]) in pids]
        self.assertEqual(sum(line["state"] == "R" for line in of_load), told.involuntary)
        self.assertEqual(sum(line["state"] == "S" for line in of_load), told.voluntary)
        self.assertAlmostEqual(sum(float(line["ran_seconds"]) for line in of_load), ran, 6)
        self.assertAlmostEqual(sum(float(line["waited_seconds"] or 0) for line in lines),
                               report["waited_seconds"], 6)
        # The trace for Perfetto has it span by span, and the map cell by cell.
        status, trace = self.ask("GET", f"/{run['id']}/trace")
        spans = [event for event in trace["traceEvents"]
                 if event["ph"] == "X" and event["pid"] in pids]
        self.assertEqual((status, trace["otherData"]["lost"]), (200, "0"))
        self.assertAlmostEqual(sum(span["dur"] for span in spans if span["name"].startswith("CPU ")),
                               report["ran_seconds"] * 1e6, 0)
        self.assertAlmostEqual(sum(span["dur"] for span in spans if span["name"].startswith("waits")),
                               report["waited_seconds"] * 1e6, 0)
        for earlier, later in itertools.pairwise(
                sorted((s for s in spans if s["tid"] == pids[0]), key=lambda s: s["ts"])):
            self.assertLessEqual(earlier["ts"] + earlier["dur"], later["ts"] + 0.0015)
        status, chart = self.ask("GET", f"/{run['id']}/map?columns=100")
        cell = report["seconds"] / 100
        self.assertEqual((status, {thread["tid"] for thread in chart["threads"]} <= set(pids)),
                         (200, True))
        self.assertAlmostEqual(sum(sum(cpu["busy"]) for cpu in chart["cpus"]) * cell, ran,
                               delta=0.02 * ran + 0.001)
        # Rows have the same, interval by interval.
        totals = {column["name"]: summary["total"]
                  for column, summary in zip(run["columns"], run["summary"])}
        self.assertEqual(totals["switches"], report["switches"])
        self.assertEqual(totals["wake-ups"], report["wake_ups"] + report["starts"])
        self.assertAlmostEqual(totals["time-on-cpus"], report["ran_seconds"], 6)
        self.assertAlmostEqual(totals["time-waited"], report["waited_seconds"], 6)

    def test_a_wait_is_as_long_as_the_waker_says_and_names_it(self):
        self.begin()
        run, told, spun, pids = self.of_turns(200, SPIN_US)
        threads = {thread["tid"]: thread for thread in run["schedule"]["threads"]}
        waker, sleeper = (threads[pid] for pid in pids)
        waited = sum(threads[pid]["waited_seconds"] for pid in pids)
        self.assertGreaterEqual(waker["waits"] + sleeper["waits"], told.arrivals * 0.98 - 3)
        self.assertGreaterEqual(waited, float(spun) * 0.99)
        # A wait begins at the wake-up, some instructions before the kernel begins to count it. There
        # are machines whose sched_switch does not tell when certain threads leave a CPU (ftrace does
        # not have it either): who comes after them has an arrival more than waits.
        waits = waker["waits"] + sleeper["waits"]
        if waits >= told.arrivals:
            self.assertGreaterEqual(waited, float(told.waited) * 0.98)
        else:
            print(f"{waits} waits of {told.arrivals} arrivals: how long all were is not compared")
        self.assertEqual(waker["name"], "turns")
        self.assertGreaterEqual(sleeper["longest_wait"]["seconds"], SPIN_US * 0.9e-6)
        by_waker = [wait for wait in run["schedule"]["longest_waits"]
                    if wait["thread"]["tid"] == sleeper["tid"] and wait["waker"]
                    and wait["waker"]["tid"] == waker["tid"]]
        self.assertGreater(len(by_waker), 0)

    def test_a_process_is_recorded_with_what_it_starts(self):
        self.begin()
        shell = subprocess.Popen(["/bin/sh", "-c", "read line; /bin/true; read line; exit 0"],
                                 stdin=subprocess.PIPE, text=True)
        try:
            number = self.start(f"pid:{shell.pid}")
            shell.stdin.write("go\n")
            shell.stdin.flush()
            shell.stdin.write("end\n")
            shell.stdin.flush()
            shell.wait(PATIENCE)
            run = self.until_over(number)  # it ends with the process
        finally:
            shell.kill()
            shell.wait()
            shell.stdin.close()
        self.assertEqual(run["state"], "target_gone")
        names = {thread["name"]: thread for thread in run["schedule"]["threads"]}
        self.assertEqual(set(names), {"sh", "true"})
        self.assertGreater(names["true"]["ran_seconds"], 0)
        self.assertEqual(run["schedule"]["starts"], 1)

    def test_a_thread_is_called_by_its_own_name_and_that_of_its_process(self):
        self.begin()
        process = subprocess.Popen([sys.executable, "-c", THREAD], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(process.stdout.readline(), "ready\n")
            comm = pathlib.Path(f"/proc/{process.pid}/comm").read_text().rstrip("\n")
            number = self.start(f"pid:{process.pid}")
            process.stdin.write("go\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), "done\n")
            run = self.stop(number)
        finally:
            process.stdin.close()
            process.kill()
            process.wait()
            process.stdout.close()
        thread, = (each for each in run["schedule"]["threads"] if each["name"] == "worker")
        self.assertEqual((thread["pid"], thread["process"]), (process.pid, comm))
        self.assertNotEqual(thread["tid"], process.pid)

    def test_who_joins_the_cgroup_while_it_runs_has_not_run_there_before(self):
        self.begin()
        with Cgroups() as cgroups:
            path = cgroups.make("a.service")
            procs = os.fsdecode(cgroups.directory("a.service")) + "/cgroup.procs"
            # It has its CPU at the moment in which it enters by itself.
            shell = subprocess.Popen(["/bin/sh", "-c", f"read line; echo $$ >{procs}; "
                                      "while :; do :; done"], stdin=subprocess.PIPE)
            try:
                number = self.start(f"cgroup:{path}")
                self.until_rows(number, 20)
                before, _ = turns.of_processes([shell.pid])
                shell.stdin.close()
                self.until_rows(number, 25)
                run = self.stop(number)
                told = turns.of_processes([shell.pid])[0] - before
            finally:
                shell.stdin.close()
                shell.kill()
                shell.wait()
        self.assertGreater(run["schedule"]["switches"], 0)
        self.assertLessEqual(run["schedule"]["ran_seconds"], float(told.ran) * 1.05 + 0.05)

    def test_processes_of_another_pid_namespace_are_not_taken_for_those_of_the_host(self):
        live.need("unshare")
        self.begin(wrapper=("unshare", "--pid", "--fork", "--kill-child", "--mount-proc"))
        parent = self.exporter.pid  # which forwards no signal
        child, = pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        self.addCleanup(os.kill, int(child), signal.SIGTERM)
        self.stop(self.start("machine"))  # or it is skipped
        status, answer = self.ask("POST", "", {"title": "a run", "target": "pid:1",
                                               "kind": "schedule"})
        self.assertEqual((status, answer["error"]),
                         (403, "the scheduler cannot be recorded for processes: procfs is of "
                               "another PID namespace than the initial one"))

    def test_of_the_machine_each_cpu_is_busy_or_idle(self):
        self.begin()
        run = self.until_over(self.start("machine", duration_seconds=1))
        report = run["schedule"]
        self.assertEqual(run["state"], "over")
        self.assertGreaterEqual({cpu["cpu"] for cpu in report["cpus"]}, os.sched_getaffinity(0))
        for cpu in report["cpus"]:
            known = cpu["ran_seconds"] + cpu["idle_seconds"]
            self.assertLessEqual(known, report["seconds"] * 1.001)
            if report["gaps"] == 0:
                self.assertAlmostEqual(known, report["seconds"], 3)
            self.assertGreater(known, report["seconds"] * 0.8)
        self.assertGreater(report["switches"], 0)

    def test_as_many_switches_are_recorded_as_perf_counts(self):
        """One perf counts for longer than the run lasts, and another one within it."""
        live.need("perf")
        self.begin()
        counts = []
        with contextlib.ExitStack() as stack:
            directory = stack.enter_context(tempfile.TemporaryDirectory())

            def perf(name):
                path = pathlib.Path(directory) / name
                process = subprocess.Popen(
                    ["perf", "stat", "-a", "-x,", "-e", "sched:sched_switch", "-o", str(path),
                     "--", "sh", "-c", "echo; read line"],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                if process.stdout.readline() != "\n":  # the counters are open by now
                    process.communicate()
                    self.skipTest("perf may not count sched:sched_switch")
                return process, path

            def end(process, path):
                process.communicate("\n")
                self.assertEqual(process.returncode, 0)
                counts.append(next(int(line.split(",")[0]) for line in path.read_text().splitlines()
                                   if "sched_switch" in line))

            outer = perf("outer")
            number = self.start("machine")
            inner = perf("inner")
            with Cgroups() as cgroups:
                cgroups.make("a.service")
                with turns.Turns(cgroups.directory("a.service"), TURNS) as load:
                    load.take()
            end(*inner)
            report = self.stop(number)["schedule"]
            end(*outer)
        within, around = counts
        print(f"{within} <= {report['switches']} <= {around}, {report['lost']} lost")
        self.assertGreaterEqual(within, TURNS)
        self.assertEqual((report["lost"], report["full"]), (0, False))
        # A kernel may hide a few switches from programs.
        self.assertGreaterEqual(report["switches"], within - max(5, within // 200))
        self.assertLessEqual(report["switches"], around)

    def test_what_finds_no_room_in_the_ring_is_counted(self):
        self.begin(CONFIG + "limits: {schedule_ring: 64KiB}\n")
        run, told, _, _ = self.of_turns(20000)
        report = run["schedule"]
        self.assertGreater(report["lost"], 0)
        self.assertGreater(report["gaps"], 0)
        switched = sum(thread["voluntary"] + thread["involuntary"] for thread in report["threads"])
        in_truth = told.voluntary + told.involuntary
        self.assertLess(switched, in_truth)
        self.assertGreaterEqual(switched + report["lost"], in_truth)
        self.assertLessEqual(report["ran_seconds"], float(told.ran) * 1.05 + 0.01)
        # Each loss is told where it was, also those behind the last record of a CPU.
        text = self.ask("GET", f"/{run['id']}.csv")[1]
        lost = sum(int(line["lost"]) for line in csv.DictReader(io.StringIO(text)))
        self.assertEqual(lost, report["lost"])
        # So do the trace, the columns of the run and the tables.
        totals = {column["name"]: summary["total"]
                  for column, summary in zip(run["columns"], run["summary"])}
        self.assertEqual(totals["lost-records"], report["lost"])
        _, trace = self.ask("GET", f"/{run['id']}/trace")
        self.assertEqual(trace["otherData"]["lost"], str(report["lost"]))
        shown = self.pmutool("--run", str(run["id"]))
        self.assertIn(f"\n{report['lost']} records were lost for want of room in the ring "
                      "(limits.schedule_ring)", shown)
        self.assertIn(f"\n{report['gaps']} times it was not known who had a CPU", shown)

    def test_a_record_that_is_full_ends_and_can_be_had_as_a_whole(self):
        self.begin()
        with Cgroups() as cgroups:
            path = cgroups.make("a.service")
            with turns.Turns(cgroups.directory("a.service"), MOST_EVENTS) as load:
                number = self.start(f"cgroup:{path}")
                load.take()  # each turn has a switch at least, beside wake-ups
                run = self.until_over(number)
        self.assertEqual((run["state"], run["schedule"]["full"]), ("over", True))
        self.assertEqual(run["schedule"]["events"], MOST_EVENTS)
        # times of day are doubles, which are that exact
        self.assertLess(run["schedule"]["seconds"], run["end"] - run["start"] + 0.001)
        status, text = self.ask("GET", f"/{number}.csv")
        self.assertEqual((status, text.count("\n")), (200, MOST_EVENTS + 1))
        status, trace = self.ask("GET", f"/{number}/trace")
        self.assertEqual(status, 200)
        self.assertGreater(len(trace["traceEvents"]), MOST_EVENTS / 2)

    def test_it_leaves_nothing_in_the_kernel(self):
        self.begin()
        number = self.start("machine")
        self.assertGreater(self.held("bpf-prog"), self.programs)
        self.stop(number)
        self.assertEqual(self.held("bpf-prog"), self.programs)

    def test_a_name_of_a_stranger_is_only_a_name(self):
        self.begin()
        run, _, _, pids = self.of_turns(100, name=HOSTILE)
        names = {thread["name"] for thread in run["schedule"]["threads"] if thread["tid"] in pids}
        self.assertEqual(names, {HOSTILE[:15]})
        csv_text = self.ask("GET", f"/{run['id']}.csv")[1]
        self.assertIn(",\"a\"\"<b>,?[1m", csv_text)
        self.assertNotIn("\x1b", csv_text)
        shown = self.pmutool("--run", str(run["id"]))
        self.assertNotIn("\x1b", shown)
        self.assertIn("a\"<b>,\\x1b[1m", shown)

    def test_pmutool_records_and_shows_tables(self):
        self.begin()
        self.stop(self.start("machine"))  # or it is skipped
        shown = self.pmutool("-d", "0.5", "-n", "3", "machine")
        self.assertRegex(shown, r"^machine, 0\.5\d* s: \d+ switches \(\d+ preemptions\), ")
        for title in ("THREAD", "BUSY", "PREEMPTED", "WOKEN BY"):
            self.assertIn(title, shown)
        number = int(shown.splitlines()[-1].removeprefix("kept as run "))
        told = json.loads(self.pmutool("--json", "--run", str(number)))
        self.assertEqual((told["id"], told["state"]), (number, "over"))
        path = pathlib.Path(self.exporter.directory) / "trace.json"
        lines = self.pmutool("--timehist", "-o", str(path), "--run", str(number)).splitlines()
        self.assertRegex(lines[0], r"^ *SECONDS +CPU +LEAVES +STATE +RAN +COMES +WAITED")
        switches = [line for line in lines if re.match(r" *\d+\.\d{9} +\d+ ", line)]
        self.assertEqual(len(switches), told["schedule"]["switches"])
        spans = [event for event in json.loads(path.read_text())["traceEvents"]
                 if event["ph"] == "X" and event["name"].startswith("CPU ")]
        self.assertAlmostEqual(sum(span["dur"] for span in spans) / 1e6,
                               told["schedule"]["ran_seconds"], 4)
        done = subprocess.run([PMUTOOL, "schedule", f"--socket={self.exporter.control}", "-d", "600",
                               "pid:999999999"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""))

    def test_who_may_not_is_told_why(self):
        live.need("setpriv")
        self.begin(wrapper=("setpriv", "--bounding-set=-bpf,-sys_admin"))
        status, answer = self.ask("POST", "", {"title": "a run", "target": "machine",
                                               "kind": "schedule"})
        self.assertEqual(status, 403)
        self.assertRegex(answer["error"], "the scheduler cannot be recorded: "
                                          "(CAP_BPF or CAP_PERFMON is missing|built without libbpf)")
        status, answer = self.ask("POST", "", {"title": "a run", "target": "machine",
                                               "kind": "schedule", "events": ["page-faults"]})
        self.assertEqual(status, 400)
        self.assertIn("has no \"events\"", answer["error"])


if __name__ == "__main__":
    live.main()
