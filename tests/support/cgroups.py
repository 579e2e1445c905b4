# SPDX-License-Identifier: Apache-2.0
"""Cgroups for tests: below one cgroup of a unique name in the v2 hierarchy. Leaving the block ends
what runs in them and removes them, also when the test has failed.

    with Cgroups() as cgroups:
        path = cgroups.make("a.service")          # "/pmu-test-…/a.service"
        cgroups.directory("a.service")            # where it is mounted
"""
import os
import pathlib
import re
import secrets
import time
import unittest
import unicodedata

import strict_exposition

LONGEST_LABEL = 1024


def v2_mount():
    """The directory where the v2 hierarchy is mounted; None if it is not mounted."""
    for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
        _, directory, kind, *_ = line.split(" ")
        if kind == "cgroup2":
            return directory.encode().decode("unicode_escape")
    return None


def is_clean(text):
    """Whether a path stands on /metrics as it is, and not encoded."""
    return not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or
                   c in strict_exposition.BIDI or ord(c) & 0xFFFE == 0xFFFE or
                   0xFDD0 <= ord(c) <= 0xFDEF for c in text)


def path_from_label(label):
    """The bytes of the path that a label stands for; ValueError if it is not encoded as it should
    be."""
    if label.startswith("/"):
        if not is_clean(label):
            raise ValueError(f"{label!r} should have been encoded")
        return label.encode()
    if not re.fullmatch(r"%/([^%]|%[0-9A-Fa-f]{2})*", label):
        raise ValueError(f"{label!r} is no label of a cgroup")
    raw = label[1:].encode()
    path = re.sub(rb"%(..)", lambda m: bytes([int(m[1], 16)]), raw)
    try:
        clean = is_clean(path.decode())
    except UnicodeDecodeError:
        clean = False
    if clean:
        raise ValueError(f"{label!r} need not have been encoded")
    return path


def list_entries(directory):
    """What is in it; nothing if it has gone."""
    try:
        return list(os.scandir(directory))
    except FileNotFoundError:
        return []


def remove_tree(directory, within=30.0):
    """Removes a cgroup and all below it, as soon as what ran in them has ended."""
    for entry in list_entries(directory):
        if entry.is_dir(follow_symlinks=False):
            remove_tree(entry.path, within)
    end = time.monotonic() + within
    while True:
        try:
            os.rmdir(directory)
            return
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


class Cgroups:
    """Names are bytes or text. A slash in a name stands for a cgroup within a cgroup."""

    def __init__(self, name=None, mount=None):
        """mount: a directory of that hierarchy, from which on paths are told in place of it."""
        self.mount = mount or v2_mount()
        self.top = name or f"pmu-test-{os.getpid()}-{secrets.token_hex(3)}"

    def directory(self, name=""):
        """The directory of a cgroup, as bytes."""
        return os.path.join(os.fsencode(self.mount), os.fsencode(self.top),
                            os.fsencode(name)).rstrip(b"/")

    def path(self, name=""):
        """The path below the mount, as a label has it if it is clean."""
        return f"/{self.top}/{name}".rstrip("/") if isinstance(name, str) else \
            os.fsencode(f"/{self.top}/") + name

    def make(self, name):
        os.makedirs(self.directory(name), exist_ok=True)
        return self.path(name)

    def remove(self, name):
        os.rmdir(self.directory(name))

    def enter(self, name, pid):
        with open(self.directory(name) + b"/cgroup.procs", "w", encoding="ascii") as file:
            file.write(str(pid))

    def dying(self):
        """How many removed cgroups below the top the kernel still holds."""
        text = pathlib.Path(os.fsdecode(self.directory()), "cgroup.stat").read_text()
        return int(re.search(r"nr_dying_descendants (\d+)", text)[1])

    def __enter__(self):
        if not self.mount:
            raise unittest.SkipTest("no cgroup v2 hierarchy is mounted here")
        try:
            os.mkdir(self.directory())
        except OSError as error:
            raise unittest.SkipTest(f"cgroups cannot be made here: {error}") from None
        return self

    def __exit__(self, *_):
        # the test itself has started all that runs in this subtree
        try:
            with open(self.directory() + b"/cgroup.kill", "w", encoding="ascii") as file:
                file.write("1")
        except OSError:
            pass
        remove_tree(self.directory())
