# SPDX-License-Identifier: Apache-2.0
"""Annotation: where in a function samples were taken, of a program whose two loops have known
shares of its time (support/known_loops.c). The loops are told apart by their lines of source code.
"""
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

import live
from exporter import PATIENCE
from test_profile import RATE, ProfileTest

PROGRAM = live.program("known_loops")
SPLIT = live.program("known_loops_split")
OTHER = live.program("known_shares")
READER = "import os\nzero = os.open('/dev/zero', os.O_RDONLY)\nwhile True: os.read(zero, 1 << 20)"
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


class Load:
    """A program in a cgroup of its own, which it enters. It burns a CPU until the test has ended."""

    def __init__(self, test, program=PROGRAM, name="loops"):
        self.path = test.cgroups.make(name)
        procs = os.fsdecode(test.cgroups.directory(name)) + "/cgroup.procs"
        self.program = test.enterContext(subprocess.Popen([program, procs, str(SHARE)]))
        test.addCleanup(self.program.kill)
        self.target = f"cgroup:{self.path}"

    def end(self):
        self.program.kill()
        self.program.wait()


class Annotation(ProfileTest):
    def ask(self, exporter, **arguments):
        query = urllib.parse.urlencode(arguments)
        return exporter.get(f"/api/v1/profile/annotation?{query}")

    def annotated(self, exporter, load, name="two_loops", **arguments):
        """The annotation of enough samples."""
        end = time.monotonic() + 2 * PATIENCE
        while True:
            response = self.ask(exporter, target=load.target, name=name, **arguments)
            answer = json.loads(response.body) if response.status == 200 else {"samples": 0}
            if answer["samples"] >= ENOUGH:
                return answer
            self.assertLess(time.monotonic(), end, f"{response.status}: {response.body[:300]!r}")
            time.sleep(0.5)

    def test_loops_have_their_shares_by_instruction_and_line(self):
        exporter = self.start()
        loops = Load(self)
        answer = self.annotated(exporter, loops, start=time.time())
        code = answer["instructions"]
        self.assertEqual((answer["kind"], answer["owner"]), ("user", "known_loops"))
        self.assertEqual(answer["placed"], answer["samples"])
        self.assertEqual(sum(code["samples"]), answer["placed"])
        files = [pathlib.Path(file).name for file in answer["files"]]
        # how long to burn is drawn by a function of the header, which may be inlined
        self.assertLessEqual(set(files), {SOURCE.name, "share_load.h"})
        own = [(n, line) for n, line, file in zip(code["samples"], code["line"], code["file"])
               if file == files.index(SOURCE.name)]
        of = {loop: sum(n for n, line in own if line in lines_of(loop)) for loop in ("first", "second")}
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
        answer = self.annotated(exporter, Load(self), owner="known_loops")
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
        loops = Load(self)
        self.annotated(exporter, loops)
        for status, words, arguments in (
                (400, "?name=", {"target": loops.target}),
                (404, "was taken at instructions of a function no_such", {"target": loops.target, "name": "no_such"}),
                (404, "at instructions of a function two_loops of other;", {"target": loops.target, "name": "two_loops", "owner": "other"}),
                (404, "in this range; samples are known one by one of only 0.0 s", {"target": loops.target, "name": "two_loops", "start": 1, "end": 2}),
                (404, " (did you mean two_loops?)", {"target": loops.target, "name": "loops"}),
                (404, "no samples of cgroup:/no", {"target": "cgroup:/no", "name": "two_loops"})):
            with self.subTest(arguments=arguments):
                response = self.ask(exporter, **arguments)
                self.assertEqual(response.status, status, response.body)
                self.assertIn(words.encode(), response.body)

    def test_pmutool_shows_the_same(self):
        exporter = self.start()
        loops = Load(self)
        begin = time.time()
        self.annotated(exporter, loops, start=begin)
        words = ("annotate", loops.target, "two_loops", f"--range={begin}..{time.time()}")
        told = json.loads(exporter.pmutool(*words, "--json").stdout)
        done = exporter.pmutool(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        head, table = done.stdout.split("\n\n")
        self.assertRegex(head, rf"^two_loops of known_loops in {re.escape(loops.target)}, \d{{4}}-.* s\)\n"
                               rf"{told['samples']} samples at {RATE} Hz in the function itself, [\d.]+ % of all\n"
                               "a sample may be taken one instruction behind the one that took the time$")
        titles, *rows = table.splitlines()
        self.assertEqual(titles.split(), ["SHARE", "%", "+-", "ADDRESS", "INSTRUCTION", "SOURCE"])
        code = told["instructions"]
        self.assertEqual(len(rows), len(code["text"]))
        for row, share, sigma, address, text in zip(rows, *(code[of] for of in ("share", "sigma", "address", "text"))):
            numbers = f"{100 * share:.2f} +{100 * sigma:.2f} +" if share else ""
            self.assertRegex(row, f"^ *{numbers}{address}  {re.escape(text)}")
        lines = {int(line) for line in re.findall(rf"  {SOURCE.name}:(\d+)$", table, re.M)}
        self.assertTrue(lines & set(lines_of("first")) and lines & set(lines_of("second")), lines)

    def test_pmutool_tells_in_a_line_what_is_wrong(self):
        exporter = self.start()
        for words, status, pattern in (
                (("machine", "no_such"), 1, "^pmutool: none of the [0-9]+ samples of machine was taken at instructions of a function no_such"),
                (("machine", "no_such", "--start=1h"), 1,
                 r"a function no_such; samples are known one by one of only [\d.]+ s of this range: of what was taken since"),
                (("machine", "no_such", "-d0.01"), 1, r"^pmutool: (none of the \d+ samples of machine was taken at .* no_such|there are no samples of machine in this range)"),
                (("cgroup:/no", "main"), 1, "^pmutool: there are no samples of cgroup:/no\npmutool: there are samples of "),
                (("machine",), 2, "missing argument; expected annotate TARGET FUNCTION"),
                (("machine", "main", "more"), 2, 'unexpected argument "more"'),
                (("machine", "main", "--range=5"), 2, '--range is "5"; expected START..END')):
            with self.subTest(words=words):
                done = exporter.pmutool("annotate", *words)
                self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
                self.assertRegex(done.stderr, pattern)

    def test_lines_are_known_where_most_debugging_information_is_in_another_file(self):
        exporter = self.start()
        answer = self.annotated(exporter, Load(self, SPLIT), owner="known_loops_split")
        lines = {line for line in answer["instructions"]["line"] if line}
        self.assertTrue(lines & set(lines_of("first")) and lines & set(lines_of("second")), lines)

    def test_a_program_that_has_ended_is_shown_until_its_file_is_written_over_or_has_gone(self):
        exporter = self.start()
        directory = self.enterContext(tempfile.TemporaryDirectory())
        program = shutil.copy(PROGRAM, pathlib.Path(directory, "ended_loops"))
        load = Load(self, program)
        before = self.annotated(exporter, load)
        load.end()
        exporter.scrape_until(lambda m: m.value("pmu_exporter_profile_files", state="kept") > 0,
                              PATIENCE, "the file is kept")
        after = self.annotated(exporter, load)
        self.assertEqual(after["instructions"]["text"], before["instructions"]["text"])
        os.utime(program, (1, 1))
        self.assert_refused(exporter, load, b"another file is at its place by now")
        os.remove(program)
        self.assert_refused(exporter, load, b"its file cannot be opened any more")

    def assert_refused(self, exporter, load, words):
        response = self.ask(exporter, target=load.target, name="two_loops")
        self.assertEqual(response.status, 404)
        self.assertIn(words, response.body)

    def until_hidden(self, exporter, load):
        """Until the function is known, and refused because others could not read the program."""
        def is_hidden():
            response = self.ask(exporter, target=load.target, name="two_loops")
            self.assertEqual(response.status, 404)
            return b"not everybody may read its file" in response.body

        self.until(is_hidden, "the refusal")

    def test_a_program_that_not_everybody_may_read_is_not_shown(self):
        exporter = self.start()
        directory = self.enterContext(tempfile.TemporaryDirectory())
        program = shutil.copy(PROGRAM, pathlib.Path(directory, "secret_loops"))
        os.chmod(program, 0o711)
        load = Load(self, program)
        self.until_hidden(exporter, load)

    def test_a_directory_that_not_everybody_may_enter_is_not_passed_by_a_capability(self):
        """The exporter may read all that there is, as by the drop-in names.conf."""
        live.need("setpriv")
        rights = "+perfmon,+bpf,+dac_read_search"
        own, directory = (self.enterContext(tempfile.TemporaryDirectory()) for _ in range(2))
        os.chown(own, 65534, 65534)
        exporter = self.start(directory=own, wrapper=[
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", f"--inh-caps={rights}",
            f"--ambient-caps={rights}"])
        load = Load(self, shutil.copy(PROGRAM, pathlib.Path(directory, "hidden_loops")))
        self.assertEqual(os.stat(directory).st_mode & 0o777, 0o700)
        self.until_hidden(exporter, load)

    def test_functions_of_the_kernel_are_refused(self):
        exporter = self.start()
        load = self.enterContext(subprocess.Popen([sys.executable, "-c", READER]))
        self.addCleanup(load.kill)

        def most_sampled():
            """A function of the kernel with as many samples as an annotation takes."""
            table = json.loads(exporter.get("/api/v1/profile/table?target=machine").body)["table"]
            rows = zip(table["kind"], table["owner"], table["name"], table["self"])
            return next((row for row in rows if row[0] == "kernel" and row[3] >= 100), None)

        self.until(most_sampled, "samples of the kernel")
        _, owner, name, _ = most_sampled()
        response = self.ask(exporter, target="machine", owner=owner, name=name)
        self.assertEqual(response.status, 404)
        self.assertIn(b"cannot be shown: it is in the kernel", response.body)

    def test_all_who_ask_at_once_get_the_function_that_they_have_asked_for(self):
        exporter = self.start()
        loads = [(Load(self), "two_loops"), (Load(self, OTHER, "shares"), "burn_more")]
        for load, name in loads:
            self.annotated(exporter, load, name)
        client = ("import json, sys, urllib.request; "
                  "print(json.load(urllib.request.urlopen(sys.argv[1], timeout=60))['name'])")
        address = f"http://127.0.0.1:{exporter.port}/api/v1/profile/annotation?"
        asking = [(name, subprocess.Popen(
            [sys.executable, "-c", client,
             address + urllib.parse.urlencode({"target": load.target, "name": name})],
            stdout=subprocess.PIPE, text=True)) for load, name in loads * 3]
        for name, client in asking:
            self.assertEqual(client.communicate()[0].strip(), name)


if __name__ == "__main__":
    live.main()
