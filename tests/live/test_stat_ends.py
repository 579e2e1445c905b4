#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How `pmutool stat` ends: its status, what it says of what is wrong, signals, streams that nobody
reads, and rights that are missing."""
import contextlib
import os
import pty
import re
import signal
import subprocess
import tempfile
import time

import live
import pmutool_stat as stat
from cgroups import Cgroups
from exporter import PATIENCE

NOBODY = 65534


def started(*words, **options):
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen(stat.command(*words), text=True, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, env=stat.environment(), **options)


class Status(live.LiveTest):
    def assert_refused(self, status, message, *words, **options):
        done = stat.run(*words, **options)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertNotIn("Performance counter stats", done.stderr)

    def test_is_that_of_the_command(self):
        self.assertEqual(stat.run("--", "sh", "-c", "exit 3").returncode, 3)
        self.assertEqual(stat.run("--", "sh", "-c", "kill -KILL $$").returncode, 128 + 9)
        self.assertEqual(stat.run("-r", 3, "--", "sh", "-c", "exit 5").returncode, 5)

    def test_tells_that_the_command_is_missing_or_cannot_be_executed(self):
        self.assert_refused(127, '"no-such-command": No such file', "--", "no-such-command")
        self.assert_refused(126, '"/etc/passwd": Permission denied', "--", "/etc/passwd")
        self.assert_refused(127, "No such file", "-r", 3, "--", "no-such-command")

    def test_tells_what_is_wrong_with_the_command_line(self):
        for message, words in (
                ("unknown event \"cycels\", did you mean cycles?", ("-e", "cycels")),
                ("asks for precise addresses of samples", ("-e", "cycles:p")),
                ("expected the name of an event at byte 3", ("-e", "a,,b")),
                ("-I \"5\": expected milliseconds, 10 at the least", ("-I", 5)),
                ("-d \"x\": expected seconds", ("-d", "x")),
                ("-C \"9-\": expected numbers of CPUs", ("-C", "9-")),
                ("\"x\" is no number of a process", ("-p", "1,x")),
                ("different targets", ("-p", 1, "-G", "a")),
                ("-r wants a command", ("-r", 2, "-a")),
                ("expected one of them", ("-r", 2, "-I", 100, "true")),
                ("-A wants a target that is counted by CPU", ("-A", "true")),
                ("--filter belongs behind an event", ("--filter", "x > 1", "true")),
                ("different formats", ("--csv", "--json", "true")),
                ("no group \"no-such\" in the configuration; expected", ("-g", "no-such", "true"))):
            with self.subTest(words=words):
                self.assert_refused(2, message, *words)

    def test_tells_that_a_target_is_not_there(self):
        ended = subprocess.Popen(["true"])
        ended.wait()
        self.assert_refused(1, f"process {ended.pid}: No such process", "-p", ended.pid)
        self.assert_refused(1, f"thread {ended.pid}: No such process", "-t", ended.pid)
        self.assert_refused(1, "no cgroup \"no/such\" below", "-G", "no/such")
        self.assert_refused(1, "no cgroup \"../etc\" below", "-G", "../etc")
        self.assert_refused(1, "the root of all cgroups is the machine", "-G", "/")
        self.assert_refused(1, "CPU 8000 is not online", "-C", 8000)

    def test_names_do_not_steer_the_terminal(self):
        done = stat.run("-e", "page-faults", "--", "sh", "-c", "true # \x1b]0;title\x07\x1b[2J")
        self.assertIn("stats for 'sh -c true #", done.stderr)
        self.assertNotIn("\x1b", done.stderr)
        for words in (("-e", "a\x1b[2Jb"), ("-G", "a\x1b[2Jb"), ("-g", "\x1b[2J"), ("\x1b[2J",)):
            with self.subTest(words=words):
                self.assertNotIn("\x1b", stat.run(*words).stderr)


class Signals(live.LiveTest):
    def wait_for_child(self, process):
        """Waits until the command has been started."""
        path = f"/proc/{process.pid}/task/{process.pid}/children"
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with open(path, encoding="ascii") as file:
                children = file.read().split()
            with contextlib.suppress(FileNotFoundError):  # the mount before it has just ended
                if children and os.readlink(f"/proc/{children[0]}/exe").endswith("/sleep"):
                    return int(children[0])
            time.sleep(0.01)
        raise AssertionError("no command was started")

    def test_sent_to_it_alone_end_the_command_and_the_figures_are_shown(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number=number):
                process = started("-e", "page-faults", "--", "sleep", "1000")
                self.wait_for_child(process)
                process.send_signal(number)
                _, text = process.communicate(timeout=PATIENCE)
                self.assertIn("page-faults", text)
                self.assertEqual(process.returncode, -number)

    def test_of_the_terminal_reach_the_command_without_it(self):
        """The command takes its SIGINT and goes on: a second one, passed on, would end it."""
        script = ("import signal, time\nsignal.signal(signal.SIGINT, lambda *_: (print('one'),"
                  " signal.signal(signal.SIGINT, signal.SIG_DFL)))\nprint('ready', flush=True)\n"
                  "time.sleep(0.5)\nprint('end', flush=True)")
        pid, terminal = pty.fork()
        if pid == 0:
            words = stat.command("-e", "page-faults", "--", stat.sys.executable, "-uSEc", script)
            os.execvpe(words[0], words, stat.environment())
        text = b""
        while b"ready" not in text:
            text += os.read(terminal, 4096)
        os.write(terminal, b"\x03")
        with contextlib.suppress(OSError):  # the terminal ends with its last process
            while more := os.read(terminal, 4096):
                text += more
        _, status = os.waitpid(pid, 0)
        self.assertEqual(text.count(b"one\r\n"), 1, text)
        self.assertIn(b"end", text)
        self.assertIn(b"page-faults", text)
        self.assertEqual(os.waitstatus_to_exitcode(status), -signal.SIGINT)

    def test_end_it_while_nobody_reads_the_file_of_the_figures(self):
        with tempfile.TemporaryDirectory() as directory:
            fifo = os.path.join(directory, "fifo")
            os.mkfifo(fifo)
            for number in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(number=number):
                    process = started("-e", "page-faults", "-o", fifo, "--", "true")
                    self.wait_until_it_opens_a_fifo(process)
                    process.send_signal(number)
                    try:
                        process.communicate(timeout=PATIENCE)
                    finally:
                        process.kill()
                    self.assertEqual(process.returncode, -number)

    def wait_until_it_opens_a_fifo(self, process):
        """Waits until the kernel's function in which it sleeps is one of FIFOs."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with open(f"/proc/{process.pid}/wchan", encoding="ascii") as file:
                if re.search("fifo|wait_for_partner", file.read()):
                    return
            time.sleep(0.01)
        raise AssertionError("it does not wait for a reader")

    def test_end_the_counting_of_the_machine(self):
        process = started("-x,", "-I", 20, "-e", "page-faults", "-a")
        self.assertIn("page-faults", process.stderr.readline())
        process.send_signal(signal.SIGINT)
        _, text = process.communicate(timeout=PATIENCE)
        self.assertIn("page-faults", text)
        self.assertEqual(process.returncode, -signal.SIGINT)

    def test_arrive_although_a_shell_has_them_ignored(self):
        process = started("-x,", "-I", 20, "-e", "page-faults", "-a",
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        self.assertIn("page-faults", process.stderr.readline())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, -signal.SIGINT)

    def test_that_are_usual_reach_the_command_as_they_were(self):
        script = ("import os, signal, resource\n"
                  "print(signal.getsignal(signal.SIGPIPE), signal.pthread_sigmask(0, []),"
                  " resource.getrlimit(resource.RLIMIT_NOFILE), sorted(os.listdir('/proc/self/fd')))")
        words = (stat.sys.executable, "-c", script)
        plain = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                               check=True)
        done = stat.run("-e", "page-faults", "--", *words)
        # Python ignores SIGPIPE and sets it back for its children
        self.assertEqual(done.stdout, plain.stdout)

    def test_a_command_that_takes_too_long_is_ended(self):
        done = stat.run("-x,", "-d", 0.1, "-e", "page-faults", "--", "sleep", "1000")
        self.assertEqual(done.returncode, 0)
        self.assertIn("page-faults", done.stderr)

    def test_it_ends_after_the_time_that_was_given(self):
        done = stat.run("-x,", "-d", 0.05, "-I", 20, "-e", "page-faults", "-a")
        self.assertEqual(done.returncode, 0)
        self.assertGreaterEqual(len(stat.rows(done.stderr)), 1)
        self.assertGreaterEqual(float(stat.rows(done.stderr)[-1][0]), 0.05)


