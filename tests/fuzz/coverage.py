#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How many lines of its parsers each fuzz target runs: tests/fuzz/coverage.py BUILD COVERAGE_BUILD [NAME…]

BUILD has what was found (tests/fuzz/search); COVERAGE_BUILD has the programs that replay it, and the list of
parsers, with the functions in them that parse nothing (tests.cmake). Behind the percentage stand the
functions that were never called. A file that several targets parse counts as what they run together.
Fails where it is less than LEAST of a file.
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

    def add(self, other):
        self.starts |= other.starts
        for line, count in other.counts.items():
            self.counts[line] = self.counts.get(line, 0) + count

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


def run_of(build, coverage, name, sources):
    """{source: File} of what the inputs of both corpora run of these sources."""
    found = read(tracefile(coverage / "bin" / f"replay_{name}", sources,
                           [TOP / "tests/fuzz/corpus" / name, build / "corpus" / name]))
    return {source: found.get(source, File()) for source in sources}


def tell(file, targets, ran, without):
    """Prints a line; whether enough of the file is run."""
    percent, never = ran.share(without)
    print(f"{file:32} {percent:5.1f} % by {' '.join(targets)}", "never: " * bool(never) + " ".join(never))
    return percent >= LEAST


def main():
    build, coverage, *names = map(pathlib.Path, sys.argv[1:])
    ran, targets, left_out = {}, {}, set()
    for name, files, without in parsers(coverage):
        if names and pathlib.Path(name) not in names:
            continue
        left_out.update(without)
        for source, file in run_of(build, coverage, name, [TOP / "src" / file for file in files]).items():
            ran.setdefault(source, File()).add(file)
            targets.setdefault(source, []).append(name)
    known = {name for file in ran.values() for name in file.starts.values()}
    if not left_out <= known:
        sys.exit(f"tests.cmake leaves out functions that are not there: {left_out - known}")
    low = [name for source, file in ran.items() for name in [str(source.relative_to(TOP / "src"))]
           if not tell(name, targets[source], file, left_out)]
    if low:
        sys.exit(f"less than {LEAST} % of the lines are run of: {' '.join(low)}")


if __name__ == "__main__":
    main()
