# SPDX-License-Identifier: Apache-2.0
"""The kernel and we agree: the same load, counted by us and by `perf stat`.

The load begins after both sides have opened and ends before either reads for the last time, so
both must have seen all of it.
"""
import signal
import subprocess

import live
from cgroups import Cgroups
from exporter import PATIENCE, Exporter

CYCLE = 1.0
EVENTS = {  # perf's name of an event, and the name of our metric
    "task-clock": "pmu_cgroup_task_clock_seconds_total",
    "context-switches": "pmu_cgroup_context_switches_total",
    "page-faults": "pmu_cgroup_page_faults_total",
    "cpu-migrations": "pmu_cgroup_cpu_migrations_total",
}


class PerfStat:
    """`perf stat -a` over a command that waits, so that its counters are open when it runs."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            ["perf", "stat", "-a", "-x;", *options, "--", "sh", "-c", "echo open; read -r _"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "open\n":
            raise AssertionError(self.process.communicate()[1])

    def read(self):
        """Ends perf; {event: count} of the whole time."""
        _, text = self.process.communicate("\n", timeout=PATIENCE)
        return live.perf_stat_counts(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.communicate(timeout=10)


class Cgroup(live.LiveTest):
    """Direct counting of a cgroup, to the count."""
    COUNTING = "direct"
    CLOCK_SHARE = 1 / 100
    # A switch is not one moment: each counter is stopped and started at a place of its own within it.
    CLOCK_A_SWITCH = 0.5e-6

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        live.need("perf")

    def config(self, cgroups):
        return live.config(cgroups).replace("counting: direct", f"counting: {self.COUNTING}")

    def count(self, **load):
        """What we and perf have counted of the same load: {event: (ours, perf's)}."""
        with Cgroups() as cgroups:
            path = cgroups.make("load")
            with Exporter(self.config(cgroups)) as exporter, \
                    live.Load(cgroups.directory("load"), **load) as running:
                before = exporter.scrape()
                options = [w for e in EVENTS for w in ("-e", e)]
                names = ",".join([path[1:]] * len(EVENTS))
                with PerfStat(*options, "-G", names) as perf:
                    exporter.after_cycles(2)
                    running.run()
                    after = exporter.after_cycles(2)
                    theirs = perf.read()
        ours = {e: after.value(m, cgroup=path) - before.value(m, cgroup=path)
                for e, m in EVENTS.items()}
        self.seconds_in_doubt = float(live.seconds_in_doubt(before, after))
        self.faults_in_doubt = int(live.faults_in_doubt(before, after))
        return ours, theirs

    def check_clock(self, ours, theirs):
        seconds = theirs["task-clock"] / 1000  # perf prints milliseconds
        switches = theirs["context-switches"] + theirs["cpu-migrations"]
        allowed = seconds * self.CLOCK_SHARE + switches * self.CLOCK_A_SWITCH
        self.assertLessEqual(float(ours["task-clock"]), seconds + allowed)
        self.assertGreaterEqual(float(ours["task-clock"]),
                                seconds - allowed - self.seconds_in_doubt)

    def check(self, ours, theirs):
        for event in ("context-switches", "page-faults", "cpu-migrations"):
            self.assertEqual(ours[event], theirs[event], event)
        self.check_clock(ours, theirs)

    def test_a_mixed_load_counts_the_same(self):
        ours, theirs = self.count(switches=5000, faults=10000, burn_ms=500, migrations=20)
        self.check(ours, theirs)
        self.assertGreaterEqual(ours["context-switches"], 5000)
        self.assertGreaterEqual(ours["page-faults"], 10000)
        self.assertGreaterEqual(float(ours["task-clock"]), 0.5)

    def test_moves_between_cpus_count_the_same(self):
        ours, theirs = self.count(migrations=500)
        self.check(ours, theirs)
        self.assertGreater(ours["cpu-migrations"], 100)


class CgroupByBpf(Cgroup):
    """By bpf, within 0.5 % or 5 counts: a switch is parted elsewhere, and some are not shown.

    Faults and time that a kernel that hides switches leaves in doubt are nobody's, and told as such.
    """
    COUNTING = "auto"
    CLOCK_SHARE = 1 / 50
    CLOCK_A_SWITCH = 2e-6

    def check(self, ours, theirs):
        for event in ("context-switches", "page-faults", "cpu-migrations"):
            allowed = max(5, int(theirs[event]) / 200)
            missing = self.faults_in_doubt if event == "page-faults" else 0
            self.assertLessEqual(int(ours[event]), int(theirs[event]) + allowed, event)
            self.assertGreaterEqual(
                int(ours[event]), int(theirs[event]) - allowed - missing,
                f"{event}; {self.seconds_in_doubt} s in doubt, a fault takes "
                f"{live.fastest_fault()} s or more")
        self.check_clock(ours, theirs)


class System(live.LiveTest):
    """The whole machine, on which others run too: one time of perf lies within ours, another one
    around it, and so do their counts."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        live.need("perf")

    def test_context_switches_of_the_machine(self):
        events, name = ("context-switches", "page-faults"), "_context_switches_total"
        load = {"switches": 600000}
        with Exporter(live.config(system="all", events=events)) as machine, \
                Exporter(live.config(system="cpu", events=events)) as cpus, \
                live.Load(None, **load) as running:
            def count(look):
                return [int(look(e).sum(n + name)) for e, n in ((machine, "pmu_machine"),
                                                                (cpus, "pmu_cpu"))]

            before = count(Exporter.scrape)
            with PerfStat("-e", "context-switches") as perf:
                begin = count(Exporter.after_cycles)
                running.run()
                end = count(Exporter.after_cycles)
                theirs = perf.read()["context-switches"]
            after = count(Exporter.after_cycles)
        for i, scope in enumerate(("machine", "cpus")):
            print(f"{scope}: {end[i] - begin[i]} within perf's {theirs:.0f}, which are within "
                  f"{after[i] - before[i]}")
            self.assertGreaterEqual(end[i] - begin[i], load["switches"])
            self.assertLessEqual(end[i] - begin[i], theirs)
            self.assertLessEqual(theirs, after[i] - before[i])

    def test_every_online_cpu_has_its_series(self):
        with open("/sys/devices/system/cpu/online", encoding="ascii") as file:
            spans = [span.split("-") for span in file.read().strip().split(",")]
        online = {str(c) for span in spans for c in range(int(span[0]), int(span[-1]) + 1)}
        with Exporter(live.config(system="cpu", events=("context-switches",))) as exporter:
            found = exporter.scrape().labels("pmu_cpu_context_switches_total", "cpu")
        self.assertEqual(found, online)


if __name__ == "__main__":
    live.main()
