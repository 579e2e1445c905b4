#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What profiles add to the exporter's memory, start and pages where many programs run.

    sudo tests/bench/profile_files.py [--programs N]

100 copies of the interpreter run for a while, which are 100 files to the exporter, and clang, whose
library is one of the largest there are. Two exporters see the same: one that samples and one that
does not, in turns. Shown are memory, the time from the start to the first page, and the CPU time of a
page; and how much of the one the other is.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from exporter import PATIENCE, Exporter  # noqa: E402

SPIN = "import time, json\nend = time.time() + {seconds}\nwhile time.time() < end: json.dumps([3] * 999)"
CONFIG = """interval: 1s
groups: [{{name: software, events: [task-clock]}}]
targets: {{system: {{groups: [software], by: all}}}}
profiles: {{enabled: {enabled}}}
"""
FILES = "pmu_exporter_profile_files"
PAGES = 400
TICKS = os.sysconf("SC_CLK_TCK")
SOURCE = "".join(f"int f{i}(int x) {{ return x * {i} + f{i - 1}(x + 1); }}\n" if i else
                 "int f0(int x) { return x; }\n" for i in range(3000))


def cpu_of(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:13])) / TICKS


def run_programs(programs, seconds):
    """As many at once as there are CPUs."""
    n_cpus = len(os.sched_getaffinity(0))
    for at in range(0, len(programs), n_cpus):
        running = [subprocess.Popen([program, "-S", "-c", SPIN.format(seconds=seconds)])
                   for program in programs[at:at + n_cpus]]
        for process in running:
            process.wait()


def run_compiler(directory, seconds):
    source = pathlib.Path(directory, "long.c")
    source.write_text(SOURCE)
    end = time.time() + seconds
    while time.time() < end:
        subprocess.run(["clang", "-O2", "-c", source, "-o", "/dev/null"], check=True)


def measure(enabled, programs, directory):
    begin = time.perf_counter()
    with Exporter(CONFIG.format(enabled=str(enabled).lower())) as exporter:
        took = {"ready": time.perf_counter() - begin}
        run_programs(programs, 1.5)
        if shutil.which("clang"):
            run_compiler(directory, 15)
        metrics = exporter.scrape()
        if enabled:
            metrics = exporter.scrape_until(lambda m: not m.sum(FILES, state="awaited"), 4 * PATIENCE,
                                            "all files are read")
            print(f"files: { {dict(k)['state']: int(v) for k, v in metrics.find(FILES).items()} }, "
                  f"tables in the kernel {float(metrics.sum('pmu_exporter_profile_table_bytes')) / 1e6:.1f} MB, "
                  f"kept {float(metrics.sum('pmu_exporter_profile_kept_bytes')) / 1e6:.1f} MB, "
                  f"{metrics.sum('pmu_exporter_profile_samples_total'):.0f} samples")
        took["memory"] = exporter.memory("VmRSS") / 1e6
        took["anonymous"] = exporter.memory("RssAnon") / 1e6
        before = cpu_of(exporter.pid)
        for _ in range(PAGES):
            exporter.get("/metrics")
        took["page"] = (cpu_of(exporter.pid) - before) / PAGES
        return took


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--programs", type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        programs = [shutil.copy(os.path.realpath("/usr/bin/python3"), f"{directory}/program{i}")
                    for i in range(arguments.programs)]
        without, sampling = (measure(enabled, programs, directory) for enabled in (False, True))
    for key, unit, factor in (("memory", "MB resident", 1), ("anonymous", "MB of them its own", 1),
                              ("ready", "ms to the first page", 1e3), ("page", "us of CPU time a page", 1e6)):
        print(f"{unit}: {sampling[key] * factor:.1f} with profiles, {without[key] * factor:.1f} without; "
              f"{sampling[key] / max(without[key], 1e-9):.2f}")


if __name__ == "__main__":
    main()
