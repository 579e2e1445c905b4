#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a scrape costs, per series: CPU time of the server's thread, rendering included.

    sudo tests/bench/scrape.py [--rounds N]

At about 500 and 10,000 series of cgroups with 4 software events, one snapshot a second; in each
cgroup a process wakes three times a second, so that rates are no round numbers. In each round the snapshot is scraped once (it is rendered) and then ten times more (it is shown again).
Beside it, in the same rounds, Debian's prometheus-node-exporter, where it is installed.

PMU_EXPORTER names the binary; else that of the release build. Exits 1 above what is wanted.
"""
import argparse
import os
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import live  # noqa: E402
from cgroups import Cgroups  # noqa: E402
from exporter import Exporter  # noqa: E402
from scraping import Client, DebianExporter, Sleepers, cost  # noqa: E402

WANTED_US = {500: None, 10000: 0.065}
AGAIN = 10


class Wakers(Sleepers):
    """A process in each of the cgroups, which ends after two minutes at the latest."""

    def live(self, i, subject):
        pathlib.Path(os.fsdecode(subject), "cgroup.procs").write_text(str(os.getpid()))
        for _ in range(360):
            time.sleep(0.2 + os.getpid() % 256 / 1000)


def measure(exporter, node, rounds):
    ours = Client(exporter.port)
    theirs = Client(node.port) if node.port else None
    first, again, other = [], [], []
    for _ in range(rounds + 2):
        time.sleep(1 - time.monotonic() % 1 + 0.3)
        ns, n_series = cost(exporter.pid, ours, "server")
        first.append(ns / n_series)
        ns, n_series = cost(exporter.pid, ours, "server", AGAIN)
        again.append(ns / n_series)
        if theirs:
            ns, n_theirs = cost(node.process.pid, theirs)
            other.append(ns / n_theirs)
    figures = [statistics.median(values[2:]) / 1000 if values else None
               for values in (first, again, other)]
    return n_series, figures


def report(n_series, figures, wanted):
    first, again, other = figures
    beside = f", node_exporter {other:.3f} us, {other / first:.0f} times" if other else ""
    limit = f" (wanted at most {wanted})" if wanted else ""
    print(f"{n_series:>6} series: first scrape of a snapshot {first:.4f} us a series{limit}, "
          f"again {again:.4f} us{beside}", flush=True)
    return wanted is None or first <= wanted


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    good = True
    with DebianExporter("prometheus-node-exporter") as node:
        for wanted_series, wanted in WANTED_US.items():
            with Cgroups() as cgroups:
                names = [f"app{i:04d}.service" for i in range(-(-wanted_series // 13))]
                for name in names:
                    cgroups.make(name)
                config = live.config(cgroups, more="limits: {cgroups: 10000}\n")
                with Wakers(map(cgroups.directory, names)), Exporter(config) as exporter:
                    time.sleep(3)
                    good = report(*measure(exporter, node, arguments.rounds), wanted) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
