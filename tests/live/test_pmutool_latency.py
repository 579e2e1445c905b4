#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""pmutool latency: the histograms of a load, out of what a real exporter counts of it."""
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

import by_key_load
import live
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, binary
from loop_device import LoopDevice
from own_mounts import enter_own_tracefs

PMUTOOL = str(pathlib.Path(binary()).parent / "pmutool")
SWITCHES = 500
ATTEMPTS = 5  # a busy machine may begin the load before pmutool has read for the first time
SUPPORTED = "pmu_exporter_latency_supported"
# What stands behind the configuration's last rule goes on with it.
WITH_LATENCY = "      latency: [scheduler]\n"
WITH_BLOCK_IO = "      latency: [block_io]\n"
READS = 400
SLICES = "pmu_cgroup_on_cpu_seconds_count"
CALLS = 20000
CONNECTIONS = 50
NAPPED = 40


def wait_until_it_waits(pid):
    """Until the process has read for the first time, and waits for its end or a signal."""
    end = time.monotonic() + PATIENCE
    while "sigtimedwait" not in pathlib.Path(f"/proc/{pid}/wchan").read_text():
        if time.monotonic() > end:
            raise AssertionError("it does not wait for signals")
        time.sleep(0.01)


class Latency(live.LiveTest):
    def begin(self, more=""):
        self.own = self.enterContext(Cgroups())
        self.own.make("busy.service")
        self.target = f"cgroup:/{self.own.top}/busy.service"
        self.exporter = self.enterContext(
            Exporter(live.config(self.own, system="all", more=more)))
        self.exporter.after_cycles(2)

    def need_latencies(self):
        metrics = self.exporter.scrape()
        if metrics.sum(SUPPORTED) == 0:
            self.skipTest(f"no latencies here: {metrics.labels(SUPPORTED, 'reason')}")

    def of_requests(self, is_whole, *words):
        """What pmutool prints of seconds in which blocks of a device were read, when it has all of
        them: some kernels hide the ends of some requests."""
        with LoopDevice() as disk:
            for _ in range(ATTEMPTS):
                tool = subprocess.Popen(
                    [PMUTOOL, "latency", f"--socket={self.exporter.control}", "-d", "3", *words,
                     self.target], stdout=subprocess.PIPE, text=True)
                disk.use(self.own.directory("busy.service"), "read", READS)
                out, _ = tool.communicate(timeout=300)
                self.assertEqual(tool.returncode, 0)
                if is_whole(out):
                    break
        return out

    def pmutool(self, *words):
        done = subprocess.run([PMUTOOL, "latency", f"--socket={self.exporter.control}", *words],
                              capture_output=True, text=True, timeout=300, check=False)
        return done.returncode, done.stdout, done.stderr

    def until(self, number, use, *words):
        """What pmutool prints until it is sent a signal, when use() is over and counted."""
        tool = subprocess.Popen([PMUTOOL, "latency", f"--socket={self.exporter.control}", "-d3600",
                                 *words], stdout=subprocess.PIPE, text=True)
        self.addCleanup(tool.wait)
        self.addCleanup(tool.kill)
        wait_until_it_waits(tool.pid)
        use()
        tool.send_signal(number)
        out, _ = tool.communicate(timeout=PATIENCE)
        self.assertEqual(tool.returncode, 0)
        return out

    def of_a_load(self, *words):
        """What pmutool prints of the time in which a load ran."""
        def use():
            live.Load(self.own.directory("busy.service"), switches=SWITCHES, burn_ms=300).run()
            self.exporter.after_cycles(2)

        return self.until(signal.SIGINT, use, *words, self.target)

    def test_a_load_is_in_the_histograms(self):
        self.begin(WITH_LATENCY)
        self.need_latencies()
        told = json.loads(self.of_a_load("--json"))
        kinds = {(one["kind"], one["state"]): one for one in told["distributions"]}
        self.assertEqual(told["target"], self.target)
        self.assertGreater(told["seconds"], 0)
        self.assertEqual(set(kinds), {("run_queue", None), ("on_cpu", None),
                                      ("off_cpu", "interruptible"), ("off_cpu", "uninterruptible")})
        on_cpu = kinds["on_cpu", None]
        self.assertGreaterEqual(on_cpu["count"], SWITCHES)
        self.assertEqual(sum(bucket["count"] for bucket in on_cpu["buckets"]), on_cpu["count"])
        self.assertGreater(on_cpu["sum_seconds"], 0.1)  # most of what it burned
        self.assertLessEqual(on_cpu["p50_seconds"], on_cpu["p99_seconds"])

    def test_text_has_bars_and_one_kind_if_only_one_is_wanted(self):
        self.begin(WITH_LATENCY)
        self.need_latencies()
        out = self.of_a_load("--kind=on_cpu")
        self.assertRegex(out, rf"^{self.target}: times on a CPU, in [0-9.]+ s\n")
        self.assertRegex(out, r"\n *[0-9.]+ [mu]?s \.\. +[0-9.]+ [mu]?s +\d+ \|@+ *\|\n")
        self.assertRegex(out, r"\ncount \d+, sum .*, mean .*, p50 .*, p90 .*, p99 .*\n$")
        self.assertNotIn("waits", out)

    def test_requests_to_block_devices_are_told_apart_by_their_operation(self):
        self.begin(WITH_BLOCK_IO)
        self.need_latencies()
        told = json.loads(self.of_requests(
            lambda out: json.loads(out)["distributions"][0]["count"] == READS,
            "--json"))["distributions"]
        self.assertEqual([(one["kind"], one.get("op"), one["state"]) for one in told],
                         [("block_io", "read", None), ("block_io", "write", None),
                          ("block_io", "other", None), ("block_io", None, None)])
        reads, writes, others, queue = told
        self.assertEqual([one["count"] for one in (reads, writes, others, queue)],
                         [READS, 0, 0, READS])
        self.assertEqual(sum(bucket["count"] for bucket in reads["buckets"]), READS)
        self.assertGreater(reads["sum_seconds"], 0)
        self.assertLessEqual(reads["p50_seconds"], reads["p99_seconds"])

    def test_text_of_requests_has_those_that_there_were(self):
        self.begin(WITH_LATENCY.replace("[scheduler]", "[scheduler, block_io]"))
        self.need_latencies()
        out = self.of_requests(lambda out: f"\ncount {READS}, " in out, "--kind=block_io")
        head = f"{self.target}: requests to block devices"
        self.assertRegex(out, rf"^{head} \(reads\), in [0-9.]+ s\n")
        self.assertRegex(out, r"\n *[0-9.]+ [mu]?s \.\. +[0-9.]+ [mu]?s +\d+ \|@+ *\|\n")
        self.assertRegex(out, rf"\ncount {READS}, sum .*, mean .*, p50 .*, p90 .*, p99 .*\n")
        self.assertRegex(out, rf"\n{head} \(writes\), in [0-9.]+ s\nnone has ended\n")
        self.assertNotIn("times on a CPU", out)

    def by_key(self, kind, target, use, *more):
        """What pmutool tells of a kind that is counted by key while use() ran, and of what the
        service has on /metrics around that: a function of a family and labels, whose answer is the
        least and the most there can be."""
        exporter = self.exporter
        metrics = exporter.scrape()
        if metrics.sum(SUPPORTED, kind=kind) == 0:
            self.skipTest(f"not counted here: {metrics.labels(SUPPORTED, 'reason', kind=kind)}")
        def use_within():
            scrapes.append(exporter.after_cycles(1))  # from now on it is in the difference
            use()
            scrapes.append(exporter.after_cycles(2))

        scrapes = []
        around = exporter.scrape()
        out = self.until(signal.SIGINT, use_within, f"--kind={kind}", *more, target)
        within, within_end = scrapes
        around_end = exporter.scrape()

        def bounds(family, **labels):
            return [last.sum(family, **labels) - first.sum(family, **labels)
                    for first, last in ((within, within_end), (around, around_end))]
        return (json.loads(out) if "--json" in more else out), bounds

    def begin_by_key(self, kind, spans=""):
        self.own = self.enterContext(Cgroups())
        self.own.make("busy.service")
        self.target = f"cgroup:/{self.own.top}/busy.service"
        rule = kind if kind != "interrupts" else "scheduler"
        self.exporter = self.enterContext(Exporter(
            live.config(self.own, system=f"all, latency: [{kind}]",
                        more=f"      latency: [{rule}]\n{spans}")))
        self.exporter.after_cycles(2)

    def assert_within(self, count, bounds):
        least, most = bounds
        self.assertGreaterEqual(count, least)
        self.assertLessEqual(count, most)

    def test_interrupts_of_the_machine_have_their_vectors(self):
        self.begin_by_key("interrupts")

        def use():
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
                one.bind(("127.0.0.1", 0))
                for _ in range(CALLS):
                    one.sendto(b"x", one.getsockname())

        told, bounds = self.by_key("interrupts", "machine", use, "--json")
        vectors = {one["vector"]: one for one in told["distributions"] if "vector" in one}
        self.assertIn("NET_RX", vectors)
        for vector, one in vectors.items():
            with self.subTest(vector=vector):
                self.assert_within(one["count"],
                                   bounds("pmu_machine_softirq_seconds_count", vector=vector))
                self.assertEqual(sum(bucket["count"] for bucket in one["buckets"]), one["count"])
        status, out, error = self.pmutool("--kind=interrupts", self.target)
        self.assertEqual((status, out), (1, ""))
        self.assertIn(f'{self.target} has nothing of interrupts: "latency" of the configuration '
                      "does not ask for it", error)

    def test_connections_are_a_histogram_and_counts(self):
        self.begin_by_key("tcp")

        def use():
            with socket.create_server(("127.0.0.1", 0)) as server:
                for _ in range(CONNECTIONS):
                    with socket.create_connection(server.getsockname()):
                        server.accept()[0].close()

        told, bounds = self.by_key("tcp", "machine", use, "--json")
        (connections,) = told["distributions"]
        counts = {one["name"]: one["count"] for one in told["counts"]}
        self.assert_within(counts["tcp_connects_total"], bounds("pmu_machine_tcp_connects_total"))
        self.assert_within(connections["count"], bounds("pmu_machine_tcp_connect_seconds_count"))
        self.assertGreaterEqual(connections["count"], CONNECTIONS)
        self.assertEqual(set(counts), {"tcp_connects_total", "tcp_connect_errors_total",
                                       "tcp_retransmits_total"})

    def test_a_cgroup_that_has_no_connection_yet_is_told_so(self):
        self.begin_by_key("tcp")
        out, _ = self.by_key("tcp", self.target, lambda: None)
        self.assertRegex(out, rf"^{self.target}: connections of TCP, in [0-9.]+ s\nnone has ended\n"
                              rf"\n{self.target}: connected, failed, retransmits of TCP, "
                              r"in [0-9.]+ s\n"
                              r"connected  failed  retransmits  connected/s\n"
                              r" +0 +0 +0 +0\n$")

    def test_system_calls_are_a_table_with_errors(self):
        self.begin_by_key("system_calls")

        def use():
            for _ in range(CALLS):
                with contextlib.suppress(OSError):
                    os.dup(-1)

        told, bounds = self.by_key("system_calls", "machine", use, "--json")
        calls = {one["call"]: one["count"] for one in told["counts"]
                 if one["name"] == "system_calls_total"}
        errors = {one["call"]: one["count"] for one in told["counts"]
                  if one["name"] == "system_call_errors_total"}
        for call, count in calls.items():
            self.assert_within(count, bounds("pmu_machine_system_calls_total", call=call))
        self.assertGreaterEqual(sum(calls.values()), CALLS)
        self.assertGreaterEqual(sum(errors.values()), CALLS)
        self.assertEqual(told["distributions"], [])
        out, _ = self.by_key("system_calls", "machine", use)
        self.assertRegex(out, r"^machine: calls, errors of system calls by call, in [0-9.]+ s\n"
                              r"call +calls +errors +calls/s\n")

    def test_system_calls_that_are_timed_have_a_histogram_each(self):
        self.begin_by_key("system_calls", "system_calls: {timed: [nanosleep, swapoff]}\n")

        def use():
            subprocess.run([sys.executable, by_key_load.__file__,
                            self.own.directory("busy.service"), "0", str(NAPPED)], check=True)

        out, bounds = self.by_key("system_calls", self.target, use)
        self.assertRegex(out, rf"^{self.target}: system calls \(nanosleep, waiting\), in [0-9.]+ s\n")
        (count,) = re.findall(r"^count (\d+), ", out, re.MULTILINE)
        self.assert_within(int(count), bounds(
            "pmu_cgroup_system_call_seconds_count", call="nanosleep",
            cgroup=self.target.removeprefix("cgroup:")))
        self.assertEqual(int(count), NAPPED)
        self.assertNotIn("swapoff", out)
        self.assertRegex(out, rf"\n{self.target}: calls, errors of system calls by call, "
                              r"in [0-9.]+ s\n")

    def test_of_system_calls_of_which_one_in_17_is_timed_that_is_told(self):
        self.begin_by_key("system_calls", "system_calls: {timed: [nanosleep], one_in: 17}\n")

        def use():
            subprocess.run([sys.executable, by_key_load.__file__,
                            self.own.directory("busy.service"), "0", str(NAPPED)], check=True)

        out, _ = self.by_key("system_calls", self.target, use)
        self.assertRegex(out, rf"^{self.target}: system calls \(nanosleep, waiting\), "
                              r"in [0-9.]+ s, one in 17\n")
        self.assertRegex(out, rf"\ncount {NAPPED // 17}, ")

    def test_spans_have_a_histogram_each(self):
        self.begin_by_key("spans", "spans:\n  - {name: nap, begin: 'syscalls:sys_enter_nanosleep', "
                                   "end: 'syscalls:sys_exit_nanosleep'}\n"
                                   "  - {name: never, begin: 'syscalls:sys_enter_swapoff', "
                                   "end: 'syscalls:sys_exit_swapoff'}\n")

        def use():
            subprocess.run([sys.executable, by_key_load.__file__,
                            self.own.directory("busy.service"), "0", str(NAPPED)], check=True)

        out, bounds = self.by_key("spans", self.target, use)
        self.assertRegex(out, rf"^{self.target}: spans \(nap\), in [0-9.]+ s\n")
        (count,) = re.findall(r"^count (\d+), ", out, re.MULTILINE)
        self.assert_within(int(count), bounds(
            "pmu_cgroup_span_seconds_count", span="nap",
            cgroup=self.target.removeprefix("cgroup:")))
        self.assertEqual(int(count), NAPPED)
        self.assertNotIn("never", out)

    def test_exits_of_guests_need_kvm(self):
        self.begin_by_key("kvm")
        supported = self.exporter.scrape()
        reason = supported.labels(SUPPORTED, "reason", kind="kvm")
        status, out, error = self.pmutool("--kind=kvm", "-d1", "machine")
        if supported.sum(SUPPORTED, kind="kvm") == 0:
            self.assertEqual((status, out), (1, ""))
            self.assertIn(f"machine has nothing of kvm: {next(iter(reason))}", error)
        else:
            self.assertEqual(status, 0)

    def test_what_was_counted_until_ctrl_c_is_shown(self):
        self.begin(WITH_LATENCY)
        self.need_latencies()
        for number in (signal.SIGINT, signal.SIGTERM):
            before = self.exporter.scrape()
            scrapes = []

            def use():
                live.Load(self.own.directory("busy.service"), switches=SWITCHES).run()
                scrapes.append(self.exporter.after_cycles(2))

            told = json.loads(self.until(number, use, "--json", self.target))
            on_cpu = next(one for one in told["distributions"] if one["kind"] == "on_cpu")
            counted = [int(m.value(SLICES, cgroup=self.target.removeprefix("cgroup:")) or 0)
                       for m in (before, *scrapes)]
            self.assertGreaterEqual(on_cpu["count"], SWITCHES)
            self.assertEqual(on_cpu["count"], counted[1] - counted[0])
            self.assertLess(told["seconds"], 3600)

    def test_who_has_none_is_told_why(self):
        self.begin()
        status, out, error = self.pmutool("machine")
        self.assertEqual((status, out), (1, ""))
        self.assertIn('machine has no distributions of latency: "latency" of the configuration '
                      "asks for none", error)
        status, out, error = self.pmutool("cgroup:/no/such")
        self.assertEqual((status, error), (1, "pmutool: cgroup:/no/such is not counted now\n"))
        for target in ("nonsense", "cpu:0", "machines"):  # a CPU has none
            self.assertEqual(self.pmutool(target), (1, "", f'pmutool: target "{target}"; expected '
                                                    "machine, cgroup:PATH or process:NAME\n"))

    def test_without_the_service_its_socket_is_named(self):
        done = subprocess.run([PMUTOOL, "latency", "--socket=/nonexistent", "machine"],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nonexistent", done.stderr)


if __name__ == "__main__":
    enter_own_tracefs()
    live.main()
