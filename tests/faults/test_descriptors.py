# SPDX-License-Identifier: Apache-2.0
"""Limits of open files, with all that opens files: bpf, profiles, and a history on disk."""
import contextlib
import http.client
import os
import signal
import socket
import subprocess
import tempfile

import live
import standing
import strict_exposition
from exporter import Exporter

N = 30
CYCLE = 1.0
CONNECTIONS = 8
UNCOUNTED = "pmu_exporter_targets_uncounted"
GROUP = ("page_faults", "context_switches", "cpu_migrations", "task_clock_seconds")
NO_BPF = "the limit of open files has no room for a bpf program"
BY_BPF = "cgroups and processes are counted by bpf"
DIRECT = "cgroups and processes are counted direct"
NO_SAMPLES = "the limit of open files has no room for what samples"
SAMPLES = "sampling for profiles has begun"
# What service/file_limit.c keeps for them.
BPF_DESCRIPTORS, PROFILE_DESCRIPTORS = 56, 36
SMALL = 160
LIMITS = {  # what there is room for: (bpf, profiles, and profiles where bpf is not wanted)
    64: (False, False, False),
    128: (False, True, True),
    256: (True, True, True),
}


class Descriptors(standing.FaultTest):
    def setUp(self):
        super().setUp()
        live.need("prlimit")
        self.paths = self.make(N)

    def started(self, limit, profiles=True):
        storage = self.enterContext(tempfile.TemporaryDirectory())
        config = self.config(more=f"profiles: {{enabled: {str(profiles).lower()}}}\n")
        exporter = self.enterContext(Exporter(config, args=[f"--storage.path={storage}"],
                                              wrapper=["prlimit", f"--nofile={limit}:{limit}"]))
        if standing.prometheus():
            standing.prometheus().scrape(exporter.port)
        return exporter

    def set_limit(self, exporter, limit):
        subprocess.run(["prlimit", f"--nofile={limit}:", f"--pid={exporter.pid}"], check=True)

    def check_told(self, metrics):
        """Each cgroup is counted whole or told; how many are counted."""
        n = int(metrics.value("pmu_exporter_targets", kind="cgroup"))
        self.assertEqual(metrics.value(UNCOUNTED, kind="cgroup", reason="no_descriptors") or 0, N - n)
        families = [metrics.labels(f"pmu_cgroup_{name}_total", "cgroup") for name in GROUP]
        for family in families:
            self.assertEqual(family, families[0])
        return n

    def check_connections(self, exporter, limit):
        """So many connections are open at once, and each of them is answered. An eighth of the limit
        is for connections, and this machine, as any one network, may have three quarters of these.
        One that has just ended may still have its place."""
        n = min(CONNECTIONS, limit // 8 * 3 // 4)
        for _ in live.tries(standing.PATIENCE):
            try:
                return self.answered_at_once(exporter, n)
            except ConnectionError as error:
                last = error
        raise last

    def answered_at_once(self, exporter, n):
        with contextlib.ExitStack() as stack:
            connections = [http.client.HTTPConnection("127.0.0.1", exporter.port, timeout=30)
                           for _ in range(n)]
            for connection in connections:
                stack.callback(connection.close)
                connection.connect()
            for connection in connections:
                connection.request("GET", "/metrics")
                answer = connection.getresponse()
                self.assertEqual(answer.status, 200)
                strict_exposition.parse(answer.read())

    def until_sampled(self, exporter):
        exporter.scrape_until(lambda m: m.value("pmu_exporter_profile_supported") == 1, 10 * CYCLE,
                              "stacks are sampled")

    def check_parts(self, exporter, bpf, profiles):
        """What is there is there, and what is not is told."""
        wanted = live.COUNTING != "direct"
        exporter.log_until(BY_BPF if bpf else NO_BPF if wanted else "msg=listening")
        if profiles:
            self.until_sampled(exporter)
        else:
            exporter.log_until(NO_SAMPLES)
        exporter.log_until("the history is kept")
        self.assertNotIn("Too many open files", exporter.stderr())

    def test_what_fits_is_opened_and_the_rest_is_told(self):
        for limit, (bpf, profiles, alone) in LIMITS.items():
            with self.subTest(limit):
                exporter, by_bpf = self.started(limit), bpf and live.COUNTING != "direct"
                self.check_parts(exporter, by_bpf, profiles if by_bpf else alone)
                n = self.check_told(exporter.after_cycles(2))
                self.check_connections(exporter, limit)
                self.assertEqual(self.check_told(exporter.after_cycles(1)), n, "they stay")
                if by_bpf:
                    self.assertEqual(n, N)
                self.check_answers(exporter)
                self.check_same_process(exporter)
                exporter.check_log_rate()

    def test_what_was_left_out_comes_back_when_there_is_room(self):
        exporter = self.started(4096)
        self.until_sampled(exporter)
        before = exporter.scrape_until(lambda m: self.counted(m, self.paths) == N, 10 * CYCLE, "all")
        for _ in range(2):
            for limit in (64, 4096):
                said = len(exporter.stderr())
                self.set_limit(exporter, limit)
                wait = [NO_SAMPLES if limit == 64 else SAMPLES]
                if live.COUNTING != "direct":
                    wait.append(NO_BPF if limit == 64 else BY_BPF)
                for _ in live.tries(standing.PATIENCE):
                    if all(words in exporter.stderr()[said:] for words in wait):
                        break
                else:
                    self.fail(f"not told: {wait}\n{exporter.stderr()}")
                if limit == 64:
                    exporter.scrape_until(
                        lambda m: m.value("pmu_exporter_targets", kind="cgroup") < N, 10 * CYCLE, "few")
                    self.check_connections(exporter, limit)
                    self.check_told(exporter.after_cycles(1))
                else:
                    after = exporter.scrape_until(
                        lambda m: m.value("pmu_exporter_targets", kind="cgroup") == N, 10 * CYCLE,
                        "all again")
                    self.assertEqual(strict_exposition.compare(before.exposition, after.exposition), [])
        self.check_same_process(exporter)
        exporter.check_log_rate()

    def test_a_larger_bpf_beside_the_one_that_runs_has_room_while_all_connections_are_open(self):
        """A reload loads it before the other one is given up; the limit has little room for one."""
        if live.COUNTING == "direct":
            self.skipTest("direct loads nothing")
        exporter = self.started(SMALL, profiles=False)
        exporter.log_until(BY_BPF)
        before = exporter.after_cycles(2)
        n, said = self.check_told(before), len(exporter.stderr())
        with contextlib.ExitStack() as stack:
            for _ in range(SMALL // 8 * 3 // 4):
                stack.enter_context(socket.create_connection(("127.0.0.1", exporter.port)))
            larger = self.config(more="profiles: {enabled: false}\nlimits: {cgroups: 9000}\n")
            (exporter.directory / "pmu_exporter.yml").write_text(larger)
            os.kill(exporter.pid, signal.SIGHUP)
            exporter.log_until("configuration reloaded")
        self.assertIn(BY_BPF, exporter.stderr()[said:], "another program was loaded")
        after = exporter.after_cycles(2)
        self.assertEqual(self.check_told(after), n)
        self.assertEqual(strict_exposition.compare(before.exposition, after.exposition), [])
        self.check_connections(exporter, SMALL)
        self.check_same_process(exporter)

    def held(self, exporter):
        """How many descriptors of bpf there are."""
        return sum(link.startswith(("anon_inode:bpf", "anon_inode:btf")) for link in exporter.links())

    def test_what_is_kept_for_bpf_and_profiles_suffices(self):
        exporter = self.started(4096, profiles=False)
        exporter.after_cycles(2)
        of_events = self.held(exporter)
        exporter = self.started(4096)
        self.until_sampled(exporter)
        exporter.after_cycles(1)
        both = self.held(exporter)
        print(f"descriptors: {of_events} of bpf, {both - of_events} of profiles")
        self.assertEqual(of_events > 0, live.COUNTING != "direct")
        self.assertLess(of_events, BPF_DESCRIPTORS)
        self.assertGreater(both, of_events)
        self.assertLess(both - of_events, PROFILE_DESCRIPTORS)


if __name__ == "__main__":
    standing.main()
