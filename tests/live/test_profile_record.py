# SPDX-License-Identifier: Apache-2.0
"""Runs that record: who makes an event happen is sampled as often as was asked for, is kept with
the run, and is answered as profiles are."""
import json
import math
import os
import pathlib
import signal
import tempfile
import time

import live
from asked_runs import AskedRuns
from cgroups import Cgroups
from exporter import PATIENCE, Exporter
from known_loads import KnownLoads
from profiles import ask_profile

SUPPORTED = "pmu_exporter_profile_supported"
RATE = 997
SIGMAS = 4
FAULTS = 200000
ENOUGH = 600  # samples, by which a fifth is no chance


def faults_of_threads(pid):
    """How many minor faults each thread of a process has had, by its name."""
    stats = (path.read_text() for path in pathlib.Path(f"/proc/{pid}/task").glob("*/stat"))
    return {stat[stat.index("(") + 1:stat.rindex(")")]: int(stat[stat.rindex(")") + 2:].split()[7])
            for stat in stats}


class Record(AskedRuns, KnownLoads, live.LiveTest):
    def setUp(self):
        self.storage = self.enterContext(tempfile.TemporaryDirectory())
        self.exporter = self.start()

    def start(self):
        exporter = self.enterContext(Exporter(
            live.config(system="all") + "profiles: {rate: 49}\n",
            args=["--web.enable-lifecycle", f"--storage.path={self.storage}"]))
        metrics = exporter.scrape_until(lambda m: m.find(SUPPORTED), PATIENCE, "the status")
        if metrics.sum(SUPPORTED) == 0:
            self.skipTest(f"nothing is sampled here: {metrics.labels(SUPPORTED, 'reason')}")
        return exporter

    def begin(self, **request):
        status, run = self.ask("POST", "", {
            "title": "a run", "kind": "record", "target": "machine", "events": ["cpu-clock"],
            "rate": RATE, "interval_seconds": 0.1, "duration_seconds": 600, **request})
        self.assertEqual(status, 200, run)
        return run

    def refused(self, status, words, **request):
        found, answer = self.ask("POST", "", {"title": "a run", "kind": "record", "rate": RATE,
                                              "target": "machine", "events": ["cpu-clock"], **request})
        self.assertEqual(found, status, answer)
        self.assertIn(words, answer["error"])

    def of_load(self, run):
        """Samples of both functions of the load: the first one's, and all."""
        stacks = ask_profile(self.exporter, target=f"run:{run['id']}").stacks
        of = {name: sum(n for stack, n in stacks.items() if ("main", name) == tuple(
            frame.name for frame in stack if frame.kind == "user")[-2:])
              for name in ("burn_more", "burn_less")}
        return of["burn_more"], sum(of.values())

    def test_shares_of_a_process_are_those_of_its_program_and_time_is_that_of_its_clock(self):
        load = self.burn(70)
        run = self.begin(target=f"pid:{load.pid}", events=["task-clock"], duration_seconds=4)
        run = self.until_over(run["id"])
        more, both = self.of_load(run)
        seconds = run["summary"][0]["total"]
        sampled = run["sampled"]
        done = self.exporter.pmutool("profile", f"run:{run['id']}")
        self.assertRegex(done.stdout, rf" at {RATE} Hz, [\d.]+ CPU seconds; ")
        print(f"{sampled}, {seconds:.3f} s of task-clock, {more / both:.4f} of {both} in burn_more")
        self.assertEqual(run["state"], "over")
        self.assertEqual(sampled["lost"], 0)
        # One sample for each period that the clock has counted; where the host is busy, some late
        # timers become one.
        self.assertLessEqual(sampled["samples"], 1.01 * seconds * RATE + 2)
        self.assertGreater(sampled["samples"], 0.5 * seconds * RATE)
        self.assertGreater(both, 0.5 * sampled["samples"])
        self.assertLess(abs(more / both - 0.7), SIGMAS * math.sqrt(0.7 * 0.3 / both))

    def test_events_of_samples_are_those_that_were_counted(self):
        with Cgroups() as cgroups:
            path = cgroups.make("a.service")
            with live.Load(cgroups.directory("a.service"), faults=FAULTS) as load:
                run = self.begin(target="cgroup:" + path, events=["page-faults"])
                load.run()
                self.ask("POST", f"/{run['id']}/stop")
                run = self.until_over(run["id"])
        profile = ask_profile(self.exporter, target=f"run:{run['id']}")
        counted, answer = sum(run["values"][0]), profile.answer
        print(f"{answer['events']} of {counted} faults in {run['sampled']['samples']} samples, "
              f"which tell as much as {answer['samples']}")
        self.assertEqual(run["state"], "stopped")
        self.assertGreaterEqual(counted, FAULTS)
        self.assertEqual(answer["event"], "page-faults")
        self.assertNotIn("cpu_seconds", answer)
        self.assertGreater(run["sampled"]["samples"], 0)
        # Each event up to the last sample of each CPU.
        self.assertLessEqual(answer["events"], counted)
        self.assertGreater(answer["events"], 0.8 * counted)
        self.assertLessEqual(answer["samples"], run["sampled"]["samples"])
        done = self.exporter.pmutool("profile", f"run:{run['id']}")
        self.assertIn(f"\n{answer['events']} page-faults, as sure as ", done.stdout)
        self.assertRegex(done.stdout, r"SELF % +\+- +SELF +TOTAL % ")
        stacks = self.exporter.pmutool("profile", f"run:{run['id']}", "--format=collapsed").stdout
        self.assertEqual(sum(int(line.rsplit(" ", 1)[1]) for line in stacks.splitlines()),
                         answer["events"])

    def test_shares_of_faults_are_those_of_the_program_whenever_they_happen(self):
        load = self.start_load(["main", "burn"], live.program("known_touches"), "-", "70")
        for target in f"pid:{load.pid}", "machine":
            with self.subTest(target=target):
                run = self.begin(target=target, events=["page-faults"], duration_seconds=4)
                run = self.until_over(run["id"])
                own = self.check_shares_of_faults(run)
                if target != "machine":  # where others fault as well
                    self.assertGreater(own, 0.9)

    def check_shares_of_faults(self, run):
        """Returns which share of all samples the load has."""
        profile = ask_profile(self.exporter, target=f"run:{run['id']}")
        of = {name: 0 for name in ("touch_first", "touch_more", "touch_less")}
        for stack, n in profile.stacks.items():
            for frame in stack[-1:] if stack[-1].owner == "known_touches" else ():
                of[frame.name] = of.get(frame.name, 0) + n
        both, told = sum(of.values()), profile.answer["samples"]
        print(f"{of} of {told} samples, {profile.answer['events']} of {run['summary'][0]['total']}")
        self.assertLessEqual(profile.answer["events"], run["summary"][0]["total"])
        self.assertGreater(profile.answer["events"], 0.9 * run["summary"][0]["total"])
        self.assertLess(run["sampled"]["samples"],
                        2 * (run["end"] - run["start"]) * RATE * os.cpu_count())
        self.assertGreater(both, 20)
        for name, share in ("touch_first", 1 / 64), ("touch_more", 0.7 * 63 / 64):
            sigma = math.sqrt(share * (1 - share) / both)
            self.assertLess(abs(of[name] / both - share), SIGMAS * sigma, name)
        return both / profile.samples

    def test_shares_of_faults_are_those_of_threads_of_very_different_paces(self):
        """Of each thread the kernel is asked for as many samples, however few its events are."""
        load = self.start_load(["fault", "burn"], live.program("known_paces"), "-")
        for rate in 99, RATE:
            for target in f"pid:{load.pid}", "machine":
                with self.subTest(rate=rate, target=target):
                    before = faults_of_threads(load.pid)
                    run = self.begin(target=target, events=["page-faults"], rate=rate,
                                     duration_seconds=4)
                    run = self.until_over(run["id"])
                    self.check_shares_of_paces(run, before, faults_of_threads(load.pid))

    def check_shares_of_paces(self, run, before, after):
        fast, slow = (after[name] - before[name] for name in ("known_paces", "slow"))
        table = json.loads(self.exporter.get(f"/api/v1/profile/table?target=run:{run['id']}").body)
        rows = table["table"]

        def of_load(column):
            return {name: sum(n for owner, each, n in zip(rows["owner"], rows["name"], rows[column])
                              if (owner, each) == ("known_paces", name))
                    for name in ("touch_fast", "touch_slow")}
        of = of_load("self_events")
        both, samples = sum(of.values()), sum(of_load("self").values())
        share, told = fast / (fast + slow), of["touch_fast"] / both
        print(f"{told:.4f} of {both} faults in {samples} samples, {share:.4f} of {fast + slow} "
              "by the kernel")
        self.assertGreater(share, 0.8)
        self.assertGreater(samples, 20)
        self.assertLess(abs(told - share), SIGMAS * math.sqrt(share * (1 - share) / samples) + 0.01)

    def recorded(self, load, samples):
        """A run of the load with so many samples at least, however little a busy machine gives it."""
        for seconds in 2, 4, 8, 16, 32:
            run = self.begin(target=f"pid:{load.pid}", duration_seconds=seconds)
            run = self.until_over(run["id"])
            if run["sampled"]["samples"] >= samples:
                return run
        raise AssertionError(f"the last run has {run['sampled']} only")

    def test_two_programs_are_compared_and_found_after_a_restart(self):
        runs = []
        for percent in 50, 70:
            load = self.burn(percent)
            runs.append(self.recorded(load, ENOUGH)["id"])
            load.send_signal(signal.SIGKILL)
        before = ask_profile(self.exporter, target=f"run:{runs[0]}").answer
        self.exporter.stop()
        self.exporter = self.start()
        self.assertEqual(ask_profile(self.exporter, target=f"run:{runs[0]}").answer, before)
        answer = self.exporter.get("/api/v1/profile/difference?"
                                   f"target=run:{runs[1]}&before_target=run:{runs[0]}")
        table = json.loads(answer.body)
        changed = {table["functions"]["name"][f]: change for f, change, differs in zip(
            table["table"]["function"], table["table"]["change"], table["table"]["differs"])
                   if differs}
        self.assertLess(changed.get("burn_less", 0), -0.1, changed)
        self.assertGreater(changed.get("burn_more", 0), 0.1, changed)

    def test_a_run_ends_with_its_process_and_the_next_one_can_begin(self):
        for _ in range(2):
            load = self.burn(50)
            run = self.begin(target=f"pid:{load.pid}")
            self.refused(429, f"it is run {run['id']}, which pmutool runs stop {run['id']} ends")
            load.kill()
            load.wait()
            run = self.until_over(run["id"])
            self.assertEqual(run["state"], "target_gone")
            self.assertIsNotNone(run["sampled"]["samples"])

    def test_what_ends_with_the_service_is_kept_with_its_samples(self):
        load = self.burn(50)
        run = self.begin(target=f"pid:{load.pid}")
        self.run_until(run["id"], lambda run: (run["summary"][0]["total"] or 0) > 0.5)
        self.exporter.stop()
        self.exporter = self.start()
        run = self.until_over(run["id"])
        self.assertEqual(run["state"], "cut_short")
        self.assertGreater(run["sampled"]["samples"], 0)
        self.assertEqual(ask_profile(self.exporter, target=f"run:{run['id']}").samples,
                         run["sampled"]["samples"])

    def test_nothing_of_a_run_stays_open(self):
        before = self.counters()
        run = self.begin()
        self.assertGreater(self.counters(), before)
        status, _ = self.ask("DELETE", f"/{run['id']}")
        self.assertEqual(status, 200)
        end = time.monotonic() + PATIENCE
        while self.counters() > before and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(self.counters(), before)
        run = self.begin(duration_seconds=0.2)  # the one before has not left it busy
        self.assertEqual(self.until_over(run["id"])["state"], "over")

    def test_what_cannot_be_sampled_is_refused_and_leaves_nothing_behind(self):
        for words, request in (
                ("cannot be sampled, but only counted", {"events": ["sched:sched_switch"]}),
                ("expected one event", {"events": ["cpu-clock", "page-faults"]}),
                ("expected one", {"events": [["cpu-clock", "page-faults"]]}),
                ("from 1 to 999", {"rate": 1000}),
                ("from 1 to 999", {"rate": 1.5}),
                ("only a run of kind", {"kind": "count"}),
                ("page-fault", {"events": ["page-fault-of-mine"]})):
            with self.subTest(words=words):
                self.refused(400, words, **request)
        run = self.begin(duration_seconds=0.2)
        self.assertEqual(self.until_over(run["id"])["state"], "over")

    def test_without_profiles_there_is_a_reason(self):
        self.exporter = self.enterContext(Exporter(live.config(system="all"),
                                                   args=["--web.enable-lifecycle"]))
        self.refused(503, "the configuration wants none")


if __name__ == "__main__":
    live.main()
