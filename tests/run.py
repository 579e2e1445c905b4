#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the short tests of built presets and sums up: tests/run.py PRESET...

Two runs of ctest for each preset: first the tests that depend on nothing but the code, while what
tests of the kernel need is prepared; then the tests of the kernel, and beside them what searches for
as long as it is told (fuzz/search). Those of the kernel have a second try, because others use the
machine too, and then nothing else runs beside them; the rest has one, and so has what is to show races.
The last lines name the tests that were skipped, that failed and that passed only at the second try: such
a one that is named twice wants to be mended.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(os.environ.get("PMU_TEST_SOURCE", pathlib.Path(__file__).resolve().parents[1]))
LONG = "long"  # labels
PREPARE = "prepare"
ONLY = {"tsan": "threads"}  # {a preset: the only tests that are run of it}, once: a race may hide
SEARCH = "search"
KERNEL = {"live", "vm", "kernel"}
SLOTS_OF_A_CPU = 6  # in the run of the kernel
MOST_SLOTS = 32  # eight guests, each of which takes 512 MB

END_OF_TRY = re.compile(r"\s*(?:\d+/\d+ )?Test +#\d+: (\S+) \.*\s*(Passed|\*\*\*.*?) +[\d.]+ sec")
SUM = re.compile(r"\d+% tests passed, (\d+) tests failed out of (\d+)")


def tries_of(lines):
    """{name: the ends of its tries, in order} of what ctest has printed."""
    tries = {}
    for line in lines:
        if end := END_OF_TRY.match(line):
            tries.setdefault(end[1], []).append(end[2])
    return tries


def sum_of(lines):
    """(how many tests there were, how many failed) by the last words of ctest; none without such."""
    sums = [found for line in lines if (found := SUM.match(line))]
    return (int(sums[-1][2]), int(sums[-1][1])) if sums else (0, 0)


def has_passed(end):
    return end in ("Passed", "***Skipped")


class Outcome:
    """The results of the runs of ctest."""

    def __init__(self):
        self.total = 0
        self.broken = False  # ctest itself
        self.skipped, self.failed, self.passed_later = [], [], []

    def take(self, preset, lines, status, again):
        """Adds what one run has printed, with its status, and what its second tries have; the number of
        its tests."""
        total, n_failed = sum_of(lines)
        self.total += total
        before = len(self.failed)
        for name, ends in tries_of(lines + again).items():
            if ends[-1] == "***Skipped":
                self.skipped.append(f"{preset} {name}")
            elif ends[-1] != "Passed":
                self.failed.append(f"{preset} {name}")
            elif len(ends) > 1:
                self.passed_later.append(f"{preset} {name}")
        tries = tries_of(lines)
        n_told = sum(not has_passed(ends[-1]) for ends in tries.values())
        self.broken |= (total == 0 and len(tries) > 0) or n_failed > n_told or (status != 0 and n_told == 0)
        self.broken |= sum_of(again)[1] > len(self.failed) - before
        return total

    def is_good(self):
        return self.total > 0 and not self.broken and not self.failed

    def text(self):
        names = (("skipped", self.skipped), ("failed", self.failed),
                 ("passed at the second try only", self.passed_later))
        lines = [] if not self.broken else ["ctest itself ended with an error"]
        n_failed = len(self.failed)
        share = (self.total - n_failed) * 100 // self.total if self.total else 0
        lines.append(f"{share}% tests passed, {n_failed} tests failed out of {self.total}")
        return "\n".join(lines + [f"{what}: {', '.join(sorted(each)) or 'none'}"
                                  for what, each in names])


def labels_of_tests(preset):
    """{name: labels}; nothing where the preset was not built."""
    done = subprocess.run(["ctest", "--preset", preset, "--show-only=json-v1"], cwd=TOP,
                          capture_output=True, text=True)
    tests = json.loads(done.stdout)["tests"] if done.returncode == 0 else []
    return {test["name"]: {label for p in test["properties"] if p["name"] == "LABELS"
                           for label in p["value"]} for test in tests}


def any_of(labels):
    return f"^({'|'.join(sorted(labels))})$"


def commands(preset):
    """The two runs. A test takes one slot of ctest, or as many as its PROCESSORS. There are two
    slots a CPU in the first run. In the second there are six: what mostly waits takes one of them, and
    what keeps a CPU busy takes several."""
    n = os.cpu_count() or 1
    ctest = ["ctest", "--preset", preset]
    if preset in ONLY:
        ctest += ["-L", any_of({ONLY[preset]})]
    slots = max(n, min(SLOTS_OF_A_CPU * n, MOST_SLOTS))
    yield [*ctest, "-L", any_of({"unit", "lint", PREPARE}), "-LE", any_of({LONG, "kernel"}), "-j",
           str(2 * n)]
    yield [*ctest, "-L", any_of(KERNEL | {SEARCH}), "-LE", LONG, "-j", str(slots)]


def run(command):
    """Shows what the command prints, as it comes; the lines, and its status."""
    lines = []
    with subprocess.Popen(command, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace") as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line.rstrip("\n"))
    return lines, process.returncode


def run_twice(command, preset, labels):
    """Shows and returns what run() does, and what it does for a second try of those of the kernel that
    have failed: one after another, without what prepares for them, which stands."""
    lines, status = run(command)
    again = [name for name, ends in tries_of(lines).items()
             if not has_passed(ends[-1]) and labels.get(name, set()) & KERNEL]
    if not again or preset in ONLY:
        return lines, status, []
    print(f"==> once more, one after another: {', '.join(again)}", flush=True)
    names = "|".join(re.escape(name) for name in again)
    more, _ = run(["ctest", "--preset", preset, "-R", f"^({names})$", "-FA", ".", "-j", "1"])
    return lines, status, more


def main(presets):
    if {"-h", "--help"} & set(presets):
        print(__doc__.strip())
        return 0
    outcome = Outcome()
    for preset in presets:
        print(f"==> testing preset {preset}", flush=True)
        labels = labels_of_tests(preset)
        total = sum(outcome.take(preset, *run_twice(command, preset, labels))
                    for command in commands(preset))
        if total == 0:
            print(f"no test of preset {preset} ran")
            outcome.broken = True
    print(f"==> all presets\n{outcome.text()}", flush=True)
    return 0 if outcome.is_good() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
