# SPDX-License-Identifier: Apache-2.0
"""The machine as a whole: its CPU time as the kernel accounts for it, and the root of all cgroups,
which is the machine and no cgroup, but where a cgroup namespace begins with one."""
import os
import pathlib
import subprocess
import tempfile
import time

import live
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, binary
from own_mounts import own_mounts

TICK = 1 / os.sysconf("SC_CLK_TCK")
PARTS = {"": range(7), "user_": (0, 1), "system_": (2, 5, 6)}
NOT_IDLE = (0, 1, 2, 5, 6)
CLOCK = "pmu_cgroup_task_clock_seconds_total"
UNCOUNTED = "pmu_exporter_targets_uncounted"


def kernel_says():
    """{part of the names: seconds} of the CPU time of the machine."""
    numbers = [int(n) for n in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:]]
    return {part: TICK * sum(numbers[i] for i in fields if i in NOT_IDLE)
            for part, fields in PARTS.items()}


def we_say(metrics):
    return {part: float(metrics.value(f"pmu_machine_cpu_{part}seconds_total")) for part in PARTS}


def growth(before, after):
    return {part: after[part] - before[part] for part in PARTS}


class CpuTime(live.LiveTest):
    def check(self, what, ours, inner, outer):
        for part in PARTS:
            print(f"{what}: {part or 'all '}{inner[part]:.2f} <= {ours[part]:.2f} <= "
                  f"{outer[part]:.2f} s")
            # each of up to five numbers is cut to a tick, at both ends
            self.assertGreaterEqual(ours[part], inner[part] - 10 * TICK)
            self.assertLessEqual(ours[part], outer[part] + 10 * TICK)
        self.assertGreaterEqual(ours["user_"], 0.5, "most of what the load burnt")
        self.assertAlmostEqual(ours[""], ours["user_"] + ours["system_"], places=6)

    def test_it_is_what_the_kernel_accounts_for_in_the_same_seconds(self):
        """Its readings around ours are an upper bound, those within a lower one. A reload costs
        nothing of it."""
        events = ("page-faults",)
        with Exporter(live.config(system="all", events=events)) as machine, \
                Exporter(live.config(system="cpu", events=events)) as cpus, \
                live.Load(None, burn_ms=1000) as load:
            def look():
                return [we_say(exporter.after_cycles(2)) for exporter in (machine, cpus)]

            outer_begin, before, inner_begin = kernel_says(), look(), kernel_says()
            load.go()
            path = cpus.directory / "pmu_exporter.yml"
            path.write_text(path.read_text().replace("by: cpu", "by: all"))
            self.assertEqual(cpus.pmutool("reload").returncode, 0)
            load.wait()
            inner_end, after, outer_end = kernel_says(), look(), kernel_says()
        for i, what in enumerate(("by all", "by cpu, and reloaded")):
            self.check(what, growth(before[i], after[i]), growth(inner_begin, inner_end),
                       growth(outer_begin, outer_end))

    def test_cpus_and_the_share_of_a_service(self):
        online = os.sysconf("SC_NPROCESSORS_ONLN")
        with Cgroups() as cgroups:
            path = cgroups.make("a.service")
            config = live.config(cgroups, system="all")
            with Exporter(config) as exporter, \
                    live.Load(cgroups.directory("a.service"), burn_ms=4000) as load:
                load.go()
                metrics = exporter.scrape_until(
                    lambda m: (m.value("pmu_cgroup_cpus_used", cgroup=path) or 0) > 0.1 and
                    m.value("pmu_machine_cpus_used") is not None, PATIENCE, "the load")
                load.wait()
        self.assertEqual(metrics.value("pmu_machine_cpus"), online)
        used = metrics.value("pmu_machine_cpus_used")
        # these are two clocks: they differ by ticks, and by the moments between two readings
        self.assertGreater(float(used),
                           0.5 * float(metrics.value("pmu_cgroup_cpus_used", cgroup=path)) - 0.1)
        self.assertLessEqual(float(used), online + 0.2)


class Root(live.LiveTest):
    """`include: ["/"]`: as a cgroup the kernel counts it while CPUs are idle too."""

    CONFIG = ("counting: direct\ngroups: [{name: software, events: [task-clock]}]\ntargets:\n"
              "  cgroups:\n    - include: ['/%s/*', '/']\n      groups: [software]\n")

    def test_it_is_refused_with_place_and_reason(self):
        with Cgroups() as cgroups:
            child = cgroups.make("a.service")
            config = self.CONFIG % cgroups.top
            with Exporter(config) as exporter:
                metrics = exporter.scrape_until(lambda m: m.find(CLOCK, cgroup=child), PATIENCE,
                                                "the child")
                self.assertEqual(metrics.find(CLOCK, cgroup="/"), {})
                self.assertEqual(metrics.labels("pmu_cgroup_info", "parent", cgroup=child), {""})
                self.assertEqual(metrics.value(UNCOUNTED, kind="cgroup", reason="not_supported"), 1)
                exporter.process.send_signal(1)  # it is told once, also when it is reloaded
                exporter.log_until("configuration reloaded")
                exporter.after_cycles(2)
                lines = [l for l in exporter.log_lines() if "root of all cgroups" in l]
                self.assertEqual(len(lines), 1, exporter.stderr())
                column = config.splitlines()[4].index("'/']") + 1
                for word in (f"place=5:{column}", "not_supported", "targets.system"):
                    self.assertIn(word, lines[0])
                self.assertEqual([l for l in exporter.log_lines() if "targets are not counted" in l],
                                 [])

    def test_the_check_of_the_configuration_warns_with_the_place(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            file.write(self.CONFIG % "none")
            file.flush()
            done = subprocess.run([pathlib.Path(binary()).parent / "pmutool", "check", "config",
                                   file.name], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            column = (self.CONFIG % "none").splitlines()[4].index("'/']") + 1
            self.assertIn(f"{file.name}:5:{column}: warning: the root of all cgroups", done.stdout)

    def test_where_a_cgroup_namespace_begins_it_is_a_cgroup_and_counted(self):
        live.need("unshare")
        with Cgroups() as cgroups, tempfile.TemporaryDirectory() as directory:
            cgroups.make("container/a.service")
            procs = os.fsdecode(cgroups.directory("container")) + "/cgroup.procs"
            wrapper = ("sh", "-c", f'echo 0 >{procs} && exec unshare --cgroup "$@"', "sh",
                       *own_mounts(directory, f"mount -t cgroup2 none {directory}"))
            with Exporter(self.CONFIG % "none", args=[f"--path.cgroupfs={directory}"],
                          wrapper=wrapper) as exporter, \
                    live.Load(cgroups.directory("container/a.service"), burn_ms=300) as load:
                exporter.scrape_until(lambda m: m.value(CLOCK, cgroup="/") is not None, PATIENCE,
                                      "the root of the namespace")
                began, before = time.monotonic(), exporter.after_cycles(1)
                load.run()
                after = exporter.after_cycles(2)
                seconds = float(after.value(CLOCK, cgroup="/") - before.value(CLOCK, cgroup="/"))
                self.assertGreaterEqual(seconds, 0.3)
                # idle CPUs are not counted; with them it would be far more
                self.assertLess(seconds, 0.5 * (time.monotonic() - began) * (os.cpu_count() or 1))
                self.assertEqual(after.sum(UNCOUNTED, kind="cgroup"), 0)
                self.assertNotIn("root of all cgroups", exporter.stderr())


if __name__ == "__main__":
    live.main()
