# SPDX-License-Identifier: Apache-2.0
"""Every query of the dashboards on what an exporter has counted in a guest with a PMU.

The loads there execute, sleep, and are blocked uninterruptibly, by the vfork of xargs.

The guest knows cycles and instructions, of users and of the kernel. The other hardware events of
the dashboards have stand-ins there: those two, spelled and renamed in several ways. So this proves
that the queries find and join what is counted, and says nothing of the values; but the comparisons
with the past are checked against what is known.
"""
import pathlib
import re
import tempfile
import time
import unittest

import boards
import live
import recording
from guest import Guest
from prometheus import Prometheus
from viewer import Findings, Viewer

STAND_INS = {
    "branches": "r08:u", "branch_misses": "r08:k", "cache_references": "r008:u",
    "cache_misses": "r008:k", "l1_dcache_load_misses": "r11:u", "llc_load_misses": "r11:k",
    "dtlb_load_misses": "r011:u", "stalled_cycles_frontend": "r011:k",
    "stalled_cycles_backend": "r0011:u",
}
GROUPS = {
    "core": ["cycles", "instructions", "branches", "branch_misses"],
    "cache": ["cache_references", "cache_misses"],
    "latency": ["l1_dcache_load_misses", "llc_load_misses", "dtlb_load_misses"],
    "stalls": ["stalled_cycles_frontend", "stalled_cycles_backend"],
    "software": ["task-clock", "context-switches", "cpu-migrations", "page-faults"],
}
SCRAPES, EVERY = 6, 10
SCRIPT = f"""
enable_counting
make_cgroup /loop; make_cgroup /calls; make_cgroup /left_out
cat >/tmp/bin/work <<'END'
#!/bin/sh
while :; do i=0; while [ $i -lt $1 ]; do i=$((i + 1)); done; echo 0 | xargs /bin/sleep; sleep 1; done
END
chmod +x /tmp/bin/work
(enter /loop sh /tmp/bin/work 400) & loop=$!
(enter /calls sh /tmp/bin/work 200) & calls=$!
for config in cgroups processes; do
    start_exporter $config
    for i in $(seq {SCRAPES}); do
        sleep {EVERY}
        scrape $config.$i
    done
    stop_exporter
done
kill $loop $calls
"""
REASONS = (
    (re.compile("ALERTS").search, "no rules are loaded here"),
    (re.compile(r'"\$(uncore|energy)"').search, "the guest has no PMU beyond its cores"),
    (re.compile("_block_io_").search, "the guest has no block device"),
    (re.compile("_(softirq|hardirq|kvm|tcp|span|system_calls?|system_call_errors)_").search, "the configuration of the guest has none"),
    (re.compile("_by_node_").search, "the guest counts by CPU"),
    (re.compile('kind=~?"(kvm|interrupts)').search, "the configuration of the guest has none"),
    (re.compile(r'llc\|node"\}\[\$__rate_interval').search, "a guest of one CPU moves nobody"),
)


# The kernel serves events of CPUs before those of tasks: with these, processes would never have
# their turn. So they are another host's.
CGROUPS = """
  system: {groups: [core, cache, software], by: cpu, latency: [scheduler]}
  cgroups:
    - include: ["/loop", "/calls", "/left_out"]
      groups: [core, cache, latency, stalls, software]
      latency: [scheduler]
      by: cpu
"""
PROCESSES = """
  system: {groups: [software], by: all}
  processes:
    - name: work
      cmdline: ["/tmp/bin/work"]
      groups: [core, cache, latency, stalls, software]
      latency: [scheduler]
"""


def config(targets):
    groups = "\n".join(
        f"  - {{name: {name}, events: [{', '.join(quoted(event) for event in events)}]}}"
        for name, events in GROUPS.items())
    renamed = "\n".join(f'  - {{event: "{event}", name: {name}}}'
                        for name, event in STAND_INS.items())
    return (f"interval: 5s\ngroups:\n{groups}\nrename:\n{renamed}\n"
            f"limits: {{pmu_counters: all, cgroups: 2}}\ntargets:{targets}")


def quoted(event):
    return f'"{STAND_INS.get(event, event)}"'


def pages_of(results, name):
    return [(scrape.at, scrape.body) for scrape in results.scrapes(f"{name}.*")]


class Recorded(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        live.need("prometheus", "promtool")
        cls.dashboards = boards.load()
        del cls.dashboards["fleet"]  # it reads what rules record, as test_fleet.py shows
        results = Guest("dashboards", shift=3, seconds=270).run(
            SCRIPT, cgroups=config(CGROUPS), processes=config(PROCESSES))
        counted = pages_of(results, "cgroups")
        hosts = {"a:10138": counted, "b:10138": counted,
                 "c:10138": pages_of(results, "processes")}
        end = int(time.time()) - 600
        directory = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        blocks = recording.make_blocks(hosts, end, directory)
        cls.prometheus = cls.enterClassContext(Prometheus(blocks=blocks))
        cls.span = (end - counted[-1][0] + counted[0][0], end)

    def viewer(self):
        return Viewer(self.prometheus, *self.span, EVERY, 4 * EVERY, {"cgroup": "/loop"})

    def test_every_query_returns_data_or_is_listed_with_its_reason(self):
        findings = Findings(REASONS)
        findings.view(self.viewer(), self.dashboards)
        findings.tell()
        self.assertEqual(findings.unexplained, [])
        self.assertEqual(findings.needless, [], "these have data, and an excuse")

    def answer(self, name, title):
        """The series of a panel's first query; of several of that title, of the first panel."""
        viewer, dashboard = self.viewer(), self.dashboards[name]
        values = viewer.open(dashboard)
        query = next(query for query in boards.queries_of(name, dashboard)
                     if query.where == f"{name} / {title} / A")
        return viewer.ask(query, values)

    def value(self, *where):
        series, = self.answer(*where)
        return float(series["value"][1])

    def test_a_loss_of_instructions_per_cycle_is_shown_as_one(self):
        for title in ("Against a day", "Against a week"):
            self.assertAlmostEqual(self.value("service", title), 1 / 1.5 - 1, delta=0.02)
        self.assertEqual(self.value("overview", "Worse than a week ago"), 2)
        table = self.answer("overview", "Services by the worst change of instructions per cycle")
        self.assertEqual({s["metric"]["cgroup"] for s in table}, {"/loop", "/calls"})

    def test_two_hosts_count_twice(self):
        self.assertEqual(self.value("service", "Hosts"), 2)
        both = self.value("service", "CPUs used")
        one = self.prometheus.query(
            f'increase(pmu_cgroup_task_clock_seconds_total{{cgroup="/loop",instance="a:10138"}}'
            f'[{int(self.span[1] - self.span[0])}s])', time=self.span[1])
        self.assertAlmostEqual(both, 2 * float(one[0]["value"][1]) /
                               int(self.span[1] - self.span[0]), delta=1e-6)

    def test_a_row_for_each_cpu_is_named_by_its_place(self):
        series = self.answer("cpus", "Instructions per cycle, $instance")
        self.assertEqual({s["metric"]["at"].count("/") for s in series}, {3})


if __name__ == "__main__":
    live.main()
