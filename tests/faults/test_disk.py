# SPDX-License-Identifier: Apache-2.0
"""A disk that does not answer: that of the history, of the configuration, of names. Whoever waits for
it waits; nobody else does."""
import os
import signal
import tempfile
import time

import live
import standing
from exporter import CYCLES, PATIENCE, Exporter
from failing_calls import FailingCalls
from lateness import Lateness

FOR_EVER = 3600 * 1000  # milliseconds
N_SCRAPES = 200
READ_AT = "pmu_exporter_config_last_reload_success_timestamp_seconds"


class HangingDisk(standing.FaultTest):
    def setUp(self):
        super().setUp()
        self.state = self.enterContext(tempfile.TemporaryDirectory())
        self.calls = self.enterContext(FailingCalls("pwrite64", "openat"))
        self.options = {"env": {"STATE_DIRECTORY": self.state}, "wrapper": self.calls.wrapper()}

    def until_it_hangs(self):
        for _ in live.tries(PATIENCE):
            if self.calls.count()[1] > 0:
                return
        self.fail("nobody uses the disk")

    def check_nobody_waits(self, exporter):
        """Cycles go on, and 99 of 100 scrapes take no tenth of a second."""
        before, seconds = exporter.scrape().value(CYCLES), []
        with Lateness() as late:
            for _ in range(N_SCRAPES):
                answer = exporter.get("/metrics")
                self.assertEqual(answer.status, 200)
                seconds.append(answer.seconds)
                time.sleep(0.01)
        exporter.scrape_until(lambda m: m.value(CYCLES) >= before + 3, PATIENCE, "three cycles")
        seconds.sort()
        print(f"{self.id()}: scrapes took {seconds[N_SCRAPES // 2] * 1000:.0f} ms, 99 of 100 at most "
              f"{seconds[N_SCRAPES * 99 // 100] * 1000:.0f} ms")
        self.assertLess(seconds[N_SCRAPES * 99 // 100], late.limit(0.1))

    def test_that_of_the_history_delays_nobody(self):
        with self.standing(**self.options) as exporter:
            with self.calls.delayed("pwrite64", FOR_EVER, on=self.state):
                self.until_it_hangs()
                self.check_nobody_waits(exporter)

    def test_that_of_the_history_does_not_hold_up_the_end(self):
        with Exporter(self.config(), **self.options) as exporter:
            self.calls.begin(f"delay pwrite64 {FOR_EVER} on={self.state}")
            self.until_it_hangs()
            print(f"{self.id()}: the end took {exporter.stop():.1f} s")
            self.assertIn("the end waits no longer", exporter.stderr())

    def test_that_of_the_configuration_delays_nobody(self):
        with self.standing(**self.options) as exporter:
            read_at = exporter.scrape().value(READ_AT)
            with self.calls.delayed("openat", FOR_EVER, thread="config"):
                os.kill(exporter.pid, signal.SIGHUP)
                self.until_it_hangs()
                for _ in range(50):  # one more, when it answers again
                    os.kill(exporter.pid, signal.SIGHUP)
                self.check_nobody_waits(exporter)
                self.assertEqual(exporter.scrape().value(READ_AT), read_at)
            exporter.scrape_until(lambda m: m.value(READ_AT) > read_at, PATIENCE, "the reload")

    def test_that_of_the_configuration_does_not_hold_up_the_end(self):
        with Exporter(self.config(), **self.options) as exporter:
            self.calls.begin(f"delay openat {FOR_EVER} thread=config")
            os.kill(exporter.pid, signal.SIGHUP)
            self.until_it_hangs()
            exporter.stop()
            self.assertNotIn("the end waits no longer", exporter.stderr())


if __name__ == "__main__":
    standing.main()
