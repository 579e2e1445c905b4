#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Whether profiles make anything else slower: the start, and a page of /metrics.

    sudo tests/bench/profile_beside.py [--rounds N]

Two exporters with the same configuration, one with profiles and one without, by turns:
- the seconds from the start to the first 200 on /metrics;
- of a scrape of some 10,000 series, the CPU time of the server's thread, and the time until all of
  it has arrived, both by series: profiles have one for each cgroup. While it is measured both run,
  and processes burn CPU time, so that there is something to sample.

Prints the medians, and their ratio: with profiles to without. PMU_EXPORTER names the binary; else
that of the release build.
"""
import argparse
import contextlib
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import live  # noqa: E402
from cgroups import Cgroups  # noqa: E402
from exporter import Exporter, binary  # noqa: E402
from scraping import Client, Sleepers  # noqa: E402
from start import measure as measure_start  # noqa: E402
from start import settled  # noqa: E402

N_CGROUPS = 770
N_BURNERS = 4
PROFILES = {"with": "profiles: {enabled: true}\n", "without": "profiles: {enabled: false}\n"}


class Burners(Sleepers):
    """Each burns a tenth of a CPU, two minutes at the longest."""

    def live(self, i, subject):
        end = time.monotonic() + 120
        while time.monotonic() < end:
            begin = time.process_time()
            while time.process_time() < begin + 0.01:
                pass
            time.sleep(0.09)


def thread_ns(pid, name):
    """CPU time of the threads of a process that have this name."""
    return sum(int((task / "schedstat").read_text().split()[0])
               for task in pathlib.Path(f"/proc/{pid}/task").iterdir()
               if (task / "comm").read_text().strip() == name)


def print_ratio(what, unit, figures):
    median = {which: statistics.median(values) for which, values in figures.items()}
    print(f"{what}: {median['with']:.5g} {unit} with profiles, {median['without']:.5g} {unit} without, "
          f"ratio {median['with'] / median['without']:.3f}", flush=True)


def measure_starts(cgroups, rounds):
    figures = {which: [] for which in PROFILES}
    with tempfile.TemporaryDirectory() as directory:
        for _ in range(rounds):
            for which, more in PROFILES.items():
                text = live.config(cgroups, more=f"limits: {{cgroups: 10000}}\n{more}")
                figures[which].append(measure_start(binary(), settled(directory, text))[0])
    print_ratio("start to the first answer", "s", figures)


def measure_scrapes(cgroups, rounds):
    cpu, wall, series = ({which: [] for which in PROFILES} for _ in range(3))
    with contextlib.ExitStack() as stack:
        exporters = {which: stack.enter_context(Exporter(live.config(
            cgroups, more=f"limits: {{cgroups: 10000}}\n{more}"))) for which, more in PROFILES.items()}
        clients = {which: Client(exporter.port) for which, exporter in exporters.items()}
        stack.enter_context(Burners(range(N_BURNERS)))
        for round_ in range(rounds + 2):
            time.sleep(1 - time.monotonic() % 1 + 0.3)  # each finds a new snapshot
            for which in sorted(PROFILES, reverse=round_ % 2):
                pid = exporters[which].pid
                before, began = thread_ns(pid, "http"), time.monotonic()
                n_series = clients[which].get()
                if round_ >= 2:
                    series[which].append(n_series)
                    wall[which].append((time.monotonic() - began) * 1e9 / n_series)
                    cpu[which].append((thread_ns(pid, "http") - before) / n_series)
    print_ratio("series of a scrape", "", series)
    print_ratio("CPU time of a scrape", "ns a series", cpu)
    print_ratio("time until all of it has arrived", "ns a series", wall)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    with Cgroups() as cgroups:
        for i in range(N_CGROUPS):
            cgroups.make(f"app{i:04d}.service")
        measure_scrapes(cgroups, rounds)
        measure_starts(cgroups, rounds)


if __name__ == "__main__":
    main()
