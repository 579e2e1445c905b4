# SPDX-License-Identifier: Apache-2.0
"""Counts the same targets in the same seconds by both mechanisms, and compares: bpf has to count
what direct counts, within 0.5 % or 5 counts."""
import os
import pathlib
import resource
import subprocess
import unittest

import live
from cgroups import Cgroups

EVENTS = ("task-clock", "context-switches", "cpu-migrations", "page-faults", "enabled")
CLOCKS = ("task-clock", "enabled")
SWITCHES = 10000  # by which is measured what one takes
TOP = pathlib.Path(__file__).resolve().parents[2]


class Mechanisms:
    """Runs tests/support/mechanisms.c, which counts targets by both mechanisms and is asked for
    totals."""

    def __init__(self, cgroups, *arguments):
        program = os.environ.get("PMU_TEST_MECHANISMS") or str(TOP / "build/release/bin/mechanisms")
        self.process = subprocess.Popen([program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.cgroups = cgroups
        self.names = []
        self.open_counters = self.untold = self.unattributed_ns = None
        self.machine = {}
        first = self.process.stdout.readline().strip()
        if first != "ready":
            if self.process.wait() != 77:
                raise AssertionError(f"the program that counts has ended: {first}")
            raise unittest.SkipTest(f"no bpf here: {first}")

    def _ask(self, line, end):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError("the program that counts has ended")
            if line.strip() == end:
                return answer
            answer.append(line.split())

    def add(self, name):
        self._ask("add " + os.fsdecode(self.cgroups.directory(name)), "added")
        self.names.append(name)

    def add_process(self, name, pid, children=False):
        """Adds a process that starts no other one just now."""
        self._ask(f"process {pid}" + (" children" if children else ""), "added")
        self.names.append(name)

    def close(self, name):
        self._ask(f"close {self.names.index(name)}", "closed")
        self.names[self.names.index(name)] = None

    def read(self):
        """{name: {mechanism: {event: total}}}"""
        result = {}
        for index, *words in self._ask("read", "done"):
            if index == "counters":
                self.open_counters = [int(n) for n in words]
                continue
            if index == "untold":
                self.untold, self.unattributed_ns = map(int, words)
                continue
            if index in ("machine-before", "machine-after", "rest", "no-cgroups", "no-processes"):
                self.machine[index] = dict(zip(EVENTS, map(int, words)))
                continue
            totals = dict(zip(EVENTS, map(int, words[1:])))
            result.setdefault(self.names[int(index)], {})[words[0]] = totals
        return result

    def unattributed(self, event):
        return self.machine["no-cgroups"][event] + self.machine["no-processes"][event]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def measure_switch():
    """ns of CPU time that a switch takes on this machine at the moment."""
    with live.Load(None, switches=SWITCHES) as load:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        load.run()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1e9 / SWITCHES


class Counted(live.LiveTest):
    arguments = ()

    def setUp(self):
        self.switch_ns = measure_switch()
        self.cgroups = self.enterContext(Cgroups())
        self.counting = self.enterContext(Mechanisms(self.cgroups, *self.arguments))

    def hidden_switches(self):
        """How many switches the kernel has kept to itself, as of the last reading."""
        return self.counting.untold

    def assert_close(self, direct, bpf, what):
        # on a busy machine direct's time enabled is at times ahead of its own task-clock
        truth = dict(direct, enabled=direct["task-clock"])
        for event in EVENTS:
            # Clocks count ns. What lies between our hook and direct's is a part of what a switch
            # takes: a small one each time, a larger one where the task goes to another CPU. An
            # interrupt or a hypervisor may come just there, and a birth or an end is some switches.
            allowed = 5
            if event in CLOCKS:
                allowed = self.switch_ns * (25 + direct["context-switches"] / 80
                                            + direct["cpu-migrations"] / 30)
            # kernels have been seen that do not tell the switches of some process: what may then
            # be one's or another's bpf charges to nobody, and the rest has to agree all the same
            allowed = max(0.005 * truth[event], allowed) + self.counting.unattributed(event)
            self.assertLessEqual(abs(truth[event] - bpf[event]), allowed,
                                 f"{what}: {event}: direct {truth[event]}, bpf {bpf[event]}")

    def assert_agree(self, totals):
        self.switch_ns = max(self.switch_ns, measure_switch())
        for name, both in totals.items():
            self.assert_close(both["direct"], both["bpf"], name)

    def assert_never_falls(self, readings):
        for before, after in zip(readings, readings[1:]):
            for name, both in after.items():
                for event, total in both["bpf"].items():
                    self.assertGreaterEqual(total, before[name]["bpf"][event], (name, event))


class Waiting:
    """A process that waits, does at go() what it was told to, and has ended when wait() returns."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    @classmethod
    def shell(cls, script):
        shell = cls("/bin/sh", "-c", "echo; read line; " + script)
        shell.process.stdout.readline()
        return shell

    @classmethod
    def crowd(cls, *arguments):
        crowd = cls(live.program("crowd"), "crowd", *map(str, arguments))
        crowd.process.stdout.readline()
        return crowd

    @property
    def pid(self):
        return self.process.pid

    def go(self):
        self.process.stdin.write(b"go\n")
        self.process.stdin.close()

    def wait(self):
        if self.process.wait(30) != 0:
            raise AssertionError(f"{self.process.args} ended with {self.process.returncode}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
