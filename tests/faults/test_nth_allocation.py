# SPDX-License-Identifier: Apache-2.0
"""Each N-th allocation fails, once: in turns (turns.py), after which nothing is amiss, and while the
exporter starts, which then goes on, or ends with a message."""
import contextlib
import random
import tempfile

import standing
from exporter import SANITIZER, Exporter
from failing_allocations import FailingAllocations
from failing_calls import Met
from turns import EVERY, SEED, TurnTest

OF_A_TURN, OF_A_START = 97, 307  # each so many-th, in the short mode


class NthAllocation(TurnTest):
    def setUp(self):
        super().setUp()
        self.allocations = self.enterContext(FailingAllocations())

    @contextlib.contextmanager
    def failing(self, _, n):
        met = Met()
        self.allocations.fail(n)
        try:
            yield met
        finally:
            met.seen, met.answered = self.allocations.end()

    def test_while_it_runs(self):
        with self.standing(env=self.allocations.env, answers=False) as exporter:
            self.sweep(exporter, OF_A_TURN, self.failing)

    def start_once(self, n):
        """Whether it was ready though the n-th allocation failed, and how many did."""
        self.allocations.fail(n)
        directory = self.enterContext(tempfile.TemporaryDirectory())
        exporter = Exporter(self.config(), env=self.allocations.env, directory=directory)
        try:
            with exporter:
                exporter.answer_in_time()
                return True, self.allocations.end()[1]
        except AssertionError:
            failed = self.allocations.end()[1]
            text = exporter.stderr()
            self.assertIsNone(SANITIZER.search(text), text)
            self.assertGreater(exporter.process.returncode, 0, text)
            self.assertRegex(text, "level=error|Cannot allocate memory")
            return False, failed

    def test_while_it_starts(self):
        every = EVERY or OF_A_START
        n, ends = random.Random(SEED).randint(1, every), 0
        print(f"{self.id()}: PMU_TEST_SEED={SEED} PMU_TEST_EVERY={every}")
        while True:
            went_on, failed = self.start_once(n)
            if not failed:
                break
            ends += not went_on
            n += every
        self.assertGreater(n, every, "none has failed")
        self.assertTrue(went_on)
        print(f"{self.id()}: up to the {n}th, {ends} times it ended with a message")


if __name__ == "__main__":
    standing.main()
