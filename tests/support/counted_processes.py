# SPDX-License-Identifier: Apache-2.0
"""What tests of counted processes share: configurations, crowds, and tests with an exporter."""
import os
import subprocess
import tempfile

import live
from exporter import Exporter
from line_program import LineProgram
from live import own

CYCLE = 1.0
FAULTS = "pmu_process_page_faults_total"
CLOCK = "pmu_process_task_clock_seconds_total"
MEMBERS = "pmu_process_members"
START = "pmu_process_start_time_seconds"
UNCOUNTED = "pmu_exporter_targets_uncounted"


SLEEP = own("sleep")
SLEEPERS = f'comm: [{SLEEP}], name: "{{{{.Comm}}}}"'

# What a fork, an exec or an end costs in page faults beside what the program itself makes.
FAULTS_A_PROCESS = 120


def config(*rules, events=live.SOFTWARE, more=""):
    text = "interval: 1s\ncounting: direct\nlinger: 3s\n"
    text += f"groups: [{{name: software, events: [{', '.join(events)}]}}]\n"
    text += "targets:\n  processes:\n"
    for rule in rules:
        text += f"    - {{{rule}, groups: [software]}}\n"
    return text + more


class Crowd(LineProgram):
    """Runs tests/support/crowd.c."""

    def __init__(self, name, *arguments):
        super().__init__([live.program("crowd"), name, *map(str, arguments)])

    def run(self):
        """Lets it run; the page faults that getrusage(2) tells: (self, children, grandchildren)."""
        return tuple(int(word) for word in self.ask("go").split())


class ProcessTest(live.LiveTest):
    def named(self, program, name):
        """Makes a name for the program, whose comm nobody else on this machine has."""
        directory = self.enterContext(tempfile.TemporaryDirectory())
        os.chmod(directory, 0o755)
        link = os.path.join(directory, name)
        os.symlink(os.path.realpath(program), link)
        return link

    def sleepers(self, n, name=SLEEP):
        program = self.named("/bin/sleep", name)
        for _ in range(n):
            process = subprocess.Popen([program, "600"])
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)

    def run_exporter(self, *rules, **options):
        return self.enterContext(Exporter(config(*rules, **options)))

    def seen(self, exporter, name, members=None):
        """The first scrape in which the group has its members, and each is counted."""
        exporter.scrape_until(
            lambda m: m.value(FAULTS, groupname=name) is not None and
            members in (None, m.value(MEMBERS, groupname=name)), 3.5 * CYCLE, f"group {name}")
        return exporter.after_cycles(1)

    def after(self, exporter):
        """A scrape two cycles later."""
        return exporter.after_cycles(2)

    def check_between(self, value, least, most):
        self.assertGreaterEqual(value, least)
        self.assertLessEqual(value, most)
