# SPDX-License-Identifier: Apache-2.0
"""Known requests of a block device, and what the program for block devices has counted of them
(tests/support/block_requests.c)."""
import re

READ, WRITE, DISCARD, FLUSH, OTHER = range(5)
REST, FIRST = 0, 3  # slots
BYTES = 4096  # of each request
FIRST_EXPONENT = -20  # the first bucket counts up to 2^this s
WORDS = re.compile(r"^cell (\d+) (\d+) (\S+) (\d+) (\d+) (\d+) (\d+) (\d+) (\S+) (\d+) (\S+)$",
                   re.MULTILINE)


class Distribution:
    def __init__(self, sum_ns="0", buckets="0"):
        self.sum_ns = int(sum_ns)
        self.buckets = [int(n) for n in buckets.split(",")]
        self.count = sum(self.buckets)

    def bounds_ns(self):
        """What the sum is more than, and at most, by the buckets alone; the last one has no end."""
        ends = [10 ** 9 * 2 ** (FIRST_EXPONENT + i) for i in range(len(self.buckets))]
        most = float("inf") if self.buckets[-1] else sum(
            n * end for n, end in zip(self.buckets, ends))
        return sum(n * end for n, end in zip(self.buckets[1:], ends)), most

    def __eq__(self, other):
        return (self.sum_ns, self.buckets) == (other.sum_ns, other.buckets)


class Cell:
    def __init__(self, requests=0, size=0, errors=0, unknown=0, latency_ns="0", latency="0",
                 queued_ns="0", queued="0"):
        self.requests, self.bytes = int(requests), int(size)
        self.errors, self.unknown = int(errors), int(unknown)
        self.latency = Distribution(latency_ns, latency)
        self.queued = Distribution(queued_ns, queued)

    def __eq__(self, other):
        return vars(self) == vars(other)


class Counted:
    """What the program has printed."""

    def __init__(self, text):
        self.text = text
        self.cells = {(int(slot), int(operation), device): Cell(*numbers)
                      for slot, operation, device, *numbers in WORDS.findall(text)}
        self.lost = int(re.search(r"^lost (\d+)$", text, re.MULTILINE)[1])
        self.elapsed_ns = int(re.search(r"^elapsed (\d+)$", text, re.MULTILINE)[1])

    def cell(self, slot, operation, device):
        return self.cells.get((slot, operation, device), Cell())

    def failed(self, step):
        return int(re.search(rf"^{step} \d+ failed (\d+) ", self.text, re.MULTILINE)[1])

    def of_device(self, device):
        """The cells of a device, by slot and operation."""
        return {(slot, operation): cell for (slot, operation, of), cell in self.cells.items()
                if of == device}


def assert_known(test, counted, slot, operation, device, n, transfers=True):
    """These were n requests of one at a time, all of whose durations are known. A flush transfers
    nothing."""
    cell = counted.cell(slot, operation, device)
    test.assertEqual((cell.requests, cell.bytes, cell.errors, cell.unknown),
                     (n, n * BYTES if transfers else 0, 0, 0), counted.text)
    test.assertEqual((cell.latency.count, cell.queued.count), (n, n), counted.text)
    for distribution in (cell.latency, cell.queued):
        least, most = distribution.bounds_ns()
        test.assertLess(least - 1, distribution.sum_ns, counted.text)
        test.assertLessEqual(distribution.sum_ns, most, counted.text)
    test.assertLess(0, cell.latency.sum_ns)
    test.assertLessEqual(cell.latency.sum_ns + cell.queued.sum_ns, counted.elapsed_ns)
