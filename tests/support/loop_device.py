# SPDX-License-Identifier: Apache-2.0
"""A block device of a test's own: a file of a temporary directory behind a loop device.

    with LoopDevice() as disk:
        disk.path     # "/dev/loop3"
        disk.name     # "loop3"
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import direct_io

MIB = 1 << 20
PATIENCE = 30.0


class LoopDevice:
    def __init__(self, size=16 * MIB):
        self.size = size

    def __enter__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="pmu-test-disk-")
        self.file = os.path.join(self.directory.name, "file")
        with open(self.file, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, self.size)
        self.path = self._attach()
        self.name = os.path.basename(self.path)
        # whoever had the device before may have switched them off
        pathlib.Path(f"/sys/block/{self.name}/queue/iostats").write_text("1")
        return self

    def _attach(self):
        """Another test may take the free device that losetup has found: it is tried again."""
        until = time.monotonic() + PATIENCE
        while True:
            done = subprocess.run(["losetup", "--find", "--show", self.file], text=True,
                                  capture_output=True)
            if done.returncode == 0:
                return done.stdout.strip()
            if time.monotonic() > until:
                raise OSError(f"no loop device: {done.stderr}")

    def __exit__(self, *_):
        subprocess.run(["losetup", "--detach", self.path], check=True)
        self.directory.cleanup()

    def begin(self, cgroup, op, n, offset=0):
        """The process that reads or writes (op) so many blocks from a cgroup, past all caches. It
        prints how many of these requests have failed."""
        return subprocess.Popen([sys.executable, direct_io.__file__, cgroup, self.path, op, str(n),
                                 str(offset)], stdout=subprocess.PIPE, text=True)

    def use(self, *words, **options):
        """As begin(), to the end. Returns how many requests have failed."""
        process = self.begin(*words, **options)
        out, _ = process.communicate(timeout=120)
        if process.returncode != 0:
            raise AssertionError(f"direct_io.py ended with {process.returncode}")
        return int(out)

    def truncate(self, size):
        """What lies behind this size cannot be read any more."""
        os.truncate(self.file, size)

    def statistics(self):
        """(reads, writes) that are done, as /proc/diskstats has them."""
        fields = pathlib.Path(f"/sys/block/{self.name}/stat").read_text().split()
        return int(fields[0]), int(fields[4])
