# SPDX-License-Identifier: Apache-2.0
"""CPU 1 goes offline and comes back a hundred times, slowly and faster than the interval.

What runs on CPU 0 meanwhile loses no count, what runs on CPU 1 afterwards is counted. On two CPUs
qemu counts some instructions of the other: the truth is what perf counts on the same CPU.
"""
import os
import unittest

import live
from guest import Guest

COUNTING = os.environ.get("PMU_TEST_COUNTING", "direct")  # run for each mechanism
CONFIG = f"""
interval: 1s
counting: {COUNTING}
groups:
  - name: core
    events: ["instructions:u"]
targets:
  system: {{groups: [core], by: cpu}}
  cgroups:
    - include: ["/zero", "/one"]
      groups: [core]
limits: {{pmu_counters: all, cgroups: CGROUPS}}
"""
# For so many that the cells of possible CPUs are not cheap: there is room for those that are online.
MANY_CGROUPS = "100000"
BEGIN = """
enable_counting
make_cgroup /zero; make_cgroup /one; make_cgroup /perf
install_perf
cpu1() {
    echo $1 >/sys/devices/system/cpu/cpu1/online
}
# perf_stat NAME CPU SECONDS
perf_stat() {
    (LD_LIBRARY_PATH=/tmp/perf enter /perf taskset 1 /tmp/perf/perf stat -x ';' -a -C $2 \\
        -e instructions:u -G /$1 -o $OUT/$1.perf -- sh -c "echo >$OUT/$1.open; sleep $3") &
    perf=$!
    for _ in $(seq 100); do
        [ -e $OUT/$1.open ] && return 0
        sleep 0.1
    done
    die "perf does not count"
}
# load NAME MASK INSTRUCTIONS
load() {
    taskset $2 known_load $cgroups/$1/cgroup.procs $cgroups/rest/cgroup.procs $3
}
"""
# At 8 ns an instruction the load on CPU 0 lasts longer than all the coming and going.
SCRIPT = BEGIN + f"""
start_exporter config
sleep 2
scrape begin
perf_stat zero 0 120
load zero 1 {64 * 100_000_000 + 4} & load=$!
for i in $(seq -w 10); do
    cpu1 0
    sleep 1.2
    scrape offline.$i
    cpu1 1
    sleep 1.2
    scrape online.$i
done
for i in $(seq -w 10); do
    cpu1 0
    cpu1 1
    sleep 0.$i
done
for _ in $(seq 80); do # faster than anything is opened
    cpu1 0
    cpu1 1
done
kill -0 $load || die "the load was too short"
wait $load
sleep 2
scrape zero
wait $perf
perf_stat one 1 5
load one 2 {64 * 1_000_000 + 4}
sleep 2
scrape one
wait $perf
stop_exporter
"""
LATE_SCRIPT = BEGIN + f"""
cpu1 0
start_exporter config
sleep 2
cpu1 1
for _ in $(seq 300); do
    scrape ready
    grep -q '^pmu_cpu_instructions_user_total{{cpu="1"}}' $OUT/ready && break
    sleep 0.1
done
sleep 2
scrape late
perf_stat one 1 5
load one 2 {64 * 1_000_000 + 4}
sleep 2
scrape one
wait $perf
stop_exporter
"""
UNCOUNTED = {"kind": "system", "reason": "cpu_offline"}
NAME = "_instructions_user_total"


class HotplugTest(unittest.TestCase):
    def of_perf(self, name):
        line = next(l for l in self.results.text(f"{name}.perf").splitlines() if ";" in l)
        return int(line.split(";")[0])

    def total(self, scrape, cgroup):
        return int(self.results.scrape(scrape).value("pmu_cgroup" + NAME, cgroup=cgroup))

    def assert_mechanism(self, *scrapes):
        for name in scrapes:
            scrape = self.results.scrape(name)
            reason = scrape.labels("pmu_exporter_mechanism_info", "reason")
            if "built without libbpf" in reason:
                self.skipTest("built without libbpf")
            self.assertEqual(scrape.labels("pmu_exporter_mechanism_info", "scope"),
                             {"system", "cgroup"})
            self.assertEqual(scrape.labels("pmu_exporter_mechanism_info", "mechanism"),
                             {COUNTING}, reason)


class Hotplug(HotplugTest):
    @classmethod
    def setUpClass(cls):
        cls.results = Guest(f"hotplug_{COUNTING}", cpus=2, shift=3).run(
            SCRIPT, config=CONFIG.replace("CGROUPS", "1000"))

    def test_it_is_this_mechanism(self):
        self.assert_mechanism("begin", "offline.01", "zero")

    def test_by_bpf_two_cgroups_and_the_machine_have_one_counter_a_cpu(self):
        self.assertEqual(self.results.scrape("begin").value("pmu_exporter_open_counters"),
                         {"direct": 3, "bpf": 1}[COUNTING] * 2)

    def test_what_runs_on_the_other_cpu_meanwhile_loses_nothing(self):
        self.assertEqual(self.total("zero", "/zero"), self.of_perf("zero"))

    def test_what_runs_on_the_cpu_that_came_back_is_counted(self):
        self.assertEqual(self.total("one", "/one") - self.total("zero", "/one"),
                         self.of_perf("one"))

    def test_totals_never_fall(self):
        scrapes = [s for i in range(1, 11) for s in (f"offline.{i:02}", f"online.{i:02}")]
        values = [self.total(s, "/zero") for s in ["begin", *scrapes, "zero", "one"]]
        self.assertEqual(values, sorted(values))
        self.assertGreater(values[1], 0)

    def test_the_series_of_an_absent_cpu_ends_and_begins_again(self):
        for i in range(1, 11):
            for state, cpus in (("offline", {"0"}), ("online", {"0", "1"})):
                scrape = self.results.scrape(f"{state}.{i:02}")
                self.assertEqual(scrape.labels("pmu_cpu" + NAME, "cpu"), cpus)
                self.assertEqual(scrape.labels("pmu_cpu_info", "cpu"), cpus)

    def test_an_absent_cpu_is_told(self):
        for i in range(1, 11):
            self.assertEqual(self.results.scrape(f"offline.{i:02}").value(
                "pmu_exporter_targets_uncounted", **UNCOUNTED), 1)
            self.assertIsNone(self.results.scrape(f"online.{i:02}").value(
                "pmu_exporter_targets_uncounted", **UNCOUNTED))

    def test_all_is_open_again_within_an_interval(self):
        before = self.results.scrape("begin").value("pmu_exporter_open_counters")
        for name in ("online.01", "online.10", "zero"):
            self.assertEqual(self.results.scrape(name).value("pmu_exporter_open_counters"), before)


class LateCpu(HotplugTest):
    """A CPU comes for which, by bpf, there is no room: the program is replaced by a larger one."""
    @classmethod
    def setUpClass(cls):
        cls.results = Guest(f"hotplug_late_{COUNTING}", cpus=2, shift=3).run(
            LATE_SCRIPT, config=CONFIG.replace("CGROUPS", MANY_CGROUPS))

    def test_it_is_this_mechanism(self):
        self.assert_mechanism("late", "one")

    def test_what_runs_there_is_counted(self):
        self.assertEqual(self.total("one", "/one") - self.total("late", "/one"),
                         self.of_perf("one"))


if __name__ == "__main__":
    live.main()