class Streams(live.LiveTest):
    def test_a_file_gets_the_figures_and_keeps_what_it_had(self):
        with tempfile.TemporaryDirectory() as directory:
            path = f"{directory}/figures"
            for more, lines in (((), 1), (("--append",), 2), ((), 1)):
                done = stat.run("-x,", "-e", "page-faults", "-o", path, *more, "--", "echo", "out")
                self.assertEqual((done.stdout, done.stderr), ("out\n", ""))
                with open(path, encoding="ascii") as file:
                    self.assertEqual(len(file.readlines()), lines)
            done = stat.run("-o", f"{directory}/no/such", "--", "true")
            self.assertEqual(done.returncode, 1)
            self.assertIn("No such file or directory", done.stderr)

    def test_a_full_disk_is_told(self):
        done = stat.run("-o", "/dev/full", "--", "true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot be written: No space left on device", done.stderr)

    def test_a_reader_that_has_gone_ends_it_and_not_the_command(self):
        reader, writer = os.pipe()
        process = started("-a", "-I", 20, "-e", "page-faults", stderr=writer)
        os.close(writer)
        os.read(reader, 100)
        os.close(reader)
        self.assertEqual(process.wait(timeout=PATIENCE), 0)
        reader, writer = os.pipe()
        os.close(reader)
        process = started("-I", 20, "-e", "page-faults", "--", "sh", "-c", "sleep 0.2; echo done",
                          stderr=writer)
        os.close(writer)
        out, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual((out, process.returncode), ("done\n", 0))

    def test_streams_that_are_closed_do_no_harm(self):
        for closed in (0, 1, 2):
            with self.subTest(closed=closed), tempfile.NamedTemporaryFile("r") as file:
                process = subprocess.Popen(
                    stat.command("-x,", "-e", "page-faults", "-o", file.name, "--", "true"),
                    env=stat.environment(), preexec_fn=lambda fd=closed: os.close(fd))
                self.assertEqual(process.wait(timeout=PATIENCE), 0)
                self.assertIn("page-faults", file.read())


