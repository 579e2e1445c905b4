#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What profiles cost beside `perf record` at the same rate, over the same load.

    sudo tests/bench/profile.py [--seconds N] [--rounds N] [--rate HZ] [--warm-up N]

Two interpreters keep two CPUs busy. They are profiled in turns by the exporter, by `perf record -a
-g` (frame pointers) and by `perf record -a --call-graph dwarf`, each for some seconds, once what it
begins with is over. Shown are, of each round's least: CPU time of the profiler in ms a second of
each sampled CPU, ns of its program in the kernel a frame, us of user time a sample, memory, bytes
that were written, and how much of perf record's CPU time ours is. The exporter's CPU time is what
it tells of its thread, of the process that reads files, and of its program, which runs in interrupts
and is charged to whom they interrupt; what perf does there cannot be told and is left out, in its
favour. What perf does at its end, without which nothing can be read, is in. The exporter unwinds
and names functions as it goes, perf when it is read: what that takes is shown beside it.
"""
import argparse
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from exporter import PATIENCE, Exporter  # noqa: E402
from profiles import ask_profile  # noqa: E402

LOAD = """
import json
def f(n):
    return json.dumps([{"a": n, "b": [n] * 20}] * 20)
while True:
    f(3)
"""
CONFIG = """interval: 1s
groups: [{{name: software, events: [task-clock]}}]
targets: {{system: {{groups: [software], by: all}}}}
profiles: {{enabled: {enabled}, rate: {rate}}}
"""
CPU = "pmu_exporter_profile_cpu_seconds_total"
SAMPLES = "pmu_exporter_profile_samples_total"
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_of(pid):
    """CPU seconds of a process and of its children that were waited for."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / TICKS


def memory_of(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def by_exporter(arguments, enabled):
    config = CONFIG.format(enabled=str(enabled).lower(), rate=arguments.rate)
    with Exporter(config) as exporter:
        if enabled:
            exporter.scrape_until(lambda m: m.sum(SAMPLES) > 0, PATIENCE, "samples")
        time.sleep(arguments.warm_up)  # tables and names are read once
        before, cpu, start = exporter.after_cycles(1), cpu_of(exporter.pid), time.time()
        time.sleep(arguments.seconds)
        after = exporter.scrape()
        took = {"cpu": cpu_of(exporter.pid) - cpu, "memory": memory_of(exporter.pid)}
        if enabled:
            parts = {part: float(after.value(CPU, part=part) - before.value(CPU, part=part))
                     for part in ("program", "sampler", "reader")}
            profile = ask_profile(exporter, target="machine", start=start)
            frames = sum(len(stack) * n for stack, n in profile.stacks.items())
            samples = float(after.value(SAMPLES) - before.value(SAMPLES))
            took.update(
                parts=parts, samples=samples,
                ns_a_frame=parts["program"] * 1e9 / samples / (frames / profile.samples),
                user_us=(parts["sampler"] + parts["reader"]) * 1e6 / samples)
        return took


def cpu_of_child(process):
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    return usage.ru_utime + usage.ru_stime


def by_perf(arguments, *how):
    """With what it does at its end, since without that there is nothing to be read."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with tempfile.TemporaryDirectory() as directory:
        data = pathlib.Path(directory, "perf.data")
        process = subprocess.Popen(["perf", "record", "-q", "-a", "-F", str(arguments.rate), *how,
                                    "-e", "cpu-clock", "-o", str(data)], **quiet)
        time.sleep(arguments.seconds)
        memory = memory_of(process.pid)
        process.send_signal(signal.SIGINT)
        cpu = cpu_of_child(process)
        report = subprocess.Popen(["perf", "report", "--stdio", "--no-inline", "-i", str(data)],
                                  **quiet)
        return {"cpu": cpu, "memory": memory, "bytes": data.stat().st_size,
                "report": cpu_of_child(report)}


def least(rounds, key):
    return min(each[key] for each in rounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=int, default=15)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm-up", type=int, default=30)
    parser.add_argument("--rate", type=int, default=49)
    arguments = parser.parse_args()
    n_cpus = len(os.sched_getaffinity(0))
    loads = [subprocess.Popen(["/usr/bin/python3", "-c", LOAD]) for _ in range(n_cpus)]
    try:
        ways = {"exporter without": lambda: by_exporter(arguments, False),
                "exporter": lambda: by_exporter(arguments, True),
                "perf -g": lambda: by_perf(arguments, "-g"),
                "perf dwarf": lambda: by_perf(arguments, "--call-graph", "dwarf,16384")}
        rounds = {name: [] for name in ways}
        for _ in range(arguments.rounds):
            for name, way in ways.items():
                rounds[name].append(way())
    finally:
        for load in loads:
            load.kill()
            load.wait()
    ours = rounds["exporter"]
    base = least(rounds["exporter without"], "cpu")
    cost = {"exporter": min(sum(each["parts"].values()) for each in ours),
            "perf -g": least(rounds["perf -g"], "cpu"),
            "perf dwarf": least(rounds["perf dwarf"], "cpu")}
    print(f"{arguments.rate} Hz on {n_cpus} busy CPUs, {arguments.seconds} s each")
    for name, seconds in cost.items():
        print(f"{name:12} {seconds * 1000 / arguments.seconds / n_cpus:8.2f} ms/s a CPU, "
              f"{least(rounds[name], 'memory'):6.1f} MB resident"
              + (f", {least(rounds[name], 'bytes') / arguments.seconds / 1024:8.1f} KiB/s written; "
                 f"perf report {least(rounds[name], 'report'):.2f} s of CPU"
                 if "report" in rounds[name][0] else ""))
    print(f"exporter without profiles: {base * 1000 / arguments.seconds:.2f} ms/s, "
          f"{least(rounds['exporter without'], 'memory'):.1f} MB resident")
    parts = min((each["parts"] for each in ours), key=lambda each: sum(each.values()))
    print("exporter: " + ", ".join(f"{name} {seconds * 1000 / arguments.seconds / n_cpus:.2f}"
                                   for name, seconds in parts.items()) + " ms/s a CPU")
    print(f"program: {least(ours, 'ns_a_frame'):.0f} ns a frame; "
          f"user: {least(ours, 'user_us'):.1f} us a sample")
    for name in ("perf -g", "perf dwarf"):
        read = cost[name] + least(rounds[name], "report")
        print(f"exporter / {name}: {cost['exporter'] / max(cost[name], 1e-9):.2f}, "
              f"with perf report {cost['exporter'] / max(read, 1e-9):.2f}")


if __name__ == "__main__":
    main()
