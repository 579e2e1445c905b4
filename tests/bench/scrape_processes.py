#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What 500 processes cost: CPU time of a cycle and of a scrape, beside Debian's
prometheus-process-exporter.

    sudo tests/bench/scrape_processes.py [--processes N] [--rounds N]

Every process has a name, and so a group, of its own; one in ten wakes every 100 ms. Ours counts
4 software events once a second and is scraped in between; process-exporter reads /proc at each
scrape, with its defaults and without threads and smaps. All run at the same time and are asked in
turns. Medians over the rounds; of the cycle, the main thread's time over all of them.

PMU_EXPORTER names the binary; else that of the release build.
"""
import argparse
import contextlib
import ctypes
import pathlib
import signal
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import live  # noqa: E402
from exporter import Exporter  # noqa: E402
from scraping import Client, DebianExporter, Sleepers, cost, threads_ns  # noqa: E402

PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15
SCRAPE_INTERVAL = 15
LEAN = ("-threads=false", "-gather-smaps=false")


class Named(Sleepers):
    """Processes of these names."""

    def live(self, i, subject):
        libc = ctypes.CDLL(None)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        libc.prctl(PR_SET_NAME, subject.encode(), 0, 0, 0)
        while True:
            time.sleep(10 if i % 10 else 0.1)


def our_config(names):
    n = 2 * len(names)
    rules = "".join("    - {name: '{{.Comm}}', groups: [software], "
                    f"comm: [{', '.join(names[i:i + 250])}]}}\n"
                    for i in range(0, len(names), 250))
    return (f"interval: 1s\nlimits: {{processes: {n}, threads: {n}}}\n"
            f"groups:\n  - name: software\n    events: [{', '.join(live.SOFTWARE)}]\n"
            f"targets:\n  processes:\n{rules}")


def their_config(directory, names):
    path = pathlib.Path(directory, "process-exporter.yml")
    path.write_text('process_names:\n  - name: "{{.Comm}}"\n    comm:\n' +
                    "".join(f"    - {name}\n" for name in names))
    return f"--config.path={path}"


def cycles(exporter):
    return int(exporter.scrape().value("pmu_exporter_cycles_total"))


def measure(exporter, others, rounds):
    """(µs of a cycle, then of a scrape and its series: ours, and of each other)."""
    pids = [exporter.pid, *(other.process.pid for other in others)]
    clients = [Client(exporter.port), *(Client(other.port) for other in others)]
    times = [[] for _ in pids]
    n_series = [0 for _ in pids]
    n_begin, ns_begin = cycles(exporter), threads_ns(exporter.pid, "main")
    for _ in range(rounds):
        time.sleep(1 - time.monotonic() % 1 + 0.3)
        for i, pid in enumerate(pids):
            ns, n_series[i] = cost(pid, clients[i], None if i else "server")
            times[i].append(ns / 1000)
    cycle = (threads_ns(exporter.pid, "main") - ns_begin) / (cycles(exporter) - n_begin) / 1000
    return cycle, [statistics.median(t) for t in times], n_series


def report(n, others, cycle, scrapes, n_series):
    ours = SCRAPE_INTERVAL * cycle + scrapes[0]
    print(f"{n} processes: a cycle {cycle:.0f} us, a scrape {scrapes[0]:.0f} us "
          f"({n_series[0]} series); {SCRAPE_INTERVAL} s with one scrape {ours / 1000:.1f} ms")
    for other, us, series in zip(others, scrapes[1:], n_series[1:]):
        print(f"{' '.join([other.name, *other.options[1:]])}: a scrape {us:.0f} us "
              f"({series} series); ours with {SCRAPE_INTERVAL} cycles is {ours / us:.3f} of it")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    names = [f"bench{i:04d}" for i in range(arguments.processes)]
    with Named(names), tempfile.TemporaryDirectory() as directory, \
            contextlib.ExitStack() as stack:
        config = their_config(directory, names)
        others = [stack.enter_context(DebianExporter("prometheus-process-exporter", config, *more))
                  for more in ((), LEAN)]
        others = [other for other in others if other.port]
        exporter = stack.enter_context(Exporter(our_config(names)))
        exporter.scrape_until(
            lambda m: m.value("pmu_exporter_targets", kind="process") == len(names), 10,
            "that all are counted")
        report(len(names), others, *measure(exporter, others, arguments.rounds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
