#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Which lines and functions of src/ and include/ the tests run.

    tests/coverage.py [OPTION of ctest...]

Builds the preset `coverage`, runs the unit tests, or those that the options choose, and prints what
they have run of each folder, and which files are worst. A line counts if code was made of it. What a
process has counted is lost where it ends by a signal or by _exit().
"""
import collections
import json
import os
import pathlib
import subprocess
import sys

TOP = pathlib.Path(os.environ.get("PMU_TEST_SOURCE", pathlib.Path(__file__).resolve().parents[1]))
PRESET = "coverage"
UNIT = ("-L", "unit", "-LE", "long", "-E", "^rules/")
N_WORST = 15
FEWEST_LINES = 20  # a file of fewer is not among the worst


class Share:
    """How many of them were run."""

    def __init__(self, runs):
        self.n, self.total = sum(n > 0 for n in runs), len(runs)

    def percent(self):
        return 100 * self.n / self.total if self.total else 100.0

    def __str__(self):
        return f"{self.percent():5.1f} % of {self.total:5d}"


class Runs:
    """How often each line and function of some files was run."""

    def __init__(self):
        self.lines, self.functions = collections.Counter(), collections.Counter()

    def add(self, name, found):
        """Of one file, as gcov tells it of one object. A line of a header is in several objects."""
        for line in found["lines"]:
            self.lines[name, line["line_number"]] += line["count"]
        for function in found["functions"]:
            self.functions[name, function["name"]] += function["execution_count"]

    def shares(self, key):
        """{key of a file's name: (share of the lines, share of the functions)}"""
        names = sorted({name for name, _ in self.lines})
        of_key = collections.defaultdict(set)
        for name in names:
            of_key[key(name)].add(name)
        return {k: tuple(Share([n for (name, _), n in runs.items() if name in group])
                         for runs in (self.lines, self.functions))
                for k, group in sorted(of_key.items())}


def measure(top, build):
    """What was run of the files below src/ and include/, by the counts that objects have left."""
    notes = sorted(str(path) for path in (build / "src").rglob("*.gcno"))
    done = subprocess.run(["gcov", "--json-format", "--stdout", *notes], cwd=build, check=True,
                          capture_output=True, text=True)
    runs = Runs()
    for text in done.stdout.splitlines():
        told = json.loads(text)
        for found in told["files"]:
            path = pathlib.Path(told["current_working_directory"], found["file"]).resolve()
            if any(path.is_relative_to(top / folder) for folder in ("src", "include")):
                runs.add(str(path.relative_to(top)), found)
    return runs


def folder_of(name):
    return pathlib.PurePath(name).parts[1]


def report(runs):
    lines = [f"{'':32}{'lines':>17}  {'functions':>17}"]
    for folder, shares in {**runs.shares(folder_of), **runs.shares(lambda _: "all")}.items():
        lines.append(f"{folder:32}{shares[0]}  {shares[1]}")
    files = [(shares[0].percent(), name, shares) for name, shares in
             runs.shares(lambda name: name).items() if shares[0].total >= FEWEST_LINES]
    lines.append("the worst files:")
    lines += [f"{name:32}{shares[0]}  {shares[1]}" for _, name, shares in sorted(files)[:N_WORST]]
    return "\n".join(lines)


def run(*words):
    subprocess.run(words, cwd=TOP, check=True)


def main(options):
    if {"-h", "--help"} & set(options):  # ctest would show its own, when all is built
        print(__doc__.strip())
        return 0
    build = TOP / "build" / PRESET
    run("cmake", "--preset", PRESET, "-DBUILD_TESTING=ON")
    run("cmake", "--build", "--preset", PRESET)
    for counts in build.rglob("*.gcda"):
        counts.unlink()
    status = subprocess.run(["ctest", "--preset", PRESET, "-j", str(os.cpu_count() or 1),
                             *(options or UNIT)], cwd=TOP).returncode
    print(report(measure(TOP, build)))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
