# SPDX-License-Identifier: Apache-2.0
"""One page of a real exporter, and what makes the pages of many hosts with many services of it.

    body = fleet_page.record()
    template = fleet_page.Template(body, ["app-000.service", "app-001.service"])

The exporter counts two cgroups: `app-busy` reads and writes a block device, `app-calm` does not.
Families, labels, types and texts of the page stay as they were; a service is one of the two with
another name. Hardware events have stand-ins there, so that the page needs no PMU: their names,
labels and types are those of the events, and their HELP tells what stands in.
"""
import collections
import contextlib
import pathlib
import subprocess
import unittest

from cgroups import Cgroups
from exporter import Exporter, quote
from loop_device import LoopDevice

BUSY, CALM = "app-busy.service", "app-calm.service"
SLICE = "system.slice"
STAND_INS = {"cycles": "minor-faults", "instructions": "minor-faults:u", "branches": "page-faults:u",
             "branch_misses": "page-faults:k", "cache_misses": "cgroup-switches"}
RATIOS = {"instructions_per_cycle": "minor-faults:u / minor-faults",
          "cache_misses_per_kilo_instruction": "1000 * cgroup-switches / minor-faults:u",
          "branch_misses_per_kilo_instruction": "1000 * page-faults:k / minor-faults:u",
          "branch_miss_ratio": "page-faults:k / page-faults:u"}
LATENCIES = ("scheduler", "block_io")
RECORDED_WITHIN = 60
# As many requests of each kind as make every bucket's line appear.
REQUESTS = 10
PARTS = ("_bucket", "_sum", "_count")


def config(top, latency, gauges):
    """The default configuration, of the cgroups of this test and with stand-ins. Without gauges it
    has no rates and ratios, which neither rules nor dashboards read."""
    words = f"[{', '.join(latency)}]"
    renamed = "".join(f"  - {{event: {quote(event)}, name: {name}}}\n"
                      for name, event in STAND_INS.items())
    ratios = "".join(f"  - {{name: {name}, formula: {quote(formula)}}}\n"
                     for name, formula in RATIOS.items())
    return (f"interval: 1s\ngroups:\n"
            f"  - {{name: core, events: [{', '.join(map(quote, STAND_INS.values()))}]}}\n"
            "  - {name: software, events: [task-clock, context-switches, cpu-migrations, page-faults]}\n"
            f"rename:\n{renamed}ratios:\n{ratios}"
            f"targets:\n  system: {{groups: [core, software], latency: {words}}}\n"
            f"  cgroups:\n    - include: [{quote(f'/{top}/{SLICE}/*.service')}]\n"
            f"      groups: [core, software]\n      latency: {words}\n"
            f"expose: {{rates: {gauges}, ratios: {gauges}}}\nprofiles: {{enabled: true}}\n".lower())


def need_latencies(metrics, latency):
    for kind in latency:
        reasons = metrics.labels("pmu_exporter_latency_supported", "reason", kind=kind)
        if reasons != {""}:
            raise unittest.SkipTest(f"{kind} cannot be counted here: {reasons}")


@contextlib.contextmanager
def worker(cgroups, name):
    """A shell that sleeps and forks, in that cgroup."""
    process = subprocess.Popen(["sh", "-c", "while sleep 0.1; do :; done"])
    try:
        cgroups.enter(name, process.pid)
        yield
    finally:
        process.kill()
        process.wait()


def is_complete(metrics, latency, gauges):
    wanted = ["pmu_cgroup_profile_samples_total"]
    wanted += ["pmu_cgroup_run_queue_latency_seconds_count"] if "scheduler" in latency else []
    wanted += [f"pmu_cgroup_{name}" for name in RATIOS] if gauges else []
    if "block_io" in latency and not metrics.sum("pmu_cgroup_block_io_bytes_total", op="write"):
        return False
    return all(len(metrics.find(name)) == 2 for name in wanted)


