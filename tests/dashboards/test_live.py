# SPDX-License-Identifier: Apache-2.0
"""Every query of the dashboards on a real Prometheus that scrapes two live exporters.

One counts by NUMA node, the other by CPU, and is allowed fewer cgroups than there are.
Where this machine has no PMU the panels of hardware events are empty, for that reason: they are
shown by test_recorded.py. Where the kernel has no bpf for us, those of distributions are. Guests
of KVM are shown by test_kvm.py, and services beside their baseline by test_fleet.py.
"""
import re
import subprocess
import sys
import tempfile
import time

import boards
import live
import own_sysfs
import promql
from cgroups import Cgroups
from exporter import Exporter, quote
from loop_device import LoopDevice
from own_mounts import enter_own_tracefs
from prometheus import Prometheus
from viewer import Findings, Viewer

SCRAPES = 15
WITHIN = 120.0
RATE_INTERVAL = 15
# What Prometheus itself writes.
OF_PROMETHEUS = {"up", "scrape_duration_seconds", "scrape_samples_scraped", "ALERTS"}
PREFIXES = {"cgroup": ("cgroup",), "process": ("process",), "system": ("machine", "cpu")}
TARGET_LABELS = {"cgroup": "cgroup", "process": "groupname", "cpu": "cpu", "machine": "instance",
                 "uncore": "pmu"}

HARDWARE = re.compile(
    r"pmu_(machine|cpu|cgroup|process)_(cycles|instructions|branch(es|_misses)|"
    r"cache_(references|misses)|l1_dcache_load_misses|llc_load_misses|dtlb_load_misses|"
    r"stalled_cycles_(front|back)end)_total|pmu_exporter_pmu_counters")


def needs_hardware(text):
    """Whether a query has nothing to show without a PMU; the ranking by cycles knows CPU time."""
    return HARDWARE.search(re.split(r" and on \(\w+\) topk\(", text)[0])


# By the words of `latency`. Nothing of one is shown where the kernel does not tell of it.
LATENCIES = {kind: re.compile(rf"pmu_(machine|cgroup|process)_({names})") for kind, names in {
    "scheduler": r"(run_queue_latency|on_cpu|off_cpu)_seconds|switches_total|migrations_total",
    "block_io": "block_io_", "interrupts": "(soft|hard)irq_", "kvm": "kvm_", "tcp": "tcp_",
    "system_calls": "system_call", "spans": "span_"}.items()}
# What may also have nothing to show although it is counted; test_kvm.py has guests.
RARE = (("pmu_machine_kvm_exits_total", LATENCIES["kvm"], "no guest of KVM runs here"),
        ("pmu_machine_hardirq_seconds_count", re.compile("pmu_machine_hardirq_"),
         "no device with a number has interrupted"))

# Why a query may return nothing.
REASONS = (
    (re.compile(r"offset 1[dw]|job_cgroup_ratio:|Regression").search, "there is no past here"),
    (needs_hardware, "this machine has no PMU"),
)

CONFIG = """
interval: 1s
groups:
  - name: core
    events: [cycles, instructions, branches, branch-misses]
  - name: software
    events: [task-clock, context-switches, cpu-migrations, page-faults]
  - name: beyond
    events: [uncore_imc/switches/, power/energy-pkg/]
{ratios}
targets:
  system:
    groups: [{groups}, beyond]
    by: {by}
    latency: [scheduler, block_io, interrupts, kvm, tcp, spans, system_calls]
  cgroups:
    - include: [{include}]
      groups: [{groups}]
      latency: [scheduler, block_io, kvm, tcp, spans, system_calls]
      by: {by}
  processes:
    - name: loads
      pid: [{pids}]
      groups: [{groups}]
      latency: [scheduler, block_io]
limits: {{cgroups: {cgroups}, pmu_counters: all}}
system_calls: {{timed: [connect, clock_nanosleep]}}
spans:
  - name: nap
    begin: syscalls:sys_enter_clock_nanosleep
    end: syscalls:sys_exit_clock_nanosleep
"""
# This machine has no PMU beyond its cores: what these count on the first CPU are its switches.
SWITCHES = "sched:sched_switch"
BEYOND_CORES = {"uncore_imc_0": ({"switches": SWITCHES}, {}),
                "power": ({"energy-pkg": SWITCHES}, {"events/energy-pkg.scale": "0.001",
                                                     "events/energy-pkg.unit": "Joules"})}
CGROUPS = ("a.service", "b.service", "c.service")


