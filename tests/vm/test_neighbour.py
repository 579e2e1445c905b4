# SPDX-License-Identifier: Apache-2.0
"""With the default configuration, and with processes beside it, whoever counts a command has the
PMU, and so has our own scope of processes."""
import pathlib
import unittest

import live
from guest import HERE, Scenario

DEFAULT = pathlib.Path(HERE.parents[1] / "config/pmu_exporter.yml").read_text()
PROCESSES = """
interval: 1s
groups:
  - name: core
    events: [cycles, instructions, branches, branch-misses]
targets:
  system: {groups: [core], by: all}
  cgroups:
    - include: ["/system.slice/*.service"]
      groups: [core]
  processes:
    - {name: load, comm: [known_load], groups: [core]}
"""
SCRIPT = """
enable_counting
make_cgroup /system.slice; echo +pids >$cgroups/system.slice/cgroup.subtree_control
make_cgroup /system.slice/load.service; make_cgroup /perf; install_perf
# somebody counts a command, while we count it as well
neighbour() {
    (LD_LIBRARY_PATH=/tmp/perf enter /system.slice/load.service /tmp/perf/perf stat -x ';' \\
        -e cycles,instructions -o "$OUT/$1.perf" -- \\
        known_load /dev/null /dev/null $((64 * 6250000 + 4)))
}
count_beside() {
    start_exporter "$1"
    sleep 1.2
    neighbour "$1" & command=$!
    scrape_until "$1" "$2" $command
    wait $command
    stop_exporter
}
count_beside default '^pmu_cgroup_instructions_total.*load.service.* [1-9]'
count_beside processes '^pmu_process_group_coverage_ratio.*"load"'
"""
SCENARIO = Scenario("neighbour", SCRIPT, {"default": DEFAULT, "processes": PROCESSES}, shift=3)
COVERAGE = "group_coverage_ratio"


class Neighbour(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = SCENARIO.run()

    def coverage_of_the_other(self, name):
        lines = [line.split(";") for line in self.results.text(f"{name}.perf").splitlines()
                 if line.count(";") > 4]
        self.assertEqual([fields[2] for fields in lines], ["cycles", "instructions"])
        return [float(fields[4]) for fields in lines]

    def test_a_command_that_somebody_counts_has_the_pmu(self):
        for name in ("default", "processes"):
            with self.subTest(name):
                coverage = self.coverage_of_the_other(name)
                print(f"coverage of another's cycles and instructions, {name}: {coverage}")
                self.assertGreater(min(coverage), 90)

    def test_the_default_counts_the_service(self):
        scrape = self.results.scrape("default")
        self.assertGreater(scrape.value("pmu_cgroup_instructions_total",
                                        cgroup="/system.slice/load.service"), 0)

    def test_our_processes_have_it_too(self):
        scrape = self.results.scrape("processes")
        self.assertGreater(scrape.value(f"pmu_process_{COVERAGE}", groupname="load"), 0.9)
        self.assertGreater(scrape.value("pmu_process_instructions_total", groupname="load"), 0)


if __name__ == "__main__":
    live.main()
