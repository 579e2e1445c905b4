# SPDX-License-Identifier: Apache-2.0
"""All time of a task is known: it ran, waited for its CPU, or was blocked (tests/support/naps.c).

A kernel with full preemption, which is asked for here and which not every kernel can, now and then
preempts the task when it is about to block. It waits then, on its run queue; the kernel stamps
neither the beginning of that wait nor its end, so that its own sums lack the wait and the arrival.
"""
import unittest

import live
from guest import Guest

CONFIG = """
interval: 1s
counting: bpf
groups:
  - name: software
    events: [task-clock]
targets:
  system: {groups: [software], by: all, latency: [scheduler]}
  cgroups:
    - include: ["/a"]
      groups: [software]
      latency: [scheduler]
"""
NAPS = 10000
MOST_APART = 0.0002  # of the whole time: the clocks of the scheduler and of programs
SCRIPT = f"""
enable_counting
make_cgroup /a
wait_for_line() {{
    for _ in $(seq 600); do
        [ $(wc -l <$OUT/naps) -lt $1 ] || break
        sleep 0.1
    done
    sleep 3
}}
tell() {{
    cat /proc/$naps/schedstat >$OUT/$1.told
    scrape $1
}}
start_exporter config
mkfifo /tmp/go
naps $cgroups/a/cgroup.procs {NAPS} </tmp/go >$OUT/naps & naps=$!
exec 3>/tmp/go
wait_for_line 1
# the first time it does not matter what it did before it was counted
for turn in 1 2; do
    tell $turn.begin
    echo go >&3
    wait_for_line $((turn + 1))
    tell $turn.end
done
exec 3>&-
wait $naps
stop_exporter
"""


class PreemptingGuest(Guest):
    def kernel_words(self):
        return "preempt=full"


class Preempted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = PreemptingGuest("preempted").run(SCRIPT, config=CONFIG)
        supported = cls.results.scrape("2.begin").find("pmu_exporter_latency_supported")
        if set(supported.values()) != {1}:
            raise unittest.SkipTest(f"there are no latencies: {supported}")

    def ours(self, family):
        begin, end = (float(self.results.scrape(f"2.{edge}").sum(f"pmu_cgroup_{family}",
                                                                 cgroup="/a"))
                      for edge in ("begin", "end"))
        return end - begin

    def told(self):
        """What the kernel tells: seconds that it waited, and how often it arrived."""
        begin, end = ([int(word) for word in self.results.text(f"2.{edge}.told").split()]
                      for edge in ("begin", "end"))
        return (end[1] - begin[1]) / 1e9, end[2] - begin[2]

    def test_its_slices_waits_and_blocks_are_all_of_its_time(self):
        passed = int(self.results.text("naps").split()[-1]) / 1e9
        ran, waited, blocked = (self.ours(f"{name}_sum") for name in (
            "on_cpu_seconds", "run_queue_latency_seconds", "off_cpu_seconds"))
        slices, (told_waited, arrivals) = self.ours("on_cpu_seconds_count"), self.told()
        print(f"{passed:.6f} s: ran {ran:.6f}, waited {waited:.6f}, blocked {blocked:.6f}; "
              f"{slices - arrivals:.0f} of {slices:.0f} arrivals and "
              f"{waited - told_waited:.6f} s of its waits were not stamped")
        self.assertAlmostEqual(ran + waited + blocked, passed, delta=passed * MOST_APART)
        self.assertGreater(slices, NAPS)
        if slices > arrivals:
            self.assertGreater(waited, told_waited)
        else:
            self.assertAlmostEqual(waited, told_waited, 9)
        self.assertEqual(self.ours("run_queue_latency_seconds_count"), slices)


if __name__ == "__main__":
    live.main()
