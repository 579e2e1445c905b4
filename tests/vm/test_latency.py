# SPDX-License-Identifier: Apache-2.0
"""Latencies in a guest of two CPUs, where nothing else runs: known loads, `perf stat` of the same
time, and a CPU that goes and comes. Then the other kinds (latency_kinds.py).

perf counts a switch for the cgroup of the task that leaves, as we do. Of the machine its window is
once a little longer than ours, and once a little shorter.
"""
import dataclasses
import decimal
import functools
import math
import re
import unittest

import latency_kinds
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
    - include: ["/a", "/b", "/c"]
      groups: [software]
      latency: [scheduler]
"""
TURNS = 2000
SPIN_US = 500
MOVES = 300
TRACED_TURNS = 1000
TRACED_SPIN_US = 90
HOTPLUG_TURNS = 20000
HOTPLUGS = 5
SCRIPT = f"""
enable_counting
mount -t tracefs tracefs /sys/kernel/tracing
make_cgroup /a; make_cgroup /b; make_cgroup /c; make_cgroup /perf
install_perf
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

# two loads at once on one CPU, of which one is traced: waits of different lengths
begin_turns c 1 {TRACED_TURNS} {TRACED_SPIN_US}
(LD_LIBRARY_PATH=/tmp/perf enter /perf /tmp/perf/perf record -q -a -o /tmp/c.data \\
    -e sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new \\
    -- sh -c ">$OUT/c.open; until [ -e $OUT/c.stop ]; do sleep 0.2; done") & perf=$!
wait_until "[ -e $OUT/c.open ]"
cat $cgroups/c/cgroup.procs >$OUT/c.pids
tell c begin
scrape c.begin
(taskset 1 load - 0 0 300 0 </dev/zero) & other=$!
echo go >&3
wait_for_line c 2
wait $other
tell c end
sleep 2
scrape c.end
>$OUT/c.stop
wait $perf
LD_LIBRARY_PATH=/tmp/perf /tmp/perf/perf script -i /tmp/c.data --ns -F time,event,trace >$OUT/c.trace
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


TRACED = re.compile(r"\s*([\d.]+):\s+sched:(sched_\w+):\s+(.*)")
WOKEN = re.compile(r"(?:\bpid=|:)(\d+)\b")
SWITCH = re.compile(r"prev_pid=(\d+) .*prev_state=(\S+) ==> .*next_pid=(\d+)|"
                    r":(\d+) \[\d+\] (\S+) ==> .*:(\d+) \[\d+\]")
TRACE_LATE = 20e-6  # seconds by which a wait may differ


def waits_of_trace(text, pids):
    """How long these threads waited for a CPU after they were woken or preempted, as `perf sched`
    finds it: seconds, in ascending order."""
    since, waits = {}, []
    for time, event, rest in TRACED.findall(text):
        time = decimal.Decimal(time)
        if event == "sched_switch":
            found = SWITCH.search(rest).groups()
            prev, state, come = found[:3] if found[0] else found[3:]
            if int(come) in since:
                waits.append(float(time - since.pop(int(come))))
            if int(prev) in pids and state.startswith("R"):
                since[int(prev)] = time
        else:
            pid = int(WOKEN.search(rest)[1])
            if pid in pids:
                since.setdefault(pid, time)
    return sorted(waits)


def quantile(values, q):
    return values[math.ceil(q * len(values)) - 1]


# Other kinds are counted by the same programs, whatever counts the events: once is enough.
KINDS_SCRIPT = latency_kinds.SCRIPT if COUNTING == "bpf" else ""


@functools.cache
def results_of_guest():
    return Guest("latency", cpus=2, shift=3, numa=True).run(
        SCRIPT + KINDS_SCRIPT, config=CONFIG, kinds=latency_kinds.CONFIG)


@dataclasses.dataclass
class Told:
    """What /proc/PID/schedstat tells of the tasks of a cgroup."""
    waited_ns: int
    arrivals: int


class LatencyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = results_of_guest()
        supported = cls.results.scrape("a.begin").find("pmu_exporter_latency_supported")
        if set(supported.values()) != {1}:
            raise unittest.SkipTest(f"there are no latencies: {supported}")

    def of_perf(self, name):
        """The counts of perf, in the order of its events."""
        return [int(line.split(";")[0]) for line in self.results.text(f"{name}.perf").splitlines()
                if ";" in line]


class Latency(LatencyTest):
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
        # a tick that lets the other one come ends a spin
        self.assertGreaterEqual(spun, TURNS * SPIN_US / 10 ** 6 * 0.9)
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

    def buckets(self, name, family):
        """{limit in seconds: how many were no longer}, between both scrapes."""
        begin, end = ({float(dict(labels)["le"]): value
                       for labels, value in self.results.scrape(f"{name}.{edge}").find(
                           f"pmu_cgroup_{family}_bucket", cgroup="/" + name).items()}
                      for edge in ("begin", "end"))
        return {le: int(value - begin.get(le, 0)) for le, value in end.items()}

    def test_waits_are_distributed_as_in_a_trace_of_the_same_seconds(self):
        waits = waits_of_trace(self.results.text("c.trace"),
                               set(map(int, self.results.text("c.pids").split())))
        buckets = self.buckets("c", "run_queue_latency_seconds")
        n = buckets[math.inf]
        print(f"{n} waits, {len(waits)} in the trace: least {waits[0] * 1e6:.1f} us, "
              f"median {quantile(waits, 0.5) * 1e6:.1f} us, p99 {quantile(waits, 0.99) * 1e6:.1f} us")
        self.assertGreaterEqual(n, 2 * TRACED_TURNS)
        self.assertLessEqual(abs(n - len(waits)), 2)
        for le, value in buckets.items():
            # the trace's clock is read a little later than the scheduler's
            self.assertGreaterEqual(value, sum(wait <= le - TRACE_LATE for wait in waits) - 2, le)
            self.assertLessEqual(value, sum(wait <= le + TRACE_LATE for wait in waits) + 2, le)
        limits = sorted(buckets)
        for q in (0.5, 0.99):
            ours = next(i for i, le in enumerate(limits) if buckets[le] >= q * n)
            theirs = next(i for i, le in enumerate(limits) if quantile(waits, q) <= le)
            self.assertLessEqual(abs(ours - theirs), 1, (q, limits[ours], limits[theirs]))

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


if COUNTING == "bpf":
    class Kinds(latency_kinds.Kinds, LatencyTest):
        pass


if __name__ == "__main__":
    live.main()
