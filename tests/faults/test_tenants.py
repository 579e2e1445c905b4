# SPDX-License-Identifier: Apache-2.0
"""One tenant wants hundreds opened where opening is slow, and another one comes later."""
import os

import live
import standing
from cgroups import Cgroups
from exporter import PATIENCE, quote
from failing_calls import FailingCalls
from standing import FAULTS

MINE = 300
SLOW_MS = 200
# The turn that goes on when it is born, one of each tenant, and those until a scrape has told it.
MOST_TURNS = 5


class Tenants(standing.FaultTest):
    def setUp(self):
        super().setUp()
        if live.COUNTING != "direct":
            self.skipTest("bpf opens nothing for a cgroup")
        self.yours = self.enterContext(Cgroups())
        self.calls = self.enterContext(FailingCalls("perf_event_open"))

    def config_of_both(self):
        mine = quote(f"/{self.cgroups.top}/**")
        return self.config().replace(mine, f"{mine}, {quote(f'/{self.yours.top}/**')}")

    def opens_until(self, exporter, wanted, what):
        """How many calls there were until then."""
        exporter.scrape_until(wanted, PATIENCE, what)
        return self.calls.count()[0]

    def test_who_comes_later_does_not_wait_for_hundreds_of_another(self):
        of_one = len(live.SOFTWARE) * os.cpu_count()
        with self.standing(self.config_of_both(), wrapper=self.calls.wrapper()) as exporter:
            with self.calls.delayed("perf_event_open", SLOW_MS):
                paths = self.make(MINE)
                self.opens_until(exporter, lambda m: self.calls.count()[0] > 2 * of_one,
                                 "opening has begun")
                path = self.yours.make("late.service")
                before = self.calls.count()[0]
                after = self.opens_until(exporter, lambda m: m.value(FAULTS, cgroup=path) is not None,
                                         "the other tenant's cgroup is counted")
                n = self.counted(exporter.scrape(), paths)
            print(f"{after - before} opens, {of_one} of one cgroup; {n} of {MINE} are counted")
            self.assertLessEqual(after - before, MOST_TURNS * of_one)
            self.assertLess(n, MINE // 2, "most of them still waited")
            self.remove(paths)
            self.yours.remove("late.service")


if __name__ == "__main__":
    live.main()
