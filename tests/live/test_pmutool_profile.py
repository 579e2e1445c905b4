#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""pmutool profile: a load whose functions have known shares, out of what a real exporter sampled."""
import json
import math
import os
import pathlib
import pty
import re
import shutil
import subprocess
import tempfile
import time
import unittest

import live
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, binary
from known_loads import CHANGE, KNOWN_SHARES, ROW

PMUTOOL = str(pathlib.Path(binary()).parent / "pmutool")
SUPPORTED = "pmu_exporter_profile_supported"
RATE = 997  # samples a second: enough of them in seconds
ENOUGH = 1500
SIGMAS = 4
HOSTILE = "burn\x1b]0;x\x07\x1b[31m\u202e<script>"


class Profile(live.LiveTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.own = cls.enterClassContext(Cgroups())
        for name in "known", "changing", "hostile", "idle":
            cls.own.make(name)
        cls.directory = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.comm = live.own("known")
        group = f"  processes:\n    - comm: [{cls.comm}]\n      groups: [software]\n"
        cls.config = live.config(cls.own, more=group) + f"profiles: {{rate: {RATE}}}\n"
        cls.exporter = cls.enterClassContext(Exporter(cls.config))
        metrics = cls.exporter.scrape_until(lambda m: m.find(SUPPORTED), PATIENCE, "the status")
        if metrics.sum(SUPPORTED) == 0:
            raise unittest.SkipTest(f"no profiles here: {metrics.labels(SUPPORTED, 'reason')}")

    def target(self, name):
        return f"cgroup:/{self.own.top}/{name}"

    def start(self, name, percent, program=KNOWN_SHARES):
        load = subprocess.Popen([program, os.fsdecode(self.own.directory(name)) + "/cgroup.procs", str(percent)])
        self.addCleanup(load.wait)
        self.addCleanup(load.kill)
        return load

    def pmutool(self, *words, **options):
        done = subprocess.run([PMUTOOL, "profile", f"--socket={self.exporter.control}", *words],
                              capture_output=True, timeout=PATIENCE, check=False, **options)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def shown(self, *words):
        status, out, error = self.pmutool(*words)
        self.assertEqual((status, error), (0, ""))
        return out

    def samples(self, *words):
        """How many samples there are; 0 where there are none yet, or none with names. None: stacks
        of some do not reach their roots, since the program is not known well enough."""
        status, out, _ = self.pmutool("--format=json", *words)
        told = json.loads(out) if status == 0 else {"functions": {"name": [], "kind": []}}
        names = told["functions"]["name"]
        if "note" in told["functions"]["kind"]:
            return None
        is_named = "burn_less" in names and not any(name.startswith("0x") for name in names)
        return told["samples"] if is_named else 0

    def burn(self, name, percent, program=KNOWN_SHARES):
        """Burns in a cgroup until there are enough samples of that: the range that has them."""
        load = self.start(name, percent, program)
        time.sleep(1)  # until then its program is being read
        begin = time.time()
        end = time.monotonic() + 3 * PATIENCE  # files are read one at a time, of all that runs
        while (n := self.samples(self.target(name), f"--start={begin:.3f}")) is None or n < ENOUGH:
            self.assertLess(time.monotonic(), end, "too few samples, or no names")
            time.sleep(0.2)
            if n is None:
                begin = time.time()
        at = f"{begin:.3f}..{time.time() - 0.5:.3f}"
        load.kill()
        load.wait()
        return f"--range={at}"

    def assert_share(self, percent, samples, expected):
        sigma = math.sqrt(expected * (100 - expected) / samples)
        self.assertLess(abs(percent - expected), SIGMAS * sigma + 0.5,
                        f"{percent} % of {samples} samples")  # the kernel takes some, too

    def test_the_table_has_both_functions_with_their_shares(self):
        at = self.burn("known", 70)
        out = self.shown(self.target("known"), at)
        samples = int(re.search(rf"\n(\d+) samples at {RATE} Hz, [\d.]+ CPU seconds; ", out)[1])
        self.assertRegex(out, rf"^{self.target('known')}, \d{{4}}-\d\d-\d\d [\d:]+ to .* \([\d.]+ s\)\n")
        rows = {row["function"]: row for row in ROW.finditer(out)}
        for function, share in ("burn_more", 70), ("burn_less", 30):
            self.assertEqual(rows[function]["owner"], "known_shares")
            self.assert_share(float(rows[function]["self"]), samples, share)
            self.assertAlmostEqual(float(rows[function]["seconds"]),
                                   float(rows[function]["self"]) / 100 * samples / RATE, delta=0.02)
            self.assertAlmostEqual(float(rows[function]["sigma"]),
                                   math.sqrt(share * (100 - share) / samples), delta=0.1)
        self.assertGreater(float(rows["main"]["total"]), 90)
        self.assertEqual(list(rows)[:2], ["burn_more", "burn_less"])
        self.check_bounded_table(at)
        self.check_tree(at)
        self.check_files(at, samples)

    def check_bounded_table(self, at):
        out = self.shown(self.target("known"), at, "-n1")
        self.assertEqual([row["function"] for row in ROW.finditer(out)], ["burn_more"])
        self.assertRegex(out, r"\n\(\d+ more functions?, -n shows (?:them|it)\)\n$")

    def check_tree(self, at):
        out = self.shown(self.target("known"), at, "--format=tree", "--min=5")
        self.assertRegex(out, r"\n +[\d.]+ % +[01]\.\d %  main  known_shares\n"
                              r" +[\d.]+ % +[\d.]+ %  ├─ burn_more  known_shares\n"
                              r"(?: .*\n)*"
                              r" +[\d.]+ % +[\d.]+ %  └─ burn_less  known_shares\n")
        self.assertNotIn("burn_less", self.shown(self.target("known"), at, "--format=tree",
                                                 "--min=50"))

    def check_files(self, at, samples):
        collapsed = self.shown(self.target("known"), at, "--format=collapsed")
        stacks = [line.rsplit(" ", 1) for line in collapsed.splitlines()]
        self.assertEqual(sum(int(n) for _, n in stacks), samples)
        self.assert_share(100 / samples * sum(int(n) for stack, n in stacks
                                              if stack.endswith("known_shares`main;known_shares`burn_more")), samples, 70)
        speedscope = json.loads(self.shown(self.target("known"), at, "--format=speedscope"))
        self.assertIn("burn_less", [frame["name"] for frame in speedscope["shared"]["frames"]])
        with tempfile.TemporaryDirectory() as home:
            file = pathlib.Path(home, "known.pb.gz")
            self.assertEqual(self.shown(self.target("known"), at, f"-o{file}"), "")
            self.check_pprof(file, home)
            file = pathlib.Path(home, "known.json")
            self.assertEqual(self.shown(self.target("known"), at, f"-o{file}"), "")
            self.assertEqual(json.loads(file.read_text())["samples"], samples)

    def check_pprof(self, file, home):
        if not shutil.which("go"):
            print("not checked: there is no `go tool pprof`")
            return
        done = subprocess.run(["go", "tool", "pprof", "-top", file], capture_output=True, text=True,
                              env={"PATH": "/usr/bin:/bin", "HOME": home, "PPROF_TMPDIR": home})
        self.assertEqual(done.returncode, 0, done.stderr)
        share = re.search(r"(?m)^ *\S+ +([\d.]+)% +[\d.]+% +\S+ +[\d.]+%  burn_more$", done.stdout)
        self.assertLess(abs(float(share[1]) - 70), 6)

    def test_a_difference_shows_what_has_changed_and_nothing_else(self):
        first, second = self.burn("changing", 70), self.burn("changing", 70)
        third = self.burn("changing", 50)
        before = first.replace("--range", "--diff")
        itself = self.shown(self.target("changing"), first, before)
        self.assertIn("\nnothing differs: all changes may be chance\n", itself)
        # what the kernel does for the program depends on who else runs
        same = self.shown(self.target("changing"), second, before)
        self.assertEqual({row["function"]: row["mark"] for row in CHANGE.finditer(same)},
                         {"burn_more": "", "burn_less": ""})
        changed = self.shown(self.target("changing"), third, before)
        rows = {row["function"]: row for row in CHANGE.finditer(changed)}
        self.assertEqual((rows["burn_more"]["mark"], rows["burn_less"]["mark"]), ("-", "+"))
        self.assertLess(abs(float(rows["burn_more"]["change"]) + 20), 8)
        self.assertRegex(changed, r"^before: .*: \d+ samples\nafter: .*: \d+ samples\n"
                                  r"what differs is beyond [\d.]+ standard deviations")
        self.check_time(third, before)
        self.check_mark(second, third)

    def check_time(self, after, before):
        """As CPU time both have what one CPU has, or as much of it as others have left."""
        told = json.loads(self.shown(self.target("changing"), after, before, "--measure=time",
                                     "--json"))
        self.assertEqual(told["measure"], "time")
        out = self.shown(self.target("changing"), after, before, "--measure=time")
        rows = {row["function"]: row for row in CHANGE.finditer(out)}
        for column, side in ("before", told["before"]), ("after", told["after"]):
            used = side["cpu_seconds"] / (side["to"] - side["from"]) * 100
            both = sum(float(rows[function][column]) for function in ("burn_more", "burn_less"))
            self.assertLess(abs(both - used), 0.05 * used + 1)

    def check_mark(self, before, after):
        """What led up to a mark is as long as the range, and ends there."""
        end = float(before.rsplit("..", 1)[1])
        self.exporter.pmutool("mark", f"--time={end}", "fifty <b>")
        told = json.loads(self.shown(self.target("changing"), after, "--diff=mark:fifty <b>",
                                     "--json"))
        self.assertAlmostEqual(told["before"]["to"], end, delta=0.01)
        self.assertAlmostEqual(told["before"]["to"] - told["before"]["from"],
                               told["after"]["to"] - told["after"]["from"], delta=0.01)
        self.exporter.pmutool("mark", "just now")
        status, out, error = self.pmutool(self.target("changing"), "--diff=mark:just now")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(error, r'^pmutool: the range overlaps what led up to the mark "just now", which was '
                                r"\d+\.\d s before the end of the range; expected one that begins after "
                                r"the mark, by --start or -d\n$")
        status, out, error = self.pmutool(self.target("changing"), "--diff=mark:none")
        self.assertEqual((status, out, error), (1, "", 'pmutool: there is no mark "none"; the latest are '
                                                '"just now", "fifty <b>"\n'))
        self.assertRegex(self.exporter.pmutool("marks").stdout,
                         r"\n +\d+  20\d\d-.*:\d\d  fifty <b>\n +\d+  20\d\d-.*  just now\n$")

    def test_two_targets_can_be_compared(self):
        self.burn("known", 70)
        at = self.burn("changing", 70)
        out = self.shown("machine", at, f"--diff-target={self.target('changing')}")
        self.assertRegex(out, rf"^A: {self.target('changing')}, .*\nB: machine, ")
        self.assertRegex(out, r"(?m)^ +A % +B % +B - A ")

    def test_a_group_of_processes_has_a_profile(self):
        program = shutil.copy(KNOWN_SHARES, pathlib.Path(self.directory, self.comm))
        at = self.burn("known", 70, program)
        out = self.shown(f"process:{self.comm}", at, "-n2")
        self.assertEqual([row["function"] for row in ROW.finditer(out)], ["burn_more", "burn_less"])

    def test_two_capabilities_are_enough(self):
        live.need("setpriv")
        directory = self.enterContext(tempfile.TemporaryDirectory())
        os.chown(directory, 65534, 65534)
        with Exporter(self.config, directory=directory,
                      wrapper=live.AS_THE_UNIT) as self.exporter:
            metrics = self.exporter.scrape_until(lambda m: m.find(SUPPORTED), PATIENCE, "the status")
            if metrics.sum(SUPPORTED) == 0:
                self.skipTest(f"not with these: {metrics.labels(SUPPORTED, 'reason')}")
            out = self.shown(self.target("known"), self.burn("known", 70), "-n2")
        self.assertEqual([row["function"] for row in ROW.finditer(out)], ["burn_more", "burn_less"])

    def test_without_the_right_to_sample_each_answer_says_so(self):
        live.need("setpriv")
        wrapper = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                   "--inh-caps=+perfmon", "--ambient-caps=+perfmon", "--bounding-set=-all,+perfmon")
        directory = self.enterContext(tempfile.TemporaryDirectory())
        os.chown(directory, 65534, 65534)
        with Exporter(self.config, directory=directory, wrapper=wrapper) as self.exporter:
            metrics = self.exporter.scrape_until(lambda m: m.find(SUPPORTED), PATIENCE, "the status")
            self.assertEqual(metrics.sum(SUPPORTED), 0)
            for path in ("/api/v1/profile?target=machine", "/api/v1/profile/table?target=machine",
                         "/api/v1/profile/seconds?target=machine", "/debug/pprof/profile",
                         "/api/v1/profile/annotation?target=machine&name=main",
                         "/api/v1/profile/difference?target=machine"):
                with self.subTest(path=path):
                    answer = self.exporter.get(path)
                    self.assertEqual(answer.status, 503)
                    self.assertIn(b"nothing is sampled now: ", answer.body)
            status, out, error = self.pmutool("machine")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(error, r"^pmutool: there are no samples of machine; nothing is sampled now: \S.*\n$")

    def test_names_of_strangers_steer_no_terminal(self):
        live.need("objcopy")
        program = pathlib.Path(self.directory, "evil\x1b[2J\u202e")
        subprocess.run(["objcopy", "--redefine-sym", f"burn_more={HOSTILE}", KNOWN_SHARES, program],
                       check=True)
        at = self.burn("hostile", 90, program)
        for words in (), ("--format=tree",), ("--format=collapsed",), ("--format=json",), (
                "--format=speedscope",):
            with self.subTest(words=words):
                out = self.on_a_terminal(self.target("hostile"), at, *words)
                self.assertIn("script", out)
                self.assertNotRegex(out.replace("\r\n", "\n"), "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")
        self.check_binary_is_refused(at)
        status, out, error = self.pmutool("process:\x1b[2Jevil")
        self.assertEqual((status, out), (1, ""))
        self.assertNotIn("\x1b", error)

    def on_a_terminal(self, *words):
        """What it prints on a terminal without colour."""
        ours, its = pty.openpty()
        with subprocess.Popen([PMUTOOL, "profile", f"--socket={self.exporter.control}", *words],
                              stdout=its, env=os.environ | {"NO_COLOR": "1"}) as tool:
            os.close(its)
            out = b""
            while part := self.read_terminal(ours):
                out += part
            os.close(ours)
            self.assertEqual(tool.wait(PATIENCE), 0)
        return out.decode()

    @staticmethod
    def read_terminal(descriptor):
        try:
            return os.read(descriptor, 65536)
        except OSError:  # nobody has its other end any more
            return b""

    def check_binary_is_refused(self, at):
        ours, its = pty.openpty()
        done = subprocess.run([PMUTOOL, "profile", f"--socket={self.exporter.control}", "machine", at,
                               "--format=pprof"], stdout=its, stderr=subprocess.PIPE, text=True)
        os.close(its)
        os.close(ours)
        self.assertEqual(done.returncode, 2)
        self.assertIn("pprof is binary", done.stderr)

    def test_who_has_no_samples_is_told_so(self):
        status, out, error = self.pmutool("cgroup:/no/such")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(error, r"^pmutool: there are no samples of cgroup:/no/such\n"
                                r"pmutool: there are samples of (machine|no target yet).*\n$")
        status, out, error = self.pmutool("cgroup:no/such")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("the path of a cgroup begins with /, as cgroup:/no/such does\n", error)
        status, out, error = self.pmutool("run:99")
        self.assertEqual((status, out), (1, ""))
        self.assertEqual(error, "pmutool: there is no run 99\n"
                                "pmutool: pmutool runs lists the runs that there are\n")
        for name, meant in (("nonsense", "process:nonsense or cgroup:/nonsense"),
                            ("one/two", "cgroup:/one/two")):
            status, out, error = self.pmutool(name)
            self.assertEqual((status, out), (2, ""))
            self.assertEqual(error, f'pmutool: error: target "{name}" does not say of which kind it is; expected '
                                    "machine, cgroup:PATH, process:NAME or run:NUMBER; meant may be "
                                    f"{meant} (try --help)\n")
        self.burn("known", 70)
        error = self.pmutool(self.target("knwon"))[2]
        self.assertIn(f"; did you mean {self.target('known')}?\n", error)
        status, out, error = self.pmutool(self.target("known"), "--range=1000..1001")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(error, r"^pmutool: there are no samples of .* in this range\n"
                                rf"pmutool: there are samples of {self.target('known')}, 20\d\d-.* s\)\n$")
        status, out, error = self.pmutool(self.target("known"), "--diff=1000..1001")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(error, f"^pmutool: there are no samples of {self.target('known')} in the range "
                                "before, so that nothing can be compared\n"
                                rf"pmutool: there are samples of {self.target('known')}, 20\d\d-.* s\)\n$")
        at = f"target={self.target('known')}&start=100000&end=100001"
        refused = self.exporter.get(f"/api/v1/profile/difference?{at}&before_start=900&before_end=901")
        self.assertEqual(refused.status, 404)
        self.assertIn(b"in the range before, and none in the range after, so that", refused.body)
        status, out, error = self.pmutool("cgroup:/no/such", "--diff-target=cgroup:/none/such")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(error, r"^pmutool: there are no samples of cgroup:/none/such\n"
                                r"pmutool: there are samples of [^\n]*\n$")
        for measure, status in ("shares", 404), ("time", 200):
            refused = self.exporter.get("/api/v1/profile/difference?measure=" + measure + "&before_target="
                                        f"{self.target('known')}&start=0&end={time.time() + 60:.0f}"
                                        f"&target={self.target('known')}&before_start=900&before_end=901")
            self.assertEqual(refused.status, status)

    def test_without_the_service_its_socket_is_named(self):
        done = subprocess.run([PMUTOOL, "profile", "--socket=/nonexistent", "machine"],
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nonexistent", done.stderr)

    def test_where_nothing_is_sampled_the_reason_is_told(self):
        with Exporter(live.config(system="all") + "profiles: {enabled: false}\n") as exporter:
            done = exporter.pmutool("profile", "machine")
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1))
        self.assertIn("there are no profiles: the configuration wants none", done.stderr)


if __name__ == "__main__":
    live.main()
