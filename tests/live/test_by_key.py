# SPDX-License-Identifier: Apache-2.0
"""What is counted by key beside requests: interrupts, against /proc/softirqs and /proc/interrupts;
connections of TCP, of which each is known; exits of guests, which not every kernel has.
"""
import mmap
import os
import pathlib
import re
import socket
import subprocess
import sys
import threading

import live
from cgroups import Cgroups
from exporter import Exporter, quote

CYCLE = 1.0
SUPPORTED = "pmu_exporter_latency_supported"
START = "pmu_cgroup_start_time_seconds"
SOFTIRQ = "pmu_machine_softirq_seconds_count"
HARDIRQ = "pmu_machine_hardirq_seconds_count"
DATAGRAMS = 2000
# Some kernels do not run the tracepoints of some processes (README.md, hidden switches): softirqs
# that come while they run are missing.
HIDDEN = 0.02
MANY = 5  # interrupts of a device that is looked at

# Enters a cgroup, connects so often to one port and so often to another, and says how often it
# could.
CONNECTS = """import socket, sys
cgroup, good, n_good, bad, n_bad = sys.argv[1], *map(int, sys.argv[2:6])
open(cgroup + "/cgroup.procs", "w").write("0")
done = 0
for port, n in (good, n_good), (bad, n_bad):
    for _ in range(n):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            done += 1
        except ConnectionRefusedError:
            pass
print(done)
"""


def softirqs():
    """{vector: how many on all CPUs}"""
    lines = pathlib.Path("/proc/softirqs").read_text().splitlines()[1:]
    return {line.split(":")[0].strip(): sum(map(int, line.split(":")[1].split()))
            for line in lines}


def interrupts():
    """{number: how many on all CPUs}"""
    counts = {}
    for line in pathlib.Path("/proc/interrupts").read_text().splitlines()[1:]:
        found = re.match(r"\s*(\d+):((?:\s+\d+)+)\s", line)
        if found:
            counts[found[1]] = sum(map(int, found[2].split()))
    return counts


def since(before):
    """{number: how many since then}"""
    return {number: n - before.get(number, 0) for number, n in interrupts().items()}


def has_one_handler(number):
    """Each handler counts; the kernel counts the interrupt."""
    actions = pathlib.Path(f"/sys/kernel/irq/{number}/actions").read_text().strip()
    return bool(actions) and "," not in actions


def read_disks(before):
    """Reads from the disks of devices, past the cache, until one has interrupted often."""
    page = mmap.mmap(-1, 4096)
    for device in sorted(pathlib.Path("/sys/block").glob("*/device")):
        try:
            disk = os.open(f"/dev/{device.parent.name}", os.O_RDONLY | os.O_DIRECT)
        except OSError:  # it has no medium, or is not ours to read
            continue
        try:
            for _ in range(100 * MANY):
                os.preadv(disk, [page], 0)
                if any(n >= 10 * MANY for n in since(before).values()):
                    return
        finally:
            os.close(disk)


