#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the short tests of built presets and sums up: tests/run.py PRESET...

What runs against a live kernel or in a guest may need a second try, because others use the machine
too; what does not has one. The last lines name the tests that were skipped, that failed and that
passed only at the second try: such a one that is named twice wants to be mended.
"""
import os
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(os.environ.get("PMU_TEST_SOURCE", pathlib.Path(__file__).resolve().parents[1]))
KERNEL = "^(live|vm|kernel)$"  # labels
LONG = "long"
MOST_AT_ONCE = 8  # a guest takes 512 MB

END_OF_TRY = re.compile(r"\s*(?:\d+/\d+ )?Test +#\d+: (\S+) \.*\s*(Passed|\*\*\*.*?) +[\d.]+ sec")
SUM = re.compile(r"\d+% tests passed, (\d+) tests failed out of (\d+)")


class Outcome:
    """What a run of ctest came to."""

    def __init__(self):
        self.total = self.n_failed = 0
        self.broken = False  # ctest itself
        self.skipped, self.failed, self.passed_later = [], [], []

    def take(self, preset, lines, status):
        tries, total = {}, 0
        for line in lines:
            if end := END_OF_TRY.match(line):
                tries.setdefault(f"{preset} {end[1]}", []).append(end[2])
            elif found := SUM.match(line):
                self.n_failed += int(found[1])
                total = int(found[2])
        self.total += total
        before = len(self.failed)
        for name, ends in tries.items():
            if ends[-1] == "Passed":
                self.passed_later += [name] * (len(ends) > 1)
            elif ends[-1] == "***Skipped":
                self.skipped.append(name)
            else:
                self.failed.append(name)
        self.broken |= status != 0 and len(self.failed) == before
        return total

    def is_good(self):
        return self.total > 0 and not self.broken and not self.failed and self.n_failed == 0

    def text(self):
        names = (("skipped", self.skipped), ("failed", self.failed),
                 ("passed at the second try only", self.passed_later))
        lines = [] if not self.broken else ["ctest itself ended with an error"]
        share = (self.total - self.n_failed) * 100 // self.total if self.total else 0
        lines.append(f"{share}% tests passed, {self.n_failed} tests failed out of {self.total}")
        return "\n".join(lines + [f"{what}: {', '.join(sorted(each)) or 'none'}"
                                  for what, each in names])


def at_once(kind):
    """Live tests mostly wait, and guests count for two: more of both than there are CPUs."""
    n = os.cpu_count() or 1
    return min(2 * n, MOST_AT_ONCE) if kind == "kernel" else n


def commands(preset):
    """The two runs: what depends on nothing but the code, and what the kernel has a part in."""
    ctest = ["ctest", "--preset", preset]
    yield [*ctest, "-LE", f"{LONG}|{KERNEL}", "-j", str(at_once("pure"))]
    yield [*ctest, "-L", KERNEL, "-LE", LONG, "-j", str(at_once("kernel")), "--repeat",
           "until-pass:2"]


def run(command):
    """Shows what it prints, as it comes; the lines, and its status."""
    lines = []
    with subprocess.Popen(command, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace") as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line.rstrip("\n"))
    return lines, process.returncode


def main(presets):
    outcome = Outcome()
    for preset in presets:
        print(f"==> testing preset {preset}", flush=True)
        total = sum(outcome.take(preset, *run(command)) for command in commands(preset))
        if total == 0:
            print(f"no test of preset {preset} ran")
            outcome.broken = True
    print(f"==> all presets\n{outcome.text()}", flush=True)
    return 0 if outcome.is_good() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
