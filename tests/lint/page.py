#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The files of the page at "/" keep what its Content-Security-Policy and its readers need.

    page.py FOLDER HEADER

No text is parsed as HTML (names come from strangers), nothing is inline, nothing comes from another
host, each file has a licence line and at most 400 lines, and each is listed in the header by which
it becomes part of the program.
"""
import pathlib
import re
import sys

MAX_LINES = 400
LICENCE = "SPDX-License-Identifier: Apache-2.0"
NAMESPACE = "http://www.w3.org/2000/svg"
SCRIPT_WRONG = (
    (re.compile(r"\b(innerHTML|outerHTML|insertAdjacentHTML|srcdoc|createContextualFragment|"
                r"DOMParser|parseFromString)\b|document\.write"), "parses a text as HTML"),
    (re.compile(r"\beval\(|new Function\(|set(Timeout|Interval)\(\s*[\"'`]"), "makes code of a text"),
    (re.compile(r"setAttribute\(\s*[\"'](style|on\w+)[\"']|[{,]\s*\"?style\"?\s*:\s*[\"'`]"),
     "an inline style or handler"),
)
MARKUP_WRONG = (
    (re.compile(r"\sstyle\s*=|<style"), "an inline style"),
    (re.compile(r"\son\w+\s*="), "an inline handler"),
    (re.compile(r"<script(?![^>]*\ssrc=)"), "an inline script"),
)
FOREIGN = re.compile(r"(https?:)?//[a-z0-9-]+\.[a-z]|@import|url\(\s*[\"']?(https?:|//)", re.I)
WRONG = {".js": SCRIPT_WRONG, ".html": MARKUP_WRONG, ".svg": MARKUP_WRONG, ".css": ()}


def check(name, text):
    """Everything wrong with a file, each as (line, what)."""
    lines = text.splitlines()
    wrong = []
    if not any(LICENCE in line for line in lines[:2]):
        wrong.append((1, "no SPDX licence line among the first two"))
    if len(lines) > MAX_LINES:
        wrong.append((len(lines), f"longer than {MAX_LINES} lines"))
    for number, line in enumerate(lines, 1):
        for pattern, what in WRONG[pathlib.Path(name).suffix]:
            if pattern.search(line):
                wrong.append((number, what))
        if FOREIGN.search(line.replace(NAMESPACE, "")):
            wrong.append((number, "another host"))
        if line != line.rstrip():
            wrong.append((number, "white space at the end of a line"))
    return wrong


def main():
    folder, header = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text()
    n_wrong = 0
    files = [path for path in sorted(folder.iterdir()) if path.is_file()]
    for path in files:
        wrong = check(path.name, path.read_text())
        if path.name != "index.html" and f'"{path.name}"' not in header:
            wrong.append((1, f"not listed in {sys.argv[2]}"))
        for line, what in wrong:
            n_wrong += 1
            print(f"{path}:{line}: {what}")
    print(f"{len(files)} files of the page, {n_wrong} faults")
    return 1 if n_wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
