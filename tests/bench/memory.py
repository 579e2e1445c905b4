#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Anonymous memory of the exporter at 0 and at about 10,000 series of cgroups.

    sudo tests/bench/memory.py [--cgroups N] [--cycles N]

PMU_EXPORTER names the binary; else that of the release build. Exits 1 above what is wanted.
"""
import argparse
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import live  # noqa: E402
from cgroups import Cgroups  # noqa: E402
from exporter import Exporter  # noqa: E402

WANTED_EMPTY = 4e6
WANTED_FULL = 12e6
SERIES = 10000


def measure(cgroups, n_cycles):
    """(series, anonymous bytes, resident bytes) after so many cycles, each of them scraped."""
    more = "limits: {cgroups: 10000}\n"
    with Exporter(live.config(cgroups, more=more)) as exporter:
        for _ in range(n_cycles):
            time.sleep(1)
            metrics = exporter.scrape()
        n_series = sum(len(v) for k, v in metrics.families.items() if k.startswith("pmu_cgroup_"))
        return n_series, exporter.memory("RssAnon"), exporter.memory("VmRSS")


def series_of_one_cgroup():
    with Cgroups() as cgroups:
        cgroups.make("a.service")
        return measure(cgroups, 3)[0]


def line(name, figures, wanted):
    n_series, anonymous, resident = figures
    print(f"{name:>8} {n_series:>8} {anonymous / 1e6:>13.2f} {wanted / 1e6:>9.0f} "
          f"{anonymous / wanted:>7.2f} {resident / 1e6:>13.2f}")
    return anonymous <= wanted


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cgroups", type=int, help="how many; else enough for 10,000 series")
    parser.add_argument("--cycles", type=int, default=10)
    arguments = parser.parse_args()
    n = arguments.cgroups or -(-SERIES // series_of_one_cgroup())
    with Cgroups() as cgroups:
        empty = measure(cgroups, arguments.cycles)
        for i in range(n):
            cgroups.make(f"app{i:04d}.service")
        full = measure(cgroups, arguments.cycles)
    print(f"{'':>8} {'series':>8} {'anonymous MB':>13} {'wanted':>9} {'ratio':>7} {'resident MB':>13}")
    good = line("empty", empty, WANTED_EMPTY)
    good = line(f"{n} cg", full, WANTED_FULL) and good
    per_series = (full[1] - empty[1]) / max(1, full[0])
    print(f"bytes a series: {per_series:.0f}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
