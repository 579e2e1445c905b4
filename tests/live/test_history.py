# SPDX-License-Identifier: Apache-2.0
"""The history of the running service: it survives kill -9, disks that are full, read-only or
gone, and another exporter in its directory."""
import contextlib
import http.client
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import live
from cgroups import Cgroups
from exporter import Exporter, UnixConnection
from own_mounts import own_mounts

CONFIG = live.config(system="all")
# Takes a name when it is told to, and then runs.
SPIN = """import sys, time
sys.stdin.read(1)
open('/proc/self/comm', 'w').write(sys.argv[1])
while True:
    until = time.process_time() + 0.003
    while time.process_time() < until:
        pass
    time.sleep(0.01)
"""
BYTES = "pmu_exporter_history_bytes"
IN_MEMORY = "pmu_exporter_history_in_memory"
SAMPLES = "pmu_exporter_history_samples_total"
SET_ASIDE = "pmu_exporter_history_set_aside_total"
WRITE_ERRORS = "pmu_exporter_history_write_errors_total"


def post_mark(exporter, text):
    """Whether it was answered that the mark is kept."""
    connection = UnixConnection(exporter.control, 30)
    try:
        connection.request("POST", "/api/v1/marks", body=json.dumps({"text": text}),
                           headers={"Content-Type": "application/json"})
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def kill_while_marking(exporter, i, chance):
    """Kills it while it writes a mark, or just before or after; the marks it answered for."""
    texts = [f"mark {i}.{n}" for n in range(1 + chance.randrange(8))]
    killer = threading.Timer(chance.random() * 0.0015 * len(texts), exporter.kill)
    killer.start()
    answered = {text for text in texts if post_mark(exporter, text)}
    killer.join()
    return answered


