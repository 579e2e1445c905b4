#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The examples of pmutool(1), each run as it stands there, beside an exporter.

Only two things are replaced: the configuration in /etc is the one that is shipped, and pmutool finds
the control socket of the test's own exporter.
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

from cgroups import Cgroups
from exporter import PATIENCE, Exporter, binary

TOP = pathlib.Path(__file__).parents[2]
SUPPORTED = "pmu_exporter_profile_supported"
CONFIG = "/etc/pmu_exporter/pmu_exporter.yml"

# Said by a record of one second that is not there after two more, for want of names.
DELAY = "pmutool: waits until the functions have their names\n"
LATE = 3

# What each example prints: its exit status, and a pattern of standard output and standard error. A
# machine without a PMU has no cycles, but it has page faults.
EXPECTED = {
    "pmutool events fault": (0, r"\npage-faults OR faults +software +software +Page faults\n"),
    "pmutool events --available --kind=software":
        (0, r"\npage-faults OR faults +software +software +yes +Page faults\n"),
    "pmutool encode cycles:u L1-dcache-load-misses r01c0":
        (0, r"(?s)^cycles:u\n.*  exclude_kernel +1\n.*\nr01c0\n.*  config +0x1c0\n"),
    "pmutool check event page-faults context-switches":
        (0, r"\ncontext-switches +software +yes +type=1 config=0x3 +pmu_\*_context_switches_total"),
    f"pmutool check config {CONFIG}": (0, r"\n  SUCCESS: groups: 2, events: 8 "),
    f"pmutool check config --json {CONFIG}": (0, r'\n  "valid": true,\n'),
    f"pmutool check budget {CONFIG}": (0, r"^(hardware counters of each CPU: |no event that can )"),
    "pmutool stat -e task-clock,page-faults -- sleep 0.1": (0, r"\d +page-faults"),
    "pmutool stat -r 5 -- sleep 0.1": (0, r" \+- .* seconds time elapsed"),
    "pmutool stat -a -e page-faults,context-switches -I 200 -d 1 --csv":
        (0, r"(?m)^ +\d\.\d+,\d+,,context-switches,"),
    "pmutool stat -g software --json -- sleep 0.1": (0, r'"event":"page-faults","group":"'),
    "pmutool reload": (0, r"^configuration reloaded\n"),
    "pmutool mark 'release 1.2'": (0, r"^the mark is set\n"),
    "pmutool marks": (0, r"^ID +TIME +TEXT\n +1  20\d\d-.*  release 1\.2\n$"),
    "pmutool profile -d 10 machine":
        (0, r"^machine, .* s\)\n\d+ samples at 499 Hz, .*\n(?s:.*)\nSELF % +\+- +SELF s .* OWNER\n"),
    "pmutool profile -d 10 --format=tree --min=5 machine": (0, r"\n TOTAL +SELF +FUNCTION\n"),
    "pmutool profile -d 10 --diff=previous machine":
        (0, r"^before: machine, .*\nafter:  machine, (?s:.*) CHANGE +\+- +FUNCTION +OWNER\n"),
    "pmutool profile -d 10 -o stacks.collapsed machine": (0, r"^$"),
    "pmutool record -e page-faults -F 499 -- ls /":
        (0, r"(?s)^bin\n.*\n\d+ page-faults, as sure as \d+ samples? of .*; kept as run 1\n$"),
    "pmutool record -d 1 -o machine.pb": (0, r"^\d+ samples; kept as run 2\n$"),
    "pmutool profile run:1": (0, r"\n\d+ page-faults, as sure as \d+ samples? of "),
    "pmutool pause 10m": (0, r"^hardware events are not counted until "),
    "pmutool pause off": (0, r"^hardware events are counted again\n"),
    "pmutool top -b -n 1 -d 1 -s switches .service": (0, r"^pmutool top - .*\n +CPUS .* NAME\n"),
}


def examples():
    """The commands of pmutool in the page's examples."""
    page = (TOP / "src/man/pmutool.1").read_text()
    section = re.search(r"(?s)\n\.Sh EXAMPLES\n(.*?)\n\.Sh ", page)[1]
    return re.findall(r"(?m)^(?:\.Dl )?(pmutool .*)$", section)


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(Cgroups()).make("an.example.service")
        cls.exporter = cls.enterClassContext(Exporter(
            config="targets: {cgroups: [{include: [/**], groups: [software]}]}\nprofiles: {rate: 499}\n"))
        directory = cls.directory = cls.enterClassContext(tempfile.TemporaryDirectory())
        program = pathlib.Path(directory, "pmutool")
        program.write_text(
            f'#!/bin/sh\ncommand=$1\nshift\ncase $command in\n'
            f'reload|mark|marks|pause|profile|record|top) set -- --socket={cls.exporter.control} "$@";;\n'
            f'esac\nexec {pathlib.Path(binary()).parent / "pmutool"} $command "$@"\n')
        program.chmod(0o755)
        cls.path = f"{directory}:{os.environ['PATH']}"

    def need_samples(self):
        """Profiles need a kernel that lets us take samples, and a past."""
        metrics = self.exporter.scrape_until(lambda m: m.find(SUPPORTED), PATIENCE, "the status")
        if metrics.sum(SUPPORTED) == 0:
            return False
        end = time.monotonic() + PATIENCE
        while self.run_line("pmutool profile -d 10 --diff=previous machine").returncode:
            self.assertLess(time.monotonic(), end, "too few samples")
            time.sleep(0.5)
        return True

    def run_line(self, line):
        line = line.replace(CONFIG, str(TOP / "config/pmu_exporter.yml"))
        return subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=120,
                              cwd=self.directory, env=os.environ | {"PATH": self.path})

    def test_each_example_does_what_it_says(self):
        lines = examples()
        self.assertEqual(set(lines), set(EXPECTED), "say in EXPECTED what each example prints")
        has_samples = self.need_samples()
        for line in lines:
            if line.startswith(("pmutool profile", "pmutool record")) and not has_samples:
                print(f"not run, since nothing can be sampled here: {line}")
                continue
            with self.subTest(line=line):
                begun = time.monotonic()
                done = self.run_line(line)
                told = done.stdout + done.stderr
                if time.monotonic() - begun > LATE:
                    told = told.removeprefix(DELAY)
                status, pattern = EXPECTED[line]
                self.assertEqual(done.returncode, status, told)
                self.assertRegex(told, pattern)

    def test_json_is_json(self):
        done = self.run_line(f"pmutool check config --json {CONFIG}")
        self.assertTrue(json.loads(done.stdout)["valid"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
