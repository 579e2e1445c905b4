#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How many lines of its parsers each fuzz target runs: tests/fuzz/coverage.py BUILD COVERAGE_BUILD

BUILD has what was found (run_long); COVERAGE_BUILD has the programs that replay it, and the list of
parsers. Fails where it is less than LEAST of a file.
"""
import json
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
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{program} {directory} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def percents(program, sources, directories):
    """{source: percent of its lines that were run}"""
    with tempfile.TemporaryDirectory() as directory:
        replay(program, directories, directory)
        raw = list(pathlib.Path(directory).glob("*.raw"))
        merged = f"{directory}/merged"
        subprocess.run([tool("llvm-profdata"), "merge", "-sparse", *raw, "-o", merged], check=True)
        done = subprocess.run([tool("llvm-cov"), "export", "-summary-only", f"-instr-profile={merged}",
                               program, *sources], check=True, capture_output=True, text=True)
    return {pathlib.Path(file["filename"]): file["summary"]["lines"]["percent"]
            for file in json.loads(done.stdout)["data"][0]["files"]}


def main():
    build, coverage = map(pathlib.Path, sys.argv[1:3])
    low = []
    for line in (coverage / "fuzz_parsers.txt").read_text().splitlines():
        name, *files = line.split()
        sources = [TOP / "src" / file for file in files]
        found = percents(coverage / "bin" / f"replay_{name}", sources,
                         [TOP / "tests/fuzz/corpus" / name, build / "corpus" / name])
        for file, source in zip(files, sources):
            percent = found.get(source, 0)
            print(f"{name:16} {file:32} {percent:5.1f} %")
            if percent < LEAST:
                low.append(file)
    if low:
        sys.exit(f"less than {LEAST} % of the lines are run of: {' '.join(low)}")


main()
