# SPDX-License-Identifier: Apache-2.0
"""What is committed as JSON is what the code makes, byte for byte."""
import os
import pathlib
import shutil
import unittest

import boards
import live
import npm

SOURCES = ("tsconfig.json", "generate.mjs")


def work_directory():
    default = boards.TOP / "build/dashboards"
    return pathlib.Path(os.environ.get("PMU_TEST_DASHBOARDS", default))


def copy_sources(work):
    for name in SOURCES:
        shutil.copy(boards.FOLDER / name, work)
    for folder in ("src", "grafana"):
        shutil.rmtree(work / folder, ignore_errors=True)
    shutil.copytree(boards.FOLDER / "src", work / "src")
    (work / "grafana").mkdir()


class Generated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = work_directory()
        npm.install(boards.FOLDER, cls.work)
        copy_sources(cls.work)

    def files(self, folder):
        return {path.name: path.read_text() for path in folder.iterdir()}

    def test_the_code_makes_what_is_committed(self):
        done = npm.run(self.work, "npm", "run", "--silent", "generate")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        made, committed = self.files(self.work / "grafana"), self.files(boards.GENERATED)
        self.assertEqual(set(made), set(committed))
        for name, text in made.items():
            self.assertTrue(text == committed[name], f"{name} is not what the code makes: "
                                                     "npm run generate, in dashboards/")


if __name__ == "__main__":
    live.main()
