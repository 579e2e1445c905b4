#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`pmutool stat` beside `perf stat`: what is known to the one is counted to the one, for each kind
of target; and the columns are those of perf."""
import json
import os
import pathlib
import re
import shutil
import tempfile

import live
import own_mounts
import pmutool_stat as stat
from cgroups import Cgroups
from exporter import is_sanitized
from pmutool_stat import CALL, Open, Worker, calls

SOFTWARE = "task-clock,context-switches,cpu-migrations,page-faults"
CLOSE = "syscalls:sys_enter_close"


class Commands(live.LiveTest):
    def test_system_calls_of_a_command_and_its_children_are_counted_to_the_one(self):
        child = ("import subprocess, sys\nsubprocess.run([sys.executable, '-SEc', "
                 "'import os\\nfor _ in range(500): os.getppid()'])")
        done = stat.run("-x,", "-e", CALL, "--", *calls(1000, child))
        self.assertEqual(stat.counts(done.stderr), {CALL: "1500"})

    def test_events_in_braces_are_counted_to_the_one_as_well(self):
        done = stat.run("-x,", "-e", f"{{page-faults,{CALL}}},{CALL}", "--", *calls(1000))
        self.assertEqual([r[0] for r in stat.rows(done.stderr) if r[2] == CALL], ["1000", "1000"])

    def test_a_filter_lets_100_of_1000_through(self):
        work = "import os\nfor n in range(5000, 6000):\n try: os.close(n)\n except OSError: pass"
        done = stat.run("-x,", "-e", CLOSE, "--filter", "fd >= 5000 && fd < 5100", "--",
                        stat.sys.executable, "-SEc", work)
        self.assertEqual(stat.counts(done.stderr), {CLOSE: "100"})

    def test_page_faults_equal_those_of_perf(self):
        """A program that touches 1,000 new pages. Of its own it has some more, and the machine may
        take one or the other of them away meanwhile; faults in the pages are exact."""
        live.need("perf")
        first = 0x600000000000
        work = ("import ctypes\nlibc = ctypes.CDLL(None)\nlibc.mmap.restype = ctypes.c_void_p\n"
                f"p = libc.mmap(ctypes.c_void_p({first}), ctypes.c_size_t(4096000), 3, 0x32, -1,"
                " ctypes.c_long(0))\nlibc.madvise(ctypes.c_void_p(p), ctypes.c_size_t(4096000), 15)\n"
                "for n in range(1000): ctypes.memset(p + 4096 * n, 1, 1)")
        words = ("-x,", "-e", "page-faults", "-e", "exceptions:page_fault_user", "--filter",
                 f"address >= {first} && address < {first + 4096000}", "--",
                 stat.sys.executable, "-SEc", work)
        ours, perf = (stat.counts(stat.run(*words, program=p).stderr)
                      for p in (stat.pmutool(), "perf"))
        self.assertEqual(ours["exceptions:page_fault_user"], "1000")
        self.assertEqual(perf["exceptions:page_fault_user"], "1000")
        self.assertAlmostEqual(int(ours["page-faults"]), int(perf["page-faults"]), delta=20)

    def test_nothing_of_what_prepares_a_command_is_counted(self):
        done = stat.run("-x,", "-e", "syscalls:sys_enter_execve", "--", "/bin/true")
        self.assertEqual(done.stderr.split(",")[0], "0")

    def test_intervals_add_up_to_the_whole(self):
        work = ("import os, time\nfor _ in range(10):\n time.sleep(0.02)\n"
                " for _ in range(100): os.getppid()")
        done = stat.run("-x,", "-I", 10, "-e", CALL, "--", stat.sys.executable, "-SEc", work)
        rows = stat.rows(done.stderr)
        self.assertGreater(len(rows), 3)
        self.assertEqual(sum(int(r[1]) for r in rows), 1000)
        times = [float(r[0]) for r in rows]
        self.assertEqual(times, sorted(set(times)))
        # each but the last stands in an interval of its own, none before its end
        ends = [int(t * 100) for t in times[:-1]]
        self.assertEqual(ends, sorted(set(ends)))
        self.assertGreaterEqual(ends[0], 1)

    def test_repeated_runs_have_a_mean_and_its_error(self):
        with tempfile.NamedTemporaryFile("w+") as file:
            work = (f"import os\nf = open({file.name!r}, 'r+')\nn = len(f.read()) + 1\nf.write('x')\n"
                    "f.close()\nfor _ in range(100 * n): os.getppid()")
            done = stat.run("-x,", "-r", 3, "-e", CALL, "--", stat.sys.executable, "-SEc", work)
        # 100, 200 and 300: 100 / sqrt(3) is 28.87 % of 200
        self.assertEqual(stat.rows(done.stderr)[0][:4], ["200", "", CALL, "28.87%"])

    def test_json_tells_the_same(self):
        done = stat.run("--json", "-e", f"{CALL},cycles:u", "--", *calls(1000))
        report = json.loads(done.stderr)
        self.assertEqual(report["events"][0]["value"], 1000)
        self.assertEqual(report["events"][0]["coverage"], 1)
        self.assertGreater(report["elapsed_seconds"], 0)
        self.assertEqual(report["events"][1]["event"], "cycles:u")

    def test_a_group_of_the_configuration_is_counted_with_its_filters(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            file.write("groups:\n- name: calls\n  events:\n"
                       f"  - {CALL}\n  - {{event: '{CLOSE}', filter: 'fd == 5000', name: fifth}}\n"
                       "targets:\n  system: {groups: [calls], by: all}\n")
            file.flush()
            os.chmod(file.name, 0o644)
            work = "for n in (5000, 5001):\n try: os.close(n)\n except OSError: pass"
            done = stat.run("-x,", "-g", "calls", "--config.file", file.name, "--",
                            *calls(1000, work))
        self.assertEqual(stat.counts(done.stderr), {CALL: "1000", CLOSE: "1"})

    def test_probes_of_the_configuration_are_counted_for_the_machine_and_explained_for_a_command(self):
        with tempfile.TemporaryDirectory() as directory:
            program = shutil.copy(os.environ["PMU_TEST_PROBED"], directory)
            path = pathlib.Path(directory, "probes.yml")
            path.write_text("groups: [{name: calls, events: [\"probe:calls\"]}]\n"
                            f"probes: [{{name: calls, user: \"{program}:probed_call\"}}]\n"
                            "targets:\n  system: {groups: [calls]}\n")
            work = ("sh", "-c", f"echo 300 200 | {program} - probed")
            for words in (("-g", "calls"), ("-e", "probe:calls")):
                done = stat.run("-x,", "-a", *words, "--config.file", path, "--", *work)
                self.assertEqual(stat.counts(done.stderr), {"probe:calls": "500"})
            done = stat.run("-g", "calls", "--config.file", path, "--", *work)
            self.assertIn("probe:calls: the kernel counts no probe of a task with those of what it "
                          "starts; expected -a or -G", done.stderr)


class Targets(live.LiveTest):
    """The target works when the counters are open, and is told to end before they are read."""

    def counted(self, *words, work, **worker):
        with Worker(**worker) as process:
            with Open("-e", CALL, *[process.process.pid if w is Worker else w for w in words]) as it:
                process.do(work)
            process.end()
        return it.text

    def test_a_process_is_all_its_threads_and_what_they_start(self):
        text = self.counted("-p", Worker, work="self thread child")
        self.assertEqual(stat.counts(text), {CALL: "2500"})

    def test_a_thread_is_what_it_starts_too(self):
        text = self.counted("-t", Worker, work="self child")
        self.assertEqual(stat.counts(text), {CALL: "1500"})

    def test_a_cgroup_is_what_runs_in_it_on_all_cpus_or_on_each(self):
        cpu = max(os.sched_getaffinity(0))
        with Cgroups() as cgroups:
            path = cgroups.make("counted")
            directory = os.fsdecode(cgroups.directory("counted"))
            procs = f"{directory}/cgroup.procs"
            for name in (path, path.lstrip("/"), directory):
                text = self.counted("-G", name, work="self child", cgroup_procs=procs)
                self.assertEqual(stat.counts(text), {CALL: "1500"})
            text = self.counted("-A", "-G", path, work="self", cgroup_procs=procs, cpu=cpu)
        by_cpu = {r[0]: int(r[1]) for r in stat.rows(text)}
        self.assertEqual(by_cpu.pop(f"CPU{cpu}"), 1000)
        self.assertEqual(set(by_cpu.values()) - {0}, set())

    def test_the_machine_is_everybody_and_a_cpu_what_runs_on_it(self):
        cpu = max(os.sched_getaffinity(0))
        text = self.counted("-a", work="self child")
        self.assertGreaterEqual(int(stat.counts(text)[CALL]), 1500)
        text = self.counted("-C", cpu, work="self", cpu=cpu)
        self.assertGreaterEqual(int(stat.counts(text)[CALL]), 1000)
        text = self.counted("-a", "-A", work="self", cpu=cpu)
        self.assertGreaterEqual({r[0]: int(r[1]) for r in stat.rows(text)}[f"CPU{cpu}"], 1000)

    def test_a_process_that_ends_ends_the_counting(self):
        with Worker() as worker:
            process = stat.subprocess.Popen(
                stat.command("-x,", "-I", 100, "-e", "page-faults", "-p", worker.process.pid),
                stderr=stat.subprocess.PIPE, text=True)
            process.stderr.readline()  # the first interval: it counts
            worker.do("self")
            worker.end()
            _, text = process.communicate(timeout=stat.PATIENCE)
        self.assertEqual(process.returncode, 0, text)
        self.assertIn("page-faults", text)


class Uncore(live.LiveTest):
    """PMUs of sockets: here the kernel's software PMU goes by such a name, on one CPU."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cpu = max(os.sched_getaffinity(0))
        cls.devices = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.devices.cleanup)
        for instance in ("uncore_fake_0", "uncore_fake_1"):
            directory = pathlib.Path(cls.devices.name, instance)
            (directory / "format").mkdir(parents=True)
            (directory / "type").write_text("1\n")
            (directory / "cpumask").write_text(f"{cls.cpu}\n")
            (directory / "format/event").write_text("config:0-63\n")
        software = pathlib.Path(cls.devices.name, "software")
        software.mkdir()
        (software / "type").write_text("1\n")

    def counted(self, *words, work):
        """The columns, of counters that are open while the work is done."""
        sysfs = own_mounts.own_mounts("/sys/bus/event_source/devices",
                                      f"mount --bind {self.devices.name} "
                                      "/sys/bus/event_source/devices")
        done = stat.run(*words, "--", *work, wrapper=sysfs)
        self.assertEqual(done.returncode, 0, done.stderr)
        return stat.rows(done.stderr)

    def faults(self, cpu):
        return ("taskset", "-c", str(cpu), stat.sys.executable, "-SEc",
                "import mmap\nm = mmap.mmap(-1, 1 << 24)\nm.madvise(mmap.MADV_NOHUGEPAGE)\n"
                "for n in range(0, 1 << 24, 4096): m[n] = 1")

    def test_are_counted_on_their_cpu_alone_and_by_each_instance(self):
        """4,096 faults on their CPU are seen by both instances."""
        event, single = "uncore_fake/event=2/", "uncore_fake_0/event=2/"
        rows = self.counted("-x,", "-a", "-e", f"{event},{single}", work=self.faults(self.cpu))
        counts = {r[2]: int(r[0]) for r in rows}
        self.assertGreaterEqual(counts[single], 4096)
        self.assertAlmostEqual(counts[event], 2 * counts[single], delta=0.2 * counts[single])

    def test_have_a_row_for_their_cpu_only(self):
        event = "uncore_fake_0/event=2/"
        rows = self.counted("-x,", "-a", "-A", "-e", f"page-faults,{event}",
                            work=self.faults(self.cpu))
        own = [r for r in rows if r[3] == event]
        self.assertEqual([r[0] for r in own], [f"CPU{self.cpu}"])
        self.assertGreaterEqual(int(own[0][1]), 4096)
        self.assertEqual(len([r for r in rows if r[3] == "page-faults"]),
                         len(os.sched_getaffinity(0)))

    def test_do_not_count_for_a_command(self):
        rows = self.counted("-x,", "-e", "uncore_fake/event=2/,page-faults", work=("true",))
        self.assertEqual(rows[0][0], "<not supported>")
        self.assertGreater(int(rows[1][0]), 0)


