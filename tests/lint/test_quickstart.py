# SPDX-License-Identifier: Apache-2.0
"""quickstart says what is wrong before it changes anything; and what the README has one do by hand."""
import os
import pathlib
import re
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
        for mode in ("run", "prometheus", "build", "package", "test"):
            self.assertIn(f"./quickstart {mode}" if mode != "run" else "[run]", done.stdout)

    def test_unknown_modes_are_refused(self):
        done = quickstart("tets")
        self.assertEqual(done.returncode, 1)
        self.assertIn("tets", done.stderr)

    def test_modes_but_run_take_no_arguments(self):
        for mode in ("build", "package", "test"):
            self.assertEqual(quickstart(mode, "fast").returncode, 1)

    def test_without_root_it_says_how(self):
        if os.geteuid() != 0 or not shutil.which("setpriv"):
            self.skipTest("needs root, to give it away")
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        for words, how in (([], "sudo ./quickstart"), (["test"], "sudo ./quickstart test")):
            done = quickstart(*words, wrapper=nobody, script=self.copy_for_others())
            self.assertEqual(done.returncode, 1)
            self.assertIn(how, done.stderr)

    def is_installed(self, package):
        function, = re.findall(r"(?ms)^is_installed\(\) \{.*?^\}$", (TOP / "quickstart").read_text())
        script = f'set -o pipefail\n{function}\nis_installed "$1"'
        return subprocess.run(["bash", "-euc", script, "bash", package], check=False,
                              timeout=60).returncode == 0

    def test_packages_of_this_and_of_all_architectures_are_known(self):
        if not shutil.which("dpkg-query"):
            self.skipTest("needs Debian")
        listed = subprocess.run(["dpkg-query", "-W", "-f=${Package} ${Architecture} "
                                 "${db:Status-Status}\n"], capture_output=True, text=True, check=True)
        packages = [line.split() for line in listed.stdout.splitlines()]
        native = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True,
                                check=True).stdout.strip()
        for architecture in (native, "all"):
            name = next(name for name, of, status in packages
                        if of == architecture and status == "installed")
            self.assertTrue(self.is_installed(name), f"{name} of {architecture}")
        self.assertFalse(self.is_installed("no-such-package"))
        self.assertFalse(self.is_installed("dpkg:no-such-architecture"))

    def needs(self, *more, mode="build"):
        """What it says that it needs where there are only these tools, and no Debian."""
        with tempfile.TemporaryDirectory() as tools:
            for tool in ("bash", "env", "dirname", "id"):
                os.symlink(shutil.which(tool), f"{tools}/{tool}")
            for tool in more:
                os.symlink(shutil.which("true"), f"{tools}/{tool}")
            done = quickstart(mode, path=tools)
        self.assertEqual(done.returncode, 1)
        return done.stderr.split()

    def test_elsewhere_than_on_debian_it_says_what_it_needs(self):
        self.assertIn("libpfm4-dev", self.needs())

    def test_npm_is_a_package_unless_it_is_there(self):
        self.assertIn("npm", self.needs())
        needed = self.needs("npm")
        self.assertNotIn("npm", needed)
        self.assertNotIn("nodejs", needed)

    @unittest.skipIf(os.geteuid(), "only root may test")
    def test_kubectl_is_a_package_of_the_tests_unless_it_is_there(self):
        self.assertNotIn("kubernetes-client", self.needs())
        self.assertIn("kubernetes-client", self.needs(mode="test"))
        self.assertNotIn("kubernetes-client", self.needs("kubectl", mode="test"))

    def with_progress(self, command):
        """What is shown of a command, what is in the log, and the status. $shown is a file, so that
        the command may wait for what is shown."""
        functions = re.findall(r"(?ms)^(?:show|with)_progress\(\) \{.*?^\}.*?$",
                               (TOP / "quickstart").read_text())
        self.assertEqual(len(functions), 2)
        directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        shown, log = directory / "shown", directory / "log"
        script = ["progress_seconds=0.1; log=$1; status=0; exec >$shown", *functions,
                  'with_progress "$log" sh -c "$2" || status=$?; echo "status $status"']
        done = subprocess.run(["bash", "-euc", "\n".join(script), "bash", str(log), command],
                              env={**os.environ, "shown": str(shown)}, timeout=600)
        self.assertEqual(done.returncode, 0)
        return shown.read_text(), log.read_text()

    def test_what_takes_long_shows_its_last_line_once_in_a_while(self):
        wait = "until grep -q %s $shown; do sleep 0.01; done;"
        shown, log = self.with_progress(f"echo one; echo two; {wait % 'two'} echo three; "
                                        f"{wait % 'three'} exit 3")
        self.assertEqual(shown.splitlines()[-3:], ["    two", "    three", "status 3"])
        self.assertLessEqual(len(shown.splitlines()), 4)
        self.assertEqual(log, "one\ntwo\nthree\n")

    def test_what_is_quick_shows_only_its_status(self):
        self.assertEqual(self.with_progress("exit 0"), ("status 0\n", ""))


class InProduction(unittest.TestCase):
    """The README's own lines, followed in a root of the test's own."""

    def follow(self, root):
        """Those that put the configuration in its place; how many."""
        section = (TOP / "README.md").read_text().split("## In production", 1)[1]
        blocks = section.split("\n### The service", 1)[0].split("```")[1::2]
        lines = [line for block in blocks for line in block.splitlines()
                 if "/etc/pmu_exporter/" in line]
        for line in lines:
            here = line.replace("/etc/", f"{root}/etc/").replace("sudo ", "")
            subprocess.run(["sh", "-euc", here], cwd=TOP, check=True, timeout=20)
        return len(lines)

    def test_followed_twice_they_keep_the_operators_configuration(self):
        with tempfile.TemporaryDirectory() as root:
            config = pathlib.Path(root, "etc/pmu_exporter/pmu_exporter.yml")
            self.assertGreater(self.follow(root), 0)
            self.assertEqual(config.read_text(), (TOP / "config/pmu_exporter.yml").read_text())
            self.assertEqual(config.stat().st_mode & 0o777, 0o644)
            config.write_text("interval: 7s\n")
            self.follow(root)
            self.assertEqual(config.read_text(), "interval: 7s\n")


if __name__ == "__main__":
    unittest.main()
