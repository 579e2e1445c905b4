#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What pmutool says the kernel is told of an event is what perf tells it: `perf stat -vv` with the
arguments that pmutool gives for perf, attribute by attribute, for all names that exist here.
What is compared, and what is not, stands in perf_attributes.py.
"""
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import unittest

from exporter import binary
from own_mounts import enter_own_tracefs
from perf_attributes import differences, read_attributes

PMUTOOL = str(pathlib.Path(binary()).parent / "pmutool")
EVERY = 100  # of so many tracepoints one is compared: each takes the kernel a while

MODIFIED = ["cycles:u", "cycles:k", "instructions:uk", "cs:u", "page-faults:k", "LLC-loads:u",
            "branches:H", "branches:G", "cycles:GH", "cycles:I", "r1a8:u", "task-clock:h",
            "r0", "r01c0", "rffffffff", "msr/tsc/u", "msr/event=0x0/", "msr/config=0x1/k"]


def encode(names):
    done = subprocess.run([PMUTOOL, "encode", "--json", *names], capture_output=True, text=True,
                          timeout=120)
    return json.loads(done.stdout)["events"]


def attributes_of_perf(line):
    done = subprocess.run(["perf", "stat", "-vv", *shlex.split(line), "true"], capture_output=True,
                          text=True, timeout=120)
    attributes = read_attributes(done.stderr)
    if not attributes:
        raise AssertionError(f"perf stat {line}: {done.stderr}")
    return attributes[0]


class Encodings(unittest.TestCase):
    def check(self, names):
        events = encode(names)
        self.assertEqual([event["name"] for event in events], list(names))
        for event in events:
            with self.subTest(event=event["name"]):
                self.assertEqual(differences(event, attributes_of_perf(event["perf"])), [])

    def listed(self, kinds):
        done = subprocess.run([PMUTOOL, "events", "--json", f"--kind={kinds}"], capture_output=True,
                              text=True, timeout=120)
        return [event["name"] for event in json.loads(done.stdout)["events"]]

    def test_generic_names_are_perfs(self):
        names = self.listed("hardware,software,cache")
        self.assertGreater(len(names), 40)
        self.check(names)

    def test_raw_codes_and_modifiers_are_perfs(self):
        there = [name for name in MODIFIED if not name.startswith("msr/") or
                 os.path.exists("/sys/bus/event_source/devices/msr")]
        self.check(there)

    def test_events_of_pmus_are_perfs(self):
        names = self.listed("pmu")
        if not names:
            self.skipTest("no PMU of this machine has events in sysfs")
        self.check(names)

    def test_tracepoints_are_perfs(self):
        names = self.listed("tracepoint")
        if not names:
            self.skipTest("this kernel has no tracepoints, or tracefs cannot be read")
        self.check(names[::EVERY])


if __name__ == "__main__":
    if not shutil.which("perf"):
        print("skipped: perf is not installed")
        sys.exit(77)
    enter_own_tracefs()  # else perf would mount it for the whole machine
    unittest.main(verbosity=2)
