#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How many lines of its parsers each fuzz target runs: tests/fuzz/coverage.py BUILD COVERAGE_BUILD [NAME…]

BUILD has what was found (run_long); COVERAGE_BUILD has the programs that replay it, and the list of
parsers, with the functions in them that parse nothing (tests.cmake). Behind the percentage stand the
functions that were never called. Fails where it is less than LEAST of a file.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
LEAST = 85  # percent


def tool(name):
    """Debian has them with the version of the compiler behind their names."""
    return shutil.which(name) or shutil.which(f"{name}-14") or sys.exit(f"{name} is not installed")


def replay(program, directories, to):
    for number, directory in enumerate(directories):
        if not directory.is_dir() or not any(directory.iterdir()):
            continue
        done = subprocess.run([program, directory], env={"LLVM_PROFILE_FILE": f"{to}/{number}.raw"},
                              capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            sys.exit(f"{program} {directory} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def tracefile(program, sources, directories):
    """What was run, as lcov writes it."""
    with tempfile.TemporaryDirectory() as directory:
        replay(program, directories, directory)
        raw = list(pathlib.Path(directory).glob("*.raw"))
        merged = f"{directory}/merged"
        subprocess.run([tool("llvm-profdata"), "merge", "-sparse", *raw, "-o", merged], check=True)
        done = subprocess.run([tool("llvm-cov"), "export", "-format=lcov", f"-instr-profile={merged}",
                               program, *sources], check=True, capture_output=True, text=True)
    return done.stdout


class File:
    """The lines and the functions of a source."""

    def __init__(self):
        self.starts = {}  # the first line of a function: its name
        self.counts = {}  # how often a line was run

    def function_of(self, line):
        return self.starts.get(max((start for start in self.starts if start <= line), default=None))

    def share(self, without):
        """How many percent of its lines were run, and which functions were not at all; without some."""
        ran = {}
        for line, count in self.counts.items():
            name = self.function_of(line)
            if name and name not in without:  # what a macro makes stands before all functions
                ran.setdefault(name, []).append(count > 0)
        lines = [was_run for lines in ran.values() for was_run in lines]
        never = [name for name, lines in ran.items() if not any(lines)]
        return 100 * sum(lines) / len(lines) if lines else 0, never


def read(text):
    """{source: File} of a text of lcov"""
    files = {}
    for line in text.splitlines():
        kind, _, rest = line.partition(":")
        if kind == "SF":
            file = files.setdefault(pathlib.Path(rest), File())
        elif kind == "FN":
            start, name = rest.split(",", 1)
            file.starts[int(start)] = name.rpartition(":")[2]  # a static one has its file before it
        elif kind == "DA":
            number, count = rest.split(",")[:2]
            file.counts[int(number)] = int(count)
    return files


def parsers(coverage):
    """(target, files, functions) of each line of the list: config config/config.c !function"""
    for line in (coverage / "fuzz_parsers.txt").read_text().splitlines():
        name, *words = line.split()
        yield (name, [word for word in words if word[0] != "!"],
               [word[1:] for word in words if word[0] == "!"])


def main():
    build, coverage, *names = map(pathlib.Path, sys.argv[1:])
    low = []
    for name, files, without in parsers(coverage):
        if names and pathlib.Path(name) not in names:
            continue
        known = set()
        sources = [TOP / "src" / file for file in files]
        found = read(tracefile(coverage / "bin" / f"replay_{name}", sources,
                               [TOP / "tests/fuzz/corpus" / name, build / "corpus" / name]))
        for file, source in zip(files, sources):
            there = found.get(source, File())
            known |= set(there.starts.values())
            percent, never = there.share(without)
            print(f"{name:18} {file:32} {percent:5.1f} %", "never: " + " ".join(never) if never else "")
            if percent < LEAST:
                low.append(file)
        if not known.issuperset(without):
            sys.exit(f"tests.cmake leaves out functions that are not there: {set(without) - known}")
    if low:
        sys.exit(f"less than {LEAST} % of the lines are run of: {' '.join(low)}")


if __name__ == "__main__":
    main()