def kind(value):
    """What a column holds, so that two programs can be compared: the form of a number."""
    number = re.fullmatch(r"\s*\d+(\.(\d+))?%?", value)
    if not number:
        return re.sub(r"^[KMG]?/sec$", "/sec", value)
    return f"{len(number[2] or '')} decimals" + ("%" if value.endswith("%") else "")


class Columns(live.LiveTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        live.need("perf")

    def compare(self, *words, first=None, status=0):
        """The columns of both, row by row. first: so many rows only, as intervals may differ.
        status: of the command. Ours is that. The status of perf is too, or 0: if the command ends
        before perf waits for it, its handler of SIGCHLD has forgotten the command, and nobody waits
        (builtin-stat.c of Linux 6.1: skip_signal(), __run_perf_stat())."""
        ours, perf = (stat.run(*words, program=p) for p in (stat.pmutool(), "perf"))
        self.assertEqual(ours.returncode, status)
        self.assertIn(perf.returncode, (status, 0))
        ours, perf = ([[kind(c) for c in r] for r in stat.rows(d.stderr)] for d in (ours, perf))
        self.assertGreater(len(perf), 2)
        self.assertEqual(ours[:first], perf[:first])

    def test_of_a_command_are_those_of_perf(self):
        self.compare("-x,", "-e", SOFTWARE, "--", "sh", "-c", "exit 3", status=3)

    def test_without_events_are_those_of_perf(self):
        self.compare("-x,", "--", "true")

    def test_of_repeated_runs_are_those_of_perf(self):
        self.compare("-x,", "-r", 3, "-e", SOFTWARE, "--", "true")

    def test_of_intervals_are_those_of_perf(self):
        busy = "import time\nend = time.monotonic() + 0.6\nwhile time.monotonic() < end: pass"
        self.compare("-x,", "-I", 200, "-e", SOFTWARE, "--", stat.sys.executable, "-SEc", busy,
                     first=8)

    def test_of_each_cpu_are_those_of_perf(self):
        """perf shows no rate without a clock, and the machine has none that is worth it."""
        ours, perf = (stat.run("-x,", "-a", "-A", "-e", "page-faults", "--", "true", program=p)
                      for p in (stat.pmutool(), "perf"))
        ours, perf = ([[kind(c) for c in r[:6]] for r in stat.rows(d.stderr)]
                      for d in (ours, perf))
        self.assertEqual(ours, perf)


class Cost(live.LiveTest):
    def test_it_takes_no_more_instructions_than_perf(self):
        live.need("perf", "valgrind")
        if live.COUNTING == "auto":
            self.skipTest("the same by every mechanism")
        if is_sanitized():
            self.skipTest("valgrind does not run what a sanitizer has built")
        seen = {}
        with tempfile.TemporaryDirectory() as directory:
            for program in (stat.pmutool(), "perf"):
                done = stat.subprocess.run(
                    ["valgrind", "--tool=callgrind", f"--callgrind-out-file={directory}/out.%p",
                     program, "stat", "-o", "/dev/null", "--", "true"],
                    capture_output=True, text=True, timeout=stat.PATIENCE, check=True)
                seen[program] = int(re.search(r"Collected : (\d+)", done.stderr)[1])
        ours, perf = seen.values()
        print(f"pmutool stat -- true: {ours:,} instructions, perf: {perf:,}, ratio {ours / perf:.2f}")
        self.assertLessEqual(ours, perf)


if __name__ == "__main__":
    live.main()
