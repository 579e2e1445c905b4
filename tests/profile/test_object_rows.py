#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Rows of tables against a second reader of .eh_frame: readelf.

    test_object_rows.py OBJECT_ROWS [all]

For some files of this machine, or for each below /usr/bin and /usr/lib, every row that readelf
shows must have our rule at its address, and we may have no other row.
"""
import bisect
import glob
import os
import re
import subprocess
import sys
import unittest

OBJECT_ROWS = sys.argv[1]
ALL = sys.argv[2:] == ["all"]

SOME = ["/usr/lib/*-linux-gnu/libc.so.6", "/usr/lib/*-linux-gnu/ld-linux*.so.*",
        "/usr/lib/*-linux-gnu/libm.so.6", "/usr/lib/*-linux-gnu/libcrypto.so.3",
        "/usr/lib/*-linux-gnu/libstdc++.so.6", "/usr/lib/*-linux-gnu/libelf.so.1",
        "/usr/lib/*-linux-gnu/libgcc_s.so.1", "/usr/lib/*-linux-gnu/libz.so.1",
        "/usr/lib/*-linux-gnu/libsystemd.so.0", "/usr/lib/*-linux-gnu/libsqlite3.so.0",
        "/usr/bin/python3.11", "/usr/bin/bash", "/usr/bin/ls", "/usr/bin/git", "/usr/bin/cmake",
        "/usr/sbin/nginx", "/usr/aarch64-linux-gnu/lib/libc.so.6",
        "/usr/aarch64-linux-gnu/lib/libstdc++.so.6", "/usr/aarch64-linux-gnu/lib/ld-linux*.so.1"]

FUNCTION = re.compile(r"^[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ FDE cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+)")
OUR_ROW = re.compile(r"^([0-9a-f]+) (\w+?)([+-]\d+)([+-]\d+) fp=(\w+)([+-]\d+) ra=(\w+)([+-]\d+)$")
PLACE = re.compile(r"^(\w+)([+-]\d+)$")
WORD, MOST = 8, 32767
PADDING = 15

X86_64, AARCH64 = 62, 183
MACHINES = {X86_64: {"sp": "rsp", "fp": "rbp"}, AARCH64: {"sp": "sp", "fp": "x29"}}


def machine_of(path):
    """e_machine of a file that can be read, or None: it is no program of 64 bits."""
    try:
        with open(path, "rb") as file:
            head = file.read(20)
    except OSError:
        return None
    if head[:6] != b"\x7fELF\x02\x01" or head[16] not in (2, 3):
        return None
    return int.from_bytes(head[18:20], "little")


def read_row(columns, line):
    """A row as {column: text}; a register in which another one is kept has its name behind it."""
    words = re.sub(r"(r\d+) \(\w+\)", r"\1", line).split()
    return int(words[0], 16), dict(zip(columns, words[1:]))


def readelf_functions(path):
    """What readelf shows, as (start, end, {address: {column: text}})."""
    told = subprocess.run(["readelf", "--debug-dump=frames-interp", "--debug-dump=no-follow-links",
                           path], capture_output=True, text=True, errors="replace")
    functions, shared, columns, rows = [], {}, [], {}
    for line in told.stdout.split("\n"):
        match = FUNCTION.match(line)
        if line.startswith("Contents of the "):
            if functions and ".eh_frame" not in line:
                break
        elif match:
            start = int(match[2], 16)
            # where nothing is said of the function, what it shares with others holds
            rows = {start: row for row in shared.get(match[1], {}).values()}
            functions.append((start, int(match[3], 16), rows))
        elif " CIE " in line:
            rows = shared[line.split()[0]] = {}
        elif line.startswith("   LOC"):
            columns = line.split()[1:]
        elif re.match(r"^[0-9a-f]{16} ", line):
            address, row = read_row(columns, line)
            rows[address] = row
    return functions


class Rows:
    """Our rows of a file."""

    def __init__(self, path):
        told = subprocess.run([OBJECT_ROWS, path], capture_output=True, text=True, check=True)
        self.outcome, self.addresses, self.rules = "read", [], []
        for line in told.stdout.splitlines():
            match = OUR_ROW.match(line)
            if not match:
                self.outcome = line
                break
            self.addresses.append(int(match[1], 16))
            self.rules.append(match.groups()[1:])

    def at(self, address):
        place = bisect.bisect_right(self.addresses, address) - 1
        return self.rules[place] if place >= 0 else None


def fits(offset):
    return offset % WORD == 0 and -MOST - 1 <= offset // WORD <= MOST


def cfa_agrees(rule, text, machine):
    """Whether our CFA is that of readelf, which does not show expressions."""
    kind, offset = rule[0], int(rule[1])
    if text == "exp":
        return kind in ("plt", "sp_deref", "fp_deref")
    register, theirs = PLACE.match(text).groups()
    return (machine.get(kind), offset) == (register, int(theirs))


def register_agrees(rule, text):
    """Whether a register of the caller is where readelf has it. It shows u for undefined, and also
    where nothing is said yet."""
    kind, offset = rule
    if text is None or text in ("u", "s"):
        return kind in ("same", "lost")
    if text.startswith("c"):
        return (kind, int(offset)) == ("cfa", int(text[1:])) if fits(int(text[1:])) else (
            kind == "lost")
    return kind == "lost"


def has_rule(row, machine_number):
    """Whether there is a rule that says what readelf shows."""
    machine, ra = MACHINES[machine_number], row.get("ra", "u")
    if row["CFA"] == "exp":
        return False
    register, offset = PLACE.match(row["CFA"]).groups()
    if register not in machine.values() or not fits(int(offset)):
        return False
    return ra == "c-8" if machine_number == X86_64 else ra in ("u", "s") or (
        ra.startswith("c") and fits(int(ra[1:])))


def agrees(rule, row, machine_number):
    machine, ra = MACHINES[machine_number], row.get("ra")
    if rule[0] == "none":
        return not has_rule(row, machine_number)
    if rule[0] == "end":
        return ra == "u"
    if rule[0] == "signal":
        return row["CFA"] == "exp"
    return (cfa_agrees(rule, row["CFA"], machine) and
            register_agrees(rule[3:5], row.get(machine["fp"])) and register_agrees(rule[5:7], ra))


def differences(path, number):
    """What we have else than readelf, as lines."""
    ours, wrong, starts = Rows(path), [], set()
    functions = sorted((f for f in readelf_functions(path) if f[1] > f[0]), key=lambda f: f[:2])
    if ours.outcome != "read":
        return [f"{path}: {ours.outcome}"] if functions else []
    reached = 0
    for start, end, rows in functions:
        if start < reached or start < (ours.addresses[0] if ours.addresses else 0):
            continue  # overlaps the one before, or is not in the code
        if reached and start - reached > PADDING:
            starts.add(reached)
            if ours.at(reached)[0] != "none":
                wrong.append(f"{path}: {reached:x}: a gap has a rule")
        reached = end
        starts |= set(rows)
        by_expression = False
        for address, row in sorted(rows.items()):
            rule = ours.at(address)
            # assembler of libgcrypt changes the register of a CFA that has none at the time, which
            # DWARF forbids (DWARF 5, 6.4.2.2): readelf takes the offset of an earlier row
            by_expression |= row["CFA"] == "exp"
            if by_expression and rule and rule[0] == "none":
                continue
            if address < end and not (rule and agrees(rule, row, number)):
                wrong.append(f"{path}: {address:x}: {row} is {rule}")
    starts.add(reached)
    return wrong + [f"{path}: {address:x}: readelf has no row" for address in ours.addresses
                    if address not in starts]


def all_files():
    seen = set()
    for top in ("/usr/bin", "/usr/lib"):
        for folder, _, names in os.walk(top):
            for name in names:
                path = os.path.realpath(os.path.join(folder, name))
                # what is kept for debuggers has no code
                if path not in seen and os.path.isfile(path) and "/debug/" not in path:
                    seen.add(path)
                    yield path


class ObjectRows(unittest.TestCase):
    def test_rows_are_those_of_readelf(self):
        files = all_files() if ALL else sorted(
            {os.path.realpath(path) for pattern in SOME for path in glob.glob(pattern)})
        n_files, wrong = 0, []
        for path in files:
            number = machine_of(path)
            if number not in MACHINES:
                continue
            n_files += 1
            wrong += differences(path, number)
        print(f"{n_files} files, {len(wrong)} differences")
        self.assertGreater(n_files, 0)
        self.assertEqual(wrong[:20], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
