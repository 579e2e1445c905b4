#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What latencies, and a run that records the scheduler, add to a switch and its wake-up, beside
`perf sched record -a` and bpftrace over the same load.

    sudo tests/bench/latency.py [--rounds N] [--turns N]

Two tasks in a counted cgroup hand a byte to and fro on one CPU, so that each switch has a wake-up:
with nobody who counts, with the exporter by bpf, with the exporter by bpf and latencies, with a run
of kind `schedule` of the machine (the exporter counts nothing else), with `perf sched record`, and
with a bpftrace program that has histograms of waits and slices. They take turns; shown is the least
of the rounds in ns a switch, what is added to nothing, the ratio to what is added by `perf sched
record`, and what perf has written. build/release/bin/bench_latency tells of the memory and the reading; bench_switch of the
mechanisms alone.
"""
import argparse
import contextlib
import functools
import os
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import live  # noqa: E402
import side_by_side  # noqa: E402
from cgroups import Cgroups  # noqa: E402
from exporter import Exporter, ask_runs, quote  # noqa: E402
from turns import Turns  # noqa: E402

START = "pmu_cgroup_start_time_seconds"
SUPPORTED = "pmu_exporter_latency_supported"


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
    status, answer = ask_runs(running, method, path, body)
    if status >= 400:
        sys.exit(f"{status}: {answer}")
    return answer


@contextlib.contextmanager
def recorded():
    with Exporter(live.config(system="all")) as running:
        run = ask(running, "POST", "", {"title": "a run", "target": "machine", "kind": "schedule",
                                        "duration_seconds": 600})
        yield
        if ask(running, "POST", f"/{run['id']}/stop")["state"] == "over":
            sys.exit("the record was full before the end: fewer --turns")


@contextlib.contextmanager
def perf_sched():
    with tempfile.TemporaryDirectory() as directory:
        data = pathlib.Path(directory, "perf.data")
        with side_by_side.perf("sched", "record", "-a", "-o", data):
            yield
        written.append(data.stat().st_size)


# as runqlat.bt, with slices beside waits
WAITS_AND_SLICES = """
BEGIN { printf("counts\\n"); }
tracepoint:sched:sched_wakeup, tracepoint:sched:sched_wakeup_new { @woken[args->pid] = nsecs; }
tracepoint:sched:sched_switch {
    if (args->prev_state == 0) { @woken[args->prev_pid] = nsecs; }
    if (@on[cpu]) { @slices = hist(nsecs - @on[cpu]); }
    @on[cpu] = nsecs;
    if (@woken[args->next_pid]) {
        @waits = hist(nsecs - @woken[args->next_pid]);
        delete(@woken[args->next_pid]);
    }
}
"""
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
    live.need("perf", "bpftrace")
    with Cgroups() as cgroups:
        cgroups.make("a")
        with Turns(os.fsdecode(cgroups.directory("a")), turns=arguments.turns) as turns:
            least = side_by_side.measure({
                "none": side_by_side.nobody,
                "bpf": functools.partial(exporter, cgroups),
                "bpf with latencies": functools.partial(with_latencies, cgroups),
                "schedule": recorded,
                "perf sched record": perf_sched,
                "bpftrace": functools.partial(side_by_side.bpftrace, WAITS_AND_SLICES),
            }, functools.partial(ns_a_switch, turns, arguments.turns), arguments.rounds)
    side_by_side.show(least, "ns a switch", "perf sched record")
    switches = 5 * 2 * arguments.turns
    print(f"perf has written {min(written) / 2**20:.1f} MiB of {switches} switches")


if __name__ == "__main__":
    main()
