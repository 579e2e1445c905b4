# SPDX-License-Identifier: Apache-2.0
"""Requests, connections, softirqs and system calls in a guest of two CPUs, while one of them goes
and comes, and over lives of a cgroup of one path and of a process of one number: a part of
test_latency.py, which boots the guest.

What is true is what a load says that it has done, or the kernel's own count: /proc/softirqs, the
stat of a block device, and what perf counts of the system calls of a cgroup. (perf loses what a
CPU counts that has come back, so it is not asked then.)
"""
from guest import COUNTING

CONFIG = f"""
interval: 1s
counting: {COUNTING}
linger: 5s
groups:
  - name: software
    events: [task-clock, context-switches]
targets:
  system:
    groups: [software]
    by: cpu
    latency: [scheduler, block_io, tcp, interrupts, system_calls]
  cgroups:
    - include: ["/busy"]
      groups: [software]
      by: cpu
      latency: [scheduler, block_io, tcp, system_calls]
  processes:
    - comm: [block_requests]
      name: reader
      groups: [software]
      by: node
      latency: [scheduler, block_io, tcp, system_calls]
"""
KINDS = ("scheduler", "block_io", "tcp", "interrupts", "system_calls")
CALLS, READS, WRITES, CONNECTS = 500, 40, 20, 10  # of a round
HOTPLUGS = 5
LIVES = 3
DEVICES = 60  # more than there are lines
SCRIPT = f"""
insmod /modules/configfs.ko
insmod /modules/null_blk.ko nr_devices={DEVICES} gb=1
read_ahead /tmp/bin/block_requests
disk=/dev/nullb0
# note NAME: the kernel's own counts
note() {{
    cat /proc/softirqs >$OUT/$1.softirqs
    cat /sys/class/block/nullb0/stat >$OUT/$1.stat
}}
# open_window NAME, close_window NAME: two scrapes, with the kernel's counts around and within them
open_window() {{
    note $1.around.begin
    sleep 2
    scrape $1.begin
    sleep 2
    note $1.within.begin
}}
close_window() {{
    note $1.within.end
    sleep 3
    scrape $1.end
    sleep 2
    note $1.around.end
}}
scraped_until() {{
    wait_until "scrape $1 && grep -q '$2' $OUT/$1"
}}
one_round() {{
    known_calls {CALLS} 10 && block_requests $disk read={READS} write={WRITES} >/dev/null &&
        traffic connects {CONNECTS} >/dev/null
}}
# rounds NAME: until /tmp/enough is there; says how many
rounds() {{
    echo 0 >$cgroups/busy/cgroup.procs
    n=0
    until [ -e /tmp/enough ]; do
        one_round || die "a round failed"
        n=$((n + 1))
    done
    echo $n >$OUT/$1.rounds
}}
start_exporter kinds

# a CPU goes and comes under loads on both
make_cgroup /busy
scraped_until k.ready 'pmu_cgroup_start_time_seconds{{cgroup="/busy"}}'
# a call has a line when the machine has made many of it
wait_until "(enter /busy known_calls 20000 10); scrape k.ready &&
    grep -q 'pmu_cgroup_system_calls_total{{cgroup=\\"/busy\\",call=\\"getppid\\"}}' $OUT/k.ready"
sleep 2
open_window k
rounds k.1 & one=$!
rounds k.2 & other=$!
sleep 2
for i in $(seq {HOTPLUGS}); do
    echo 0 >/sys/devices/system/cpu/cpu1/online
    sleep 1.2
    scrape k.offline.$i
    echo 1 >/sys/devices/system/cpu/cpu1/online
    sleep 1.2
    scrape k.online.$i
done
>/tmp/enough
wait $one
wait $other
close_window k
rmdir $cgroups/busy

# the path is born again
for life in $(seq {LIVES}); do
    wait_until "scrape life.ready &&
        ! grep -q 'pmu_cgroup_start_time_seconds{{cgroup=\\"/busy\\"}}' $OUT/life.ready"
    make_cgroup /busy
    scraped_until life.ready 'pmu_cgroup_start_time_seconds{{cgroup="/busy"}}'
    sleep 2
    perf_stat calls.$life -e raw_syscalls:sys_exit -G /busy
    open_window life.$life
    (enter /busy known_calls $((100 * life)) 10)
    (enter /busy block_requests $disk read=$((10 * life)) >/dev/null)
    (enter /busy traffic connects $((5 * life)) >/dev/null)
    close_window life.$life
    end_perf calls.$life
    rmdir $cgroups/busy
done

# and the number of a process
mkfifo /tmp/steps
number=
for life in $(seq {LIVES}); do
    for _ in $(seq 100); do
        [ -z "$number" ] || echo $((number - 1)) >/proc/sys/kernel/ns_last_pid
        block_requests $disk wait read=$((30 * life)) wait </tmp/steps >$OUT/process.$life & process=$!
        exec 3>/tmp/steps
        [ $process != ${{number:-$process}} ] || break
        exec 3>&-
        wait $process || true
    done
    number=$process
    scraped_until process.ready 'pmu_process_members{{groupname="reader"}} 1'
    sleep 2
    scrape process.$life.begin
    echo >&3
    wait_until "[ \\$(grep -c waiting $OUT/process.$life) = 2 ]"
    sleep 2
    scrape process.$life.end
    echo $number >$OUT/process.$life.number
    echo >&3
    exec 3>&-
    wait $process
    wait_until "scrape process.ready &&
        ! grep -q 'pmu_process_members{{groupname=\\"reader\\"}} 1' $OUT/process.ready"
done

# more devices than lines
scrape devices.begin
cat /sys/class/block/nullb*/stat >$OUT/devices.begin.stats
for i in $(seq 0 {DEVICES - 1}); do
    block_requests /dev/nullb$i read=$((i + 1)) write=2 >/dev/null
done
sleep 3
scrape devices.end
cat /sys/class/block/nullb*/stat >$OUT/devices.end.stats
stop_exporter
"""
HOTPLUG_EDGES = ["begin"] + [f"{state}.{i}" for i in range(1, HOTPLUGS + 1)
                             for state in ("offline", "online")] + ["end"]
