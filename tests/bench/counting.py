#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What counting cgroups costs by each mechanism: CPU time of a cycle, descriptors, memory.

    sudo tests/bench/counting.py [--seconds N] [--by direct|bpf] [CGROUPS ...]

For each number of cgroups, one in ten of which, at most 100, wakes every 100 ms: the exporter by
direct and by bpf, four software events, no scrapes; the median of its CPU time a second (all
threads); its memory, and with it what the kernel holds for it: the maps and programs of bpf, and
the events of perf at EVENT_BYTES each. Beside it `perf stat -a -I 1000 --for-each-cgroup` over the
same ones.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import live  # noqa: E402
from cgroups import Cgroups  # noqa: E402
from exporter import Exporter  # noqa: E402

EVENTS = "task-clock,context-switches,cpu-migrations,page-faults"
EVENT_BYTES = 1600
BUSY = 100
WAYS = ("direct", "bpf")
PERF_MOST = 1000  # more take perf minutes to open
LIVE = ("import os, sys, time\n"
        "for i, path in enumerate(sys.stdin.read().split()):\n"
        "    if os.fork() == 0:\n"
        "        open(path + '/cgroup.procs', 'w').write('0')\n"
        "        print(flush=True)\n"
        "        while True:\n"
        "            time.sleep(0.1)\n"
        "time.sleep(1e6)\n")


def cpu_ns(pid):
    return sum(int(path.read_text().split()[0])
               for path in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat"))


def a_second(pid, seconds):
    """CPU time of a process, in ms, the median of so many seconds."""
    costs, before = [], cpu_ns(pid)
    for _ in range(seconds):
        time.sleep(1)
        now = cpu_ns(pid)
        costs.append((now - before) / 1e6)
        before = now
    return statistics.median(costs)


def bpf_bytes(pid):
    """Of the maps and programs that it has open."""
    total = 0
    for path in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir():
        found = re.search(r"^memlock:\s*(\d+)", path.read_text(), re.MULTILINE)
        total += int(found[1]) if found else 0
    return total


def run_exporter(cgroups, n, counting, seconds):
    limits = f"limits: {{cgroups: {2 * n}, series: {100 * n + 10000}, body: 64MiB}}\n"
    config = f"counting: {counting}\n" + live.config(cgroups, more=limits)
    with Exporter(config) as exporter:
        metrics = exporter.scrape_until(
            lambda m: m.value("pmu_exporter_targets", kind="cgroup") == n, 120, f"{n} targets")
        if not metrics.find("pmu_exporter_mechanism_info", scope="cgroup", mechanism=counting):
            sys.exit(f"not counted by {counting}: "
                     f"{metrics.labels('pmu_exporter_mechanism_info', 'reason')}")
        cost = a_second(exporter.pid, seconds)
        counters = int(metrics.value("pmu_exporter_open_counters"))
        ours, kernels = exporter.memory("RssAnon"), bpf_bytes(exporter.pid)
        print(f"{n:>6} {counting:>9} {cost:>10.2f} {counters:>12} {ours / 2**20:>8.1f} "
              f"{(kernels + counters * EVENT_BYTES) / 2**20:>8.1f}", flush=True)


def run_perf(cgroups, names, seconds):
    listed = ",".join(cgroups.path(name) for name in names)
    with subprocess.Popen(["perf", "stat", "-a", "-I", "1000", "-e", EVENTS, "--for-each-cgroup",
                           listed, "-o", "/dev/null"]) as process:
        time.sleep(5)
        print(f"{len(names):>6} {'perf stat':>9} {a_second(process.pid, seconds):>10.2f} "
              f"{len(os.listdir(f'/proc/{process.pid}/fd')):>12}", flush=True)
        process.terminate()


def measure(n, seconds, ways):
    with Cgroups() as cgroups:
        names = [f"app{i:05d}.service" for i in range(n)]
        for name in names:
            cgroups.make(name)
        with subprocess.Popen([sys.executable, "-c", LIVE], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as loads:
            paths = [os.fsdecode(cgroups.directory(name)) for name in names[::10][:BUSY]]
            loads.stdin.write("\n".join(paths))
            loads.stdin.close()
            for _ in paths:
                loads.stdout.readline()
            for counting in ways:
                run_exporter(cgroups, n, counting, seconds)
            if n <= PERF_MOST and len(ways) > 1:
                run_perf(cgroups, names, seconds)
            loads.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--by", choices=WAYS, help="only that one, and no perf stat")
    parser.add_argument("cgroups", type=int, nargs="*", default=[100, 1000, 5000])
    arguments = parser.parse_args()
    live.need("perf")
    print(f"{'groups':>6} {'by':>9} {'ms CPU/s':>10} {'descriptors':>12} {'MiB ours':>8} "
          f"{'kernel':>8}")
    for n in arguments.cgroups:
        measure(n, arguments.seconds, [arguments.by] if arguments.by else WAYS)


if __name__ == "__main__":
    main()
