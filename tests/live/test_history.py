# SPDX-License-Identifier: Apache-2.0
"""The history of the running service: it survives kill -9, disks that are full, read-only or
gone, and another exporter in its directory."""
import contextlib
import http.client
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import stat
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
FAULTS = "pmu_cgroup_page_faults_total"
IN_MEMORY = "pmu_exporter_history_in_memory"
READ_AT = "pmu_exporter_config_last_reload_success_timestamp_seconds"
SAMPLES = "pmu_exporter_history_samples_total"
SET_ASIDE = "pmu_exporter_history_set_aside_total"
WRITE_ERRORS = "pmu_exporter_history_write_errors_total"


def ask_runs(exporter, method, path, body=None):
    connection = UnixConnection(exporter.control, 30)
    try:
        connection.request(method, "/api/v1/runs" + path, body=body and json.dumps(body),
                           headers={"Content-Type": "application/json"})
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def bytes_of_runs(state):
    """How much a database has of runs that are over. It may lie in another mount namespace, where
    SQLite finds only a copy of it."""
    with tempfile.TemporaryDirectory() as copy:
        for path in state.glob("runs.sqlite*"):
            shutil.copy(path, copy)
        with contextlib.closing(sqlite3.connect(f"{copy}/runs.sqlite")) as connection:
            return connection.execute("SELECT coalesce(sum(size), 0) FROM runs").fetchone()[0]


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
        share = [shares[cpu][i] for i in steps[1:]]  # each is of the time since the one before
        share = sum(share) / len(share)
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

    def reload(self, exporter, config):
        (exporter.directory / "pmu_exporter.yml").write_text(config)
        before = exporter.scrape().value(READ_AT)
        os.kill(exporter.pid, signal.SIGHUP)
        exporter.scrape_until(lambda page: page.value(READ_AT) > before, 30, "the reload")

    def until_known(self, exporter, column, n):
        """The steps in which each column of the machine is known, once n of this one are."""
        end = time.monotonic() + 120
        while time.monotonic() < end:
            now = int(time.time())
            past = self.ask(exporter, "history", target="machine", start=now - 900, end=now + 60,
                            points=5000)
            columns = past["targets"][0]["columns"] if past and past["targets"] else []
            known = {each["name"]: {i for i, value in enumerate(each["values"]) if value is not None}
                     for each in columns if not each.get("labels")}
            if len(known.get(column, ())) >= n:
                return known
            time.sleep(0.5)
        self.fail(f"{column} is not known {n} times")

    def test_columns_come_and_go_with_reloads_and_their_past_stays(self):
        stays, gone, new = (f"pmu_machine_{name}_per_second"
                            for name in ("page_faults", "context_switches", "cpu_migrations"))
        with_gone, with_new = (live.config(system="all", events=("page-faults", name))
                               for name in ("context-switches", "cpu-migrations"))
        exporter = self.start(config=with_gone)
        first = self.until_known(exporter, gone, 2)
        self.assertNotIn(new, first)
        self.reload(exporter, with_new)
        second = self.until_known(exporter, new, 2)
        self.assertLess(max(second[gone]), min(second[new]))
        self.assertLessEqual(second[gone] | second[new], second[stays])
        self.reload(exporter, with_gone)
        third = self.until_known(exporter, gone, len(second[gone]) + 2)
        self.assertGreater(max(third[gone]), max(third[new]))
        self.assertLessEqual(second[new], third[new])
        self.assertLessEqual(third[gone] | third[new], third[stays])

    def test_a_state_directory_that_is_removed_is_made_again(self):
        cgroups = self.enterContext(Cgroups())
        exporter = self.start(config=live.config(cgroups, linger="1s", system="all"))
        self.until_recorded(exporter)
        shutil.rmtree(self.state)
        name = cgroups.make("a")  # what has ended is written soon
        exporter.scrape_until(lambda page: page.value(FAULTS, cgroup=name) is not None, 30, "a")
        os.rmdir(cgroups.directory("a"))
        end = time.monotonic() + 120
        while not (self.state / "history.sqlite").exists():
            self.assertLess(time.monotonic(), end, exporter.stderr())
            time.sleep(0.1)
        page = exporter.scrape_until(lambda page: page.value(IN_MEMORY) == 0, 30, "the disk")
        self.assertEqual(page.value(SET_ASIDE), 0)
        before = self.times(exporter)
        exporter.stop()
        again = self.start(config=live.config(cgroups, system="all"))
        self.until_recorded(again)
        self.assertTrue(set(before) <= set(self.times(again)))

    def test_others_may_not_read_what_is_in_a_directory_that_they_may_enter(self):
        self.state.mkdir()
        self.state.chmod(0o755)
        self.until_recorded(self.start(preexec=lambda: os.umask(0o022)))
        for file in ("history.sqlite", "history.sqlite-wal", "runs.sqlite"):
            self.assertEqual(stat.S_IMODE((self.state / file).stat().st_mode), 0o640, file)

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

    def test_a_run_whose_disk_fills_up_is_kept_and_goes_to_the_disk_later(self):
        mount = self.directory / "small"
        mount.mkdir()
        exporter = self.start(mount / "state", wrapper=own_mounts(
            str(self.directory), f"mount -t tmpfs -o size=2m none {mount}"))
        path = "/" + str(ask_runs(exporter, "POST", "", {
            "title": "a", "target": "machine", "events": ["page-faults"],
            "interval_seconds": 0.05, "duration_seconds": 600})["id"])
        self.assertEqual(self.until_recorded(exporter).value(IN_MEMORY), 0)
        filler = pathlib.Path(f"/proc/{exporter.pid}/root{mount}/filler")
        with self.assertRaises(OSError), filler.open("wb", buffering=0) as file:
            while file.write(bytes(4096)) == 4096:
                pass
        marks = sum(1 for _ in itertools.takewhile(
            lambda n: post_mark(exporter, f"{n} " + 200 * "x"), range(5000)))
        self.assertLess(marks, 5000, "the disk is full")
        ask_runs(exporter, "POST", path + "/stop")
        exporter.scrape_until(
            lambda _: ask_runs(exporter, "GET", path).get("state") == "stopped", 60, "its end")
        in_memory = ask_runs(exporter, "GET", path)
        self.assertGreater(len(in_memory["times"]), 0, in_memory)
        state = filler.with_name("state")
        self.assertEqual(bytes_of_runs(state), 0)
        filler.unlink()
        exporter.scrape_until(lambda _: bytes_of_runs(state) > 0, 200, "the run on the disk")
        self.assertEqual(ask_runs(exporter, "GET", path), in_memory)

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
    live.main(at_once=4)
