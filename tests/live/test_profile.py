# SPDX-License-Identifier: Apache-2.0
"""Profiles, of programs whose stacks and shares are known (support/known_stacks.c). No sample may
have a stack that never was: each is one of those that the program has, from its root on, or the end
of one below a note that says why its root was not reached.
"""
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import live
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, quote
from line_program import LineProgram
from profiles import (CHAINS, NAMES_PATIENCE, NEW, ask_profile, chain, is_end_of, is_part_of, own_stacks,
                      sampled_hz)

KNOWN_STACKS = live.program("known_stacks")
PLUGINS = [str(pathlib.Path(KNOWN_STACKS).with_name(f"known_plugin_{which}.so"))
           for which in ("one", "two")]
SUPPORTED = "pmu_exporter_profile_supported"
RATE = 499
SIGMAS = 4
FEW = 20
ENOUGH = 1000

# A child's stack is copied page by page when it is written to: one of 6,000 samples of such a load
# comes while the kernel has taken away the page and not given the other one yet.
COPIED = "[stack not in memory]"

# Linkers add such a function of a few instructions to each program and plugin. It is the first of its
# code that runs, so that the fault of its page is sampled there now and then; of a plugin that is
# unmapped soon after, its name, of which this is the address, may not have been read.
LINKED = {"_init", "0x1000"}

# Runs for 20 ms at the beginning of each second, on one CPU.
PUNCTUAL = """
import os, sys, time
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
with open(sys.argv[1], "w") as procs:
    procs.write("0")
for _ in range(24):
    now = time.monotonic()
    time.sleep(1 - now % 1)
    end = time.process_time() + 0.02
    while time.process_time() < end:
        pass
"""


class Known:
    """The program in a cgroup of its own, which an exporter knows by then."""

    def __init__(self, test, kind, milliseconds, name=None):
        self.path = test.cgroups.make(name or kind)
        procs = os.fsdecode(test.cgroups.directory(name or kind)) + "/cgroup.procs"
        self.program = test.enterContext(LineProgram(
            [KNOWN_STACKS, procs, kind, str(milliseconds), *PLUGINS]))
        self.target = f"cgroup:{self.path}"

    def run(self):
        if self.program.ask("go") != "done":
            raise AssertionError("the program has ended")


class ProfileTest(live.LiveTest):
    def setUp(self):
        self.cgroups = self.enterContext(Cgroups())

    def config(self, rate=RATE, more=""):
        pattern = quote(f"/{self.cgroups.top}/**")
        return (f"interval: 1s\ncounting: {live.COUNTING}\nlinger: 3s\n"
                "groups: [{name: software, events: [task-clock]}]\n"
                "targets:\n  cgroups:\n"
                f"    - {{include: [{pattern}], groups: [software]}}\n{more}"
                f"profiles: {{rate: {rate}}}\n")

    def start(self, wrapper=(), directory=None, **options):
        exporter = self.enterContext(Exporter(self.config(**options), wrapper=wrapper,
                                              directory=directory))
        self.need_profiles(exporter)
        return exporter

    def need_profiles(self, exporter):
        metrics = exporter.scrape_until(lambda m: m.find(SUPPORTED), PATIENCE, "the status")
        if metrics.sum(SUPPORTED) == 0:
            self.skipTest(f"nothing is sampled here: {metrics.labels(SUPPORTED, 'reason')}")

    def until(self, condition, what):
        end = time.monotonic() + NAMES_PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, f"{what} did not come true")
            time.sleep(0.1)

    def stacks(self, exporter, known, start):
        """Those of the program's own functions since then, when all have their names: as
        (note, names): samples."""
        end = time.monotonic() + NAMES_PATIENCE
        while True:
            profile = ask_profile(exporter, target=known.target, start=start)
            stacks = {(note, names): n for (note, names), n in
                      (own_stacks(profile.stacks) if profile else {}).items()
                      if names[-1:] not in {(name,) for name in LINKED}}
            if all(not name.startswith("0x") for _, names in stacks for name in names):
                return stacks
            self.assertLess(time.monotonic(), end, f"functions have no names: {stacks}")
            time.sleep(0.5)

    def warmed_up(self, exporter, known):
        """Until the stacks of the program reach their roots."""
        def is_known():
            start = time.time()
            known.run()
            time.sleep(0.5)
            profile = ask_profile(exporter, target=known.target, start=start)
            return any(note is None for note, _ in own_stacks(profile.stacks if profile else {}))

        self.until(is_known, f"stacks of {known.target} with their roots")

    def settle(self, exporter):
        """Samples are in the profile after some turns of the exporter."""
        exporter.after_cycles(2)


