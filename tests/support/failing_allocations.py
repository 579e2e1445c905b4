# SPDX-License-Identifier: Apache-2.0
"""Allocations of the exporter that fail: the N-th one of its own objects, while it starts or later.

    with FailingAllocations() as allocations:
        with Exporter(config, env=allocations.env) as exporter:   # tests/faults/failing_allocations.c
            allocations.fail(100)
            ...
            seen, failed = allocations.end()
"""
import mmap
import struct
import tempfile

NUMBERS = struct.Struct("=QQQ")


class FailingAllocations:
    def __init__(self):
        self.file = tempfile.NamedTemporaryFile()
        self.file.write(NUMBERS.pack(0, 0, 0))
        self.file.flush()
        self.page = mmap.mmap(self.file.fileno(), NUMBERS.size)
        self.env = {"PMU_TEST_ALLOCATIONS": self.file.name}

    def fail(self, n):
        """The n-th from now on fails, from 1."""
        self.page[:] = NUMBERS.pack(0, n, 0)

    def end(self):
        """(how many allocations there were since fail(), how many of them failed)"""
        seen, _, failed = NUMBERS.unpack(self.page[:])
        self.fail(0)
        return seen, failed

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.page.close()
        self.file.close()
