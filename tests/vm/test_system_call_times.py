# SPDX-License-Identifier: Apache-2.0
"""System calls that are timed, in a guest where nothing else runs: known calls and naps, and
`perf stat` of the same cgroup and time. arm64 has these numbers of its calls.
"""
import unittest

import live
from guest import COUNTING, Guest

GETPPID, NAP = 173, 115
N_CALLS = 3400
N_NAPS = 51
MILLISECONDS = 20
CONFIG = f"""
interval: 1s
counting: {COUNTING}
groups:
  - name: software
    events: [task-clock]
system_calls: {{timed: [getppid, clock_nanosleep], one_in: %d}}
targets:
  system: {{groups: [software], by: all, latency: [system_calls]}}
  cgroups:
    - include: ["/a"]
      groups: [software]
      latency: [system_calls]
"""
SCRIPT = f"""
enable_counting
mount -t tracefs tracefs /sys/kernel/tracing
make_cgroup /a; make_cgroup /perf
install_perf
# measure NAME: with the file of that name
measure() {{
    start_exporter $1
    (LD_LIBRARY_PATH=/tmp/perf enter /perf /tmp/perf/perf stat -x ';' -a \\
        -e raw_syscalls:sys_enter --filter 'id == {GETPPID}' \\
        -e raw_syscalls:sys_enter --filter 'id == {NAP}' -G /a,/a -o $OUT/$1.perf \\
        -- sh -c ">$OUT/$1.open; until [ -e $OUT/$1.end ]; do sleep 0.2; done") &
    perf=$!
    wait_until "[ -e $OUT/$1.open ]"
    (enter /a known_naps {N_CALLS} {N_NAPS} {MILLISECONDS}) & load=$!
    wait $load
    >$OUT/$1.end
    wait $perf
    sleep 2.2
    scrape $1
    stop_exporter
}}
echo 4194304 >/proc/sys/kernel/pid_max
read_ahead /tmp/bin/crowded_calls
crowded_calls >$OUT/crowded || [ $? -eq 77 ] || die "$(cat $OUT/crowded)"
measure each
measure sampled
"""
SECONDS = "pmu_cgroup_system_call_seconds"
ONE_IN = "pmu_exporter_system_call_timed_one_in"


class SystemCallTimes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = Guest("system_call_times").run(
            SCRIPT, each=CONFIG % 1, sampled=CONFIG % 17)

    def check(self, name, one_in):
        metrics = self.results.scrape(name)
        reasons = metrics.labels("pmu_exporter_latency_supported", "reason", kind="system_calls")
        if "built without libbpf" in reasons:
            self.skipTest("built without libbpf")
        self.assertEqual(metrics.labels(ONE_IN, "reason"), {""})
        self.assertEqual(metrics.value(ONE_IN, call="getppid", reason="", **{"class": "working"}),
                         one_in)
        perf = [float(line.split(";")[0]) for line in self.results.text(f"{name}.perf").splitlines()
                if "raw_syscalls" in line]
        self.assertEqual(perf, [N_CALLS, N_NAPS])
        for call, kind, n in ("getppid", "working", perf[0]), ("clock_nanosleep", "waiting", perf[1]):
            with self.subTest(call=call):
                labels = {"cgroup": "/a", "call": call, "class": kind}
                self.assertEqual(metrics.value(f"{SECONDS}_count", **labels), n / one_in)
                seconds = float(metrics.value(f"{SECONDS}_sum", **labels))
                if call == "getppid":
                    self.assertLess(seconds, n / one_in * 1e-4)
                else:
                    self.assertGreaterEqual(seconds, n / one_in * MILLISECONDS / 1000)
                    self.assertLess(seconds, n / one_in * (MILLISECONDS + 5) / 1000)

    def test_each_call_is_timed_as_perf_counts_them(self):
        self.check("each", 1)

    def test_one_in_17_is_timed(self):
        self.check("sampled", 17)

    def test_of_more_threads_than_there_are_places_the_oldest_calls_are_lost_and_counted(self):
        """There are 4 places for the 6 that are in a call at once; who is in none loses nothing."""
        text = self.results.text("crowded")
        if "built without libbpf" in text:
            self.skipTest(text)
        self.assertEqual(text, "timed 4 lost 2\nturns timed 6 lost 0\n")


if __name__ == "__main__":
    live.main()