class KnownStacks(ProfileTest):
    def check(self, kind, exporter):
        known = Known(self, kind, 700)
        self.warmed_up(exporter, known)
        start = time.time()
        known.run()
        self.settle(exporter)
        stacks = self.stacks(exporter, known, start)
        whole = {names: n for (note, names), n in stacks.items() if note is None}
        noted = {key: n for key, n in stacks.items() if key[0] is not None}
        print(f"{kind}: {sum(whole.values())} whole, {sum(noted.values())} with a note")
        for names in whole:
            self.assertTrue(is_part_of(names, CHAINS[kind]), f"{kind}: no such stack: {names}")
        for (note, names), n in noted.items():
            if note == COPIED and kind == "fork":
                self.assertLessEqual(n, 1 + sum(stacks.values()) // 100)
            else:
                self.assertIn(note, NEW)
            self.assertTrue(is_end_of(names, CHAINS[kind]), f"{kind}: {note} above {names}")
        return whole, noted

    def test_chains_are_those_of_the_program(self):
        exporter = self.start()
        for kind in CHAINS:
            with self.subTest(kind=kind):
                whole, noted = self.check(kind, exporter)
                self.assertGreater(sum(whole.get(chain, 0) for chain in CHAINS[kind]), FEW)
                if kind not in ("plugins", "fork"):
                    self.assertEqual(noted, {}, "all was known of the program")

    def test_shares_are_those_of_the_program(self):
        exporter = self.start()
        known = Known(self, "shares", 3000)
        self.warmed_up(exporter, known)
        start = time.time()
        stacks, total = {}, 0

        def is_enough():
            nonlocal stacks, total
            known.run()
            self.settle(exporter)
            stacks = self.stacks(exporter, known, start)
            total = sum(n for (_, names), n in stacks.items() if names[-1:] == ("burn",))
            return total >= ENOUGH

        self.until(is_enough, "enough samples")
        for function, share in (("half", 0.5), ("third", 0.3), ("fifth", 0.2)):
            n = stacks.get((None, chain("run_shares", function, "burn")), 0)
            sigma = math.sqrt(share * (1 - share) / total)
            print(f"{function}: {n / total:.4f} of {total}, sigma {sigma:.4f}")
            self.assertLess(abs(n / total - share), SIGMAS * sigma)

    def test_what_is_deeper_than_a_sample_has_room_for_says_so(self):
        exporter = self.start()
        known = Known(self, "deep", 500)
        self.until(lambda: known.run() or any(
            note == "[truncated]" for note, _ in self.stacks(exporter, known, 0)), "a deep stack")
        start = time.time()
        known.run()
        self.settle(exporter)
        stacks = self.stacks(exporter, known, start)
        cut = sum(n for (note, _), n in stacks.items() if note)
        self.assertGreater(cut, FEW)
        for note, names in stacks:
            if note and names[0] == "recurse":
                self.assertEqual((note, set(names[:-1])), ("[truncated]", {"recurse"}))
            else:  # on the way there or back, where the cut may be among what is before main()
                self.assertIn(note, (None, "[truncated]"))
                whole = ("main", "run_deep", "recurse")
                begun = whole[1:] if note and names[0] == "run_deep" else whole
                self.assertEqual(names[:2], begun[:2][:len(names)])
                # a sample has room for 128; above main() there is one more at least
                self.assertLessEqual(len(names), 128 if note else 127)

    def off(self, before, after, path, rate):
        """By how many sigma the samples of a cgroup are not those that its clock tells of."""
        clock, samples = (float(after.value(name, cgroup=path) - before.value(name, cgroup=path))
                          for name in ("pmu_cgroup_task_clock_seconds_total",
                                       "pmu_cgroup_profile_samples_total"))
        expected = clock * sampled_hz(rate)
        print(f"{path}: {samples:.0f} samples, {expected:.0f} by the clock")
        return abs(samples - expected) / math.sqrt(max(expected, 1))

    def assert_agree(self, exporter, rate, run, *paths):
        """The kernel's timer does not make up for periods in which a hypervisor took the CPU away,
        so a busy host may lose some; one of several rounds has to agree."""
        for path in paths:
            exporter.scrape_until(
                lambda m, path=path: m.value("pmu_cgroup_profile_samples_total", cgroup=path) is not None,
                PATIENCE, f"samples of {path}")
        for left in reversed(range(4)):
            before = exporter.after_cycles(2)
            run()
            after = exporter.after_cycles(2)
            off = max(self.off(before, after, path, rate) for path in paths)
            if off <= SIGMAS or not left:
                break
        self.assertLessEqual(off, SIGMAS)

    def test_a_program_that_moves_has_its_samples_where_it_ran(self):
        exporter = self.start()
        known = Known(self, "shares", 3000)
        self.cgroups.make("other")

        def run():
            known.program.say("go")
            for name in ("other", "shares") * 5 + ("other",):
                time.sleep(0.2)
                self.cgroups.enter(name, known.program.pid)
            self.assertEqual(known.program.answer(), "done")
            self.cgroups.enter("shares", known.program.pid)

        self.assert_agree(exporter, RATE, run, known.path, self.cgroups.path("other"))

    def test_what_runs_at_the_same_time_of_each_second_is_sampled_as_often_as_it_runs(self):
        """With a whole number of samples a second it is met each time, or never. Of 24 seconds in
        which it runs for 0.4 of the time between two samples, 9 meet it, more or less by one or two."""
        exporter = self.start(rate=19)
        self.cgroups.make("punctual")
        path = self.cgroups.path("punctual")
        procs = os.fsdecode(self.cgroups.directory("punctual")) + "/cgroup.procs"
        load = self.enterContext(subprocess.Popen([sys.executable, "-c", PUNCTUAL, procs]))
        exporter.scrape_until(
            lambda m: m.value("pmu_cgroup_task_clock_seconds_total", cgroup=path) is not None,
            PATIENCE, f"the clock of {path}")
        before = exporter.after_cycles(1)
        self.assertEqual(load.wait(), 0)
        after = exporter.after_cycles(2)
        samples = after.value("pmu_cgroup_profile_samples_total", cgroup=path) - (
            before.value("pmu_cgroup_profile_samples_total", cgroup=path) or 0)
        seconds = float(after.value("pmu_cgroup_task_clock_seconds_total", cgroup=path)
                        - before.value("pmu_cgroup_task_clock_seconds_total", cgroup=path))
        expected = sampled_hz(19) * seconds
        print(f"{samples} samples, {expected:.1f} by the clock")
        self.assertGreater(seconds, 0.2)
        self.assertGreater(float(samples), 0.3 * expected)
        self.assertLess(float(samples), 1.8 * expected)

    def test_samples_agree_with_the_clock_of_the_cgroup(self):
        exporter = self.start(rate=99)
        known = Known(self, "shares", 3000)
        labels = {"cgroup": known.path}
        self.assert_agree(exporter, 99, known.run, known.path)

        def ratio():
            return exporter.scrape().value("pmu_cgroup_profile_cpu_ratio", **labels)

        self.until(lambda: ratio() is not None or known.run(), "a ratio")  # there is one of 100
        self.assertLess(abs(float(ratio()) - 1), 0.5)


@unittest.skipUnless(os.uname().machine == "x86_64", "the code is for x86-64")
class MadeCode(ProfileTest):
    """Code that is made at run time (support/known_made.c): what of its frames is believed."""

    def stacks_of(self, kind):
        """Those that burn, when its code is known."""
        exporter = self.start()
        known = Known(self, kind, 700)

        def burning():
            start = time.time()
            known.run()
            self.settle(exporter)
            return {(note, names): n for (note, names), n in self.stacks(exporter, known, start).items()
                    if names[-1:] == ("burn",)}

        self.until(lambda: any(note not in NEW for note, _ in burning()), "stacks that burn")
        return burning()

    def assert_stacks(self, kind, note, *names):
        """All but those that were taken on the way to the code that burns."""
        stacks = self.stacks_of(kind)
        print(f"{kind}: {stacks}")
        of_kind = stacks.get((note, names), 0)
        self.assertGreater(of_kind, FEW)
        self.assertGreater(of_kind, 0.99 * sum(stacks.values()))

    def test_frame_pointers_of_made_code_lead_to_the_root(self):
        self.assert_stacks("made", None, "main", "run_made", "[jit]", "burn")

    def test_a_place_to_go_on_that_was_pushed_is_believed_if_it_leads_to_the_root(self):
        self.assert_stacks("pushed", None, "main", "run_pushed", "[jit]", "[jit]", "burn")

    def test_so_are_such_places_of_a_stack_that_is_cut_for_want_of_room(self):
        within = ("[jit]", "[jit]", "push_on")
        self.assert_stacks("pushed_deep", "[truncated]", *(within * 60)[-127:], "burn")

    def test_what_only_looks_like_a_frame_and_a_zero_are_not_believed(self):
        self.assert_stacks("misleading", "[broken stack]", "[jit]", "burn")


class Cgroup(ProfileTest):
    def test_a_cgroup_has_what_is_below_it_and_the_machine_has_both(self):
        exporter = self.start()
        self.cgroups.make("above")
        known = Known(self, "shares", 300, name="above/below")
        start = time.time()
        known.run()
        self.settle(exporter)
        above = f"cgroup:{self.cgroups.path('above')}"
        below, all_of_it, machine = (
            ask_profile(exporter, target=target, start=start).samples
            for target in (known.target, above, "machine"))
        self.assertGreater(below, 0)
        self.assertEqual(below, all_of_it)
        self.assertGreaterEqual(machine, all_of_it)

    def test_what_nobody_has_sampled_is_not_found(self):
        exporter = self.start()
        response = exporter.get("/api/v1/profile?target=cgroup:/no/such")
        self.assertEqual(response.status, 404)
        self.assertIn(b"no samples", response.body)

    def test_what_reading_files_costs_is_told_beside_what_the_exporter_takes_itself(self):
        exporter = self.start()

        def reader():
            return exporter.scrape().value("pmu_exporter_profile_cpu_seconds_total", part="reader")

        self.until(lambda: reader() > 0, "a file that was read")
        before = reader()
        told = json.loads(exporter.get("/api/v1/status").body)["cost"]["reader_cpu_seconds"]
        self.assertLessEqual(float(before), told)
        self.until(lambda: reader() >= told, "the same on /metrics")


class Restart(ProfileTest):
    def test_what_was_sampled_is_there_after_a_restart(self):
        state = self.enterContext(tempfile.TemporaryDirectory())
        arguments = [f"--storage.path={state}"]
        with Exporter(self.config(), args=arguments) as exporter:
            self.need_profiles(exporter)
            known = Known(self, "shares", 500)
            began = time.time()
            self.warmed_up(exporter, known)
            stacks = self.stacks(exporter, known, 0)
        self.assertGreater(sum(stacks.values()), FEW)
        with Exporter(self.config(), args=arguments) as exporter:
            self.need_profiles(exporter)  # they start after the first cycle
            self.until(lambda: ask_profile(exporter, target=known.target, start=0),
                       "the profile of before")
            found = own_stacks(ask_profile(exporter, target=known.target, start=0).stacks)
            self.check_seconds_of_one_minute_are_not_compared(exporter, known, began)
        for key, n in stacks.items():  # its minutes may have more, that came later
            self.assertGreaterEqual(found[key], n, f"{key} of {found}")

    def check_seconds_of_one_minute_are_not_compared(self, exporter, known, began):
        minute = int(began) // 60 * 60 - 60  # all of it before the restart
        response = exporter.get(f"/api/v1/profile/difference?target={known.target}"
                                f"&before_start={minute + 10}&before_end={minute + 20}"
                                f"&start={minute + 20}&end={minute + 30}")
        self.assertEqual(response.status, 400, response.body)
        self.assertIn(b"the two ranges are within one minute or hour", response.body)


class Reader(ProfileTest):
    """The process that reads programs is the first child of the exporter."""

    def child(self, exporter):
        children = pathlib.Path(f"/proc/{exporter.pid}/task/{exporter.pid}/children").read_text()
        return int(children.split()[0])

    @staticmethod
    def profiler_cpu_seconds(exporter):
        for task in pathlib.Path(f"/proc/{exporter.pid}/task").iterdir():
            if (task / "comm").read_text() == "profiler\n":
                fields = (task / "stat").read_text().rsplit(")", 1)[1].split()
                return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
        raise AssertionError("there is no thread of profiles")

    def test_an_exporter_whose_reader_was_killed_says_so_and_counts_on(self):
        exporter = self.start()
        known = Known(self, "shares", 300)
        os.kill(self.child(exporter), signal.SIGKILL)

        told = exporter.scrape_until(lambda m: m.sum(SUPPORTED) == 0, PATIENCE,
                                     "the end of the reader")
        reason, = told.labels(SUPPORTED, "reason")
        self.assertIn("reads programs has ended", reason)
        used = self.profiler_cpu_seconds(exporter)
        known.run()
        exporter.after_cycles(3)
        self.assertLess(self.profiler_cpu_seconds(exporter) - used, 0.5)  # it waits
        self.assertGreater(exporter.scrape().value("pmu_cgroup_task_clock_seconds_total",
                                                   cgroup=known.path), 0)


if __name__ == "__main__":
    live.main()
