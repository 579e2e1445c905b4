# SPDX-License-Identifier: Apache-2.0
"""quickstart says what is wrong before it changes anything."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]


def quickstart(*words, wrapper=(), script=TOP / "quickstart", path=None):
    environment = {**os.environ, **({"PATH": path} if path else {})}
    return subprocess.run([*wrapper, str(script), *words], cwd="/", capture_output=True, text=True,
                          timeout=20, env=environment)


class Quickstart(unittest.TestCase):
    def copy_for_others(self):
        """A copy that an unprivileged user can read."""
        directory = self.enterContext(tempfile.TemporaryDirectory())
        os.chmod(directory, 0o755)
        return shutil.copy(TOP / "quickstart", directory)

    def test_help_names_every_mode(self):
        done = quickstart("--help")
        self.assertEqual(done.returncode, 0)
        for mode in ("run", "prometheus", "build", "test"):
            self.assertIn(f"./quickstart {mode}" if mode != "run" else "[run]", done.stdout)

    def test_unknown_modes_are_refused(self):
        done = quickstart("tets")
        self.assertEqual(done.returncode, 1)
        self.assertIn("tets", done.stderr)

    def test_build_and_test_take_no_arguments(self):
        for mode in ("build", "test"):
            self.assertEqual(quickstart(mode, "fast").returncode, 1)

    def test_without_root_it_says_how(self):
        if os.geteuid() != 0 or not shutil.which("setpriv"):
            self.skipTest("needs root, to give it away")
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        for words, how in (([], "sudo ./quickstart"), (["test"], "sudo ./quickstart test")):
            done = quickstart(*words, wrapper=nobody, script=self.copy_for_others())
            self.assertEqual(done.returncode, 1)
            self.assertIn(how, done.stderr)

    def test_elsewhere_than_on_debian_it_says_what_it_needs(self):
        with tempfile.TemporaryDirectory() as tools:
            for tool in ("bash", "env", "dirname", "id"):
                os.symlink(shutil.which(tool), f"{tools}/{tool}")
            done = quickstart("build", path=tools)
        self.assertEqual(done.returncode, 1)
        self.assertIn("libpfm4-dev", done.stderr)


if __name__ == "__main__":
    unittest.main()
