# SPDX-License-Identifier: Apache-2.0
"""System calls that fail, are cut short or are slow while cgroups are counted."""
import live
import standing
from failing_calls import FailingCalls
from standing import FAULTS

PERF_EVENT = "anon_inode:[perf_event]"
CYCLE = 1.0


class Calls(standing.FaultTest):
    def setUp(self):
        super().setUp()
        self.calls = self.enterContext(FailingCalls("perf_event_open", "read"))

    def make(self, n):
        return [self.cgroups.make(f"n{i:04d}.service") for i in range(n)]

    def counted(self, metrics, paths):
        return len(metrics.labels(FAULTS, "cgroup") & set(paths))

    def test_no_memory_for_a_moment(self):
        with self.standing(wrapper=self.calls.wrapper(), descriptors=False) as exporter:
            with self.calls.answered("perf_event_open", "ENOMEM", first=3) as met:
                paths = self.make(10)
                self.assertLess(self.counted(exporter.after_cycles(2), paths), 10)
            self.assertGreater(met.answered, 0)
            exporter.scrape_until(lambda m: self.counted(m, paths) == 10, 5 * CYCLE, "all counted")


if __name__ == "__main__":
    live.main()