def events_of_builtin_ratios():
    """[(dividend, divisor)] of the exporter's own table."""
    text = (boards.TOP / "src/metric/builtin_ratios.c").read_text()
    return re.findall(r'"(?:1000 \* )?([\w-]+) / ([\w-]+)"', text)


def config(by, include, pids, cgroups):
    ratios = [f"  - {{name: ratio{i}, events: [{b}, {a}]}}"
              for i, (a, b) in enumerate(events_of_builtin_ratios())]
    names = ["core", "software", *(f"ratio{i}" for i in range(len(ratios)))]
    return CONFIG.format(by=by, include=include, pids=", ".join(map(str, pids)), cgroups=cgroups,
                         ratios="\n".join(ratios), groups=", ".join(names))


# Past all caches, so that each block is a request.
LOAD = """import mmap, os, socket, sys, time
server = socket.create_server(("127.0.0.1", 0))
disk = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
block = mmap.mmap(-1, 4096)
while True:
    os.preadv(disk, [block], 0)
    os.pwritev(disk, [block], 4096)
    mmap.mmap(-1, 4096).write(b"touched")
    end = time.thread_time() + 0.005
    while time.thread_time() < end:
        pass
    with socket.create_connection(server.getsockname()):
        server.accept()[0].close()
    time.sleep(0.05)
"""


class Loads:
    """A process in each of the cgroups, which keeps switching, computing, touching pages, reading
    and writing a block device, and connecting to itself."""

    def __init__(self, cgroups, disk):
        self.cgroups, self.disk = cgroups, disk
        self.processes = []

    def __enter__(self):
        for name in CGROUPS:
            self.cgroups.make(name)
            process = subprocess.Popen([sys.executable, "-c", LOAD, self.disk.path])
            self.processes.append(process)
            self.cgroups.enter(name, process.pid)
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def texts_of_rules():
    return [path.read_text() for path in sorted((boards.FOLDER / "rules").glob("*.rules.yml"))]


def hasty_rules():
    """The rules that come with the dashboards, with seconds where they wait, or look back, for minutes."""
    hasty = []
    for text in texts_of_rules():
        text = re.sub(r"\b(for|interval): \w+", r"\1: 1s", text)
        text = re.sub(r"\b600\b", "1", text)  # the age from which on a cgroup is looked at
        hasty.append(text.replace("[5m]", f"[{RATE_INTERVAL}s]"))
    return hasty


def wait_for(prometheus, query, n_series):
    end = time.monotonic() + WITHIN
    while len(prometheus.query(query)) < n_series:
        if time.monotonic() > end:
            raise AssertionError(f"not {n_series} series of {query} within {WITHIN} s")
        time.sleep(0.5)


