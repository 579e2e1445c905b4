#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the distributions of requests add to a request of a block device, beside perf and bpftrace
over the same load.

    sudo tests/bench/block_request.py [--rounds N] [--requests N]

A process in a counted cgroup reads 4 KiB at a time past all caches from a loop device: with nobody
who counts, with the exporter by bpf and no distributions, with those of requests, with `perf stat`
and `perf record` of the two tracepoints of a request, and with a bpftrace program that has one
histogram for each device. They take turns; shown is the least of the rounds in ns a request. A
request of a loop device is two to three switches long, so that what is added is hard to see here:
tests/vm/test_block_requests.py counts the instructions.
"""
import argparse
import concurrent.futures as futures
import contextlib
import functools
import os
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import direct_io  # noqa: E402
import live  # noqa: E402
import side_by_side  # noqa: E402
from cgroups import Cgroups  # noqa: E402
from exporter import Exporter, quote  # noqa: E402
from loop_device import LoopDevice  # noqa: E402

START = "pmu_cgroup_start_time_seconds"
TRACEPOINTS = ("-e", "block:block_rq_issue,block:block_rq_complete", "-a")
# as biolatency.bt, by device
HISTOGRAMS = """
BEGIN { printf("counts\\n"); }
tracepoint:block:block_rq_issue { @began[args->dev, args->sector] = nsecs; }
tracepoint:block:block_rq_complete /@began[args->dev, args->sector]/ {
    @took[args->dev] = hist(nsecs - @began[args->dev, args->sector]);
    delete(@began[args->dev, args->sector]);
}
"""


@contextlib.contextmanager
def exporter(cgroups, kinds):
    config = ("interval: 1s\ncounting: bpf\n"
              f"groups: [{{name: software, events: [{', '.join(live.SOFTWARE)}]}}]\n"
              f"targets:\n  system: {{groups: [software], latency: [{kinds}]}}\n"
              f"  cgroups:\n    - {{include: [{quote(cgroups.path('*'))}], groups: [software], "
              f"latency: [{kinds}]}}\n")
    with Exporter(config) as running:
        running.scrape_until(lambda m: m.value(START, cgroup=cgroups.path("a")) is not None, 60,
                             "the cgroup")
        yield


@contextlib.contextmanager
def recorded():
    with tempfile.TemporaryDirectory() as directory, \
            side_by_side.perf("record", "-q", *TRACEPOINTS, "-o",
                              str(pathlib.Path(directory, "perf.data"))):
        yield


def enter(cgroup):
    pathlib.Path(cgroup, "cgroup.procs").write_text("0")


def ns_a_request(path, n):
    began = time.monotonic_ns()
    if direct_io.run(path, "read", n, 0) != 0:
        raise OSError("a read has failed")
    return (time.monotonic_ns() - began) / n


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=4000)
    arguments = parser.parse_args()
    live.need("perf", "bpftrace", "losetup")
    with Cgroups() as cgroups, LoopDevice() as disk:
        cgroups.make("a")
        with futures.ProcessPoolExecutor(1, initializer=enter, initargs=(
                os.fsdecode(cgroups.directory("a")),)) as reader:
            least = side_by_side.measure({
                "none": side_by_side.nobody,
                "bpf": functools.partial(exporter, cgroups, ""),
                "bpf with requests": functools.partial(exporter, cgroups, "block_io"),
                "perf stat": functools.partial(side_by_side.perf, "stat", *TRACEPOINTS),
                "perf record": recorded,
                "bpftrace": functools.partial(side_by_side.bpftrace, HISTOGRAMS),
            }, lambda: reader.submit(ns_a_request, disk.path, arguments.requests).result(),
                arguments.rounds)
    side_by_side.show(least, "ns a request", "perf record")


if __name__ == "__main__":
    main()