REQUESTS = "block_io_latency_seconds_count"
COUNTED = ("_total", "_count", "_sum", "_bucket")
NEW_FAMILIES = ("block_io", "tcp", "softirq", "hardirq", "system_call", "run_queue", "on_cpu",
                "off_cpu", "switches", "migrations", "by_cpu", "by_node")


def softirqs(text):
    """{vector: how many on all CPUs}"""
    lines = [line.split(":") for line in text.splitlines()[1:]]
    return {name.strip(): sum(map(int, counts.split())) for name, counts in lines}


def requests(text):
    """{op: how many are done}, of the lines of stat files."""
    fields = [[int(word) for word in line.split()] for line in text.splitlines()]
    return {"read": sum(of[0] for of in fields), "write": sum(of[4] for of in fields)}


class Kinds:
    """Tests of a class that has the results of the guest."""

    def between(self, read, window, kind):
        """What the kernel has counted: {which: how many}"""
        begin, end = (read(self.results.text(f"{window}.{edge}.{kind}"))
                      for edge in ("begin", "end"))
        return {which: end[which] - begin[which] for which in begin}

    def grown(self, name, family, scope="machine", **labels):
        begin, end = (self.results.scrape(f"{name}.{edge}").sum(f"pmu_{scope}_{family}", **labels)
                      for edge in ("begin", "end"))
        return end - begin

    def of_stat(self, name):
        """{op: requests}, that nobody else has made before or behind."""
        within, around = (self.between(requests, f"{name}.{window}", "stat")
                          for window in ("within", "around"))
        self.assertEqual(within, around)
        return within

    def test_all_kinds_are_counted(self):
        scrape = self.results.scrape("k.begin")
        for kind in KINDS:
            self.assertEqual(scrape.value("pmu_exporter_latency_supported", kind=kind, reason=""),
                             1, kind)

    def test_with_a_cpu_that_goes_and_comes_each_is_counted_once(self):
        rounds = sum(int(self.results.text(f"k.{i}.rounds")) for i in (1, 2))
        print(f"{rounds} rounds")
        self.assertGreater(rounds, 2 * HOTPLUGS)
        stat = self.of_stat("k")
        self.assertEqual(stat["read"], READS * rounds)
        asked = {"read": READS * rounds, "write": WRITES * rounds}  # some writes are merged
        work = {"scope": "cgroup", "cgroup": "/busy"}
        for labels in (work, {"device": "nullb0"}):
            for op, n in stat.items():
                self.assertEqual(self.grown("k", REQUESTS, op=op, **labels), n, (labels, op))
                self.assertEqual(self.grown("k", "block_io_bytes_total", op=op, **labels),
                                 4096 * asked[op], (labels, op))
        for family in ("tcp_connects_total", "tcp_connect_seconds_count"):
            self.assertEqual(self.grown("k", family, **work), CONNECTS * rounds)
            # and those of the scrapes
            self.assertEqual(self.grown("k", family), CONNECTS * rounds + len(HOTPLUG_EDGES) - 1)
        self.assertEqual(self.grown("k", "tcp_connect_errors_total", **work), 0)
        self.assertEqual(self.grown("k", "system_calls_total", call="getppid", **work),
                         CALLS * rounds)

    def test_softirqs_are_the_kernels_while_a_cpu_goes_and_comes(self):
        within, around = (self.between(softirqs, f"k.{window}", "softirqs")
                          for window in ("within", "around"))
        for vector in within:
            ours = self.grown("k", "softirq_seconds_count", vector=vector)
            self.assertLessEqual(within[vector], ours, vector)
            self.assertLessEqual(ours, around[vector], vector)
        self.assertGreater(within["TIMER"], 0)

    def test_both_cpus_had_a_share_and_shares_add_up(self):
        scrape = self.results.scrape("k.end")
        for name, total in (("cpu_time_by_cpu_seconds_total", "task_clock_seconds_total"),
                            ("context_switches_by_cpu_total", "context_switches_total")):
            by_cpu = [scrape.value(f"pmu_cgroup_{name}", cgroup="/busy", cpu=cpu)
                      for cpu in ("0", "1")]
            self.assertGreater(min(by_cpu), 0)
            self.assertEqual(sum(by_cpu), scrape.value(f"pmu_cgroup_{total}", cgroup="/busy"))

    def test_each_node_had_a_share_and_shares_add_up(self):
        scrape = self.results.scrape("k.end")
        for name, total in (("cpu_time_by_node_seconds_total", "task_clock_seconds_total"),
                            ("context_switches_by_node_total", "context_switches_total")):
            by_node = [scrape.value(f"pmu_process_{name}", groupname="reader", node=node)
                       for node in ("0", "1")]
            self.assertGreater(min(by_node), 0)
            self.assertEqual(sum(by_node), scrape.value(f"pmu_process_{total}", groupname="reader"))

    def test_no_total_falls_while_a_cpu_goes_and_comes(self):
        seen = 0
        for two in zip(HOTPLUG_EDGES, HOTPLUG_EDGES[1:]):
            before, after = (self.results.scrape(f"k.{edge}") for edge in two)
            for family in before.families:
                if not (family.endswith(COUNTED) and any(part in family for part in NEW_FAMILIES)):
                    continue
                for labels, value in before.find(family).items():
                    if family.startswith("pmu_cpu_") and dict(labels)["cpu"] == "1":
                        continue  # ends with its CPU and begins again with it
                    now = after.value(family, **dict(labels))
                    self.assertIsNotNone(now, (two, family, labels))
                    self.assertGreaterEqual(now, value, (two, family, labels))
                    seen += 1
        self.assertGreater(seen, 1000)

    def test_a_cgroup_that_is_born_again_has_what_it_does_in_that_life(self):
        starts = set()
        for life in range(1, LIVES + 1):
            name, work = f"life.{life}", {"scope": "cgroup", "cgroup": "/busy"}
            scrape = self.results.scrape(f"{name}.end")
            starts.add(scrape.value("pmu_cgroup_start_time_seconds", cgroup="/busy"))
            with self.subTest(life=life):
                self.assertEqual(self.of_stat(name), {"read": 10 * life, "write": 0})
                self.assertEqual(self.grown(name, REQUESTS, device="nullb0"), 10 * life)
                self.assertEqual(scrape.sum("pmu_cgroup_" + REQUESTS, cgroup="/busy"), 10 * life)
                self.assertEqual(scrape.value("pmu_cgroup_tcp_connects_total", cgroup="/busy"),
                                 5 * life)
                # and that of a scrape
                self.assertEqual(self.grown(name, "tcp_connects_total"), 5 * life + 1)
                calls = self.grown(name, "system_calls_total", **work)
                self.assertEqual(calls, scrape.sum("pmu_cgroup_system_calls_total",
                                                   cgroup="/busy"))
                self.assertEqual([calls], self.of_perf(f"calls.{life}"))
                self.assertGreater(calls, 100 * life)
        self.assertEqual(len(starts), LIVES)

    def test_a_process_with_the_number_of_another_is_counted_once(self):
        numbers = {self.results.text(f"process.{life}.number") for life in range(1, LIVES + 1)}
        self.assertEqual(len(numbers), 1)
        for life in range(1, LIVES + 1):
            with self.subTest(life=life):
                self.assertEqual(self.grown(f"process.{life}", REQUESTS, "process",
                                            groupname="reader"), 30 * life)
                calls = self.grown(f"process.{life}", "system_calls_total", "process",
                                   groupname="reader")
                self.assertGreaterEqual(calls, 30 * life)
                self.assertLess(calls, 30 * life + 20)

    def test_devices_beyond_the_last_line_are_counted_together(self):
        stats = {edge: requests(self.results.text(f"devices.{edge}.stats"))
                 for edge in ("begin", "end")}
        scrapes = {edge: self.results.scrape(f"devices.{edge}") for edge in stats}
        lines = scrapes["end"].find("pmu_machine_" + REQUESTS)
        names = {(dict(labels)["device"], dict(labels)["op"]) for labels in lines}
        self.assertIn(("other", "other"), names)
        self.assertEqual(len(names), 49)
        grown = (sum(lines.values()) -
                 sum(scrapes["begin"].find("pmu_machine_" + REQUESTS).values()))
        self.assertEqual(grown, sum(stats["end"].values()) - sum(stats["begin"].values()))
        self.assertEqual(grown, DEVICES * (DEVICES + 1) // 2 + 2 * DEVICES)