def send_datagrams(n):
    """To ourselves: each is received in a softirq."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver, \
         socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        receiver.bind(("127.0.0.1", 0))
        for _ in range(n):
            sender.sendto(b"x", receiver.getsockname())
            receiver.recv(16)


class Server:
    """Takes connections and drops them; a port beside it refuses them."""

    def __enter__(self):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port = self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self._take)
        self.thread.start()
        self.refusing = socket.socket()
        self.refusing.bind(("127.0.0.1", 0))  # it does not listen
        return self

    def _take(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            connection.close()

    def __exit__(self, *_):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.thread.join()
        self.refusing.close()


class Observers(live.LiveTest):
    def setUp(self):
        self.cgroups = self.enterContext(Cgroups())

    def config(self, system, cgroups="[tcp]"):
        return (f"interval: {CYCLE:.0f}s\ncounting: {live.COUNTING}\nlinger: 30s\n"
                "groups: [{name: software, events: [task-clock]}]\n"
                "targets:\n"
                f"  system: {{groups: [software], latency: {system}}}\n"
                "  cgroups:\n"
                f"    - include: [{quote('/' + self.cgroups.top + '/**')}]\n"
                f"      groups: [software]\n      latency: {cgroups}\n")

    def start(self, kind, system, **options):
        exporter = self.enterContext(Exporter(self.config(system, **options)))
        metrics = exporter.scrape()
        if metrics.sum(SUPPORTED, kind=kind) == 0:
            self.skipTest(f"not counted here: {metrics.labels(SUPPORTED, 'reason', kind=kind)}")
        return exporter

    def test_softirqs_are_those_of_the_kernel(self):
        """What is counted between two scrapes lies between what the kernel has counted within them
        and around them."""
        exporter = self.start("interrupts", "[interrupts]")
        exporter.after_cycles(1)
        around = softirqs()
        first = exporter.after_cycles(2)
        within = softirqs()
        send_datagrams(DATAGRAMS)
        within = {vector: n - within[vector] for vector, n in softirqs().items()}
        last = exporter.after_cycles(2)
        around = {vector: n - around[vector] for vector, n in softirqs().items()}
        self.assertGreaterEqual(within["NET_RX"], DATAGRAMS)
        for vector in around:
            with self.subTest(vector=vector):
                counted = last.sum(SOFTIRQ, vector=vector) - first.sum(SOFTIRQ, vector=vector)
                self.assertGreaterEqual(float(counted), (1 - HIDDEN) * within[vector] - 1)
                self.assertLessEqual(counted, around[vector])

    def test_interrupts_of_devices_have_numbers_and_names(self):
        """What is counted lies between what the kernel has counted within two scrapes and around
        them."""
        exporter = self.start("interrupts", "[interrupts]")
        exporter.after_cycles(1)
        around = interrupts()
        first = exporter.after_cycles(2)
        within = interrupts()
        read_disks(within)
        within = since(within)
        last = exporter.after_cycles(2)
        around = since(around)
        seen = [number for number, n in within.items() if n >= MANY and has_one_handler(number)]
        if not seen:
            self.skipTest("no device interrupts, not even a disk that is read")
        for number in seen:
            with self.subTest(irq=number):
                counted = last.sum(HARDIRQ, irq=number) - first.sum(HARDIRQ, irq=number)
                self.assertGreaterEqual(counted, (1 - HIDDEN) * within[number] - 1)
                self.assertLessEqual(counted, around[number])

    def test_connections_belong_to_the_cgroup_that_asks_for_them(self):
        exporter = self.start("tcp", "[tcp]")
        for name in "a", "a/b", "c":
            self.cgroups.make(name)
        exporter.scrape_until(lambda m: all(m.value(START, cgroup=self.cgroups.path(name))
                                            for name in ("a", "a/b", "c")), 10 * CYCLE, "cgroups")
        with Server() as server:
            done = subprocess.run([sys.executable, "-c", CONNECTS, self.cgroups.directory("a/b"),
                                   str(server.port), "70",
                                   str(server.refusing.getsockname()[1]), "30"],
                                  check=True, text=True, capture_output=True)
        self.assertEqual(done.stdout.strip(), "70")
        last = exporter.after_cycles(2)
        for name, good, bad in ("a/b", 70, 30), ("a", 70, 30), ("c", None, None):
            path = self.cgroups.path(name)
            with self.subTest(cgroup=name):
                self.assertEqual(last.value("pmu_cgroup_tcp_connects_total", cgroup=path), good)
                self.assertEqual(last.value("pmu_cgroup_tcp_connect_errors_total", cgroup=path),
                                 bad)
                self.assertEqual(last.value("pmu_cgroup_tcp_connect_seconds_count", cgroup=path),
                                 good)
        self.assertGreaterEqual(last.value("pmu_machine_tcp_connects_total"), 70)

    def test_what_a_kernel_does_not_have_says_why_and_the_rest_goes_on(self):
        exporter = self.start("tcp", "[tcp, kvm, scheduler]")
        metrics = exporter.after_cycles(2)
        self.assertEqual(metrics.value(SUPPORTED, kind="tcp", reason=""), 1)
        self.assertEqual(metrics.value(SUPPORTED, kind="scheduler", reason=""), 1)
        (reason,) = metrics.labels(SUPPORTED, "reason", kind="kvm")
        self.assertEqual(metrics.value(SUPPORTED, kind="kvm", reason=reason), 0 if reason else 1)
        self.assertEqual(bool(reason), any("kind=kvm" in line for line in exporter.log_lines()))


if __name__ == "__main__":
    live.main()
