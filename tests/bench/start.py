#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How soon the exporter answers: seconds from its start to the first 200 on /metrics.

    sudo tests/bench/start.py [--times N] [--by direct|bpf] [EXPORTER ...]

By direct and by bpf (with the self-test, as in `counting: auto`): least, median and most of so many
starts. Of several exporters, two builds for instance, one start after the other in turn: so all have
the same neighbours.
"""
import argparse
import http.client
import os
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import live  # noqa: E402
from cgroups import Cgroups  # noqa: E402
from exporter import Exporter, binary  # noqa: E402

COUNTING = {"direct": "direct", "bpf": "auto"}
STEP = 0.001


def settled(directory, text):
    """A configuration file that nobody is just writing, as one would be read twice."""
    path = pathlib.Path(directory, "pmu_exporter.yml")
    path.write_text(text)
    os.utime(path, (0, 0))
    return path


def answer(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request("GET", "/metrics")
    return connection.getresponse().status


def measure(program, config):
    """Seconds, and the mechanism that was taken."""
    exporter = Exporter(wait=False, args=[f"--config.file={config}"])
    exporter.binary = program
    begin = time.monotonic()
    with exporter:
        while True:
            try:
                if answer(exporter.port) == 200:
                    break
            except OSError:
                pass
            time.sleep(STEP)
        seconds = time.monotonic() - begin
        return seconds, *exporter.scrape().labels("pmu_exporter_mechanism_info", "mechanism",
                                                  scope="cgroup")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--by", choices=COUNTING, action="append")
    parser.add_argument("exporters", nargs="*", default=[binary()])
    given = parser.parse_args()
    with Cgroups() as cgroups, tempfile.TemporaryDirectory() as directory:
        cgroups.make("a.service")
        text = live.config(cgroups, system="all")
        for way in given.by or COUNTING:
            config = settled(directory,
                             text.replace("counting: direct", f"counting: {COUNTING[way]}"))
            seconds = {program: [] for program in given.exporters}
            for _ in range(given.times):
                for program, starts in seconds.items():
                    took, mechanism = measure(program, config)
                    if mechanism == way:
                        starts.append(took)
            for program, starts in seconds.items():
                figures = (f"{min(starts):.3f} {statistics.median(starts):.3f} {max(starts):.3f} s"
                           if starts else "was not taken")
                print(f"{way:6} {figures}  of {len(starts)} starts: {program}")


if __name__ == "__main__":
    main()
