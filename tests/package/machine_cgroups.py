# SPDX-License-Identifier: Apache-2.0
"""The cgroups of a machine that systemd-nspawn boots: one of its own in each hierarchy, which is the
root that it sees. So machines beside each other do not meet, and each may set limits.
"""
import contextlib
import os
import pathlib
import secrets

import cgroups

# A cgroup of it takes nobody until it has CPUs; its machine is in that of the test.
WITHOUT = "cpuset"


class MachineCgroups:
    def __init__(self):
        name = f"pmu-test-machine-{os.getpid()}-{secrets.token_hex(3)}"
        self.directories, self.v2 = [], None
        for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
            _, mount, kind, options, *_ = line.split(" ")
            if kind not in ("cgroup", "cgroup2") or WITHOUT in options.split(","):
                continue
            directory = pathlib.Path(mount) / name
            with contextlib.suppress(FileExistsError):  # mounted twice
                directory.mkdir()
                self.directories.append(directory)
                self.v2 = directory if kind == "cgroup2" else self.v2

    def enter(self):
        """This process is in them from now on, with what it starts."""
        for directory in self.directories:
            (directory / "cgroup.procs").write_text("0")

    def controllers(self):
        """The names of those of v1 in which it has a cgroup."""
        return {directory.parent.name for directory in self.directories if directory != self.v2}

    def root(self):
        """Where this machine sees what is the root of v2 in there. systemd-nspawn has a cgroup of
        that name for what it boots."""
        return self.v2 / "payload"

    def remove(self):
        for directory in self.directories:
            cgroups.remove_tree(directory)
