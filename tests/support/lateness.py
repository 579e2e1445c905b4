# SPDX-License-Identifier: Apache-2.0
"""By how much a busy machine has made everything late, so that a limit on time can allow for it.

    with Lateness() as late:
        ...
    self.assertLess(seconds, 2.0 * SLACK + late.seconds)
"""
import threading
import time

TURN = 0.01  # seconds


class Lateness(threading.Thread):
    """Sleeps in short turns, and adds up how much longer each of them took than it should have."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seconds = 0.0
        self._end = threading.Event()

    def run(self):
        while not self._end.is_set():
            began = time.monotonic()
            time.sleep(TURN)
            late = time.monotonic() - began - TURN
            if late > TURN:
                self.seconds += late

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self.join()
