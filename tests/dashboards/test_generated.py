# SPDX-License-Identifier: Apache-2.0
"""What is committed as JSON is what the code makes, byte for byte.

The npm packages are those of package-lock.json, installed once into the build directory (npm keeps
what it has fetched in its own cache). Without node or npm this is skipped; PMU_TEST_NODE=required
makes that a failure.
"""
import os
import pathlib
import shutil
import subprocess
import unittest

import boards
import live

SOURCES = (".npmrc", "package.json", "package-lock.json", "tsconfig.json", "generate.mjs")
SECONDS = 240


def missing(reason):
    if os.environ.get("PMU_TEST_NODE") == "required":
        raise AssertionError(f"node is required: {reason}")
    raise unittest.SkipTest(reason)


def work_directory():
    default = boards.TOP / "build/dashboards"
    return pathlib.Path(os.environ.get("PMU_TEST_DASHBOARDS", default))


def run(work, *words):
    return subprocess.run(words, cwd=work, capture_output=True, text=True, timeout=SECONDS,
                          stdin=subprocess.DEVNULL)


def copy_sources(work):
    work.mkdir(parents=True, exist_ok=True)
    for name in SOURCES:
        shutil.copy(boards.FOLDER / name, work)
    for folder in ("src", "grafana"):
        shutil.rmtree(work / folder, ignore_errors=True)
    shutil.copytree(boards.FOLDER / "src", work / "src")
    (work / "grafana").mkdir()


def install_packages(work):
    """Those of the lock, unless they are there."""
    installed = work / "node_modules/.installed"
    lock = (work / "package-lock.json").read_text()
    if installed.is_file() and installed.read_text() == lock:
        return
    done = run(work, "npm", "ci", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts")
    if done.returncode != 0:
        missing(f"npm could not install the packages of the lock:\n{done.stdout}{done.stderr}")
    installed.write_text(lock)


class Generated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for tool in ("node", "npm"):
            if not shutil.which(tool):
                missing(f"{tool} is not installed")
        cls.work = work_directory()
        copy_sources(cls.work)
        install_packages(cls.work)

    def files(self, folder):
        return {path.name: path.read_text() for path in folder.iterdir()}

    def test_the_code_makes_what_is_committed(self):
        done = run(self.work, "npm", "run", "--silent", "generate")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        made, committed = self.files(self.work / "grafana"), self.files(boards.GENERATED)
        self.assertEqual(set(made), set(committed))
        for name, text in made.items():
            self.assertTrue(text == committed[name], f"{name} is not what the code makes: "
                                                     "npm run generate, in dashboards/")


if __name__ == "__main__":
    live.main()
