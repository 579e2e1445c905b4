# SPDX-License-Identifier: Apache-2.0
"""Samples that find no room on their way from the kernel, since the exporter does not run: they are
counted for whom they were taken of, so that samples stay CPU time, and profiles show that they are
missing.
"""
import json
import math
import os
import signal
import time
import urllib.parse

from exporter import PATIENCE
from profiles import ask_profile, sampled_hz
from test_profile import Known, ProfileTest, live

RATE = 49
ROUNDS = 3
SIGMAS = 5
LOST = "pmu_exporter_profile_samples_lost_total"
SAMPLES = "pmu_cgroup_profile_samples_total"
CLOCK = "pmu_cgroup_task_clock_seconds_total"


class Lost(ProfileTest):
    def run_unread(self, exporter, known):
        """The program runs, and the exporter does not: until there is no room, which there is the more
        of the more CPUs there are."""
        exporter.process.send_signal(signal.SIGSTOP)
        try:
            for _ in range(1 + os.cpu_count() // 2):
                known.run()
        finally:
            exporter.process.send_signal(signal.SIGCONT)
        return exporter.after_cycles(3)

    def test_samples_without_room_are_their_cgroups_and_say_so(self):
        exporter = self.start(rate=RATE)
        known = Known(self, "deep", 4000)  # whose samples are as large as any
        before = exporter.scrape_until(
            lambda m: known.run() or m.value(SAMPLES, cgroup=known.path), PATIENCE, "samples")
        start = time.time()
        for _ in range(ROUNDS):
            after = self.run_unread(exporter, known)
            lost = int(after.value(LOST) - before.value(LOST))
            if lost:
                break
        self.assertGreater(lost, 0)
        samples, clock = (float(after.value(name, cgroup=known.path) -
                                before.value(name, cgroup=known.path)) for name in (SAMPLES, CLOCK))
        expected = clock * sampled_hz(RATE)
        print(f"{lost} lost; of the cgroup {samples:.0f} samples, {expected:.0f} by the clock")
        self.assertLess(abs(samples - expected), SIGMAS * math.sqrt(expected))
        noted = {target: sum(n for stack, n in ask_profile(exporter, target=target, start=start)
                             .stacks.items() if [frame.name for frame in stack] == ["[sample lost]"])
                 for target in (known.target, "machine")}
        self.assertGreaterEqual(noted["machine"], lost)
        self.assertGreater(noted[known.target], 0)
        exporter.scrape_until(
            lambda m: m.value("pmu_exporter_profile_stacks_total", outcome="lost") == m.value(LOST),
            PATIENCE, "stacks that say so")
        self.check_times(exporter, known, start, noted[known.target])

    def check_times(self, exporter, known, start, lost):
        """Those that were lost stand where they can have been, and not all at one time."""
        answer = json.loads(exporter.get("/api/v1/profile/seconds?" + urllib.parse.urlencode(
            {"target": known.target, "start": start})).body)
        parts = answer["samples"]
        print(f"{len([n for n in parts if n])} of {len(parts)} parts have samples, at most {max(parts)}")
        self.assertLess(max(parts), max(lost // 2, 4 * RATE * os.cpu_count() // 10))


if __name__ == "__main__":
    live.main()
