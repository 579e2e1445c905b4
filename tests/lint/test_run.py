# SPDX-License-Identifier: Apache-2.0
"""tests/run.py over a small tree of tests of every kind."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

RUN = pathlib.Path(__file__).resolve().parents[1] / "run.py"
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(fake NONE)
enable_testing()
function(test name label script)
  add_test(NAME ${name} COMMAND sh -c "${script}" WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${label}" SKIP_RETURN_CODE 77 ${ARGN})
endfunction()
test(good unit "echo 99 tests failed out of 100")
test(long/bad long "exit 1")
"""
# The second try passes, and does not count.
PURE = 'test(pure unit "test -e pure || ! touch pure")\n'
FLAKY = """test(live/flaky live "test -e flaky || ! touch flaky")
test(vm/slow vm "test -e slow || ! touch slow || exec sleep 600" TIMEOUT 1)
test(count/killed unit "test -e killed || ! touch killed || kill -SEGV $$")
set_tests_properties(count/killed PROPERTIES LABELS "unit;kernel")
"""
# One that passes when the other one has ended.
BESIDE = """test(live/long live
  "touch busy; until test -e seen; do sleep 0.1; done; sleep 1; rm busy" TIMEOUT 60)
test(live/alone live
  "test -e seen && exec test ! -e busy; until test -e busy; do sleep 0.1; done; touch seen; exit 1")
"""
# One that ends ctest itself, when another one has failed, which passes at a second try.
ENDED = """test(live/first live "test -e first || ! touch first")
test(live/ends live "until test -e first; do sleep 0.1; done; sleep 1; kill -KILL $PPID" TIMEOUT 60)
"""
# What is prepared, and what fails if it was not there when the tests of the code had ended.
FIXTURE = """test(vm/prepare "vm;prepare" "touch prepared" FIXTURES_SETUP guest)
test(lint/waits lint "until test -e prepared; do sleep 0.1; done" TIMEOUT 60)
test(vm/boots vm "test -e prepared" FIXTURES_REQUIRED guest)
"""
SEARCH = 'test(fuzz/search search "test -e searched || ! touch searched")\n'
SKIPPED = 'test(live/none live "exit 77")\n'
RACES = """test(live/races "live;threads" "test -e races || ! touch races")
test(web/orderly "unit;threads" "true")
"""
BAD = 'test(live/bad live "exit 1")\n'


@unittest.skipUnless(shutil.which("ctest") and shutil.which("ninja"), "needs cmake and ninja")
class Run(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_tests(self, more, *presets):
        """The status, and the lines behind "all presets"."""
        (self.top / "CMakeLists.txt").write_text(PROJECT + more)
        names = ("one", "two", "tsan")
        (self.top / "CMakePresets.json").write_text(json.dumps({
            "version": 6,
            "configurePresets": [{"name": n, "generator": "Ninja",
                                  "binaryDir": "${sourceDir}/build/" + n} for n in names],
            "testPresets": [{"name": n, "configurePreset": n} for n in names]}))
        for name in presets:
            subprocess.run(["cmake", "--preset", name], cwd=self.top, check=True,
                           capture_output=True)
        done = subprocess.run([sys.executable, "-B", str(RUN), *presets], capture_output=True,
                              text=True, timeout=300,
                              env={**os.environ, "PMU_TEST_SOURCE": str(self.top)})
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout.split("==> all presets\n")[1].splitlines()

    def test_all_is_well_in_two_presets(self):
        self.assertEqual(self.run_tests("", "one", "two"), (0, [
            "100% tests passed, 0 tests failed out of 2", "skipped: none", "failed: none",
            "passed at the second try only: none"]))

    def test_what_the_kernel_has_a_part_in_has_a_second_try_and_is_named(self):
        self.assertEqual(self.run_tests(FLAKY, "one", "two"), (0, [
            "100% tests passed, 0 tests failed out of 8", "skipped: none", "failed: none",
            "passed at the second try only: one count/killed, one live/flaky, one vm/slow, "
            "two count/killed, two live/flaky, two vm/slow"]))

    def test_nothing_runs_beside_a_second_try(self):
        self.assertEqual(self.run_tests(BESIDE, "one"), (0, [
            "100% tests passed, 0 tests failed out of 3", "skipped: none", "failed: none",
            "passed at the second try only: one live/alone"]))

    def test_a_second_try_does_not_hide_that_ctest_has_ended(self):
        status, lines = self.run_tests(ENDED, "one")
        self.assertEqual((status, lines[0]), (1, "ctest itself ended with an error"), lines)

    def test_what_it_has_no_part_in_has_one_try(self):
        self.assertEqual(self.run_tests(PURE, "one"), (1, [
            "50% tests passed, 1 tests failed out of 2", "skipped: none", "failed: one pure",
            "passed at the second try only: none"]))

    def test_of_the_sanitizer_of_threads_it_runs_what_has_some_once(self):
        self.assertEqual(self.run_tests(RACES, "tsan"), (1, [
            "50% tests passed, 1 tests failed out of 2", "skipped: none", "failed: tsan live/races",
            "passed at the second try only: none"]))

    def test_what_a_search_has_found_stays_found(self):
        self.assertEqual(self.run_tests(SEARCH, "one"), (1, [
            "50% tests passed, 1 tests failed out of 2", "skipped: none", "failed: one fuzz/search",
            "passed at the second try only: none"]))

    def test_what_guests_need_is_prepared_beside_the_tests_of_the_code(self):
        status, lines = self.run_tests(FIXTURE, "one")
        self.assertEqual((status, lines[2]), (0, "failed: none"), lines)

    def test_what_fails_twice_fails_and_what_is_skipped_is_named(self):
        self.assertEqual(self.run_tests(SKIPPED + BAD, "one"), (1, [
            "66% tests passed, 1 tests failed out of 3", "skipped: one live/none",
            "failed: one live/bad", "passed at the second try only: none"]))

    def test_help_is_shown_and_nothing_is_run(self):
        for script in (RUN, RUN.with_name("coverage.py")):
            done = subprocess.run([sys.executable, "-B", str(script), "--help"], timeout=300,
                                  capture_output=True, text=True,
                                  env={**os.environ, "PMU_TEST_SOURCE": str(self.top)})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"tests/{script.name} ", done.stdout)

    def test_a_preset_that_was_not_built_is_an_error(self):
        status, lines = self.run_tests("")
        self.assertEqual((status, lines[0]), (1, "0% tests passed, 0 tests failed out of 0"))


if __name__ == "__main__":
    unittest.main()