def record(latency=LATENCIES, gauges=True):
    """The page, as bytes; the cgroups stand below /system.slice."""
    with Cgroups() as cgroups, LoopDevice() as disk:
        names = {SLICE + "/" + name for name in (BUSY, CALM)}
        for name in names:
            cgroups.make(name)
        with contextlib.ExitStack() as stack:
            exporter = stack.enter_context(Exporter(config(cgroups.top, latency, gauges)))
            need_latencies(exporter.scrape(), latency)
            for name in names:
                stack.enter_context(worker(cgroups, name))
            exporter.after_cycles(2)
            for op in ("read", "write") if "block_io" in latency else ():
                disk.use(cgroups.directory(f"{SLICE}/{BUSY}"), op, REQUESTS)
            metrics = exporter.scrape_until(lambda m: is_complete(m, latency, gauges),
                                            RECORDED_WITHIN, "a complete page")
            return metrics.body.replace(f"/{cgroups.top}/".encode(), b"/")


# A line of a sample: its text up to the value; its value, also as text; whose it is, as the number
# of a service, or -1 of the host; the rank of its bucket among those of its histogram, or -1 of what
# has all of it.
Line = collections.namedtuple("Line", "text name value owner rank")


class Family:
    """The lines of one, by whose they are."""

    def __init__(self, head, kind):
        self.head, self.kind = head, kind
        self.of_host, self.of = [], {BUSY: [], CALM: []}

    def add(self, line):
        owner = next((name for name in self.of if name in line), None)
        (self.of_host if owner is None else self.of[owner]).append(line)


def families(body):
    found, head = [], []
    for line in body.decode().splitlines():
        if line.startswith("# HELP"):
            head = [line]
        elif line.startswith("# TYPE"):
            found.append(Family([*head, line], line.rsplit(" ", 1)[1]))
        else:
            found[-1].add(line)
    return found


def lines_of(texts, owner, rename=lambda text: text):
    rank = -1
    for text in texts:
        before, value = rename(text).rsplit(" ", 1)
        name = before.partition("{")[0]
        rank = rank + 1 if name.endswith("_bucket") and 'le="+Inf"' not in before else -1
        yield Line(before, name, value, owner, rank)


def all_lines(body, services, busy_every):
    """[(family, [Line])] of a host with these services, one in `busy_every` of which is busy."""
    for family in families(body):
        lines = list(lines_of(family.of_host, -1))
        for i, service in enumerate(services):
            like = CALM if i % busy_every else BUSY
            lines += lines_of(family.of[like], i,
                              lambda text, like=like, new=service: text.replace(like, new))
        yield family, lines


def is_start(name):
    return name in ("pmu_cgroup_start_time_seconds", "pmu_cgroup_created_time_seconds")


def grows(family, name):
    return family.kind in ("counter", "histogram") or is_start(name)


class Template:
    """A text with a place for each number that is not always the same; `places` are their lines."""

    def __init__(self, body, services, busy_every=1, only=None, more_labels="", end=""):
        """only: names of the samples that are wanted, without heads of families. more_labels stand
        in each sample in front of its own, and `end` stands behind its value."""
        self.places, self.n_samples = [], 0
        parts = []
        for family, lines in all_lines(body, services, busy_every):
            kept = [line for line in lines if only is None or line.name in only]
            if only is None:
                parts += [text.replace("%", "%%") for text in family.head]
            for line in kept:
                parts.append(self.sample(family, line, more_labels) + end)
            self.n_samples += len(kept)
        self.text = "\n".join(parts) + "\n"

    def sample(self, family, line, more_labels):
        text = line.text
        if more_labels:
            name, _, labels = text.partition("{")
            text = f"{name}{{{more_labels}{',' + labels if labels else '}'}"
        text = text.replace("%", "%%")
        if not grows(family, line.name):
            return f"{text} {line.value}"
        self.places.append(line)
        in_seconds = "." in line.value
        return f"{text} {'%.9f' if in_seconds else '%d'}"


def read(path):
    """A page that was recorded before."""
    return pathlib.Path(path).read_bytes()
