# SPDX-License-Identifier: Apache-2.0
"""Turns in which one thing fails, the N-th, while the exporter reads its configuration again and
counts cgroups that come and go: one turn for each N, until a turn has fewer of these things than N.

PMU_TEST_EVERY: only each so many-th N, from a random one on (PMU_TEST_SEED repeats it).
"""
import contextlib
import os
import random
import signal

import live
import standing
from exporter import CYCLES, PATIENCE, Metrics

EVERY = int(os.environ.get("PMU_TEST_EVERY", "0"))
SEED = int(os.environ.get("PMU_TEST_SEED", "0")) or random.randrange(1, 1 << 32)


class TurnTest(standing.FaultTest):
    def turn(self, exporter, number):
        """A cgroup comes, the one before it goes, the configuration is read, and a cycle is over."""
        self.cgroups.make(f"turn{number}.service")
        if number:
            self.cgroups.remove(f"turn{number - 1}.service")
        os.kill(exporter.pid, signal.SIGHUP)
        for _ in live.tries(PATIENCE):  # the page may be what fails
            if Metrics(exporter.answer_in_time().body, 0).value(CYCLES) > self.last:
                return
        self.fail("no cycle")

    def sweep(self, exporter, every, fail):
        """fail(chance, n) is a context in which the n-th fails; it gives an object that has the numbers
        `seen` and `answered` behind it."""
        chance = random.Random(SEED)
        every = EVERY or every
        n, turns = chance.randint(1, every), 0
        print(f"{self.id()}: PMU_TEST_SEED={SEED} PMU_TEST_EVERY={every}")
        while True:
            self.last = exporter.scrape().value(CYCLES)
            with fail(chance, n) as met:
                with contextlib.suppress(ConnectionError):  # which may be what fails
                    self.turn(exporter, turns)
                self.check_same_process(exporter)
            turns += 1
            if not met.answered:
                break
            n += every
        self.assertGreater(turns, 1, "none has failed")
        print(f"{self.id()}: {turns} turns, up to the {n}th of {met.seen}")
        self.cgroups.remove(f"turn{turns - 1}.service")
