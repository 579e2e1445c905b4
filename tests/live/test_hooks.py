# SPDX-License-Identifier: Apache-2.0
"""A kernel that lacks one tracepoint: what is counted at it says so, and all else is counted.

What tracepoints a kernel has stands in its BTF. The exporter sees a copy of it in which one of them
has another name.
"""
import pathlib
import subprocess
import tempfile

import live
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, binary, quote
from own_mounts import enter_own_tracefs, own_mounts

BTF = "/sys/kernel/btf/vmlinux"
SUPPORTED = "pmu_exporter_latency_supported"
ONE_IN = "pmu_exporter_system_call_timed_one_in"
REASON = "the kernel lacks tracepoints that the program takes"
HOOKS = {"block_io": ("block_rq_insert", "block_rq_issue", "block_rq_complete"),
         "interrupts": ("softirq_entry", "softirq_exit", "irq_handler_entry", "irq_handler_exit"),
         "tcp": ("tcp_retransmit_skb", "tcp_retransmit_synack", "inet_sock_set_state"),
         "system_calls": ("sys_exit",)}


class Hooks(live.LiveTest):
    def setUp(self):
        if not pathlib.Path(BTF).exists():
            self.skipTest("this kernel has no BTF")
        self.btf = pathlib.Path(BTF).read_bytes()
        self.cgroups = self.enterContext(Cgroups())
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def config(self):
        return (f"interval: 1s\ncounting: {live.COUNTING}\n"
                "groups: [{name: software, events: [task-clock]}]\n"
                "system_calls: {timed: [read]}\n"
                "targets:\n"
                f"  system: {{groups: [software], latency: [scheduler, {', '.join(HOOKS)}]}}\n"
                f"  cgroups: [{{include: [{quote('/' + self.cgroups.top + '/**')}], "
                "groups: [software], latency: [scheduler]}]\n")

    def without(self, tracepoint):
        """The words that hide a tracepoint from a program; none if it is None."""
        if not tracepoint:
            return ()
        name = b"\0btf_trace_" + tracepoint.encode() + b"\0"
        self.assertEqual(self.btf.count(name), 1, tracepoint)
        copy = self.directory / tracepoint
        copy.write_bytes(self.btf.replace(name, name[:-2] + b"X\0"))
        return own_mounts(BTF, f"mount --bind {copy} {BTF}")

    def supported(self, tracepoint):
        """{kind: (whether it is counted, why not)}, and what is counted of softirqs."""
        with Exporter(self.config(), wrapper=self.without(tracepoint)) as exporter:
            metrics = exporter.after_cycles(2)
            return {dict(labels)["kind"]: (int(value), dict(labels)["reason"])
                    for labels, value in metrics.find(SUPPORTED).items()}, metrics

    def test_without_a_tracepoint_the_reason_is_told_and_the_others_count(self):
        whole, _ = self.supported(None)
        if whole["scheduler"] != (1, ""):
            self.skipTest(f"there are no latencies: {whole}")
        for kind, hooks in HOOKS.items():
            self.assertEqual(whole[kind], (1, ""), kind)
            for hook in hooks:
                with self.subTest(hook=hook):
                    found, metrics = self.supported(hook)
                    self.assertEqual(found, whole | {kind: (0, REASON)})
                    self.assertGreater(metrics.sum("pmu_machine_on_cpu_seconds_count"), 0)
                    softirqs = metrics.sum("pmu_machine_softirq_seconds_count")
                    self.assertEqual(softirqs == 0, kind == "interrupts")

    def test_without_the_begin_of_calls_they_are_counted_and_none_is_timed(self):
        whole, metrics = self.supported(None)
        if whole["system_calls"] != (1, ""):
            self.skipTest(f"system calls cannot be counted: {whole}")
        self.assertEqual(metrics.labels(ONE_IN, "reason"), {""})
        self.assertGreater(metrics.sum("pmu_machine_system_call_seconds_count", call="read"), 0)
        found, metrics = self.supported("sys_enter")
        self.assertEqual(found, whole)
        self.assertGreater(metrics.sum("pmu_machine_system_calls_total"), 0)
        self.assertEqual(metrics.labels(ONE_IN, "reason"), {REASON})
        self.assertEqual(metrics.sum(ONE_IN), 0)
        self.assertEqual(metrics.find("pmu_machine_system_call_seconds_count"), {})

    def test_a_benchmark_without_the_begin_of_calls_says_so_and_ends(self):
        """Its children have its standard output, and end too."""
        bench = pathlib.Path(binary()).with_name("bench_system_call")
        if not bench.exists():
            self.skipTest("the benchmark is not built")
        done = subprocess.run([*self.without("sys_enter"), bench, "2000", "1"],
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        if done.returncode == 77:
            self.skipTest(done.stdout)
        self.assertEqual((done.returncode, done.stdout),
                         (1, f"no times of system calls: {REASON}\n"), done.stderr)


if __name__ == "__main__":
    enter_own_tracefs()
    live.main()
