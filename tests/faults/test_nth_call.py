# SPDX-License-Identifier: Apache-2.0
"""Each N-th call of a name fails, once, while the exporter reads its configuration again and counts:
one turn for each N, until a turn has fewer calls than N. Afterwards nothing is amiss.

PMU_TEST_EVERY: only each so many-th N, from a random one on (PMU_TEST_SEED repeats it).
"""
import os
import random
import signal
import time

import live
import standing
from failing_calls import FailingCalls

EVERY = int(os.environ.get("PMU_TEST_EVERY", "41"))
SEED = int(os.environ.get("PMU_TEST_SEED", "0")) or random.randrange(1, 1 << 32)
CYCLES = "pmu_exporter_cycles_total"
READ_AT = "pmu_exporter_config_last_reload_success_timestamp_seconds"
ERRORS = {
    "openat": ("EMFILE", "ENOMEM", "EINTR"),
    "read": ("EIO", "EINTR", "ENOMEM"),
    "write": ("EIO", "ENOSPC", "EINTR"),
    "epoll_ctl": ("ENOMEM", "ENOSPC"),
    "epoll_wait": ("EINTR",),
    "mmap": ("ENOMEM",),
    "perf_event_open": ("EMFILE", "ENOMEM", "EBUSY", "EINTR"),
}


class NthCall(standing.FaultTest):
    def turn(self, exporter, number):
        """A cgroup comes, the one before it goes, and a cycle and a reading of the configuration are
        over."""
        self.cgroups.make(f"turn{number}.service")
        if number:
            self.cgroups.remove(f"turn{number - 1}.service")
        os.kill(exporter.pid, signal.SIGHUP)
        time.sleep(0.3)

    def sweep(self, call):
        chance = random.Random(SEED)
        print(f"PMU_TEST_SEED={SEED} PMU_TEST_EVERY={EVERY}")
        with FailingCalls(call) as calls, \
                self.standing(wrapper=calls.wrapper(), answers=False) as exporter:
            n, turns = chance.randint(1, EVERY), 0
            while True:
                error = chance.choice(ERRORS[call])
                with calls.answered(call, error, first=n, count=1) as met:
                    self.turn(exporter, turns)
                self.check_same_process(exporter)
                turns += 1
                if not met.answered:
                    break
                n += EVERY
            print(f"{call}: {turns} turns, up to the {n}th of {met.seen}")
            self.cgroups.remove(f"turn{turns - 1}.service")
            time.sleep(4)  # what has ended lingers
            exporter.after_cycles(2)


for each in ERRORS:
    setattr(NthCall, f"test_{each}", lambda self, call=each: self.sweep(call))

if __name__ == "__main__":
    live.main()
