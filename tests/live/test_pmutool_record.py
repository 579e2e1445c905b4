#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""pmutool record: commands, cgroups and processes are sampled by a real exporter, shown, and kept."""
import json
import math
import os
import pathlib
import pty
import re
import signal
import subprocess
import tempfile
import time
import unittest

import live
from asked_runs import AskedRuns
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, binary
from known_loads import BOTH, CHANGE, KNOWN_SHARES, ROW, KnownLoads

PMUTOOL = str(pathlib.Path(binary()).parent / "pmutool")
SUPPORTED = "pmu_exporter_profile_supported"
RATE = 997
SIGMAS = 4
FAULTS = 100000
KEPT = re.compile(r"(?m)^(\d+) samples(?:, \d+ more are lost|: .* happened too seldom there, or not at all)?; kept as run (\d+)\n\Z")
NAMES_ITSELF = 'printf started > "$1"; '  # a command in sh that says so in a file


def command(line, *words):
    return ("--", "sh", "-c", line, "sh", *map(str, words))


class PmutoolRecord(AskedRuns, KnownLoads, live.LiveTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.directory = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.exporter = cls.enterClassContext(
            Exporter(live.config(system="all") + "profiles: {rate: 49}\n"))
        metrics = cls.exporter.scrape_until(lambda m: m.find(SUPPORTED), PATIENCE, "the status")
        if metrics.sum(SUPPORTED) == 0:
            raise unittest.SkipTest(f"nothing is sampled here: {metrics.labels(SUPPORTED, 'reason')}")

    def start(self, *words, **options):
        tool = subprocess.Popen([PMUTOOL, "record", f"--socket={self.exporter.control}", *words],
                                **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True,
                                   **options})
        self.addCleanup(tool.wait)
        self.addCleanup(tool.kill)
        return tool

    def ended(self, tool, status):
        """What it has printed, the samples that it tells of, and the run as it is kept."""
        out, error = tool.communicate(timeout=2 * PATIENCE)
        self.assertEqual(tool.returncode, status, error)
        samples, number = KEPT.search(error).groups()
        found, run = self.ask("GET", f"/{number}")
        self.assertEqual(found, 200)
        self.assertEqual(run["sampled"]["samples"], int(samples))
        return out, int(samples), run

    def record(self, *words, status=0):
        return self.ended(self.start(*words), status)

    def runs(self):
        status, answer = self.ask("GET", "")
        self.assertEqual(status, 200)
        return answer["runs"]

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not (found := condition()):
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)
        return found

    def until_it_records(self):
        return self.until(lambda: [run for run in self.runs() if run["state"] == "running"],
                          "no run goes on")[0]

    def until_started(self, marker):
        self.until(marker.exists, "the command has not started")

    def record_shares(self, percent):
        """Of a command that ends by itself: the table's rows, and the run."""
        line = f"timeout -s KILL 4 {KNOWN_SHARES} - {percent}; exit 3"
        out, samples, run = self.record("-F", str(RATE), *command(line), status=3)
        return out, samples, run, {row["function"]: row for row in ROW.finditer(out)}

    def test_a_command_is_recorded_until_it_ends_and_its_exit_status_is_ours(self):
        self.burn(70).kill()
        out, samples, run, rows = self.record_shares(70)
        more, less = (float(rows[name]["self"]) / 100 for name in ("burn_more", "burn_less"))
        print(f"{more / (more + less):.4f} of {samples} samples of {run['events']}")
        self.assertIn(run["events"][0]["name"], ("cycles", "cpu-clock"))
        self.assertEqual(run["state"], "target_gone")
        self.assertTrue(run["title"].startswith(f"{run['events'][0]['name']}: sh -c timeout -s KILL"))
        self.assertRegex(out, rf"\A[^\n]*run:{run['id']}[^\n]*\n{samples} samples at {RATE} Hz")
        self.assertGreater(more + less, 0.5)
        self.assertLess(abs(more / (more + less) - 0.7),
                        SIGMAS * math.sqrt(0.7 * 0.3 / (samples * (more + less))) + 0.001)
        self.assertEqual(rows["burn_more"]["owner"], "known_shares")
        again = self.exporter.pmutool("profile", f"run:{run['id']}")
        self.assertEqual((again.returncode, again.stdout), (0, out))

    def test_two_records_are_compared(self):
        self.burn(70).kill()
        numbers = [self.record_shares(percent)[2]["id"] for percent in (50, 70)]
        compared = self.exporter.pmutool("runs", "compare", *map(str, numbers))
        told = re.search(r"\npmutool (.*) shows which functions differ\n$", compared.stdout)[1].split()
        self.assertEqual(told, ["profile", f"run:{numbers[1]}", f"--diff=run:{numbers[0]}"])
        done = self.exporter.pmutool(*told)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = {row["function"]: row for row in CHANGE.finditer(done.stdout)}
        self.assertEqual([rows[name]["mark"] for name in BOTH], ["-", "+"])
        self.assertLess(abs(float(rows["burn_more"]["change"]) - 20), 8)
        refused = self.exporter.pmutool("profile", f"run:{numbers[1]}", "--diff=previous")
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))

    def test_any_event_of_a_cgroup_until_it_is_interrupted(self):
        cgroups = self.enterContext(Cgroups())
        path = cgroups.make("a.service")
        load = self.enterContext(live.Load(cgroups.directory("a.service"), faults=FAULTS))
        tool = self.start("-e", "page-faults", "-G", path.lstrip("/"), "-d", "600", "--title=faults of mine")
        run = self.until_it_records()
        load.run()
        self.run_until(run["id"], lambda run: (run["summary"][0]["total"] or 0) >= FAULTS)
        tool.send_signal(signal.SIGINT)
        out, samples, run = self.ended(tool, 0)
        self.assertGreater(samples, 0)
        self.assertEqual((run["state"], run["title"]), ("stopped", "faults of mine"))
        events, alike = map(int, re.search(r"\n(\d+) page-faults, as sure as (\d+) samples? of equal weight; ", out).groups())
        self.assertLessEqual(alike, samples)  # those that tell as much, if all had the same weight
        counted = run["summary"][0]["total"]
        print(f"{samples} samples of {events} of {counted} page faults")
        self.assertLessEqual(events, counted)
        self.assertGreater(events, 0.5 * counted)
        self.assertRegex(out, r"SELF % +\+- +SELF +TOTAL % ")

    def test_a_process_for_a_while(self):
        load = self.burn(70)
        out, _, run = self.record("-F", str(RATE), "-g", "-p", str(load.pid), "-d", "2", "-n", "2")
        self.assertEqual(sorted(row["function"] for row in ROW.finditer(out)), BOTH)
        self.assertEqual(run["state"], "over")
        self.assertIsNone(load.poll())

    def test_what_cannot_be_started_leaves_nothing_behind(self):
        data = self.directory / "data"
        data.write_text("no program")
        before = self.runs()
        for words, status, reason in (("no-such-command", 127, "No such file or directory"),
                                      (str(data), 126, "Permission denied")):
            with self.subTest(words=words):
                out, error = (tool := self.start("--", words)).communicate(timeout=PATIENCE)
                self.assertEqual((tool.returncode, out), (status, ""))
                self.assertEqual(error, f'pmutool: "{words}": {reason}\n')
        out, error = (tool := self.start("--json", "--format=tree")).communicate(timeout=PATIENCE)
        self.assertEqual((tool.returncode, out), (2, ""))
        self.assertIn("--json and --format=tree do not go together", error)
        self.assertEqual(self.runs(), before)

    def test_a_signal_is_passed_on_to_the_command(self):
        marker = self.directory / "passed-on"
        line = 'trap "exit 5" TERM; ' + NAMES_ITSELF + "while :; do sleep 0.05; done"
        tool = self.start(*command(line, marker))
        self.until_started(marker)
        tool.send_signal(signal.SIGTERM)
        self.ended(tool, 5)

    def test_the_second_signal_ends_a_command_that_does_not_listen(self):
        marker = self.directory / "deaf"
        tool = self.start(*command('trap "" INT; ' + NAMES_ITSELF + "while :; do sleep 0.05; done",
                                   marker))
        self.until_started(marker)
        for _ in range(2):
            tool.send_signal(signal.SIGINT)
            self.until(lambda: not self.is_pending(tool.pid, signal.SIGINT), "it is not taken")
        self.ended(tool, 128 + signal.SIGKILL)

    @staticmethod
    def is_pending(pid, number):
        """Whether a signal has been sent and not been taken yet: two of them would be one."""
        text = pathlib.Path(f"/proc/{pid}/status").read_text()
        return int(re.search(r"(?m)^ShdPnd:\t([0-9a-f]+)$", text)[1], 16) >> (number - 1) & 1

    def test_a_command_is_ended_when_its_time_is_over(self):
        _, _, run = self.record("-d", "0.5", "--", "sleep", "600", status=128 + signal.SIGTERM)
        self.assertEqual(run["state"], "over")

    def test_a_command_goes_on_if_somebody_else_ends_the_run(self):
        marker, go = self.directory / "goes-on", self.directory / "go"
        line = NAMES_ITSELF + 'while ! [ -e "$2" ]; do sleep 0.05; done; exit 4'
        tool = self.start("-d", "600", *command(line, marker, go))
        self.until_started(marker)
        run = self.until_it_records()
        status, _ = self.ask("POST", f"/{run['id']}/stop")
        self.assertEqual(status, 200)
        time.sleep(2)  # in which it may look at the run, and end the command
        go.touch()
        self.assertEqual(self.ended(tool, 4)[2]["state"], "stopped")

    def test_a_command_goes_on_while_the_run_is_gone(self):
        marker, go = self.directory / "gone", self.directory / "gone-go"
        line = NAMES_ITSELF + 'while ! [ -e "$2" ]; do sleep 0.05; done; exit 4'
        tool = self.start(*command(line, marker, go))
        self.until_started(marker)
        status, _ = self.ask("DELETE", f"/{self.until_it_records()['id']}")
        self.assertEqual(status, 200)
        self.assertIn("there is no run", tool.stderr.readline())
        self.assertIsNone(tool.poll())
        go.touch()
        self.assertEqual(tool.wait(PATIENCE), 1)

    def test_one_run_records_at_a_time_and_no_other_command_is_started(self):
        first = self.start("-d", "600", "-a")
        run = self.until_it_records()
        marker = self.directory / "second"
        out, error = (second := self.start(*command(NAMES_ITSELF, marker))).communicate(timeout=PATIENCE)
        self.assertEqual((second.returncode, out), (1, ""))
        self.assertIn(f"another run records already, and only one can at a time: it is run {run['id']}, "
                      f"which pmutool runs stop {run['id']} ends", error)
        self.assertFalse(marker.exists())
        status, _ = self.ask("POST", f"/{run['id']}/stop")  # somebody else ends it
        self.assertEqual(status, 200)
        self.assertEqual(self.ended(first, 0)[2]["id"], run["id"])

    def test_who_did_not_make_the_event_happen_has_no_samples_and_is_told_so(self):
        tool = self.start("-e", "alignment-faults", "--", "true")
        out, error = tool.communicate(timeout=2 * PATIENCE)
        self.assertEqual((tool.returncode, out), (0, ""))
        self.assertRegex(error, r"^0 samples: \"alignment-faults\" happened too seldom there, or not at all; kept as run \d+\n$")

    def test_a_service_that_ends_meanwhile_is_told_with_the_run(self):
        with Exporter(live.config(system="all") + "profiles: {rate: 49}\n") as exporter:
            exporter.scrape_until(lambda m: m.sum(SUPPORTED) == 1, PATIENCE, "samples")
            tool = subprocess.Popen([PMUTOOL, "record", f"--socket={exporter.control}", "-a", "-d", "600"],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.addCleanup(tool.wait)
            self.addCleanup(tool.kill)
            self.until(lambda: json.loads(exporter.get("/api/v1/runs").body)["runs"], "no run goes on")
        out, error = tool.communicate(timeout=2 * PATIENCE)
        self.assertEqual((tool.returncode, out), (1, ""))
        self.assertRegex(error, r"\npmutool: the service has ended in the midst of run 1, or does not answer; "
                                r"if its history is on disk, pmutool runs lists the run when it is back\n$")

    def test_where_no_cgroup_is_counted_the_root_of_all_is_told_to_be_the_machine(self):
        done = self.exporter.pmutool("profile", "cgroup:/")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no samples of cgroup:/; the target machine is the whole machine\n", done.stderr)

    def test_a_file_is_for_pprof(self):
        self.burn(70)
        file = self.directory / "machine.pb"
        out, _, run = self.record("-d", "1", "-o", str(file))
        self.assertEqual(out, "")
        answer = self.exporter.get(f"/api/v1/profile?format=pprof&target=run:{run['id']}")
        self.assertEqual((answer.status, answer.body), (200, file.read_bytes()))
        file = self.directory / "machine.folded"
        self.record("-d", "1", "-o", str(file))
        self.assertRegex(file.read_text(), r"\A(?:\S.* \d+\n)+\Z")
        before = self.runs()
        for words in ("--format=pprof",), ("-o", "-"):
            ours, its = pty.openpty()
            tool = self.start("-d", "600", *words, stdout=its)
            _, error = tool.communicate(timeout=PATIENCE)
            os.close(its)
            os.close(ours)
            self.assertEqual(tool.returncode, 2, words)
            self.assertIn("pprof is binary", error)
        self.assertEqual(self.runs(), before)


if __name__ == "__main__":
    live.main()
