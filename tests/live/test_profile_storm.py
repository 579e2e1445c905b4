# SPDX-License-Identifier: Apache-2.0
"""Programs that start and end all the time, as a build does it: 167 a second, for PMU_TEST_SECONDS.
Nothing is lost, nothing is kept of those that have ended, and who runs beside them has its stacks.
"""
import collections
import os
import subprocess
import time

import live
from exporter import PATIENCE
from profiles import CHAINS, is_end_of, is_part_of
from test_profile import Known, ProfileTest

SECONDS = int(os.environ.get("PMU_TEST_SECONDS", "6"))
STARTS = 10000 * SECONDS // 60
STORM = 'echo 0 >"$1"; i=0; while [ $i -lt "$2" ]; do /bin/true; i=$((i + 1)); done'
MEMORY = 16 << 20  # profiles.memory, if the configuration says nothing
SHARE = 0.9  # of the samples of who runs beside it


class Storm(ProfileTest):
    def storm(self):
        self.cgroups.make("storm")
        procs = os.fsdecode(self.cgroups.directory("storm")) + "/cgroup.procs"
        return self.enterContext(subprocess.Popen(["sh", "-c", STORM, "sh", procs, str(STARTS)]))

    def test_ten_thousand_starts_a_minute_leave_nothing_behind(self):
        exporter = self.start()
        known = Known(self, "shares", 1000)
        self.warmed_up(exporter, known)
        before = exporter.after_cycles(2)
        start = time.time()
        storm = self.storm()
        while storm.poll() is None:
            known.run()
        self.assertEqual(storm.returncode, 0)
        self.settle(exporter)
        self.check_bystander(self.stacks(exporter, known, start))
        after = exporter.scrape_until(
            lambda m: m.value("pmu_exporter_profile_processes") <= before.value("pmu_exporter_profile_processes") + 20,
            PATIENCE, "what was known of processes that have ended is forgotten")
        cgroup = self.cgroups.path("storm")
        print(f"{STARTS} starts, {after.value('pmu_cgroup_profile_samples_total', cgroup=cgroup)} samples")
        self.assertGreater(after.value("pmu_cgroup_profile_samples_total", cgroup=cgroup), 0)
        self.assertEqual(after.value("pmu_exporter_profile_samples_lost_total"), 0)
        self.assertLessEqual(after.value("pmu_exporter_profile_kept_bytes"), MEMORY)
        self.assertLessEqual(after.value("pmu_exporter_profile_files", state="read"),
                             before.value("pmu_exporter_profile_files", state="read") + 50)

    def check_bystander(self, stacks):
        whole = {names: n for (note, names), n in stacks.items() if note is None}
        notes = collections.Counter()
        for (note, _), n in stacks.items():
            notes[note] += n
        print(f"beside it: {sum(whole.values())} whole of {sum(stacks.values())}: {dict(notes)}")
        for note, names in stacks:
            is_of = is_part_of if note is None else is_end_of
            self.assertTrue(is_of(names, CHAINS["shares"]), f"no such stack: {note} {names}")
        self.assertGreaterEqual(sum(whole.values()), SHARE * sum(stacks.values()))


if __name__ == "__main__":
    live.main()
