#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What only tests call does not belong into the product.

    tests_only.py ROOT

Looks for functions that a header of include/ or src/ declares and that no source of the product
uses beside their declaration and definition. Prints each as FILE: NAME, and exits 1 if there is one
that KNOWN does not list, or if KNOWN lists one that is there no more or is used by now.
"""
import collections
import pathlib
import re
import sys

# Functions that are allowed all the same, each with the reason.
KNOWN = {
    "name_service_new": "a seam: a name service that a test makes slow",
    "name_service_free": "frees such a service",
    "user_names_new": "a seam: the names of such a service",
    "snapshot_find": "finds a row by its identity, for the JSON interface",
    "snapshot_row_number": "reads a number of such a row",
}

# Headers that are for other programs: their functions have users elsewhere.
PUBLIC = {"client/client.h"}

COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
WORD = re.compile(r"\b[a-z_][a-z0-9_]*\b")
PROTOTYPE = re.compile(
    r"^(?!static\b|typedef\b|extern\b|struct \w+ \{)[a-z][\w \*]*?\b([a-z]\w*)\(", re.M)


def read_sources(root):
    """{path: text without comments and strings} of the product."""
    return {path: COMMENT.sub(" ", path.read_text())
            for top in ("include", "src") for path in sorted((root / top).rglob("*.[ch]"))}


def find_unused(texts):
    """{function: header} of those that occur only in their declaration and definition."""
    uses = collections.Counter(word for text in texts.values() for word in WORD.findall(text))
    return {name: path for path, text in texts.items()
            if path.suffix == ".h" and not path.name.endswith(".bpf.h")
            and "/".join(path.parts[-2:]) not in PUBLIC
            for name in PROTOTYPE.findall(text) if uses[name] <= 2}


def main():
    root = pathlib.Path(sys.argv[1])
    texts = read_sources(root)
    unused = find_unused(texts)
    wrong = [f"{path.relative_to(root)}: {name}() is used by no source of the product"
             for name, path in sorted(unused.items()) if name not in KNOWN]
    wrong += [f"KNOWN lists {name}, which is used, or there no more"
              for name in KNOWN if name not in unused]
    print("\n".join(wrong + [f"{len(texts)} sources, {len(wrong)} breaches"]))
    return 1 if wrong or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
