# SPDX-License-Identifier: Apache-2.0
"""How it begins and ends, and where it lives: kills, a port that is taken, another clock, and hardly any
CPU time."""
import contextlib
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import tempfile
import time

import live
import standing
from exporter import (ANSWER_WITHIN, CYCLES, PATIENCE, READY_WITHIN, SLACK, Exporter, UnixConnection,
                      cpu_seconds, run_once)
from lateness import Lateness
from standing import FAULTS

KILLS = int(os.environ.get("PMU_TEST_KILLS", "10"))
READY_AGAIN = 2.0
LONGEST_LIFE = 1.0
PORT_TOLD_WITHIN = 1.0
OFFSET = 100000  # seconds
OTHER_CLOCK = ("unshare", "--time", "--fork", "--kill-child", "--monotonic", str(OFFSET),
               "--boottime", str(OFFSET))
START = "pmu_cgroup_start_time_seconds"
PROCESS_START = "pmu_process_start_time_seconds"
TICK = 0.01  # seconds: what the kernel tells of the start of a process
NEAR = 60.0  # seconds: no other uptime is as near as that
LOAD_FAULTS = 5000
CPU_SHARE = 0.05
PERIOD_US = 100000
N_SCRAPES = 30


class Killed(standing.FaultTest):
    def mark(self, exporter, text):
        connection = UnixConnection(exporter.control, PATIENCE)
        connection.request("POST", "/api/v1/marks", body=json.dumps({"text": text}),
                           headers={"Content-Type": "application/json"})
        self.assertEqual(connection.getresponse().status, 200)
        connection.close()

    def marks(self, exporter):
        answer = exporter.ask_control("GET", f"/api/v1/marks?start=0&end={int(time.time()) + 3600}")
        return {mark["text"] for mark in json.loads(answer.body)["marks"]}

    def test_at_any_time_it_is_ready_again_and_has_its_past(self):
        """With the same port, socket and state directory each time."""
        seed = int(os.environ.get("PMU_TEST_SEED", random.randrange(1 << 30)))
        chance, slowest = random.Random(seed), 0.0
        path = self.cgroups.make("a.service")
        state = self.enterContext(tempfile.TemporaryDirectory())
        exporter = Exporter(self.config(), env={"STATE_DIRECTORY": state})
        self.addCleanup(exporter.clean)
        self.addCleanup(exporter.kill)
        exporter.start()
        self.mark(exporter, "before all")
        for _ in range(KILLS):
            time.sleep(chance.random() * LONGEST_LIFE)
            exporter.process.send_signal(signal.SIGKILL)
            exporter.process.wait()
            exporter.wait = False
            if chance.random() < 0.3:  # one that has not begun yet
                exporter.start()
                time.sleep(chance.random() * 0.05)
                exporter.kill()
            with Lateness() as late:
                exporter.start()
                seconds = exporter.wait_until_ready(READY_WITHIN)
            slowest = max(slowest, seconds)
            self.assertLess(seconds, late.limit(READY_AGAIN))
            self.assertEqual(exporter.ask_control("GET", "/-/ready").status, 200)
        exporter.scrape_until(lambda m: m.value(FAULTS, cgroup=path) is not None, PATIENCE, "the cgroup")
        print(f"{self.id()}: PMU_TEST_SEED={seed}, {KILLS} kills, ready after {slowest:.2f} s at most")
        self.assertIn("before all", self.marks(exporter))
        self.assertEqual(exporter.scrape().value("pmu_exporter_history_set_aside_total"), 0)
        exporter.stop()


class Places(standing.FaultTest):
    def test_a_port_that_is_taken_ends_it_with_one_line(self):
        with socket.socket() as taken, Lateness() as late:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            done = run_once(f"--web.listen-address={address}")
        self.assertGreater(done.returncode, 0)
        self.assertLess(done.seconds, late.limit(PORT_TOLD_WITHIN))
        errors = [line for line in done.stderr.splitlines() if "level=error" in line]
        self.assertEqual(len(errors), 1, done.stderr)
        self.assertIn(address, errors[0])


