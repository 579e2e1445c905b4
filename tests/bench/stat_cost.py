#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What `pmutool stat` costs beside `perf stat`: instructions in user mode, counted by callgrind.

    tests/bench/stat_cost.py [--times N]

Each program counts the same command in the same way, alone and with intervals; the least of so many
runs is shown, and the ratio. The command itself is not counted.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import pmutool_stat  # noqa: E402

BUSY = (sys.executable, "-SEc",
        "import time\nend = time.monotonic() + 2\nwhile time.monotonic() < end: pass")
CASES = (
    ("a command", (), ("true",)),
    ("10 runs", ("-r", "10"), ("true",)),
    ("the machine, 100 intervals", ("-a", "-I", "20"), ("sleep", "2")),
    ("a command, 100 intervals", ("-I", "20"), BUSY),
    ("the same as CSV", ("-I", "20", "-x,"), BUSY),
)


def instructions(program, options, command):
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={directory}/%p", program,
             "stat", "-o", "/dev/null", *options, "--", *command],
            capture_output=True, text=True, check=True, env=pmutool_stat.environment())
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=3)
    times = parser.parse_args().times
    print(f"{'':28} {'pmutool':>12} {'perf':>12} {'ratio':>6}")
    for name, options, command in CASES:
        ours, perf = (min(instructions(p, options, command) for _ in range(times))
                      for p in (pmutool_stat.pmutool(), "perf"))
        print(f"{name:28} {ours:12,} {perf:12,} {ours / perf:6.2f}")


if __name__ == "__main__":
    main()
