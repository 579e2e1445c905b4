# SPDX-License-Identifier: Apache-2.0
"""No tracefs, and one that may not be read: tracepoints cannot be counted, and everything else is."""
import os
import pathlib
import tempfile

import live
import own_mounts
import standing

SUPPORTED = "pmu_exporter_event_supported"
DEBUGFS = "/sys/kernel/debug"
NOBODY = 65534
TRACE = '  - {name: trace, events: ["sched:sched_switch"]}\n'


class TracefsTest(standing.FaultTest):
    def traced(self):
        """The configuration of all tests, and a group with a tracepoint."""
        text = self.config().replace("groups: [software]", "groups: [software, trace]")
        return text.replace("targets:\n", TRACE + "targets:\n", 1)

    def reasons(self, metrics, event):
        return {(dict(labels)["reason"], int(value))
                for labels, value in metrics.find(SUPPORTED, event=event).items()}

    def check(self, reason, **options):
        """The tracepoint is the only event that is not counted, for this reason, before a reload and
        after it; the fixture wants all page faults of its load."""
        with self.standing(self.traced(), **options) as exporter:
            for is_new in (False, True):
                if is_new:
                    self.assertEqual(exporter.ask_control("POST", "/-/reload").status, 200)
                metrics = exporter.after_cycles(2)
                self.assertEqual(self.reasons(metrics, "sched:sched_switch"), {(reason, 0)})
                self.assertEqual(self.reasons(metrics, "page-faults"), {("", 1)})
                told = [line for line in exporter.log_lines() if "event=sched:sched_switch" in line]
                self.assertEqual(len(told), 1, "a reload of the same tells nothing anew")

    def test_absent(self):
        live.need("unshare")
        empty = [own_mounts.own_mounts(at, f"mount -t tmpfs tmpfs {at}")
                 for at in (own_mounts.TRACEFS, DEBUGFS) if pathlib.Path(at).is_mount()]
        self.check("no_pmu", wrapper=sum(empty, ()))

    def test_unreadable(self):
        live.need("setpriv")
        directory = self.enterContext(tempfile.TemporaryDirectory())
        os.chown(directory, NOBODY, NOBODY)
        self.check("not_permitted", directory=directory, wrapper=(
            "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
            "--inh-caps=+perfmon", "--ambient-caps=+perfmon", "--bounding-set=-all,+perfmon"))


if __name__ == "__main__":
    own_mounts.enter_own_tracefs()
    standing.main()