class Gone(live.LiveTest):
    def test_a_cgroup_that_goes_ends_the_counting_with_what_it_had(self):
        with Cgroups() as cgroups:
            path = cgroups.make("going")
            procs = f"{os.fsdecode(cgroups.directory('going'))}/cgroup.procs"
            process = started("-x,", "-I", 20, "-e", stat.CALL, "-G", path)
            self.assertIn(stat.CALL, process.stderr.readline())
            with stat.Worker(cgroup_procs=procs) as worker:
                worker.do("self")
                worker.end()
            cgroups.remove("going")
            _, text = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(sum(int(r[1]) for r in stat.rows(text)), 1000)


class Rights(live.LiveTest):
    def as_nobody(self, *words):
        directory, program = stat.file_for_others(stat.pmutool())
        with directory:
            return subprocess.run([program, "stat", *words], capture_output=True, text=True,
                                  timeout=PATIENCE, check=False, user=NOBODY, group=NOBODY,
                                  extra_groups=[], cwd="/", stdin=subprocess.DEVNULL)

    def setUp(self):
        with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
            self.paranoid = int(file.read())
        if self.paranoid != 2:
            self.skipTest(f"kernel.perf_event_paranoid is {self.paranoid}, and not 2")

    def test_that_are_missing_leave_what_happens_in_user_mode(self):
        done = self.as_nobody("-e", "page-faults,context-switches", "--", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"\n +\d+ +page-faults:u\b")
        self.assertRegex(done.stderr, r"<not supported> +context-switches +# not_permitted")
        self.assertIn("counted in user mode only", done.stderr)

    def test_that_are_missing_for_all_of_it_are_told(self):
        for words in (("-a", "-d", "1"), ("-e", "context-switches", "--", "true")):
            with self.subTest(words=words):
                done = self.as_nobody(*words)
                self.assertEqual(done.returncode, 1)
                self.assertIn("nothing can be counted: grant CAP_PERFMON", done.stderr)


if __name__ == "__main__":
    live.main()
