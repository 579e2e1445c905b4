# SPDX-License-Identifier: Apache-2.0
"""Processes that /proc hides from who may not trace them: hidepid of proc(5)."""
import os
import subprocess
import tempfile

import live
import standing
from counted_processes import CYCLE, FAULTS, SLEEP, SLEEPERS, UNCOUNTED, ProcessTest, config
from exporter import Exporter, binary
from own_mounts import own_mounts

HIDDEN = "pmu_exporter_processes_hidden"


class Hidden(ProcessTest):
    def as_nobody(self, capabilities, **more):
        """An exporter from which /proc hides processes, with these capabilities."""
        live.need("unshare", "setpriv")
        directory = self.enterContext(tempfile.TemporaryDirectory())
        os.chmod(directory, 0o755)
        # a new mount, since a remount would change /proc for everybody who shares it
        wrapper = (*own_mounts("/proc", "mount -t proc -o hidepid=2 proc /proc"),
                   "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                   f"--inh-caps={capabilities}", f"--ambient-caps={capabilities}",
                   f"--bounding-set=-all,{capabilities}")
        return Exporter(config(SLEEPERS, **more), directory=directory, wrapper=wrapper)

    def test_processes_that_cannot_be_seen_cost_the_others_nothing(self):
        self.sleepers(1)
        machine = "  system: {groups: [software], by: all}\n"
        with self.as_nobody("+perfmon", more=machine) as exporter:
            metrics = exporter.scrape_until(
                lambda m: m.value("pmu_machine_page_faults_total") is not None, 4 * CYCLE,
                "the machine's")
            self.assertEqual(len(metrics.find(FAULTS)), 0)
            self.assertEqual(metrics.sum(UNCOUNTED, kind="process"), 0)
            # it is told that there are some; how many they are cannot be known
            self.assertEqual(exporter.after_cycles(2).value(HIDDEN), 1)
            lines = [l for l in exporter.log_lines() if "cannot be seen" in l]
            self.assertEqual(len(lines), 1, exporter.stderr())
            for word in ("not_permitted", "hidepid", "CAP_SYS_PTRACE"):
                self.assertIn(word, lines[0])
            self.assertEqual(exporter.get("/-/ready").status, 200, "the machine is counted")

    def test_the_check_of_the_configuration_says_that_proc_hides_processes(self):
        live.need("unshare")
        path = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "file.yml")
        with open(path, "w", encoding="ascii") as file:
            file.write(config(SLEEPERS))
        tool = os.path.join(os.path.dirname(binary()), "pmutool")

        def check(options):
            wrapper = own_mounts("/proc", f"mount -t proc -o {options} proc /proc")
            return subprocess.run([*wrapper, tool, "check", "config", path], check=True,
                                  capture_output=True, text=True).stdout

        self.assertRegex(check("hidepid=2"), rf"{path}:\d+:\d+: warning: .*CAP_SYS_PTRACE.*hidepid")
        self.assertNotIn("hidepid", check("hidepid=0"))

    def test_who_may_see_all_processes_counts_them_whatever_proc_hides(self):
        self.sleepers(2)
        with self.as_nobody("+perfmon,+sys_ptrace") as exporter:
            metrics = self.seen(exporter, SLEEP, 2)
            self.assertEqual(metrics.value(HIDDEN), 0)
            self.assertNotIn("cannot be seen", exporter.stderr())


if __name__ == "__main__":
    standing.main()
