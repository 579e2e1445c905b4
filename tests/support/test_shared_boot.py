# SPDX-License-Identifier: Apache-2.0
"""Scenarios of a shared guest: each test judges its own, once (tests/vm/guest.py, shared_boot.py)."""
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "vm"))
import guest
import shared_boot

# Stands for qemu. The variable ENDS has the status of each script that ends; each says its own last
# words. Of a shared guest the scripts are named in its own.
QEMU = """#!/usr/bin/python3
import os, pathlib, re, sys
found = (re.match("local,id=test,path=([^,]*)", word) for word in sys.argv)
here = next(pathlib.Path(match[1]) for match in found if match)
ends = dict(word.split("=") for word in os.environ["ENDS"].split())
def end(directory, name):
    if name in ends:
        (directory / "out/said").write_text((directory / "run").read_text().splitlines()[-1])
        (directory / "status").write_text(ends[name])
(here / "serial").write_text("booted")
names = re.findall("^run_one (.*)", (here / "run").read_text(), re.M)
for name in names:
    end(here / name, name)
end(here, "alone")
"""
ALL_END = "a=0 b=0 c=0 alone=0"


class SharedBoot(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.top / "guest_root").write_text(str(self.top))
        (self.top / "bin").mkdir()
        (self.top / "bin/qemu-system-aarch64").write_text(QEMU)
        (self.top / "bin/qemu-system-aarch64").chmod(0o755)
        self.a, self.b, self.c = self.scenarios = [
            guest.Scenario(name, f"say {name}", {"config": name}) for name in "abc"]

    def do(self, function, ends, shared):
        environment = {"PMU_TEST_ARM64": str(self.top), "PMU_TEST_SHARED_BOOT": shared,
                       "PATH": f"{self.top}/bin:{os.environ['PATH']}", "ENDS": ends}
        with mock.patch.dict(os.environ, environment), mock.patch("builtins.print"):
            return function()

    def boot(self, ends=ALL_END):
        self.do(lambda: shared_boot.SharedGuest(self.scenarios).run_all(), ends, "0")

    def run_test(self, scenario, ends="", shared="1"):
        """What its script said; without `ends` nothing can boot."""
        return self.do(scenario.run, ends, shared).text("said")

    def test_each_finds_its_own_results(self):
        self.boot()
        self.assertEqual([self.run_test(scenario) for scenario in self.scenarios],
                         ["say a", "say b", "say c"])

    def test_a_second_try_boots_for_itself(self):
        self.boot()
        self.run_test(self.a)
        with self.assertRaisesRegex(AssertionError, "the script with nothing"):
            self.run_test(self.a)
        self.assertEqual(self.run_test(self.a, "alone=0"), "say a")

    def test_a_test_that_is_run_by_hand_boots_for_itself(self):
        self.boot()
        with self.assertRaisesRegex(AssertionError, "the script with nothing"):
            self.run_test(self.a, shared="0")

    def test_a_script_that_fails_fails_its_own_test_only(self):
        self.boot("a=0 b=3 c=0 alone=0")
        self.run_test(self.a)
        with self.assertRaisesRegex(AssertionError, "the script ended with 3"):
            self.run_test(self.b)
        self.run_test(self.c)

    def test_a_guest_that_ends_early_fails_and_names_who_has_not_ended(self):
        with self.assertRaisesRegex(AssertionError, "not ended: b, c"):
            self.boot("a=0 alone=0")
        self.run_test(self.a)
        with self.assertRaisesRegex(AssertionError, "the script with nothing"):
            self.run_test(self.b)

    def test_results_of_a_boot_before_are_not_judged(self):
        self.boot()
        with self.assertRaisesRegex(AssertionError, "not ended: a"):
            self.boot("b=0 c=0 alone=0")
        with self.assertRaisesRegex(AssertionError, "the script with nothing"):
            self.run_test(self.a)

    def test_one_guest_has_one_speed(self):
        self.c.shift = 3
        with self.assertRaisesRegex(ValueError, "one shift"):
            self.boot()


if __name__ == "__main__":
    unittest.main()
