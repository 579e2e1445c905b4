# SPDX-License-Identifier: Apache-2.0
"""Packages of npm for a test: those of its lock, installed once into the build directory (npm keeps what
it has fetched in its own cache). Without node or npm the test is skipped; PMU_TEST_NODE=required makes
that a failure.
"""
import fcntl
import os
import shutil
import subprocess
import unittest

SECONDS = 900
TRIES = 3  # npm may not get at its registry at once
MANIFEST = (".npmrc", "package.json", "package-lock.json")


def missing(reason):
    if os.environ.get("PMU_TEST_NODE") == "required":
        raise AssertionError(f"node is required: {reason}")
    raise unittest.SkipTest(reason)


def need():
    for tool in ("node", "npm"):
        if not shutil.which(tool):
            missing(f"{tool} is not installed")


def run(work, *words, text=""):
    """Runs a command there, with a text to read."""
    return subprocess.run(words, cwd=work, capture_output=True, text=True, timeout=SECONDS, input=text)


def fetch(work):
    for _ in range(TRIES):
        done = run(work, "npm", "ci", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts")
        if done.returncode == 0:
            return
    missing(f"npm could not install the packages of the lock:\n{done.stdout}{done.stderr}")


def install(folder, work):
    """Installs the packages of the lock in a folder into the work directory, unless they are there.
    Several tests may begin at the same time."""
    need()
    work.mkdir(parents=True, exist_ok=True)
    with open(work / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        installed = work / "node_modules/.installed"
        wanted = (folder / "package-lock.json").read_text()
        if installed.is_file() and installed.read_text() == wanted:
            return
        for name in MANIFEST:
            shutil.copy(folder / name, work)
        fetch(work)
        installed.write_text(wanted)
