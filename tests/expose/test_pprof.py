#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What we write as pprof is read by `go tool pprof`, with the totals that went in.

    test_pprof.py PPROF_FILE

PPROF_FILE is the program that writes the known profile (pprof_file.c): two cgroups of 15 samples.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

program = sys.argv.pop(1)


def pprof(file, home, *flags):
    done = subprocess.run(["go", "tool", "pprof", *flags, file], capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin", "HOME": home, "PPROF_TMPDIR": home})
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_raw(text):
    assert "PeriodType: cpu nanoseconds" in text and "Period: 9961945" in text, text
    assert "Duration: 1" in text, text
    samples = text[text.index("samples/count"):text.index("Locations")]
    values = [tuple(map(int, pair)) for pair in re.findall(r"^ +(\d+) +(\d+): ", samples, re.M)]
    assert len(values) == 10, samples
    assert sum(count for count, _ in values) == 30, values
    assert sum(ns for _, ns in values) == 30 * 9961945, values
    assert samples.count("cgroup:[/a]") == samples.count("cgroup:[/b]") == 5, samples
    assert "program" in text[text.index("Mappings"):], text


def check_top(text):
    assert re.search(r"Showing nodes accounting for 298.86ms, 100% of 298.86ms total", text), text
    assert re.search(r"19.92ms +[\d.]+% +100% +298.86ms +100%  main$", text, re.M), text
    assert re.search(r"59.77ms +[\d.]+% +[\d.]+% +139.47ms +[\d.]+%  LazyCompile:~f$", text, re.M), text


def check_counts(text):
    assert "Showing nodes accounting for 30, 100% of 30 total" in text, text


def main():
    if not shutil.which("go") or subprocess.run(["go", "tool", "pprof", "-h"],
                                                capture_output=True).returncode not in (0, 2):
        print("skipped: there is no `go tool pprof`")
        return 77
    with tempfile.TemporaryDirectory() as home:
        file = str(pathlib.Path(home, "known.pb"))
        subprocess.run([program, file], check=True)
        check_raw(pprof(file, home, "-raw"))
        check_top(pprof(file, home, "-top", "-nodefraction=0"))
        check_counts(pprof(file, home, "-top", "-sample_index=samples"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
