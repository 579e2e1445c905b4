# SPDX-License-Identifier: Apache-2.0
"""Connects so often over loopback, and sleeps so often for a millisecond by nanosleep(2).

    by_key_load.py CGROUP CONNECTIONS NAPS

Enters the cgroup of that directory first.
"""
import ctypes
import os
import platform
import socket
import sys

NANOSLEEP = 35 if platform.machine() == "x86_64" else 101


def run(connections, naps):
    with socket.create_server(("127.0.0.1", 0)) as server:
        for _ in range(connections):
            with socket.create_connection(server.getsockname()):
                server.accept()[0].close()
    libc = ctypes.CDLL(None)
    rest = (ctypes.c_long * 2)(0, 1000000)
    for _ in range(naps):
        libc.syscall(NANOSLEEP, rest, None)


if __name__ == "__main__":
    cgroup, n_connections, n_naps = sys.argv[1:4]
    with open(os.path.join(cgroup, "cgroup.procs"), "w", encoding="ascii") as procs:
        procs.write("0")
    run(int(n_connections), int(n_naps))
