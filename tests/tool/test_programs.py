#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the programs print and how they end, without starting the service.

    test_programs.py PMU_EXPORTER PMUTOOL
"""
import os
import pathlib
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

EXPORTER, PMUTOOL = sys.argv[1:3]
SOURCE = pathlib.Path(__file__).parents[2]
SHIPPED = str(SOURCE / "config/pmu_exporter.yml")


def run(*words):
    """(exit status, stdout, stderr)"""
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


class Streams(unittest.TestCase):
    """Standard output that takes nothing, or not all."""

    PRINTING = ((PMUTOOL, "check", "config", SHIPPED), (PMUTOOL, "--help"), (EXPORTER, "--help"),
                (EXPORTER, "--version"), (EXPORTER, "--config.check", "--config.file=" + SHIPPED))

    def end_of(self, words, stdout, **options):
        done = subprocess.run(words, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=120,
                              **options)
        return done.returncode, done.stderr

    def test_what_cannot_be_printed_is_an_error(self):
        for words in self.PRINTING:
            with self.subTest(words=words), open("/dev/full", "w") as full:
                status, err = self.end_of(words, full)
                self.assertEqual(status, 1)
                self.assertIn("cannot write to standard output: No space left on device\n", err)

    def test_a_limit_of_file_sizes_kills_nobody(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))

        for words in self.PRINTING:
            with self.subTest(words=words), tempfile.TemporaryFile() as file:
                status, err = self.end_of(words, file, preexec_fn=limit)
                if SHIPPED in words[-1]:  # its text is to be written to memory, for who reads it
                    self.assertEqual(status, 2)
                    self.assertIn("cannot be handed to its reader: File too large\n", err)
                else:
                    self.assertEqual(status, 1)
                    self.assertIn("cannot write to standard output: File too large\n", err)

    def test_a_reader_that_has_read_enough_is_no_error(self):
        for words in self.PRINTING:
            with self.subTest(words=words):
                reader, writer = os.pipe()
                os.close(reader)
                self.assertEqual(self.end_of(words, writer), (0, ""))
                os.close(writer)


class CommandLine(unittest.TestCase):
    def test_wrong_use_ends_with_2(self):
        for words, why in ((["check", "config"], "missing argument"),
                           (["check", "config", "a", "b"], 'unexpected argument "b"'),
                           (["check", "conifg", "a"],
                            'unknown command "conifg", did you mean check config? (try --help)\n'),
                           (["chekc"],
                            'unknown command "chekc", did you mean check config? (try --help)\n'),
                           (["relaod"], 'unknown command "relaod", did you mean reload?'),
                           (["launch"], 'unknown command "launch" (try --help)\n'),
                           (["check"],
                            "incomplete command; expected check config FILE, check "),
                           (["reload", "now"], 'unexpected argument "now"'),
                           (["pause"], "missing argument"),
                           (["pause", "10"], "expected off, or a duration from 1s to 7d"),
                           (["pause", "10m", "--socket="], '--socket is ""; expected a path'),
                           (["--socket=a", "reload", "--socket", "b"],
                            "flag --socket is given twice"),
                           (["reload"] + 9 * ["x"], 'unexpected argument "x"'),
                           (["--", "--socket"], 'unknown command "--socket"'),
                           ([], "missing command; expected check config FILE, ")):
            status, out, err = run(PMUTOOL, *words)
            self.assertEqual((status, out), (2, ""), words)
            self.assertTrue(err.startswith("pmutool: error: " + why), err)
        self.assertEqual(run(EXPORTER, "--foo")[0], 2)

    def test_wrong_options_end_with_2_and_name_the_command(self):
        for words, why in ((["pause", "10m", "--socket"], "pmutool pause: option '--socket' req"),
                           (["check", "config", "a", "--socket=b"],
                            "pmutool check config: unrecognized option '--socket=b'"),
                           (["--socket=b", "check", "config", "a"],
                            "pmutool check config: unrecognized option '--socket=b'"),
                           (["reload", "--scoket", "a"],
                            "pmutool reload: unrecognized option '--scoket'"),
                           (["--foo"], "pmutool: unrecognized option '--foo'"),
                           (["reload", "--help=1"], "pmutool reload: option '--help' doesn't")):
            status, out, err = run(PMUTOOL, *words)
            self.assertEqual((status, out), (2, ""), words)
            self.assertTrue(err.replace(PMUTOOL, "pmutool").startswith(why), err)
            self.assertIn("Try `pmutool", err)

    def test_how_long_is_told_in_seconds_or_as_in_the_configuration(self):
        nowhere = "--socket=/nowhere"
        page = (SOURCE / "src/man/pmutool.1").read_text()
        for words, least, most in (
                (("latency", nowhere, "machine", "-d"), "0.01", "86400"),
                (("profile", nowhere, "machine", "-d"), "0.01", "691200"),
                (("record", nowhere, "-d"), "0.01", "3600"),
                (("schedule", nowhere, "machine", "-d"), "0.01", "3600"),
                (("runs", nowhere, "start", "a", "-e", "page-faults", "-d"), "0.01", "3600"),
                (("runs", nowhere, "start", "a", "-e", "page-faults", "-i"), "0.01", "60"),
                (("stat", "-d"), "0.001", "31536000"), (("top", "-d"), "0.1", "3600")):
            with self.subTest(words=words):
                told = " ".join(run(PMUTOOL, words[0], "--help")[1].split())
                self.assertIn(f"from {least} to {most}", told)
                self.assertTrue(f"from {least} to {most}" in page, "pmutool(1) lacks it")
            for wrong in "", "x", "-1", "0", "1e1", "inf", " 1", "999999999999", "90000d":
                with self.subTest(words=words, wrong=wrong):
                    status, out, err = run(PMUTOOL, *words, wrong)
                    self.assertEqual((status, out), (2, ""))
                    self.assertIn(f"{words[-1]} \"{wrong}\": expected seconds from {least} to {most}, "
                                  "such as 2, 0.5 or 10s", err)
            for right in "1", "0.5", "30s", "500ms", "1m30s":
                if nowhere in words and (right != "1m30s" or float(most) > 60):
                    with self.subTest(words=words, right=right):
                        self.assertEqual(run(PMUTOOL, *words, right)[0], 1)  # nobody is there

    def test_record_wants_one_event_one_target_and_a_rate_that_there_is(self):
        for words, why in ((["-F", "0"], '-F "0": expected a number from 1 to 999'),
                           (["-F", "1000"], '-F "1000": expected a number from 1 to 999'),
                           (["-e", "cycles,page-faults"],
                            '-e "cycles,page-faults": expected one event, which is sampled'),
                           (["-e", "{cycles,page-faults}"],
                            '-e "{cycles,page-faults}": expected one event, which is sampled'),
                           (["-a", "-G", "/a"], "one target is recorded; expected one of -a, -G, -p and --process, once"),
                           (["-g", "-p", "1", "-p", "2"], "one target is recorded; expected one of"),
                           (["-p", "1,2"], '-p "1,2": expected the number of one process; --process records those '
                                           "of a group, and -G those of a cgroup"),
                           (["-a", "--", "true"], "expected a target or a command, and not both"),
                           (["-p", "x"], '-p "x": expected the number of one process'),
                           (["-p", "0"], '-p "0": expected the number of one process'),
                           (["-p", "4294967297"], "expected the number of one process"),
                           (["-n", "0"], '-n "0": expected a number from 1 to '),
                           (["--format=svg"], '--format is "svg"; expected table, ')):
            with self.subTest(words=words):
                status, out, err = run(PMUTOOL, "record", "--socket=/nowhere", *words)
                self.assertEqual((status, out), (2, ""))
                self.assertIn(why, err)

    def test_a_run_is_named_by_its_number_and_compared_with_a_run(self):
        compared = "a run is compared with a run; expected profile run:NUMBER --diff=run:NUMBER"
        numbered = '"run:x" is no run; expected run:NUMBER, as pmutool runs lists them'
        for words, why in ((["run:x"], numbered), (["run:1", "--diff=run:x"], numbered),
                           (["machine", "--diff=run:1"], compared), (["run:1", "--diff=hour"], compared),
                           (["run:1", "--diff=mark:a"], compared),
                           (["run:1", "--diff-target=machine"], compared),
                           (["machine", "--diff-target=run:1"], compared)):
            with self.subTest(words=words):
                status, out, err = run(PMUTOOL, "profile", "--socket=/nowhere", *words)
                self.assertEqual((status, out), (2, ""))
                self.assertIn(why, err)
        self.assertEqual(run(PMUTOOL, "profile", "--socket=/nowhere", "run:1", "--diff=run:2")[0], 1)

    def test_an_option_that_would_say_nothing_is_refused(self):
        for words, why in (("--measure=time", "--measure is of what is compared; expected --diff or --diff-target"),
                           ("--min=5", "--min is of a tree; expected --format=tree"),
                           ("--min=5 --diff=previous", "--min is of a tree; expected --format=tree"),
                           ("--start=1h --end=30m -d5", "--start, --end and -d are one too many"),
                           ("--range=12:00..12:00", "its start is not before its end (a time of day alone is the last"),
                           ("--start=12:00 --end=12:00", "the start is not before the end (a time of day alone is the last")):
            with self.subTest(words=words):
                status, out, err = run(PMUTOOL, "profile", "--socket=/nowhere", "machine", *words.split())
                self.assertEqual((status, out), (2, ""))
                self.assertIn(why, err)

    def test_what_is_wrong_is_told_before_the_service_is_looked_for(self):
        kind = "does not say of which kind it is; expected machine, cgroup:PATH, process:NAME or run:NUMBER"
        of_start = "-e, --target, -i, -d, --notes and --free belong to runs start; expected runs "
        for words, why in (("profile machine --min=abc", '--min is "abc"; expected a number from 0 to 100'),
                           ("profile a", f'target "a" {kind}; meant may be process:a or cgroup:/a (try'),
                           ("profile machine --diff-target=a", f'target "a" {kind}'),
                           ("profile cgroup:", 'target "cgroup:" has no profile; expected machine'),
                           ("annotate \x1b main", f'target "\\x1b" {kind}'),
                           ("runs -d1", of_start + "list"), ("runs show 1 --target=machine", of_start + "show ID")):
            with self.subTest(words=words):
                status, out, err = run(PMUTOOL, *words.split(" "), "--socket=/nowhere")
                self.assertEqual((status, out), (2, ""))
                self.assertTrue(err.startswith("pmutool: error: " + why), err)

    def test_the_name_of_a_file_tells_its_format_where_no_option_does(self):
        for name, of in (("a.pb.gz", "pprof"), ("a.pb", "pprof"), ("a.pprof", "pprof"),
                         ("a.collapsed", "collapsed"), ("a.json.folded", "collapsed"),
                         ("a.speedscope.json", "speedscope"), ("a.json", ""), ("a.txt", ""), ("pb", "")):
            with self.subTest(name=name), tempfile.TemporaryDirectory() as directory:
                words = (PMUTOOL, "profile", "--socket=/nowhere", "machine", "--diff=previous",
                         f"-o{directory}/{name}")
                status, _, err = run(*words)
                self.assertEqual(status, 2 if of else 1)
                self.assertEqual(f"a difference is a table or json, not {of} (" in err, bool(of), err)
                self.assertEqual(run(*words, "--format=table")[0], 1)

    def test_a_range_is_compared_with_one_that_has_no_time_in_common_with_it(self):
        told = "the range before overlaps the one that is compared with it; expected one that is longer ago"
        for words, refused in (("-d60 --diff=30s", True), ("-d2h --diff=hour", True), ("-d60 --diff=60s", False),
                               ("-d60 --diff=previous", False), ("-d60 --diff=30s..now", False),
                               ("-d60 --diff=30s --diff-target=cgroup:/a", False)):
            with self.subTest(words=words):
                status, out, err = run(PMUTOOL, "profile", "--socket=/nowhere", "machine", *words.split())
                self.assertEqual((status, out), (2 if refused else 1, ""))
                self.assertEqual(told in err, refused, err)

    def test_that_a_file_cannot_be_written_is_told_before_anything_is_asked_for(self):
        with tempfile.TemporaryDirectory() as name:
            there, new = pathlib.Path(name, "there"), pathlib.Path(name, "new")
            there.write_text("kept")
            link = pathlib.Path(name, "link")
            link.symlink_to(new)
            for command in ("record", "-a"), ("profile", "machine"):
                for file, why in ((f"{name}/none/a", "No such file or directory"),
                                  (f"{there}/a", "Not a directory"), (name, "Is a directory"),
                                  ("", "No such file or directory")):
                    with self.subTest(command=command, file=file):
                        status, out, err = run(PMUTOOL, *command, "--socket=/nowhere", "-o", file)
                        self.assertEqual((status, out), (1, ""))
                        self.assertRegex(err, rf'^pmutool: .*{file}.*: {why}\n$')
                for file in there, new, link, "/dev/stdout":
                    with self.subTest(command=command, file=file):
                        status, _, err = run(PMUTOOL, *command, "--socket=/nowhere", "-o", file)
                        self.assertEqual(status, 1)
                        self.assertIn("/nowhere: there is no such socket", err)
            self.assertEqual(there.read_text(), "kept")
            self.assertFalse(new.exists())

    def test_where_flags_stand_is_the_same(self):
        with tempfile.TemporaryDirectory() as name:
            path = os.path.join(name, "none")
            for words in (["--socket", path, "pause", "1s"], ["pause", "--socket=" + path, "1s"],
                          ["pause", "1s", "--socket", path], ["--socket", path, "--", "pause", "1s"],
                          ["--socket", path, "runs"], ["runs", "show", "1", "--socket", path]):
                self.assertEqual(run(PMUTOOL, *words)[::2], (
                    1, f"pmutool: {path}: there is no such socket; is pmu_exporter running, with "
                    "this --control.socket?\n"), words)

    def test_help_is_given_behind_a_command_too(self):
        for words in ([], ["check"], ["check", "config"], ["check", "config", "a"], ["reload"],
                      ["pause"]):
            for flag in ("--help", "-h"):
                status, out, err = run(PMUTOOL, *words, flag)
                self.assertEqual((status, err), (0, ""), words)
                self.assertTrue(out.startswith("Usage: pmutool "), out)
                self.assertTrue(all(len(line) <= 80 for line in out.splitlines()), out)

    def test_help_has_each_command_and_behind_one_only_that(self):
        out = run(PMUTOOL, "--help")[1]
        self.assertIn("A TARGET is machine, cgroup:PATH or process:NAME, ", " ".join(out.split()))
        for usage, words in (("check config FILE", ["check", "config"]), ("reload ", ["reload"]),
                             ("pause DURATION|off", ["pause"])):
            self.assertIn(f"\n  {usage}", out)
            alone = run(PMUTOOL, *words, "--help")[1]
            self.assertTrue(alone.startswith(f"Usage: pmutool {' '.join(words)} [OPTION...]"), alone)
            self.assertEqual("--socket=PATH" in alone, words != ["check", "config"])
            self.assertIn("Exit status 0: ", alone)
            self.assertNotIn("Commands:", alone)

    def test_a_service_that_cannot_be_asked_ends_with_1_and_why(self):
        with tempfile.TemporaryDirectory() as name:
            dead, deaf = os.path.join(name, "dead"), os.path.join(name, "deaf")
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(dead)
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(deaf)
                listener.listen()
                answers = threading.Thread(target=lambda: listener.accept()[0].close())
                answers.start()
                for path, why in ((os.path.join(name, "none"), "there is no such socket"),
                                  (dead, "nobody listens"),
                                  ("/dev/null/x", "Not a directory"),
                                  ("/" + "x" * 200, "File name too long"),
                                  (deaf, "")):
                    for words in (["reload"], ["pause", "off"]):
                        if path == deaf and words == ["pause", "off"]:
                            continue  # it accepts once
                        status, out, err = run(PMUTOOL, *words, "--socket", path)
                        self.assertEqual((status, out), (1, ""), path)
                        self.assertTrue(err.startswith("pmutool: "), err)
                        self.assertIn(why, err)
                        self.assertEqual(err.count("\n"), 1)
                answers.join()

    def test_whoever_has_the_socket_does_not_steer_the_terminal(self):
        with tempfile.TemporaryDirectory() as name, socket.socket(socket.AF_UNIX) as listener:
            listener.bind(os.path.join(name, "control"))
            listener.listen()
            top = subprocess.Popen([PMUTOOL, "top", f"--socket={name}/control"], text=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            with listener.accept()[0] as client:
                client.recv(4096)
                client.sendall(b"HTTP/1.1 503 No\r\n\r\nno \x1b]0;title\x07 \xff\nmore")
            self.assertEqual(top.stderr.readline(),
                             "pmutool: no \\x1b]0;title\\x07 \\xff\n")
            top.terminate()
            top.communicate()

    def test_help_and_version_end_with_0(self):
        for program, name, usage in ((EXPORTER, "pmu_exporter", "usage"),
                                     (PMUTOOL, "pmutool", "Usage")):
            for flag, begin in (("--help", f"{usage}: {name} "), ("-h", f"{usage}: {name} "),
                                ("--version", f"{name}, version ")):
                status, out, err = run(program, flag)
                self.assertEqual((status, err), (0, ""))
                self.assertTrue(out.startswith(begin), out)
                self.assertTrue(out.endswith("\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
