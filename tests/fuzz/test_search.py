# SPDX-License-Identifier: Apache-2.0
"""tests/fuzz/search over programs that take the place of fuzz targets: whatever goes wrong with one of
them is a failure, and what one has found stands in the log."""
import base64
import pathlib
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
INPUT = bytes(range(256)) * 3  # longer than a line
WELL = 'echo "stat::number_of_executed_units: 7"\n'
# as libFuzzer does: it writes the input behind the prefix that it was given, and ends with a failure
FINDS = """for word; do
    case $word in -artifact_prefix=*) prefix=${word#*=} ;; esac
done
printf %s 'BASE64' | base64 -d >"${prefix}crash-1"
echo "ERROR: AddressSanitizer"
exit 77
""".replace("BASE64", base64.b64encode(INPUT).decode())


class Search(unittest.TestCase):
    def setUp(self):
        self.build = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.build / "bin").mkdir()
        self.targets = sorted(path.stem for path in HERE.glob("fuzz_*.c"))
        for name in self.targets:
            self.put(name, WELL)

    def put(self, name, script):
        path = self.build / "bin" / name
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)

    def search(self):
        """Its status, and what it prints."""
        done = subprocess.run([HERE / "search", "run", self.build, "1"], capture_output=True, text=True)
        if done.returncode == SKIPPED:
            self.skipTest(done.stdout)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def test_each_target_runs_and_the_seed_is_told(self):
        status, text = self.search()
        self.assertEqual(status, 0, text)
        self.assertRegex(text, rf"^seed [1-9]\d* \(PMU_TEST_SEED\), {len(self.targets)} targets")
        self.assertEqual(sorted(line.split(":")[0] for line in text.splitlines()[1:]),
                         [name.removeprefix("fuzz_") for name in self.targets])

    def test_what_one_finds_stands_in_the_log(self):
        self.put("fuzz_config", FINDS)
        status, text = self.search()
        self.assertEqual(status, 1)
        self.assertIn("AddressSanitizer", text)
        behind = text.split("its base64 is\n")[1]
        lines = [line for line in behind.splitlines() if ":" not in line]
        self.assertEqual(base64.b64decode("".join(lines)), INPUT)
        self.assertEqual(text.count(": 7 runs"), len(self.targets) - 1)

    def test_one_that_is_missing_is_a_failure(self):
        (self.build / "bin/fuzz_glob").unlink()
        status, text = self.search()
        self.assertEqual(status, 1)
        self.assertIn("glob: found something, or did not run", text)

    def test_one_that_runs_nothing_is_a_failure(self):
        self.put("fuzz_elf", "exit 0\n")
        status, text = self.search()
        self.assertEqual(status, 1)
        self.assertIn("elf: did not run", text)


if __name__ == "__main__":
    unittest.main()
