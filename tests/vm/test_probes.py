# SPDX-License-Identifier: Apache-2.0
"""Probes on a kernel with kprobes: calls of a function of the kernel, of a function of a program, and
markers, counted to the one in a cgroup and in a group of processes, and so are spans between them;
and nothing is left of them."""
import unittest

import live
from guest import COUNTING, Scenario

TIMES = 1000
SYSTEM_CALL = "__arm64_sys_getppid"
PROGRAM = "/tmp/bin/probed"
SPANS = {"parents": ("parents", "parents_returned"), "calls": ("calls", "returns"),
         "mixed": ("watched", "parents_returned")}  # a function of the kernel behind a marker
EVENTS = ("parents", "parents_returned", "calls", "returns", "plain", "watched")
CONFIG = f"""
interval: 1s
counting: {COUNTING}
groups:
  - name: kernel
    events: ["probe:parents", "probe:parents_returned", "probe:slip", "probe:forbidden"]
  - name: program
    events: ["probe:calls", "probe:returns", "probe:plain", "probe:watched"]
probes:
  - {{name: parents, kernel: {SYSTEM_CALL}}}
  - {{name: parents_returned, kernel: "{SYSTEM_CALL}%return"}}
  - {{name: slip, kernel: __arm64_sys_getpppid}}
  - {{name: forbidden, kernel: kprobe_dispatcher}}
  - {{name: calls, user: "{PROGRAM}:probed_call"}}
  - {{name: returns, user: "{PROGRAM}:probed_call%return"}}
  - {{name: plain, usdt: "{PROGRAM}:pmu_test:plain"}}
  - {{name: watched, usdt: "{PROGRAM}:pmu_test:watched"}}
spans:
{"".join(f'  - {{name: {name}, begin: "probe:{begin}", end: "probe:{end}"}}' + chr(10)
         for name, (begin, end) in SPANS.items())}
targets:
  cgroups: [{{include: [/load], groups: [kernel, program], latency: [spans]}}]
  processes: [{{comm: [probed], groups: [kernel, program], latency: [spans]}}]
"""
SCRIPT = f"""
enable_counting
make_cgroup /load
mkdir -p /tmp/debug
mount -t debugfs debugfs /tmp/debug
list_probes() {{
    sed 's/^[0-9a-f]* *//' /tmp/debug/kprobes/list >"$OUT/$1"
}}
list_probes list.before
mkfifo /tmp/lines
enter /load probed - probed </tmp/lines >/tmp/answers &
exec 3>/tmp/lines
start_exporter config
for _ in $(seq 100); do
    scrape ready
    ! grep -q '^pmu_process_probe_watched_total' "$OUT/ready" || break
    sleep 0.2
done
sleep 2
scrape begin
echo "{TIMES} 0" >&3
sleep 3
scrape end
list_probes list.during
kill -9 "$exporter"
wait "$exporter" || true
for _ in $(seq 100); do
    list_probes list.after
    ! cmp -s "$OUT/list.before" "$OUT/list.after" || break
    sleep 0.1
done
exec 3>&-
umount /tmp/debug
cp /tmp/answers "$OUT/answers"
"""
SCENARIO = Scenario("probes", SCRIPT, {"config": CONFIG})


class Probes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = SCENARIO.run()

    def test_it_is_this_mechanism(self):
        labels = self.results.scrape("end").labels
        if labels("pmu_exporter_mechanism_info", "reason") == {"built without libbpf"}:
            self.skipTest("built without libbpf")
        self.assertEqual(labels("pmu_exporter_mechanism_info", "mechanism"), {COUNTING})

    def test_each_call_is_counted_once_in_its_cgroup_and_in_its_group_of_processes(self):
        begin, end = (self.results.scrape(name) for name in ("begin", "end"))
        for scope, labels in (("cgroup", {"cgroup": "/load"}), ("process", {"groupname": "probed"})):
            for event in EVENTS:
                name = f"pmu_{scope}_probe_{event}_total"
                self.assertEqual(end.value(name, **labels) - begin.value(name, **labels), TIMES,
                                 name)

    def test_each_span_is_counted_once_and_one_in_another_is_shorter(self):
        begin, end = (self.results.scrape(name) for name in ("begin", "end"))
        for name in SPANS:
            self.assertEqual(end.value("pmu_exporter_span_supported", span=name, reason=""), 1,
                             end.labels("pmu_exporter_span_supported", "reason"))
        for scope, labels in (("cgroup", {"cgroup": "/load"}), ("process", {"groupname": "probed"})):
            sums = {}
            for name in SPANS:
                count, sums[name] = (
                    end.sum(f"pmu_{scope}_span_seconds_{what}", span=name, **labels) -
                    begin.sum(f"pmu_{scope}_span_seconds_{what}", span=name, **labels)
                    for what in ("count", "sum"))
                self.assertEqual(count, TIMES, (scope, name))
            self.assertLess(0, sums["parents"])
            self.assertLess(sums["parents"], sums["mixed"])
            self.assertLess(sums["mixed"], sums["calls"])

    def test_the_semaphore_was_raised(self):
        self.assertEqual(self.results.text("answers").split()[0], str(TIMES))

    def test_what_the_kernel_does_not_have_or_allow_is_not_supported(self):
        for name in ("slip", "forbidden"):
            self.assertEqual(self.results.scrape("end").value(
                "pmu_exporter_event_supported", scope="cgroup", event=f"probe:{name}",
                reason="not_supported"), 0, name)
        self.assertIn(f"did you mean {SYSTEM_CALL}?", self.results.log())

    def test_nothing_is_left_of_them(self):
        before, during, after = (self.results.text(f"list.{name}")
                                 for name in ("before", "during", "after"))
        self.assertIn(SYSTEM_CALL, during)
        self.assertEqual(after, before)


if __name__ == "__main__":
    live.main()
