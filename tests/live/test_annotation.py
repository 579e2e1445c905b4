# SPDX-License-Identifier: Apache-2.0
"""Annotation: where in a function samples were taken, of a program whose two loops have known
shares of its time (support/known_loops.c). The loops are told apart by their lines of source code.
"""
import json
import math
import os
import pathlib
import subprocess
import sys
import time
import urllib.parse

import live
from exporter import PATIENCE
from test_profile import ProfileTest

PROGRAM = live.program("known_loops")
SOURCE = pathlib.Path(__file__).parents[1] / "support/known_loops.c"
SHARE = 70
SIGMAS = 4
ENOUGH = 1000


def lines_of(loop):
    """The numbers of the lines of a loop, as its comments say."""
    lines = SOURCE.read_text().splitlines()
    first, last = (next(i for i, line in enumerate(lines, 1) if f"the {loop} loop {what}" in line)
                   for what in ("begins", "ends"))
    return range(first, last + 1)


class Loops:
    """The program in a cgroup of its own."""

    def __init__(self, test):
        self.path = test.cgroups.make("loops")
        procs = os.fsdecode(test.cgroups.directory("loops")) + "/cgroup.procs"
        # it ends with us, and burns one CPU for as long as the test takes
        self.program = test.enterContext(subprocess.Popen([PROGRAM, procs, str(SHARE)]))
        test.addCleanup(self.program.kill)
        self.target = f"cgroup:{self.path}"


class Annotation(ProfileTest):
    def ask(self, exporter, **arguments):
        query = urllib.parse.urlencode(arguments)
        return exporter.get(f"/api/v1/profile/annotation?{query}")

    def annotated(self, exporter, loops, **arguments):
        """The annotation of enough samples."""
        end = time.monotonic() + 2 * PATIENCE
        while True:
            response = self.ask(exporter, target=loops.target, name="two_loops", **arguments)
            answer = json.loads(response.body) if response.status == 200 else {"samples": 0}
            if answer["samples"] >= ENOUGH:
                return answer
            self.assertLess(time.monotonic(), end, f"{response.status}: {response.body[:300]!r}")
            time.sleep(0.5)

    def test_loops_have_their_shares_by_instruction_and_line(self):
        exporter = self.start()
        loops = Loops(self)
        answer = self.annotated(exporter, loops, start=time.time())
        code = answer["instructions"]
        self.assertEqual((answer["kind"], answer["owner"]), ("user", "known_loops"))
        self.assertEqual(answer["placed"], answer["samples"])
        self.assertEqual(sum(code["samples"]), answer["placed"])
        source, = {answer["files"][i] for i in code["file"] if i >= 0}
        self.assertTrue(source.endswith("known_loops.c"), source)

        of = {loop: sum(n for n, line in zip(code["samples"], code["line"]) if line in lines_of(loop))
              for loop in ("first", "second")}
        both = sum(of.values())
        sigma = math.sqrt(SHARE / 100 * (1 - SHARE / 100) / both)
        print(f"first {of['first'] / both:.4f} of {both}, sigma {sigma:.4f}")
        self.assertGreater(both, 0.95 * answer["placed"])
        self.assertLess(abs(of["first"] / both - SHARE / 100), SIGMAS * sigma)
        for share, of_share, n in zip(code["share"], code["sigma"], code["samples"]):
            self.assertAlmostEqual(share, n / answer["placed"], places=6)
            self.assertAlmostEqual(of_share, math.sqrt(share * (1 - share) / answer["placed"]), places=6)

    def test_instructions_are_those_of_objdump(self):
        exporter = self.start()
        answer = self.annotated(exporter, Loops(self), owner="known_loops")
        code = answer["instructions"]
        shown = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "--disassemble=two_loops", PROGRAM],
                               capture_output=True, text=True, check=True).stdout
        theirs = {}
        for line in shown.splitlines():
            address, colon, words = line.strip().partition(":\t")
            if colon:
                theirs[int(address, 16)] = words.split()[0]
        ours = {int(address, 16): text.split()[0]
                for address, text in zip(code["address"], code["text"])}
        self.assertGreater(len(ours), 10)
        self.assertLessEqual(set(ours), set(theirs))
        for address, word in ours.items():
            # capstone always writes the size of an operand: "addq" where objdump has "add"; an
            # instruction that does nothing, as padding, has several names
            if word.rstrip("lw") != "nop":
                self.assertEqual(word.rstrip("bwlq"), theirs[address].rstrip("bwlq"))

    def test_what_cannot_be_annotated_is_refused_with_the_reason(self):
        exporter = self.start()
        loops = Loops(self)
        self.annotated(exporter, loops)
        for status, words, arguments in (
                (400, "?name=", {"target": loops.target}),
                (404, "0 samples were taken in no_such", {"target": loops.target, "name": "no_such"}),
                (404, "at least 100", {"target": loops.target, "name": "two_loops", "owner": "other"}),
                (404, "at least 100", {"target": loops.target, "name": "two_loops", "start": 1, "end": 2}),
                (404, "no samples of cgroup:/no", {"target": "cgroup:/no", "name": "two_loops"})):
            with self.subTest(arguments=arguments):
                response = self.ask(exporter, **arguments)
                self.assertEqual(response.status, status, response.body)
                self.assertIn(words.encode(), response.body)

    def test_several_who_ask_at_once_all_get_an_answer(self):
        exporter = self.start()
        loops = Loops(self)
        self.annotated(exporter, loops)
        query = urllib.parse.urlencode({"target": loops.target, "name": "two_loops"})
        client = ("import sys, urllib.request; "
                  "print(urllib.request.urlopen(sys.argv[1], timeout=60).status)")
        asking = [subprocess.Popen([sys.executable, "-c", client,
                                    f"http://127.0.0.1:{exporter.port}/api/v1/profile/annotation?{query}"],
                                   stdout=subprocess.PIPE, text=True) for _ in range(4)]
        self.assertEqual([client.communicate()[0].strip() for client in asking], ["200"] * 4)


if __name__ == "__main__":
    live.main()
