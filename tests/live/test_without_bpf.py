# SPDX-License-Identifier: Apache-2.0
"""An exporter that was built where libbpf, clang or bpftool is missing: it counts, and says of all
that takes a program in the kernel why it is not there."""
import live
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, quote

REASON = "built without libbpf"
LATENCIES = ("block_io", "interrupts", "scheduler", "system_calls", "tcp")
CLOCK = "pmu_cgroup_task_clock_seconds_total"


class WithoutBpf(live.LiveTest):
    def test_it_counts_and_says_what_is_missing(self):
        cgroups = self.enterContext(Cgroups())
        cgroups.make("a")
        exporter = self.enterContext(Exporter(
            "interval: 1s\n"
            "groups: [{name: software, events: [task-clock]}]\n"
            f"targets:\n  system: {{groups: [software], latency: [{', '.join(LATENCIES)}]}}\n"
            f"  cgroups: [{{include: [{quote('/' + cgroups.top + '/**')}], groups: [software]}}]\n"
            "profiles: {enabled: true}\n"))
        before = exporter.scrape_until(
            lambda m: m.value(CLOCK, cgroup=cgroups.path("a")) is not None, PATIENCE, "a clock")
        self.enterContext(live.Load(cgroups.directory("a"), burn_ms=500)).run()
        metrics = exporter.after_cycles(2)
        clock = float(metrics.value(CLOCK, cgroup=cgroups.path("a")) -
                      before.value(CLOCK, cgroup=cgroups.path("a")))
        self.assertGreater(clock, 0.49)
        for latency in LATENCIES:
            self.assertEqual(metrics.value("pmu_exporter_latency_supported", kind=latency,
                                           reason=REASON), 0, latency)
        exporter.scrape_until(
            lambda m: m.value("pmu_exporter_profile_supported", reason=REASON) == 0, PATIENCE,
            "the reason of profiles")
        self.assertEqual(exporter.get("/api/v1/profile?target=machine").status, 503)
        exporter.log_until("nothing is sampled for profiles")
        line, = (line for line in exporter.log_lines() if "nothing is sampled for profiles" in line)
        self.assertIn("level=warn", line)
        self.assertIn(f'reason="{REASON}" hint=', line)


if __name__ == "__main__":
    live.main()
