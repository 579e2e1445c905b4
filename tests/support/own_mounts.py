# SPDX-License-Identifier: Apache-2.0
"""Mounts that only one program sees.

The usual `unshare --mount` makes the whole tree private, from the root down; that fails in a chroot
and wherever else the root is no mount point ("cannot change root filesystem propagation"). Here
the propagation is left as it is, and only the mount that is mounted upon is made private first, so
that nothing reaches the others.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

# These words stand in front of a program: it has mounts of its own, which propagate as before.
UNSHARE = ("unshare", "--mount", "--propagation", "unchanged")
TRACEFS = "/sys/kernel/tracing"
HAS_TRIED = "PMU_TEST_TRACEFS"
HAS_TRIED_PIDS = "PMU_TEST_OWN_PIDS"  # in the environment of a program that was run anew
# These give it process numbers and a /proc of its own too; all of them end with this process.
UNSHARE_PIDS = (*UNSHARE, "--pid", "--fork", "--mount-proc", "--kill-child")


def mount_points(text):
    """The mount points in a text of /proc/PID/mountinfo. The kernel writes some bytes as octal
    numbers; here they are bytes again."""
    return [line.split(" ")[4].encode().decode("unicode_escape") for line in text.splitlines()]


def mount_of(path):
    """The mount point that holds what is at the path; None if it cannot be seen from this root."""
    path = os.path.realpath(path)
    points = mount_points(pathlib.Path("/proc/self/mountinfo").read_text())
    holding = [p for p in points if p == "/" or path == p or path.startswith(p + "/")]
    return max(holding, key=len, default=None)


def own_mounts(path, command):
    """The words to put in front of a program that is to see what `command`, a line of the shell,
    mounts at the path. The process becomes the program by exec."""
    upon = mount_of(path)
    if upon is None:
        raise unittest.SkipTest(f"{path} is in no mount of this root, which is no mount point")
    return (*UNSHARE, "sh", "-c", f'mount --make-private "$0" && {command} && exec "$@"', upon)


def enter_own_tracefs():
    """For the beginning of a program that needs tracefs: where the machine has it not mounted, the
    program is run anew with a tracefs that only it sees. It ends as skipped where that cannot be."""
    if os.path.exists(f"{TRACEFS}/events"):
        return
    if HAS_TRIED in os.environ or os.geteuid() != 0:
        print("skipped: tracefs cannot be mounted here")
        sys.exit(77)
    try:
        words = own_mounts("/sys", f"mount -t tracefs tracefs {TRACEFS}")
    except unittest.SkipTest as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    os.execvpe(words[0], [*words, sys.executable, "-B", *sys.argv], {**os.environ, HAS_TRIED: "1"})


def enter_own_pids():
    """The program is run anew with process numbers of its own, where that can be: it can end nobody
    else's processes, and none of its own outlives it."""
    if HAS_TRIED_PIDS in os.environ or not shutil.which("unshare"):
        return
    if subprocess.run([*UNSHARE_PIDS, "true"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
        return
    os.execvpe(UNSHARE_PIDS[0], [*UNSHARE_PIDS, sys.executable, "-B", *sys.argv],
               {**os.environ, HAS_TRIED_PIDS: "1"})
