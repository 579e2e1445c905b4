#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every source has a licence line, at most 450 lines, and clean text.

The longest files are printed, so that one sees them coming.
"""
import pathlib
import re
import subprocess
import sys

MAX_LINES = 450
LICENCE = re.compile(r"SPDX-License-Identifier: (Apache-2\.0|GPL-2\.0 OR Apache-2\.0)\b")
SUFFIXES = {".c", ".h", ".py", ".sh", ".cmake", ".ts", ".mjs", ".libsonnet"}
NAMES = {"CMakeLists.txt", "quickstart"}
LEFT_OVER = re.compile(r"\b(TODO|FIXME|XXX)\b")


def is_source(path):
    return path.suffix in SUFFIXES or path.name in NAMES or path.match(".ci/run")


def tracked_files(root):
    """The sources that git knows; without git, those that are there outside of build/."""
    try:
        listing = subprocess.run(
            ["git", "-c", f"safe.directory={root}", "-C", str(root), "ls-files", "-z", "--cached",
             "--others", "--exclude-standard"], capture_output=True, check=True).stdout
        names = [root / name.decode() for name in listing.split(b"\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = [p for p in root.rglob("*") if not p.is_relative_to(root / "build")]
    return sorted(p for p in set(names) if p.is_file() and is_source(p.relative_to(root)))


def check_source(path, text):
    """Everything wrong with one file, each as (line, what)."""
    lines = text.split("\n")
    wrong = []
    if not any(LICENCE.search(line) for line in lines[:2]):
        wrong.append((1, "no SPDX licence line among the first two"))
    if len(lines) - 1 > MAX_LINES:
        wrong.append((len(lines) - 1, f"longer than {MAX_LINES} lines: two subjects in one room?"))
    if text and not text.endswith("\n"):
        wrong.append((len(lines), "no newline at the end"))
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            wrong.append((number, "white space at the end of a line"))
        if LEFT_OVER.search(line) and path.name != "sources.py":
            wrong.append((number, "left for later"))
    return wrong


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    n_wrong, sizes = 0, []
    for path in tracked_files(root):
        text = path.read_text()
        sizes.append((text.count("\n"), path.relative_to(root)))
        for line, what in check_source(path, text):
            n_wrong += 1
            print(f"{path.relative_to(root)}:{line}: {what}")
    for lines, name in sorted(sizes, reverse=True)[:5]:
        print(f"{lines:5d} lines  {name}")
    print(f"{len(sizes)} sources, {n_wrong} faults")
    return 1 if n_wrong or not sizes else 0


if __name__ == "__main__":
    sys.exit(main())
