# SPDX-License-Identifier: Apache-2.0
"""All families, and all that is tried against this kernel, with the exporter under the unit's filter of
system calls: one that it does not let through ends the exporter by SIGSYS, where the unit's answers
EPERM, so that none can pass unseen."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import live
import unit_filter
from exporter import binary

TESTS = os.environ.get("PMU_TEST_THESE", "^(faults|live)/")
# These let a tracer change calls, which the filter takes for calls without a number, and put words of
# their own in front.
OTHERS = "^live/(mechanism_choice|service)$"


class UnderFilter(unittest.TestCase):
    def run_under(self, words, tests):
        """The output of ctest, of this build."""
        return subprocess.run(
            ["ctest", "--test-dir", pathlib.Path(binary()).parents[1], "-R", tests, "-E", OTHERS,
             "-LE", "long", "-j", str(os.cpu_count() + 1), "--output-on-failure", "--repeat", "until-pass:2"],
            env={**os.environ, "PMU_TEST_IN_FRONT": json.dumps(words)}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    def test_every_family_passes(self):
        live.need("ctest", "systemd-analyze")
        with tempfile.TemporaryDirectory() as directory:
            os.chmod(directory, 0o755)
            file = pathlib.Path(directory, "calls")
            words = [live.program("under_filter"), str(file)]
            calls = unit_filter.allowed_calls() | unit_filter.OF_ROOT
            file.write_text("\n".join(calls) + "\n")
            done = self.run_under(words, TESTS)
            print(done.stdout)
            self.assertEqual(done.returncode, 0)
            self.assertNotIn("No tests were found", done.stdout)
            file.write_text("\n".join(calls - {"perf_event_open"}) + "\n")
            self.assertRegex(self.run_under(words, "^live/http$").stdout, r"live/http \(Failed\)",
                             "the filter is there: nothing counts without this call")


if __name__ == "__main__":
    live.main()
