# SPDX-License-Identifier: Apache-2.0
"""Latencies in a guest of two CPUs, where nothing else runs: known loads, `perf stat` of the same
time, and a CPU that goes and comes.

perf counts a switch for the cgroup of the task that leaves, as we do. Of the machine its window is
once a little longer than ours, and once a little shorter.
"""
import dataclasses
import unittest

import live
from guest import COUNTING, Guest

CONFIG = f"""
interval: 1s
counting: {COUNTING}
groups:
  - name: software
    events: [task-clock]
targets:
  system: {{groups: [software], by: all, latency: [scheduler]}}
  cgroups:
    - include: ["/a", "/b"]
      groups: [software]
      latency: [scheduler]
"""
TURNS = 2000
SPIN_US = 500
MOVES = 300
HOTPLUG_TURNS = 20000
HOTPLUGS = 5
SCRIPT = f"""
enable_counting
mount -t tracefs tracefs /sys/kernel/tracing
make_cgroup /a; make_cgroup /b; make_cgroup /perf
install_perf
wait_until() {{
    for _ in $(seq 600); do
        ! eval "$1" || return 0
        sleep 0.1
    done
    die "in vain: $1"
}}
# perf_stat NAME ARGUMENT...: until the file NAME.end is there
perf_stat() {{
    name=$1
    shift
    (LD_LIBRARY_PATH=/tmp/perf enter /perf /tmp/perf/perf stat -x ';' -a "$@" -o $OUT/$name.perf \\
        -- sh -c ">$OUT/$name.open; until [ -e $OUT/$name.end ]; do sleep 0.2; done") &
    wait_until "[ -e $OUT/$name.open ]"
}}
of_machine() {{
    perf_stat $1 -e sched:sched_switch --filter 'prev_pid != 0 && prev_state != 0 && prev_state != 256' \\
        -e sched:sched_switch --filter 'prev_pid != 0 && (prev_state == 0 || prev_state == 256)' \\
        -e sched:sched_migrate_task \\
        --filter '(orig_cpu == 0 && dest_cpu == 1) || (orig_cpu == 1 && dest_cpu == 0)'
}}
of_cgroup() {{
    perf_stat $1 -e sched:sched_switch -G /$1
}}
end_perf() {{
    >$OUT/$1.end
    wait_until "grep -q ';' $OUT/$1.perf"
}}
# begin_turns NAME CPUS TURNS SPIN_US: in the cgroup of that name; both tasks are blocked at the end
begin_turns() {{
    mkfifo /tmp/go.$1
    taskset $2 turns $cgroups/$1/cgroup.procs $3 $4 </tmp/go.$1 >$OUT/$1.turns & turns=$!
    exec 3>/tmp/go.$1
    wait_for_line $1 1
}}
wait_for_line() {{
    wait_until "[ \\$(wc -l <$OUT/$1.turns) -ge $2 ]"
    sleep 1
}}
# tell NAME EDGE: what the kernel tells of the tasks
tell() {{
    for pid in $(cat $cgroups/$1/cgroup.procs); do
        cat /proc/$pid/schedstat
    done >$OUT/$1.$2.told
}}
end_turns() {{
    exec 3>&-
    wait $turns
}}
start_exporter config
sleep 2

begin_turns a 1 {TURNS} {SPIN_US}
of_machine outer
sleep 2
tell a begin
scrape a.begin
of_machine inner
of_cgroup a
echo go >&3
wait_for_line a 2
load - 0 0 0 {MOVES} </dev/zero
end_perf a
end_perf inner
tell a end
sleep 3
scrape a.end
end_perf outer
end_turns

# on the CPU that goes: its tasks go on on the other one
begin_turns b 2 {HOTPLUG_TURNS} 0
sleep 3
tell b begin
scrape b.begin
echo go >&3
for i in $(seq {HOTPLUGS}); do
    echo 0 >/sys/devices/system/cpu/cpu1/online
    sleep 0.3
    scrape b.offline.$i
    echo 1 >/sys/devices/system/cpu/cpu1/online
    sleep 0.3
    scrape b.online.$i
done
wait_for_line b 2
tell b end
sleep 3
scrape b.end
end_turns
stop_exporter
"""


@dataclasses.dataclass
class Told:
    """What /proc/PID/schedstat tells of the tasks of a cgroup."""
    waited_ns: int
    arrivals: int