class History(live.LiveTest):
    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.state = self.directory / "state"

    def start(self, state=None, config=CONFIG, **options):
        return self.enterContext(
            Exporter(config, args=[f"--storage.path={state or self.state}"], **options))

    def times(self, exporter):
        now = int(time.time())
        arguments = urllib.parse.urlencode({"target": "machine", "start": now - 1800,
                                            "end": now + 60, "points": 5000})
        answer = exporter.get(f"/api/v1/history?{arguments}")
        self.assertEqual(answer.status, 200, answer.body)
        targets = json.loads(answer.body)["targets"]
        return targets[0]["times"] if targets else []

    def until_recorded(self, exporter, n=3):
        return exporter.scrape_until(lambda page: page.value(SAMPLES) >= n, 60, f"{n} samples")

    def test_what_was_recorded_is_there_after_a_restart(self):
        first = self.start()
        self.until_recorded(first, 5)
        before = self.times(first)
        first.stop()
        second = self.start()
        self.until_recorded(second)
        self.assertTrue(set(before) <= set(self.times(second)))

    def test_kill_leaves_a_database_that_goes_on(self):
        """What was recorded before an orderly end is there, and each mark that was answered for."""
        kills = int(os.environ.get("PMU_TEST_KILLS", "5"))
        seed = int(os.environ.get("PMU_TEST_SEED", random.randrange(1 << 30)))
        print(f"PMU_TEST_SEED={seed}")
        chance = random.Random(seed)
        known, marks = set(), set()
        for i in range(kills):
            exporter = self.start()
            if i % 10 == 9 or i == 0:  # an orderly end now and then writes all
                self.until_recorded(exporter, 3)
                known |= set(self.times(exporter))
                self.assertTrue(post_mark(exporter, f"mark {i}"))
                marks.add(f"mark {i}")
                exporter.stop()
                continue
            time.sleep(chance.random() * 0.2)
            marks |= kill_while_marking(exporter, i, chance)
        last = self.start()
        page = self.until_recorded(last)
        self.assertEqual(page.value(SET_ASIDE), 0)
        self.assertEqual(page.value(IN_MEMORY), 0)
        self.assertTrue(known <= set(self.times(last)))
        kept = self.ask(last, "marks", start=0, end=int(time.time()) + 3600)["marks"]
        print(f"{len(marks)} marks before {kills} kills, {len(kept)} kept")
        self.assertLessEqual(marks, {mark["text"] for mark in kept})
        last.stop()
        for name in ("history.sqlite", "runs.sqlite"):
            with contextlib.closing(sqlite3.connect(self.state / name)) as database:
                self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])

    def ask(self, exporter, route, **arguments):
        answer = exporter.get(f"/api/v1/{route}?{urllib.parse.urlencode(arguments)}")
        return json.loads(answer.body) if answer.status == 200 else None

    def until_on_cpus(self, exporter, target, begin):
        """The shares of each CPU, once two steps are known, and these steps."""
        end = time.monotonic() + 120
        while time.monotonic() < end:
            cpus = self.ask(exporter, "history/cpus", target=target, start=begin, end=begin + 1800)
            known = [i for i, share in enumerate(cpus["values"][0]) if share is not None
                     ] if cpus and cpus["cpus"] else []
            if len(known) >= 3:
                return cpus, known[:-1]  # the last step may go on
            time.sleep(1)
        self.fail("it is not told on which CPUs the target ran")

    def judge_bound(self, exporter, target, used_by, cpu, begin):
        """The target ran on its CPU and nowhere else. The share is what task-clock says, however busy
        the machine is."""
        cpus, steps = self.until_on_cpus(exporter, target, begin)
        shares = dict(zip(cpus["cpus"], cpus["values"]))
        for number, values in shares.items():
            if number != cpu:
                self.assertEqual([values[i] for i in steps], [0] * len(steps), number)
        past = self.ask(exporter, "history", target=target, start=cpus["times"][steps[0]],
                        end=cpus["times"][steps[-1]], column=used_by)
        used = [value for value in past["targets"][0]["columns"][0]["values"] if value is not None]
        used = sum(used) / len(used)
        share = shares[cpu][steps[-1]]
        self.assertGreater(share, 0)
        self.assertLess(abs(share - used), 0.3 * used + 0.02, (shares[cpu], used))

    def test_a_process_bound_to_a_cpu_ran_there_and_nowhere_else(self):
        """By bpf that is known of groups of processes too; counters of threads do not tell."""
        cgroups = self.enterContext(Cgroups())
        cgroups.make("bound")
        name, cpu, begin = live.own("bound"), max(os.sched_getaffinity(0)), int(time.time())
        rule = f'  processes: [{{comm: [{name}], name: "{{{{.Comm}}}}", groups: [software]}}]\n'
        exporter = self.start(config=live.config(cgroups, more=rule))
        with subprocess.Popen([sys.executable, "-c", SPIN, name], stdin=subprocess.PIPE) as spin:
            self.addCleanup(spin.kill)
            os.sched_setaffinity(spin.pid, {cpu})  # before it is counted
            cgroups.enter("bound", spin.pid)
            spin.stdin.close()
            self.judge_bound(exporter, f"cgroup:/{cgroups.top}/bound", "pmu_cgroup_cpus_used", cpu,
                             begin)
            self.judge_processes(exporter, name, cpu, begin)
            spin.kill()

    def judge_processes(self, exporter, name, cpu, begin):
        target = f"process:{name}"
        exporter.scrape_until(lambda page: page.find("pmu_process_cpus_used", groupname=name), 60,
                              "the processes are counted")
        if exporter.scrape().labels("pmu_exporter_mechanism_info", "mechanism") == {"bpf"}:
            self.judge_bound(exporter, target, "pmu_process_cpus_used", cpu, begin)
        else:
            cpus = self.ask(exporter, "history/cpus", target=target, start=begin, end=begin + 1800)
            self.assertEqual(cpus["cpus"], [])

    def test_a_second_exporter_in_the_directory_uses_memory_and_says_so(self):
        first, second = self.start(), self.start()
        self.assertEqual(self.until_recorded(first).value(IN_MEMORY), 0)
        self.assertEqual(self.until_recorded(second).value(IN_MEMORY), 1)
        second.log_until("another process uses the database")
        self.assertEqual(self.until_recorded(first).value(SET_ASIDE), 0)

    def test_a_full_disk_is_told_and_the_service_goes_on(self):
        mount = self.directory / "small"
        mount.mkdir()
        fill = (f"mount -t tmpfs -o size=2m none {mount} && "
                f"{{ dd if=/dev/zero of={mount}/filler bs=4096 2>/dev/null; true; }}")
        exporter = self.start(mount / "state", wrapper=own_mounts(str(self.directory), fill))
        page = self.until_recorded(exporter)
        self.assertEqual(page.value(IN_MEMORY), 1)
        exporter.log_until("the history is kept in memory")
        self.assertGreater(len(self.times(exporter)), 0)
        pathlib.Path(f"/proc/{exporter.pid}/root{mount}/filler").unlink()
        exporter.scrape_until(lambda p: p.value(IN_MEMORY) == 0, 200, "the disk to be used again")

    def test_a_damaged_database_is_set_aside_with_a_line(self):
        self.state.mkdir()
        (self.state / "history.sqlite").write_bytes(b"not a database " * 1000)
        exporter = self.start()
        page = self.until_recorded(exporter)
        self.assertEqual(page.value(SET_ASIDE), 1)
        self.assertEqual(page.value(IN_MEMORY), 0)
        exporter.log_until("a database was set aside")
        self.assertTrue((self.state / "history.sqlite.set-aside").exists())

    def test_a_read_only_directory_leaves_it_in_memory(self):
        mount = self.directory / "fixed"
        mount.mkdir()
        wrapper = own_mounts(str(self.directory), f"mount -t tmpfs -o ro none {mount}")
        exporter = self.start(mount / "state", wrapper=wrapper)
        self.assertEqual(self.until_recorded(exporter).value(IN_MEMORY), 1)
        self.assertGreater(len(self.times(exporter)), 0)

    def test_history_can_be_left_out(self):
        exporter = self.start(config=CONFIG + "history: {enabled: false}\n")
        self.assertNotIn(BYTES, exporter.get("/metrics").body.decode())
        self.assertFalse(self.state.exists())


if __name__ == "__main__":
    live.main()
