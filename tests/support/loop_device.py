# SPDX-License-Identifier: Apache-2.0
"""A block device of a test's own: a file of a temporary directory behind a loop device.

    with LoopDevice() as disk:
        disk.path     # "/dev/loop3"
        disk.name     # "loop3"
"""
import os
import pathlib
import subprocess
import tempfile
import time

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

    def truncate(self, size):
        """What lies behind this size cannot be read any more."""
        os.truncate(self.file, size)

    def statistics(self):
        """(reads, writes) that are done, as /proc/diskstats has them."""
        fields = pathlib.Path(f"/sys/block/{self.name}/stat").read_text().split()
        return int(fields[0]), int(fields[4])