class Latency(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = Guest("latency", cpus=2, shift=3).run(SCRIPT, config=CONFIG)
        supported = cls.results.scrape("a.begin").find("pmu_exporter_latency_supported")
        if set(supported.values()) != {1}:
            raise unittest.SkipTest(f"there are no latencies: {supported}")

    def ours(self, name, family, scope="cgroup", edges=("begin", "end"), **labels):
        """What was counted between two scrapes."""
        if scope == "cgroup":
            labels["cgroup"] = "/" + name
        begin, end = (self.results.scrape(f"{name}.{edge}").sum(f"pmu_{scope}_{family}", **labels)
                      for edge in edges)
        return end - begin

    def told(self, name, edge):
        rows = [[int(word) for word in line.split()]
                for line in self.results.text(f"{name}.{edge}.told").splitlines()]
        self.assertEqual(len(rows), 2)
        return Told(sum(row[1] for row in rows), sum(row[2] for row in rows))

    def of_perf(self, name):
        """The counts of perf, in the order of its events."""
        return [int(line.split(";")[0]) for line in self.results.text(f"{name}.perf").splitlines()
                if ";" in line]

    def assert_told(self, name):
        begin, end = self.told(name, "begin"), self.told(name, "end")
        self.assertEqual(self.ours(name, "run_queue_latency_seconds_count"),
                         end.arrivals - begin.arrivals)
        self.assertEqual(self.ours(name, "on_cpu_seconds_count"), end.arrivals - begin.arrivals)
        self.assertEqual(self.ours(name, "run_queue_latency_seconds_sum") * 10 ** 9,
                         end.waited_ns - begin.waited_ns)

    def test_arrivals_and_waits_are_what_the_kernel_tells(self):
        self.assert_told("a")

    def test_turns_are_as_many_blocks_of_each_but_for_those_that_a_tick_has_ended(self):
        blocks = self.ours("a", "off_cpu_seconds_count", state="interruptible")
        ended = self.ours("a", "switches_total", kind="involuntary")
        print(f"{TURNS} turns: {blocks} blocks, {ended} ended by a tick")
        self.assertLess(ended, TURNS // 10)
        self.assertGreaterEqual(blocks, 2 * TURNS - ended)
        self.assertLessEqual(blocks, 2 * TURNS + 10)

    def test_who_spins_on_lets_the_other_wait_for_so_long(self):
        spun = int(self.results.text("a.turns").split()[1]) / 10 ** 9
        waited = float(self.ours("a", "run_queue_latency_seconds_sum"))
        print(f"spun {spun} s, waited {waited} s")
        self.assertGreaterEqual(spun, TURNS * SPIN_US / 10 ** 6 * 0.99)
        self.assertGreaterEqual(waited, spun * 0.999)

    def test_switches_of_a_cgroup_are_those_that_perf_counts(self):
        self.assertEqual([self.ours("a", "switches_total")], self.of_perf("a"))

    def test_switches_and_moves_of_the_machine_are_between_those_of_a_shorter_and_a_longer_time(self):
        ours = [self.ours("a", "switches_total", "machine", kind="voluntary"),
                self.ours("a", "switches_total", "machine", kind="involuntary"),
                self.ours("a", "migrations_total", "machine")]
        inner, outer = self.of_perf("inner"), self.of_perf("outer")
        print(f"ours {[int(n) for n in ours]}, perf's {inner} and {outer}")
        for least, value, most in zip(inner, ours, outer):
            self.assertLessEqual(least, value)
            self.assertLessEqual(value, most)
        self.assertGreaterEqual(inner[2], MOVES - 1)

    def test_a_cpu_that_goes_and_comes_takes_nothing_along(self):
        self.assert_told("b")
        self.assertGreaterEqual(self.ours("b", "on_cpu_seconds_count"), 2 * HOTPLUG_TURNS)

    def test_totals_never_fall_meanwhile(self):
        edges = ["begin"] + [f"{state}.{i}" for i in range(1, HOTPLUGS + 1)
                             for state in ("offline", "online")] + ["end"]
        for family in ("on_cpu_seconds_count", "on_cpu_seconds_sum", "switches_total",
                       "run_queue_latency_seconds_sum", "migrations_total"):
            for scope in ("cgroup", "machine"):
                for two in zip(edges, edges[1:]):
                    self.assertGreaterEqual(self.ours("b", family, scope, two), 0, (family, two))


if __name__ == "__main__":
    live.main()
