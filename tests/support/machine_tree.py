# SPDX-License-Identifier: Apache-2.0
"""The sysfs of machines that we do not have, for tests in Python: `unpack("intel_server", directory)`
makes the tree. support/machine_tree.h tells the form of the texts, and makes the same trees for tests in C."""
import pathlib
import re

MACHINES = pathlib.Path(__file__).parent / "machines"


def numbers(ranges):
    """The numbers in a list of ranges: "0-3,8"."""
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def expand(path):
    """The paths that a path with a list in braces stands for."""
    parts = re.fullmatch(r"(.*)\{(.*)\}(.*)", path)
    return [f"{parts[1]}{n}{parts[3]}" for n in numbers(parts[2])] if parts else [path]


def files(name):
    """Every file of the machine, as pairs of its path and its text."""
    directory = ""
    for line in (MACHINES / f"{name}.txt").read_text().splitlines():
        if line.startswith("["):
            directory = line[1:-1]
        elif line and not line.startswith("#"):
            file, _, value = line.partition(" = ")
            for each in expand(f"{directory}/{file}"):
                yield each, f"{value}\n"


def unpack(name, directory):
    """Makes the tree of a machine below a directory that is there. Returns the directory."""
    root = pathlib.Path(directory)
    for path, text in files(name):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root
