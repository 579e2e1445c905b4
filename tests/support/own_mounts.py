# SPDX-License-Identifier: Apache-2.0
"""Mounts that only one program sees.

The usual `unshare --mount` makes the whole tree private, from the root down; that fails in a chroot
and wherever else the root is no mount point ("cannot change root filesystem propagation"). Here
the propagation is left as it is, and only the mount that is mounted upon is made private first, so
that nothing reaches the others.
"""
import os
import pathlib
import unittest

# In front of a program: mounts of its own, which still propagate as before.
UNSHARE = ("unshare", "--mount", "--propagation", "unchanged")
# The same, and a namespace of process numbers with a /proc of its own, which ends with this process.
UNSHARE_PIDS = (*UNSHARE, "--pid", "--fork", "--mount-proc", "--kill-child")


def mount_points(text):
    """Of /proc/PID/mountinfo; what the kernel has written as an octal is a byte again."""
    return [line.split(" ")[4].encode().decode("unicode_escape") for line in text.splitlines()]


def mount_of(path):
    """The mount point that holds what is at path; None where it is out of this root's sight."""
    path = os.path.realpath(path)
    points = mount_points(pathlib.Path("/proc/self/mountinfo").read_text())
    holding = [p for p in points if p == "/" or path == p or path.startswith(p + "/")]
    return max(holding, key=len, default=None)


def own_mounts(path, command):
    """What to put in front of a program that shall see what `command`, a line of the shell, has
    mounted at path. The program becomes that process by exec."""
    upon = mount_of(path)
    if upon is None:
        raise unittest.SkipTest(f"{path} is in no mount of this root, which is no mount point")
    return (*UNSHARE, "sh", "-c", f'mount --make-private "$0" && {command} && exec "$@"', upon)
