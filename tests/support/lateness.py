# SPDX-License-Identifier: Apache-2.0
"""What a busy machine adds to a time, so that a limit on time holds there too.

    with Lateness() as late:
        ...
    self.assertLess(seconds, late.limit(2.0))
"""
import threading
import time

from exporter import SLACK

TURN = 0.01  # seconds
TURNS = 10  # sleeps between two that compute
COMPUTES = 0.01  # seconds of CPU time


class Lateness(threading.Thread):
    """Sleeps in short turns and adds up how much longer each of them took than it should have; computes
    now and then, and knows how many times as long that took as the CPU time that it needed."""

    def __init__(self):
        super().__init__(daemon=True)
        self._late = 0.0
        self._took, self._needed = 0.0, 0.0
        self._end = threading.Event()

    def limit(self, seconds):
        """So many seconds on a quiet machine are so many here."""
        return seconds * SLACK * max(1.0, self._took / self._needed) + self._late

    def run(self):
        while not self._end.is_set():
            self._compute()
            for _ in range(TURNS):
                if not self._end.is_set():
                    self._sleep()

    def _sleep(self):
        began = time.monotonic()
        time.sleep(TURN)
        late = time.monotonic() - began - TURN
        if late > TURN:
            self._late += late

    def _compute(self):
        began, used = time.monotonic(), time.thread_time()
        while time.thread_time() - used < COMPUTES:
            pass
        self._took += time.monotonic() - began
        self._needed += time.thread_time() - used

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self.join()
