# SPDX-License-Identifier: Apache-2.0
"""Runs: what a load is known to do is counted to the one, and stays within bounds; they are
listed, compared, renamed, stopped and deleted, and leave nothing open."""
import contextlib
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

import live
import pmutool_stat as stat
from asked_runs import AskedRuns
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, UnixConnection, is_sanitized

FAULTS = 20000
OF_THE_LOAD = 10000 if is_sanitized() else 500  # faults of its own
CONFIG = live.config(system="all")
HOSTILE = "<script>alert(1)</script> \"quotes\" \u202e\u00e9"


class Runs(AskedRuns, live.LiveTest):
    def setUp(self):
        self.exporter = self.enterContext(Exporter(CONFIG, args=["--web.enable-lifecycle"]))

    def begin(self, **request):
        status, run = self.ask("POST", "", {
            "title": "a run", "target": "machine", "events": ["page-faults"],
            "interval_seconds": 0.02, "duration_seconds": 600, **request})
        self.assertEqual(status, 200, run)
        return run

    def refused(self, status, words, **request):
        found, answer = self.ask("POST", "", {"title": "a run", "target": "machine",
                                              "events": ["page-faults"], **request})
        self.assertEqual(found, status, answer)
        self.assertIn(words, answer["error"])

    def test_what_a_load_in_a_cgroup_does_is_counted_to_the_one(self):
        with Cgroups() as cgroups:
            path = cgroups.make("a.service")
            with live.Load(cgroups.directory("a.service"), faults=FAULTS) as load:
                run = self.begin(target="cgroup:" + path)
                load.run()
                self.ask("POST", f"/{run['id']}/stop")
                run = self.until_over(run["id"])
        self.assertEqual(run["state"], "stopped")
        self.assertGreaterEqual(sum(run["values"][0]), FAULTS)
        self.assertLess(sum(run["values"][0]), FAULTS + OF_THE_LOAD)
        self.assertEqual(run["summary"][0]["total"], sum(run["values"][0]))

    def test_a_run_of_a_process_ends_with_it_and_has_all_that_it_did(self):
        work = ("import mmap, sys\nsys.stdin.read(1)\nm = mmap.mmap(-1, 4096 * 5000)\n"
                "m.madvise(mmap.MADV_NOHUGEPAGE)\nfor n in range(5000): m[4096 * n] = 1\n")
        with subprocess.Popen([sys.executable, "-SEc", work], stdin=subprocess.PIPE) as process:
            time_to_import = self.begin(target=f"pid:{process.pid}", duration_seconds=0.1)
            self.until_over(time_to_import["id"])
            run = self.begin(target=f"pid:{process.pid}")
            process.stdin.close()
            process.wait()
        run = self.until_over(run["id"])
        self.assertEqual(run["state"], "target_gone")
        self.assertGreaterEqual(sum(run["values"][0]), 5000)
        self.assertLess(sum(run["values"][0]), 10000)

    def test_a_run_of_a_group_has_what_all_its_processes_do(self):
        name = live.own("faults")
        rule = f'  processes: [{{comm: [{name}], name: "{{{{.Comm}}}}", groups: [software]}}]\n'
        work = (f"import mmap, sys\nopen('/proc/self/comm', 'w').write('{name}')\nprint()\n"
                "sys.stdout.flush()\nsys.stdin.read(1)\nm = mmap.mmap(-1, 4096 * 5000)\n"
                "m.madvise(mmap.MADV_NOHUGEPAGE)\nfor n in range(5000): m[4096 * n] = 1\n")
        self.exporter = self.enterContext(Exporter(live.config(more=rule)))
        with contextlib.ExitStack() as stack:
            processes = [stack.enter_context(subprocess.Popen(
                [sys.executable, "-SEc", work], stdin=subprocess.PIPE, stdout=subprocess.PIPE))
                         for _ in range(2)]
            for process in processes:
                process.stdout.readline()
            self.exporter.after_cycles()
            run = self.begin(target=f"process:{name}")
            for process in processes:
                process.stdin.close()
        run = self.until_over(run["id"])
        self.assertEqual(run["state"], "target_gone")
        self.assertGreaterEqual(sum(run["values"][0]), 10000)
        self.assertLess(sum(run["values"][0]), 15000)

    def test_a_run_ends_by_itself_and_is_listed_compared_renamed_and_deleted(self):
        first = self.begin(duration_seconds=0.2)
        second = self.begin(duration_seconds=0.2, title=HOSTILE, notes="two\nlines")
        for run in first, second:
            self.assertEqual(self.until_over(run["id"])["state"], "over")
        listed = self.ask("GET", "")[1]["runs"]
        self.assertEqual([r["title"] for r in listed], [HOSTILE, "a run"])
        status, compared = self.ask("GET", f"/compare?a={first['id']}&b={second['id']}")
        self.assertEqual([c["name"] for c in compared["columns"]], ["page-faults"])
        self.assertEqual(self.ask("POST", f"/{first['id']}", {"title": "b"})[1]["title"], "b")
        csv = self.ask("GET", f"/{first['id']}.csv")[1].splitlines()
        self.assertEqual(csv[0], "seconds,page-faults")
        self.assertEqual(len(csv) - 1, self.ask("GET", f"/{first['id']}.json")[1]["samples"])
        self.assertEqual(self.ask("DELETE", f"/{first['id']}")[0], 200)
        self.assertEqual(self.ask("GET", f"/{first['id']}")[0], 404)
        self.assertEqual(self.ask("DELETE", f"/{first['id']}")[0], 404)

    def test_a_run_tells_which_groups_were_asked_for(self):
        asked = ["page-faults", ["context-switches", "minor-faults"]]
        run = self.begin(events=asked, duration_seconds=0.1)
        self.assertEqual(run["asked"], asked)
        self.assertEqual(self.until_over(run["id"])["asked"], asked)
        self.assertEqual(self.ask("GET", "")[1]["runs"][0]["asked"], asked)

    def test_points_are_streamed_and_then_the_end(self):
        run = self.begin()
        connection = UnixConnection(self.exporter.control, PATIENCE)
        self.addCleanup(connection.close)
        connection.request("GET", f"/api/v1/runs/{run['id']}/live")
        stream = connection.getresponse()
        self.run_until(run["id"], lambda r: r["samples"] > 0)
        self.assertEqual(self.ask("POST", f"/{run['id']}/stop")[0], 200)
        times, event = [], None
        while event != "end":
            line = stream.readline().decode()
            self.assertNotEqual(line, "", "the stream has ended without an end")
            if line.startswith("event: "):
                event = line[7:].strip()
            elif line.startswith("data: ") and event == "points":
                times += json.loads(line[6:])["times"]
        self.assertEqual(times, self.until_over(run["id"])["times"])

    def test_the_stream_of_a_run_that_has_ended_tells_its_end(self):
        """Whoever was told that it goes on may come late, and gets no error."""
        run = self.begin()
        self.assertEqual(self.ask("DELETE", f"/{run['id']}")[0], 200)
        self.streams({run["id"]: 200, run["id"] + 1: 404})

    def streams(self, expected):
        """By numbers of runs: whether their streams are there, and tell the end at once."""
        for number, status in expected.items():
            connection = UnixConnection(self.exporter.control, PATIENCE)
            self.addCleanup(connection.close)
            connection.request("GET", f"/api/v1/runs/{number}/live")
            stream = connection.getresponse()
            self.assertEqual(stream.status, status, number)
            line = stream.readline()
            while status == 200 and line != b"event: end\n":
                self.assertNotEqual(line, b"")
                line = stream.readline()
            connection.close()

    def test_the_stream_of_a_number_that_no_run_has_is_not_there(self):
        """Also of one that is lower than those of other runs: while the disk cannot be used,
        numbers begin high."""
        state = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        storage = [f"--storage.path={state}"]
        self.exporter = self.enterContext(Exporter(CONFIG, args=storage))
        kept = [self.begin(duration_seconds=0.1)["id"] for _ in range(2)]
        for number in kept:
            self.until_over(number)
        self.assertEqual(self.ask("DELETE", f"/{kept[0]}")[0], 200)
        self.exporter.stop()
        self.exporter = self.enterContext(Exporter(CONFIG, args=storage))
        run = self.begin()
        self.streams({kept[0]: 404, kept[1]: 200, run["id"] + 1: 404})
        self.exporter.stop()
        (state / "no directory").touch()
        self.exporter = self.enterContext(Exporter(
            CONFIG, args=[f"--storage.path={state}/no directory"]))
        run = self.until_over(self.begin(duration_seconds=0.1)["id"])["id"]
        self.assertGreater(run, 1000000)
        self.streams({kept[0]: 404, run - 1: 404, run: 200, run + 1: 404})

    def test_what_is_wrong_is_refused_in_words(self):
        self.refused(400, "unknown key \"titel\", did you mean \"title\"?", titel="a")
        self.refused(400, "did you mean page-faults?", events=["page-fault"])
        self.refused(404, "no cgroup", target="cgroup:/no/such")
        self.refused(404, "no process is counted as \"nginx\" now", target="process:nginx")
        self.refused(400, "0.01 to 60", interval_seconds=0.001)
        self.refused(400, "a run has at most", interval_seconds=0.01, duration_seconds=3600)

    def test_no_more_than_four_go_on_at_once_and_they_leave_nothing_open(self):
        before = self.counters()
        runs = [self.begin() for _ in range(4)]
        self.assertGreater(self.counters(), before)
        self.refused(429, "under way")
        for run in runs:
            self.ask("POST", f"/{run['id']}/stop")
        for run in runs:
            self.until_over(run["id"])
        self.assertLessEqual(self.counters(), before)

    def test_to_stop_what_has_ended_changes_nothing_and_is_no_error(self):
        """Somebody presses Stop just as a run ends by itself."""
        run = self.until_over(self.begin(duration_seconds=0.1)["id"])
        kept = self.ask("POST", "/given", {
            "title": "kept", "target": "command", "times": [1], "values": [[1]],
            "columns": [{"name": "a", "unit": "", "kind": "total"}]})[1]
        for ended in run, kept:
            for _ in range(2):
                status, stopped = self.ask("POST", f"/{ended['id']}/stop")
                self.assertEqual((status, stopped["state"], stopped["samples"]),
                                 (200, ended["state"], ended["samples"]))
        status, refused = self.ask("POST", f"/{kept['id'] + 1}/stop")
        self.assertEqual((status, refused["error"]), (404, f"there is no run {kept['id'] + 1}"))

    def test_a_run_that_is_deleted_while_it_counts_ends(self):
        before = self.counters()
        run = self.begin()
        self.assertEqual(self.ask("DELETE", f"/{run['id']}")[0], 200)
        end = time.monotonic() + PATIENCE
        while self.counters() > before and time.monotonic() < end:
            time.sleep(0.02)
        self.assertLessEqual(self.counters(), before)
        self.assertEqual(self.ask("GET", "")[1]["runs"], [])

    def test_a_run_of_somebody_else_is_kept(self):
        status, run = self.ask("POST", "/given", {
            "title": "given", "target": "command", "command": "make",
            "columns": [{"name": "a", "unit": "", "kind": "total", "factor": 1}],
            "times": [1.5], "values": [[300]]})
        self.assertEqual((status, run["state"]), (200, "imported"), run)
        self.assertEqual(run["summary"][0]["mean"], 200)

    def test_a_run_that_an_earlier_version_has_kept_is_shown_as_one_of_this(self):
        state = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        storage = [f"--storage.path={state}"]
        self.exporter = self.enterContext(Exporter(CONFIG, args=storage))
        run = self.ask("POST", "/given", {
            "title": "kept", "target": "command", "times": [1], "values": [[1]],
            "columns": [{"name": "a", "unit": "", "kind": "total"}]})[1]
        self.exporter.stop()
        with contextlib.closing(sqlite3.connect(state / "runs.sqlite")) as database, database:
            meta = json.loads(database.execute("SELECT meta FROM runs").fetchone()[0])
            meta["state"] = "given"
            del meta["asked"]
            database.execute("UPDATE runs SET meta = ?", [json.dumps(meta)])
        self.exporter = self.enterContext(Exporter(CONFIG, args=storage))
        compared = self.ask("GET", f"/compare?a={run['id']}&b={run['id']}")[1]
        for shown in (self.ask("GET", "")[1]["runs"][0], self.ask("GET", f"/{run['id']}")[1],
                      compared["a"]):
            self.assertEqual((shown["state"], shown["asked"]), ("imported", None))

    def ticks(self, thread):
        """CPU time of a thread of the exporter, in ticks of the clock."""
        for task in pathlib.Path(f"/proc/{self.exporter.pid}/task").iterdir():
            if (task / "comm").read_text().strip() == thread:
                fields = (task / "stat").read_text().rpartition(")")[2].split()
                return int(fields[11]) + int(fields[12])
        raise AssertionError(f"no thread {thread}")

    def test_a_long_run_that_is_given_is_not_read_by_the_thread_that_serves_everybody(self):
        run = {"title": "long", "target": "command",
               "columns": [{"name": "a", "unit": "", "kind": "total"}],
               "times": list(range(1, 100001)), "values": [[1] * 100000]}
        while self.ticks("historian") < 30:  # some 10 for each run
            self.assertEqual(self.ask("POST", "/given", run)[0], 200)
        self.assertLess(self.ticks("http"), self.ticks("historian") / 2)
        self.assertEqual(self.ask("POST", "/given", {})[0], 400)

    def test_pmutool_lists_and_shows_them(self):
        done = self.exporter.pmutool("runs", "start", "by hand", "-e", "page-faults", "-d", "0.1",
                                     "-i", "0.05")
        self.assertEqual(done.returncode, 0, done)
        self.until_over(1)
        self.assertRegex(self.exporter.pmutool("runs").stdout, r"(?s) STATE +KIND +.* count +.*by hand")
        self.assertIn("page-faults", self.exporter.pmutool("runs", "show", "1").stdout)
        self.assertEqual(self.exporter.pmutool("runs", "show", "9").returncode, 1)
        stopped = self.exporter.pmutool("runs", "stop", "1")
        self.assertEqual(stopped.returncode, 0)
        self.assertIn(" over ", stopped.stdout)
        self.assertRegex(stopped.stderr, r"^pmutool: run 1 has ended already, at 20\d\d-\d\d-\d\d [\d:]{8}\n$")
        self.assertEqual(self.exporter.pmutool("runs", "stop", "9").stderr, "pmutool: there is no run 9\n")
        missing = "-: the run has no number of it, or none yet"
        self.assertNotRegex(self.compare(1, 1), f"{missing}|pmutool profile")
        run = self.begin(interval_seconds=60)
        self.assertIn(missing, self.compare(1, run["id"]))
        stopped = self.exporter.pmutool("runs", "stop", str(run["id"]))
        self.assertEqual((stopped.returncode, stopped.stderr), (0, ""))
        self.assertIn(" stopped ", stopped.stdout)
        run = self.until_over(self.begin(events=["context-switches"], duration_seconds=0.1)["id"])
        done = self.exporter.pmutool("runs", "compare", "1", str(run["id"]))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, f"pmutool: run 1 has page-faults, and run {run['id']} has "
                                      "context-switches; expected two runs that have counted the same event\n")
        self.assertEqual(self.ask("GET", f"/compare?a=1&b={run['id']}")[0], 400)

    def compare(self, one, other):
        done = self.exporter.pmutool("runs", "compare", str(one), str(other))
        self.assertEqual(done.returncode, 0, done)
        return done.stdout

    def keep(self, *words):
        """Counts by pmutool stat, and returns what is kept of it as well."""
        done = stat.run("--run", "by stat", f"--socket={self.exporter.control}", *words)
        listed = self.ask("GET", "")[1]["runs"]
        return done, self.ask("GET", f"/{listed[0]['id']}")[1] if listed else None

    def test_what_pmutool_stat_counts_of_a_command_is_kept_to_the_one(self):
        done, run = self.keep("-e", stat.CALL, "-e", "page-faults", "-e", f"{{{stat.CALL}}}", "--",
                              *stat.calls(1000, "import sys; sys.exit(3)"))
        self.assertEqual(done.returncode, 3, done)
        self.assertIn("kept as run 1", done.stderr)
        self.assertEqual([c["name"] for c in run["columns"]], [stat.CALL, "page-faults"])
        self.assertEqual((run["state"], run["target"]), ("imported", "command"))
        self.assertIn("os.getppid()", run["command"])
        self.assertEqual(run["values"][0], [1000])
        self.assertEqual(run["events"][0]["coverage"], 1)

    def test_intervals_and_repeated_runs_of_pmutool_stat_are_rows(self):
        done, run = self.keep("--json", "-I", 20, "-e", stat.CALL, "--", *stat.calls(
            500, "import time\ntime.sleep(0.1)\nfor _ in range(500): os.getppid()"))
        shown = [json.loads(line)["events"][0]["value"] for line in done.stderr.splitlines()]
        self.assertEqual(run["values"][0], shown)
        self.assertEqual(sum(shown), 1000)
        self.assertEqual(run["interval_seconds"], 0.02)
        run = self.keep("-r", 3, "-e", stat.CALL, "--", *stat.calls(100))[1]
        self.assertEqual(run["values"][0], [100, 100, 100])
        run = self.keep("-A", "-C", 0, "-d", 0.1, "-e", "page-faults")[1]
        self.assertEqual((run["target"], run["samples"]), ("machine", 1))

    def test_without_a_service_pmutool_stat_shows_all_and_warns(self):
        self.exporter.stop()
        done = stat.run("--run", "by stat", f"--socket={self.exporter.control}", "-x,", "-e",
                        stat.CALL, "--", *stat.calls(10, "import sys; sys.exit(4)"))
        self.assertEqual(done.returncode, 4)
        self.assertTrue(done.stderr.startswith("10,,"), done)
        self.assertIn("warning: the run is not kept: ", done.stderr)
        for words in ("--run", ""), ("--run", 201 * "a"), ("--socket", "/a"):
            self.assertEqual(stat.run(*words, "--", "true").returncode, 2)

    def test_a_reload_and_a_pause_lose_nothing_of_a_run(self):
        with Cgroups() as cgroups:
            path = cgroups.make("a.service")
            with live.Load(cgroups.directory("a.service"), faults=FAULTS) as load:
                run = self.begin(target="cgroup:" + path)
                self.assertEqual(self.exporter.pmutool("reload").returncode, 0)
                self.assertEqual(self.exporter.pmutool("pause", "10m").returncode, 0)
                load.run()
                samples = self.run_until(run["id"], lambda r: r["samples"] > 0)["samples"]
                self.assertEqual(self.exporter.pmutool("pause", "off").returncode, 0)
                self.run_until(run["id"], lambda r: r["samples"] > samples + 1)
                self.ask("POST", f"/{run['id']}/stop")
                run = self.until_over(run["id"])
        self.assertEqual(run["state"], "stopped")
        self.assertNotIn(None, run["values"][0])
        self.assertGreaterEqual(sum(run["values"][0]), FAULTS)
        self.assertLess(sum(run["values"][0]), FAULTS + OF_THE_LOAD)

    def test_a_run_of_an_exporter_that_was_killed_is_lost_and_says_so(self):
        state = self.enterContext(tempfile.TemporaryDirectory())
        storage = [f"--storage.path={state}"]
        self.exporter = self.enterContext(Exporter(CONFIG, args=storage))
        over = self.begin(duration_seconds=0.1)
        self.until_over(over["id"])
        # a question to the historian is answered when what came before it is kept
        killed = self.begin()
        self.run_until(killed["id"], lambda r: r["samples"] > 0)
        self.exporter.kill()
        self.exporter = self.enterContext(Exporter(CONFIG, args=storage))
        before = self.counters()
        listed = {r["id"]: r["state"] for r in self.ask("GET", "")[1]["runs"]}
        self.assertEqual(listed, {over["id"]: "over", killed["id"]: "lost"})
        status, shown = self.ask("GET", f"/{killed['id']}")
        self.assertEqual((status, shown["state"], shown["times"]), (200, "lost", []))
        status, stopped = self.ask("POST", f"/{killed['id']}/stop")
        self.assertEqual((status, stopped["state"]), (200, "lost"))
        self.assertEqual(self.counters(), before)
        self.assertGreater(self.begin(duration_seconds=0.1)["id"], killed["id"])
        self.assertEqual(self.ask("DELETE", f"/{killed['id']}")[0], 200)

    def test_the_end_of_the_exporter_is_the_end_of_the_run(self):
        run = self.begin()
        self.run_until(run["id"], lambda r: r["samples"] > 0)
        self.exporter.stop()


if __name__ == "__main__":
    live.main()