class Clocks(standing.FaultTest):
    def setUp(self):
        super().setUp()
        live.need("unshare")
        if not os.path.exists("/proc/self/ns/time"):
            self.skipTest("the kernel has no time namespaces")

    @contextlib.contextmanager
    def with_other_clock(self, config):
        """An exporter whose clocks of uptime are ahead. What started it does not heed signals."""
        exporter = Exporter(config, wrapper=OTHER_CLOCK)
        exporter.start()
        try:
            yield exporter
        finally:
            children = pathlib.Path(f"/proc/{exporter.pid}/task/{exporter.pid}/children").read_text()
            os.kill(int(children.split()[0]), signal.SIGTERM)
            status = exporter.process.wait(PATIENCE)
            exporter.kill()
            exporter.clean()
        self.assertEqual(status, 0)

    def starts(self, exporter, path):
        """When the cgroup was first seen and its process began, by what it shows."""
        metrics = exporter.scrape_until(
            lambda m: m.value(START, cgroup=path) is not None and m.find(PROCESS_START), PATIENCE,
            "both are counted")
        return metrics.value(START, cgroup=path), metrics.value(PROCESS_START, groupname="load")

    def test_another_uptime_changes_nothing(self):
        path = self.cgroups.make("a.service")
        load = self.enterContext(live.Load(self.cgroups.directory("a.service"), faults=LOAD_FAULTS))
        config = (self.config() + f"  processes: [{{pid: [{load.process.pid}], name: load, "
                                  "groups: [software]}]\n")
        with self.with_other_clock(config) as inside, \
                self.standing(config, descriptors=False) as outside:  # the load ends
            both = (inside, outside)
            (cgroup, process), (cgroup_outside, process_outside) = (self.starts(e, path) for e in both)
            self.assertAlmostEqual(float(process), float(process_outside), delta=TICK)
            self.assertAlmostEqual(float(cgroup), float(cgroup_outside), delta=NEAR)
            before = [exporter.after_cycles(2) for exporter in both]
            load.run()
            after = [exporter.after_cycles(2) for exporter in both]
            counted = [last.value(FAULTS, cgroup=path) - first.value(FAULTS, cgroup=path)
                       for first, last in zip(before, after)]
            print(f"{self.id()}: {counted} page faults are counted inside and outside")
            self.assertEqual(*counted)
            self.assertGreaterEqual(counted[0], LOAD_FAULTS)
            for exporter in both:
                self.assertLess(exporter.scrape().value("pmu_exporter_snapshot_age_seconds"), NEAR)


class FewCpu(standing.FaultTest):
    """Five hundredths of a CPU, by the hierarchy that this machine has, shared with a process that wants
    all of it."""

    def directory(self):
        name = f"pmu-test-cpu-{os.getpid()}"
        v1 = pathlib.Path("/sys/fs/cgroup/cpu")
        if (v1 / "cpu.cfs_quota_us").exists() or (v1 / "cgroup.procs").exists():
            return v1 / name
        return pathlib.Path(self.cgroups.mount) / name

    @contextlib.contextmanager
    def starved(self, pid):
        directory, quota = self.directory(), int(PERIOD_US * CPU_SHARE * SLACK)
        try:
            directory.mkdir()
        except OSError as error:
            self.skipTest(f"no cgroup can be made: {error}")
        try:
            if (directory / "cpu.cfs_quota_us").exists():
                (directory / "cpu.cfs_period_us").write_text(str(PERIOD_US))
                (directory / "cpu.cfs_quota_us").write_text(str(quota))
            elif (directory / "cpu.max").exists():
                (directory / "cpu.max").write_text(f"{quota} {PERIOD_US}")
            else:
                self.skipTest("CPU time cannot be limited here")
            home = self.home(pid, directory)
            glutton = subprocess.Popen(["sh", "-c", "while :; do :; done"])
            try:
                for one in (glutton.pid, pid):
                    (directory / "cgroup.procs").write_text(str(one))
                yield glutton.pid
            finally:
                (home / "cgroup.procs").write_text(str(pid))
                glutton.kill()
                glutton.wait()
        finally:
            for _ in live.tries(PATIENCE):
                with contextlib.suppress(OSError):
                    directory.rmdir()
                    break

    def home(self, pid, directory):
        """Where it was, and will be again."""
        is_v1 = (directory / "cpu.cfs_quota_us").exists()
        for line in pathlib.Path(f"/proc/{pid}/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if ("cpu" in controllers.split(",")) if is_v1 else controllers == "":
                return directory.parent / path.lstrip("/")
        raise AssertionError("it is in no cgroup")

    def test_with_hardly_any_cpu_time_the_last_snapshot_is_served_with_its_age(self):
        with self.standing() as exporter:
            with self.starved(exporter.pid) as glutton:
                seconds, ages = [], []
                began, used = time.monotonic(), cpu_seconds(glutton)
                for _ in range(N_SCRAPES):
                    at = time.monotonic()
                    metrics = exporter.scrape(timeout=PATIENCE)
                    seconds.append(time.monotonic() - at)
                    ages.append(metrics.value("pmu_exporter_snapshot_age_seconds"))
                    time.sleep(0.1)
                share = (cpu_seconds(glutton) - used) / (time.monotonic() - began)
            seconds.sort()
            print(f"{self.id()}: all of it is {share:.3f} of a CPU, "
                  f"scrapes took {seconds[N_SCRAPES // 2]:.3f} s, "
                  f"the slowest {seconds[-1]:.3f} s, ages up to {max(ages)} s")
            self.assertLess(share, 2 * CPU_SHARE * SLACK)
            self.assertNotIn(None, ages)
            self.assertLess(seconds[N_SCRAPES // 2], ANSWER_WITHIN * SLACK)
            self.assertGreater(exporter.scrape().value(CYCLES), 0)


if __name__ == "__main__":
    standing.main()
