#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the history of made-up targets costs, beside Prometheus' TSDB with the same numbers.

    tests/bench/history.py [--hours N] [--targets N] [--points N]

Records so many hours (1) of so many targets (1,000) as fast as it can, thinned out as ever; a week
takes some 15 minutes of CPU.
Prints the bytes of a sample at each level, the memory beside it and the CPU time of recording; the
bytes of a sample of the TSDB, which gets what 20 of the targets counted in the last hour; and the
CPU time that the exporter takes to answer for one target's last hour, compressed and not.
PMU_EXPORTER names the exporter, and the programs beside it are taken. Asserts nothing.
"""
import argparse
import http.client
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from exporter import Exporter, binary  # noqa: E402

VIEWS = 100
TARGETS = {"busy": range(0, 40, 20), "any": range(40)}  # as bench/history.c makes them
CONFIG = "interval: 1s\ncounting: direct\n"  # as what was recorded: the least step of an answer


def compare_with_tsdb(text, blocks):
    if not shutil.which("promtool"):
        print("TSDB: promtool is not there")
        return
    subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", text, blocks],
                   check=True, stdout=subprocess.DEVNULL)
    with text.open() as lines:
        samples = sum(1 for line in lines if not line.startswith("#"))
    files = [file for file in blocks.rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files)
    chunks = sum(file.stat().st_size for file in files if file.parent.name == "chunks")
    print(f"TSDB: {samples} samples of the last hour, {size / samples:.3f} bytes each, "
          f"{chunks / samples:.3f} without its index")


def look(exporter, path, numbers, encoding):
    """The CPU time of a view of one of these targets, in milliseconds, and the bytes of it."""
    connection = http.client.HTTPConnection("127.0.0.1", exporter.port, timeout=60)
    before, n = exporter.cpu_seconds(), 0
    for i in range(VIEWS):
        target = urllib.parse.quote(f"cgroup:/system.slice/{numbers[i % len(numbers)]}")
        connection.request("GET", f"{path}&target={target}",
                           headers={"Accept-Encoding": encoding})
        answer = connection.getresponse()
        n += len(answer.read())
        if answer.status != 200:
            raise SystemExit(f"{path} was answered with {answer.status}")
    connection.close()
    return (exporter.cpu_seconds() - before) / VIEWS * 1000, n / VIEWS


def view(state, points):
    with Exporter(CONFIG, args=[f"--storage.path={state}"]) as exporter:
        end = int(time.time())
        path = f"/api/v1/history?start={end - 3600}&end={end}&points={points}"
        for name, numbers in TARGETS.items():
            for encoding in ("identity", "gzip"):
                cpu, n = look(exporter, path, numbers, encoding)
                print(f"a view of one target's hour ({name}), {points} points at most, {encoding}: "
                      f"{cpu:.2f} ms of CPU, {n / 1000:.0f} kB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--hours", type=float, default=1)
    parser.add_argument("--points", type=int, default=3700, help="as many as the page asks for")
    parser.add_argument("--targets", type=int, default=1000)
    arguments = parser.parse_args()
    bench = pathlib.Path(binary()).parent / "bench_history"
    with tempfile.TemporaryDirectory() as name:
        state, text, blocks = (pathlib.Path(name) / part for part in ("state", "text", "blocks"))
        subprocess.run([bench, state, str(int(arguments.hours * 3600)), text,
                        str(arguments.targets)], check=True)
        view(state, arguments.points)
        compare_with_tsdb(text, blocks)


if __name__ == "__main__":
    main()
