#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the maps (MAPS below) name is there.

    maps.py ROOT

A map that names a file that has moved is worse than none. Looked up is each path, each function
and struct in `code`, each link with its heading, and each path in a picture. The table of layers
has to be in the order that layers.py keeps. Prints each breach as FILE:LINE: what, and exits 1 if
there is one.
"""
import pathlib
import re
import sys

import layers

MAPS = ("src/README.md", "tests/README.md", "tests/faults/INPUTS.md",
        "tests/faults/README.md")

SUFFIXES = (".c", ".h", ".py", ".cmake", ".ts", ".md", ".yml")
CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)#]*)(?:#([^)]*))?\)")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*/?")
FUNCTION = re.compile(r"([a-z_]\w+)\(\)")
# The functions for which a file is named: `count/delta.c` (`delta_add()`, `delta_scale()`).
IN_FILE = re.compile(r"`([\w/.]+\.c)` \(((?:`\w+\(\)`(?:, )?)+)\)")
STRUCT = re.compile(r"(?:struct|enum) ([a-z_]\w+)")
HEADING = re.compile(r"#+ (.*)")
ROW_OF_LAYERS = re.compile(r"\| ((?:`\w+/`(?:, )?)+) \|")
FENCE = "```"

# Names that a reader replaces by one of their own.
PLACEHOLDER = re.compile(r"KIND|NAME")

# What the build makes is not there before it.
MADE = "build/"


def anchor_of(heading):
    """How GitHub names a heading in a link."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def is_path(word):
    """Whether a word in `code` is a path: it has a folder, or the suffix of a source."""
    if not PATH.fullmatch(word) or PLACEHOLDER.search(word) or word.startswith((MADE, "../")):
        return False
    return "/" in word or (word.endswith(SUFFIXES) and not word.startswith("."))


class House:
    """What is there to be named: files and folders below a root, and the words of the sources."""

    def __init__(self, root):
        self.root = root
        texts = [p.read_text() for top in ("src", "include", "tests")
                 for p in sorted((root / top).rglob("*")) if p.suffix in (".c", ".h", ".py", ".cmake")]
        self.words = set(re.findall(r"\w+", "\n".join(texts)))

    def find(self, name, folder):
        """Whether such a path is there: from the root, from a top folder, or from `folder`. A
        module may be named without its suffix."""
        tops = [self.root, *(self.root / top for top in ("src", "include", "tests"))]
        if folder:
            tops += [top / folder for top in tops]
        return any((top / (name + suffix)).exists() for top in tops for suffix in ("", ".c", ".h"))


def check_code(house, word, folder):
    """What is wrong with a word in `code`, or None, and in which folder the next names are: None
    behind a placeholder, whose files nobody can know."""
    if PLACEHOLDER.search(word) and "/" in word:
        return None, None
    if is_path(word):
        if folder is None and "/" not in word:
            return None, None
        if not house.find(word, folder):
            return f"there is no {word}", folder
        return None, word.rpartition("/")[0] or folder
    for name in FUNCTION.findall(word) + STRUCT.findall(word):
        if name not in house.words and not PLACEHOLDER.search(word):
            return f"the sources have no {name}", folder
    return None, folder


def check_functions_of_files(house, line):
    """A function that stands in brackets behind a file is in that file."""
    for name, functions in IN_FILE.findall(line):
        file = next((top / name for top in (house.root, house.root / "src")
                     if (top / name).is_file()), None)
        text = file.read_text() if file else ""
        for function in FUNCTION.findall(functions):
            if file and not re.search(rf"\b{function}\(", text):
                yield f"{name} has no {function}()"


def check_picture(house, line):
    """A word in a picture or a command is a path if it begins with a folder that is there."""
    for word in re.split(r"[\s,=:$]+", line):
        folder, slash, _ = word.partition("/")
        if slash and folder and PATH.fullmatch(word) and f"{folder}/" != MADE \
                and house.find(folder, "") and not house.find(word, ""):
            yield f"there is no {word}"


def check_link(root, path, target, anchor):
    """What is wrong with a link in the map at this path, or None."""
    file = (path.parent / target).resolve() if target else path
    if "://" in target:
        return None
    if not file.exists():
        return f"the link leads to {target}, which is not there"
    if not anchor:
        return None
    headings = (HEADING.fullmatch(line) for line in file.read_text().split("\n"))
    if anchor in {anchor_of(match[1]) for match in headings if match}:
        return None
    return f"{file.relative_to(root)} has no heading #{anchor}"


def check_map(house, path, text):
    """Each breach in one map, as (line, what)."""
    breaches, in_picture = [], False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(FENCE):
            in_picture = not in_picture
            continue
        if in_picture:
            breaches += [(number, wrong) for wrong in check_picture(house, line)]
            continue
        breaches += [(number, wrong) for wrong in check_functions_of_files(house, line)]
        folder = ""
        for word in CODE.findall(line):
            wrong, folder = check_code(house, word, folder)
            breaches += [(number, wrong)] if wrong else []
        for target, anchor in LINK.findall(line):
            wrong = check_link(house.root, path, target, anchor)
            breaches += [(number, wrong)] if wrong else []
    return breaches


def check_order(text):
    """The first table whose rows begin with folders is that of the layers."""
    listed = []
    for line in text.split("\n"):
        match = ROW_OF_LAYERS.match(line)
        if match:
            listed += re.findall(r"`(\w+)/`", match[1])
    return [] if listed == layers.LAYERS else [
        (1, f"the table has the layers {' '.join(listed)}; expected {' '.join(layers.LAYERS)}")]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    house, n_breaches = House(root), 0
    for name in MAPS:
        text = (root / name).read_text()
        breaches = check_map(house, root / name, text)
        for line, wrong in breaches + (check_order(text) if name == MAPS[0] else []):
            n_breaches += 1
            print(f"{name}:{line}: {wrong}")
    print(f"{len(MAPS)} maps, {n_breaches} breaches")
    return 1 if n_breaches else 0


if __name__ == "__main__":
    sys.exit(main())
