#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What latencies, and a run that records the scheduler, add to a switch, beside `perf sched record
-a` over the same load.

    sudo tests/bench/latency.py [--rounds N] [--turns N]

Two tasks in a counted cgroup hand a byte to and fro on one CPU: with nobody who counts, with the
exporter by bpf, with the exporter by bpf and latencies, with a run of kind `schedule` of the machine
(the exporter counts nothing else), and with `perf sched record`. The five take turns; shown is the least of the rounds in ns a switch, what is added to nothing, and the ratio to
what is added by `perf sched record`, and what perf has written. What else the machine does only
adds. build/release/bin/bench_latency tells of the memory and the reading; bench_switch of the
mechanisms alone.
"""
import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import live  # noqa: E402
from cgroups import Cgroups  # noqa: E402
from exporter import Exporter, UnixConnection, quote  # noqa: E402
from turns import Turns  # noqa: E402

START = "pmu_cgroup_start_time_seconds"
SUPPORTED = "pmu_exporter_latency_supported"


def nobody(_):
    return contextlib.nullcontext()


@contextlib.contextmanager
def exporter(cgroups, latency="latency: []"):
    config = ("interval: 1s\ncounting: bpf\n"
              f"groups: [{{name: software, events: [{', '.join(live.SOFTWARE)}]}}]\n"
              f"targets:\n  system: {{groups: [software], by: all, {latency}}}\n"
              f"  cgroups:\n    - {{include: [{quote(cgroups.path('*'))}], groups: [software], "
              f"{latency}}}\n")
    with Exporter(config) as running:
        metrics = running.scrape_until(
            lambda m: m.value(START, cgroup=cgroups.path("a")) is not None, 60, "the cgroup")
        if 0 in metrics.find(SUPPORTED).values():
            sys.exit(f"there are no latencies: {metrics.labels(SUPPORTED, 'reason')}")
        yield


def with_latencies(cgroups):
    return exporter(cgroups, "latency: [scheduler]")


def ask(running, method, path, body=None):
    connection = UnixConnection(running.control, 60.0)
    try:
        connection.request(method, "/api/v1/runs" + path, body=body and json.dumps(body),
                           headers={"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    if "error" in answer:
        sys.exit(answer["error"])
    return answer


@contextlib.contextmanager
def recorded(_):
    with Exporter(live.config(system="all")) as running:
        run = ask(running, "POST", "", {"title": "a run", "target": "machine", "kind": "schedule",
                                        "duration_seconds": 600})
        yield
        if ask(running, "POST", f"/{run['id']}/stop")["state"] == "over":
            sys.exit("the record was full before the end: fewer --turns")


@contextlib.contextmanager
def perf_sched(_):
    with tempfile.TemporaryDirectory() as directory:
        data = pathlib.Path(directory, "perf.data")
        with subprocess.Popen(["perf", "sched", "record", "-a", "-o", data, "--", "sh", "-c",
                               "echo open; read -r _"], stdin=subprocess.PIPE, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            process.stdout.readline()
            yield
            process.communicate("\n")
        written.append(data.stat().st_size)


WAYS = {"none": nobody, "bpf": exporter, "bpf with latencies": with_latencies,
        "schedule": recorded, "perf sched record": perf_sched}
written = []


def ns_a_switch(turns, n):
    began = time.monotonic_ns()
    turns.take()
    return (time.monotonic_ns() - began) / (2 * n)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--turns", type=int, default=5000)
    arguments = parser.parse_args()
    live.need("perf")
    least = {}
    with Cgroups() as cgroups:
        cgroups.make("a")
        with Turns(os.fsdecode(cgroups.directory("a")), turns=arguments.turns) as turns:
            for _ in range(arguments.rounds):
                for name, way in WAYS.items():
                    with way(cgroups):
                        ns = min(ns_a_switch(turns, arguments.turns) for _ in range(5))
                    least[name] = min(ns, least.get(name, ns))
    added = {name: ns - least["none"] for name, ns in least.items()}
    print(f"{'':20} {'ns a switch':>11} {'added':>7} {'of perf':>8}")
    for name, ns in least.items():
        print(f"{name:20} {ns:11.0f} {added[name]:+7.0f} "
              f"{added[name] / added['perf sched record']:8.2f}")
    switches = 5 * 2 * arguments.turns
    print(f"perf has written {min(written) / 2**20:.1f} MiB of {switches} switches")


if __name__ == "__main__":
    main()
