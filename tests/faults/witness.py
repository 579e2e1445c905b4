# SPDX-License-Identifier: Apache-2.0
"""Scrapes the exporter while a test does its worst to it, and notes what must never happen.

    with Witness(exporter) as witness:
        ...
        with witness.excused():      # nobody could answer now, nor just after
            ...
    self.assertEqual(witness.faults, [])
"""
import contextlib
import http.client
import threading
import time

import strict_exposition
from exporter import ANSWER_WITHIN, SLACK, http_get

EXCUSED_FOR = 10.0  # the time to recover, after a fault during which nobody could answer
LATE_IN_A_ROW = 3  # one late answer may be the fault of a busy machine; several are the exporter's


class Witness(threading.Thread):
    """Scrapes about once a second. Each answer has to come in time and be right for a strict
    reader, and no counter may have fallen since the scrape before, unless its target was born
    again."""

    def __init__(self, exporter, pause=0.5):
        super().__init__(daemon=True)
        self.exporter, self.pause = exporter, pause
        self.faults = []
        self.n_scrapes, self.slowest, self.longest = 0, 0.0, 0
        self.last = None
        self._excuses, self._excused_until = 0, 0.0
        self._late = 0
        self._end = threading.Event()
        self._began = time.monotonic()

    def note(self, what):
        self.faults.append(f"{time.monotonic() - self._began:.1f} s: {what}")

    @contextlib.contextmanager
    def excused(self):
        """Wants no answer in the block, nor until the exporter has had time to recover."""
        self._excuses += 1
        try:
            yield
        finally:
            self._excused_until = time.monotonic() + EXCUSED_FOR
            self._excuses -= 1

    def _is_excused(self, since):
        return self._excuses > 0 or since < self._excused_until

    def _judge_time(self, seconds):
        self._late = self._late + 1 if seconds > ANSWER_WITHIN * SLACK else 0
        if self._late == LATE_IN_A_ROW:
            self.note(f"{LATE_IN_A_ROW} answers are late, the last by {seconds:.2f} s")

    def look(self):
        began = time.monotonic()
        excused = self._is_excused(began)
        try:
            answer = http_get(self.exporter.port, "/metrics", timeout=30)
        except (OSError, http.client.HTTPException) as error:
            if not excused and not self._is_excused(began):
                self.note(f"no answer: {error!r}")
            return
        if not excused and not self._is_excused(began):
            self._judge_time(answer.seconds)
            if answer.status != 200:
                self.note(f"status {answer.status}")
        if answer.status == 200:
            self._read(answer, excused)

    def _read(self, answer, excused):
        self.n_scrapes += 1
        self.longest = max(self.longest, len(answer.body))
        if not excused:
            self.slowest = max(self.slowest, answer.seconds)
        exposition = strict_exposition.read(answer.body)
        for error in exposition.errors[:5]:
            self.note(error)
        if self.last:
            for fall in strict_exposition.compare(self.last, exposition)[:5]:
                self.note(fall)
        self.last = exposition

    def run(self):
        while not self._end.wait(self.pause):
            try:
                self.look()
            except Exception as error:  # a thread that ended unseen would let the test pass
                self.note(f"the witness itself: {error!r}")
                return

    def __str__(self):
        return (f"{self.n_scrapes} scrapes, the slowest {self.slowest * 1000:.0f} ms, "
                f"the longest {self.longest / 1024:.0f} KiB")

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self.join(30)
