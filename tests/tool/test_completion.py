#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The completions of bash and zsh: that they know each command and option, and what a real shell makes
of a line when somebody presses TAB.

    test_completion.py PMUTOOL
"""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PMUTOOL = os.path.abspath(sys.argv[1])
COMPLETIONS = pathlib.Path(__file__).parents[2] / "src/tool/completion"
PATIENCE = 120  # seconds until a shell counts as stuck


def help_of(*words):
    return subprocess.run([PMUTOOL, *words, "--help"], capture_output=True, text=True, timeout=120,
                          check=True).stdout


def commands():
    """The commands that --help lists."""
    listed = help_of().partition("Commands:\n")[2].partition("\n\n")[0]
    return {re.match(r"[a-z]+( [a-z-]+(?= +[A-Z]))?", line.strip())[0] for line in listed.splitlines()
            if re.match(r"  [a-z]", line)}


def options(*words):
    """The options of a command beside those that all have; with "=" where they need a value."""
    found = set()
    for line in help_of(*words).splitlines():
        option = re.match(r" +(?:(-[a-zA-Z]), )?(--[a-z.-]+)(=)?|  (-[a-zA-Z])  ", line)
        if option and option[4]:
            found.add(option[4])
        elif option and option[2] not in ("--help", "--usage", "--version"):
            found |= {option[2] + (option[3] or "")} | ({option[1]} if option[1] else set())
    return found


class Tables(unittest.TestCase):
    def test_each_command_and_option_is_known_and_no_other(self):
        wanted = {command: options(*command.split()) for command in commands()}
        self.assertIn("check config", wanted)
        self.assertIn("--kind=", wanted["events"])
        for file, entry in (("pmutool.bash", r'\[([a-z -]+)\]="([^"]*)"'),
                            ("_pmutool", r'^ +"([a-z -]+)" "([^"]*)"')):
            text = (COMPLETIONS / file).read_text()
            known = {command: set(words.split())
                     for command, words in re.findall(entry, text, re.MULTILINE)}
            self.assertEqual(known, wanted, file)


class Shell(unittest.TestCase):
    START = []
    PREPARE = ""

    def setUp(self):
        if not shutil.which(self.START[0]):
            self.skipTest(f"{self.START[0]} is not installed")
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        point = self.directory / "sys/kernel/tracing/events/sched/sched_switch"
        point.mkdir(parents=True)
        (point / "id").write_text("1\n")
        (self.directory / "config.yml").write_text("")
        program = self.directory / "pmutool"  # it looks at a machine that has one tracepoint
        program.write_text(f'#!/bin/sh\nif [ "$1" = events ]\nthen set -- "$@" '
                           f'--path.sysfs={self.directory}/sys\nfi\nexec {PMUTOOL} "$@"\n')
        program.chmod(0o755)
        self.begin()

    def begin(self):
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.chdir(self.directory)
            os.environ |= {"PATH": f"{self.directory}:{os.environ['PATH']}", "TERM": "dumb",
                           "HOME": str(self.directory)}
            os.execvp(self.START[0], self.START)
        self.addCleanup(os.waitpid, pid, 0)
        self.addCleanup(os.close, self.terminal)  # the shell ends with its terminal
        self.shown = ""
        os.write(self.terminal, (self.PREPARE.format(COMPLETIONS) + "echo re''ady\n").encode())
        self.wait_for(r"(?m)^\W*ready")

    def wait_for(self, pattern):
        end = time.monotonic() + PATIENCE
        while not re.search(pattern, self.shown):
            readable, _, _ = select.select([self.terminal], [], [], max(end - time.monotonic(), 0))
            if not readable:
                self.fail(f"no {pattern} in {self.shown!r}")
            self.shown += os.read(self.terminal, 4096).decode(errors="replace").replace("\r", "\n")
        return re.search(pattern, self.shown)

    def completed(self, line):
        """The line after TAB. It is not run but printed: words are put before and behind it."""
        self.shown = ""
        os.write(self.terminal, f"{line}\t\x05@@\x01echo @@\n".encode())
        return self.wait_for(r"(?m)^@@(.*)@@")[1]

    def check(self):
        for line, wanted in (
                ("pmutool ev", "pmutool events "),
                ("pmutool chec", "pmutool check "),
                ("pmutool check c", "pmutool check config "),
                ("pmutool check config con", "pmutool check config config.yml "),
                ("pmutool events --av", "pmutool events --available "),
                ("pmutool --soc", "pmutool --socket="),
                ("pmutool events --kind=tracep", "pmutool events --kind=tracepoint "),
                ("pmutool events --kind tracep", "pmutool events --kind tracepoint "),
                ("pmutool encode page-f", "pmutool encode page-faults "),
                ("pmutool encode --json cs task-c", "pmutool encode --json cs task-clock "),
                ("pmutool check event sched:sched_s", "pmutool check event sched:sched_switch "),
                ("pmutool stat -e cs,page-f", "pmutool stat -e cs,page-faults "),
                ("pmutool stat --event=cs,sched:s", "pmutool stat --event=cs,sched:sched_switch "),
                ("pmutool top --sort=sw", "pmutool top --sort=switches "),
                ("pmutool top -s sw", "pmutool top -s switches "),
                ("pmutool latency --kind=run", "pmutool latency --kind=run_queue "),
                ("pmutool latency mach", "pmutool latency machine "),
                ("pmutool profile --format=sp", "pmutool profile --format=speedscope "),
                ("pmutool pause o", "pmutool pause off "),
                ("pmutool nosuch x", "pmutool nosuch x")):
            with self.subTest(line=line):
                self.assertEqual(self.completed(line).rstrip(), wanted.rstrip())


class Bash(Shell):
    START = ["bash", "--norc", "--noprofile", "-i"]
    PREPARE = "PS1=; bind 'set enable-bracketed-paste off'; bind 'set bell-style none'; " \
              ". {}/pmutool.bash\n"

    def test_tab_completes_commands_options_values_and_events(self):
        self.check()


class Zsh(Shell):
    START = ["zsh", "-f", "-i"]
    PREPARE = "PS1=; unsetopt zle_bracketed_paste; fpath=({} $fpath); autoload -Uz compinit; " \
              "compinit -u -D; bindkey -e; unsetopt beep\n"

    def test_tab_completes_commands_options_values_and_events(self):
        self.check()


del Shell  # it is none of the shells

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
