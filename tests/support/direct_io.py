# SPDX-License-Identifier: Apache-2.0
"""Reads or writes blocks of a device past all caches, one at a time: each is one request.

    direct_io.py CGROUP PATH read|write N [OFFSET]

Enters the cgroup of that directory first, begins at the offset, and prints how many have failed.
"""
import mmap
import os
import sys

BLOCK = 4096


def run(path, op, n, offset):
    disk = os.open(path, os.O_RDWR | os.O_DIRECT)
    block = mmap.mmap(-1, BLOCK)
    call = os.preadv if op == "read" else os.pwritev
    failed = 0
    for i in range(n):
        try:
            call(disk, [block], offset + BLOCK * i)
        except OSError:
            failed += 1
    return failed


if __name__ == "__main__":
    cgroup, device, what, number = sys.argv[1:5]
    with open(os.path.join(cgroup, "cgroup.procs"), "w", encoding="ascii") as procs:
        procs.write("0")
    print(run(device, what, int(number), int(sys.argv[5]) if len(sys.argv) > 5 else 0))