class Live(live.LiveTest):
    """One run, looked at from all sides."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        live.need("prometheus")
        if not own_sysfs.tracepoint_id(SWITCHES):
            raise live.unittest.SkipTest("tracefs shows no tracepoints")
        sysfs = own_sysfs.make(cls.enterClassContext(tempfile.TemporaryDirectory()), {
            pmu: own_sysfs.pmu_of_tracepoints(0, *what) for pmu, what in BEYOND_CORES.items()})
        cls.dashboards = boards.load()
        cgroups = cls.enterClassContext(Cgroups())
        disk = cls.enterClassContext(LoopDevice())
        loads = cls.enterClassContext(Loads(cgroups, disk))
        include, pids = quote(cgroups.path("*")), [p.pid for p in loads.processes]
        began = time.time()
        exporters = [cls.enterClassContext(Exporter(config(by, include, pids, n),
                                                    args=[f"--path.sysfs={sysfs}"]))
                     for by, n in (("node", len(CGROUPS)), ("cpu", len(CGROUPS) - 1))]
        cls.prometheus = cls.enterClassContext(
            Prometheus(*(exporter.port for exporter in exporters), rules=hasty_rules()))
        wait_for(cls.prometheus, f"count_over_time(up[5m]) >= {SCRAPES}", len(exporters))
        # one exporter may count fewer cgroups than there are
        wait_for(cls.prometheus, 'ALERTS{alertname="PMUTargetsUncounted",alertstate="firing"}', 1)
        cls.pages = [exporter.scrape() for exporter in exporters]
        cls.span = (began, time.time())

    def viewer(self, **chosen):
        return Viewer(self.prometheus, *self.span, 1, RATE_INTERVAL, chosen)

    def has_pmu(self):
        supported = self.prometheus.query(
            'pmu_exporter_event_supported{scope="cgroup",event="cycles"} == 1')
        return bool(supported)

    def absent(self):
        """[(series, why they are not here)]"""
        kinds = [(LATENCIES[kind], "this kernel does not tell of " + kind) for kind in LATENCIES
                 if not self.prometheus.query(
                     f'pmu_exporter_latency_supported{{kind="{kind}"}} == 1')]
        return kinds + [(series, reason) for counted, series, reason in RARE
                        if not self.prometheus.query(counted)]

    def reasons(self):
        """Those that hold here."""
        return (*REASONS, *((series.search, reason) for series, reason in self.absent()))

    def test_every_query_returns_data_or_is_listed_with_its_reason(self):
        findings = Findings(self.reasons())
        findings.view(self.viewer(), self.dashboards)
        findings.tell()
        self.assertEqual(findings.unexplained, [])
        if not self.has_pmu():
            self.assertEqual(findings.needless, [], "these have data, and an excuse")

    def queries(self):
        return [query for name, dashboard in self.dashboards.items()
                for query in boards.queries_of(name, dashboard)]

    def test_every_variable_offers_values(self):
        viewer = self.viewer()
        for name, dashboard in self.dashboards.items():
            viewer.open(dashboard)
            for variable in boards.variables_of(dashboard):
                if not self.is_absent_here(variable.series.split("{")[0]):
                    self.assertTrue(viewer.offered[variable.name], f"{name}: {variable.name}")

    def test_the_explorer_shows_every_event_that_is_counted(self):
        dashboard = self.dashboards["explorer"]
        viewer = self.viewer()
        viewer.open(dashboard)
        for metric in viewer.offered["metric"]:
            by = TARGET_LABELS[metric.split("_")[1]]
            one = self.viewer(metric=metric, per=metric, by=by)
            values = one.open(dashboard)
            for query in boards.queries_of("explorer", dashboard):
                if "$per" not in query.text:  # what never happened has no ratio
                    self.assertTrue(one.ask(query, values), f"{query.where}: {metric}")

    def events(self, value):
        """{(scope, event)} of those that are counted, or are not."""
        return {(dict(labels)["scope"], dict(labels)["event"]) for page in self.pages
                for labels, found in page.families["pmu_exporter_event_supported"].items()
                if found == value}

    def families(self):
        """What is on the pages, and what would be, if every configured event were counted."""
        types = [line.split()[2:] for page in self.pages for line in page.body.decode().splitlines()
                 if line.startswith("# TYPE ")]
        shown = {name + part for name, kind in types
                 for part in (("_bucket", "_sum", "_count") if kind == "histogram" else ("",))}
        return shown | {metric for scope, event in self.events(0)
                        for metric in metrics_of(scope, event)}

    def test_names_are_made_as_the_exporter_makes_them(self):
        for page in self.pages:
            for labels in map(dict, page.families["pmu_exporter_event_info"]):
                self.assertIn(labels["metric"], metrics_of(labels["scope"], labels["event"]))

    def test_every_metric_in_a_query_is_one_of_the_exporters_families(self):
        recorded = set(re.findall(r"- record: (\S+)", "".join(texts_of_rules())))
        known = self.families() | recorded | OF_PROMETHEUS
        for text in self.texts():
            for selector in promql.selectors(text):
                if not self.is_absent_here(selector.metric):
                    self.assertIn(selector.metric or "up", known, text)

    def is_absent_here(self, metric):
        return (metric == "pmu_exporter_pmu_counters" and not self.has_pmu() or
                any(series.match(metric) for series, _ in self.absent()))

    def texts(self):
        series = [variable.series if "{" in variable.series else variable.series + "{}"
                  for dashboard in self.dashboards.values()
                  for variable in boards.variables_of(dashboard)]
        return series + [query.text for query in self.queries()]


def metrics_of(scope, event):
    """What an event's counters are called in a scope (include/event/metric_name.h)."""
    if "/" in event:  # of a PMU beyond the cores, which is a label
        name = re.sub(r"[^a-z0-9]", "_", event.split("/")[1])
        return [f"pmu_uncore_{name}{'_joules' * event.startswith('power/')}_total"]
    name = re.sub(r"[^a-z0-9]", "_", event.lower())
    seconds = "_seconds" if event in ("task-clock", "cpu-clock") else ""
    return [f"pmu_{prefix}_{name}{seconds}_total" for prefix in PREFIXES[scope]]


if __name__ == "__main__":
    enter_own_tracefs()
    live.main()
