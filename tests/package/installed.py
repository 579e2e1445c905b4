# SPDX-License-Identifier: Apache-2.0
"""The package on a booted bare Debian: what tests of its life and of upgrades look at."""
import unittest

import bare_debian
from exporter import Metrics

CONFIGURATION = "/etc/pmu_exporter/pmu_exporter.yml"
DEFAULT = "/etc/default/pmu_exporter"
STATE = "/var/lib/pmu_exporter"
MARK = "before the upgrade"


class Installed(unittest.TestCase):
    def boot(self):
        self.root = bare_debian.Root()
        self.addCleanup(self.root.clean)
        self.machine = bare_debian.Machine(self.root)
        self.addCleanup(self.machine.stop)

    def scrape(self):
        return Metrics(self.machine.page("/metrics").encode(), 0)

    def wait_until_ready(self):
        self.machine.until(lambda: self.machine.page("/-/ready"), "readiness")

    def marks(self):
        return [mark["text"] for mark in self.machine.json("/api/v1/marks")["marks"]]

    def times(self):
        """When the history has something of the machine, within the last hour."""
        targets = self.machine.json("/api/v1/history?target=machine&points=10000")["targets"]
        return targets[0]["times"] if targets else []

    def check_that_it_counts_at_once(self):
        """dpkg has only just ended: the service runs, is enabled, and counts as its own user."""
        machine = self.machine
        self.assertEqual(machine.property("ActiveState"), "active")
        self.assertEqual(machine.property("UnitFileState"), "enabled")
        self.assertIsNotNone(machine.page("/-/ready"))
        self.assertEqual(machine.run("stat", "-c", "%U", f"/proc/{machine.property('MainPID')}"),
                         "pmu_exporter\n")
        cgroup = "/system.slice/pmu_exporter.service"
        name = "pmu_cgroup_task_clock_seconds_total"
        before = self.scrape().value(name, cgroup=cgroup)
        self.assertIsNotNone(before)
        machine.until(lambda: self.scrape().value(name, cgroup=cgroup) > before, "counting")

    def check_state(self, private):
        """Where the state is, and that it is the service's own."""
        link = self.root.path / STATE.lstrip("/")
        self.assertEqual(link.is_symlink(), private)
        self.assertEqual((self.root.path / "var/lib/private/pmu_exporter").is_dir(), private)
        self.machine.until(lambda: MARK in self.marks(), "the mark")

    def check_upgrade(self, package):
        """What the administrator wrote stays, the history too, and totals are told to be new."""
        machine, cgroup = self.machine, "/system.slice/systemd-journald.service"
        born = "pmu_cgroup_start_time_seconds"
        machine.write(DEFAULT, 'ARGS="--log.level=warn"\n')
        mine = machine.read(CONFIGURATION).replace("interval: 1s", "interval: 2s")
        machine.write(CONFIGURATION, mine)
        known = machine.until(lambda: self.times()[2:], "a history")
        started, pid = self.scrape().value(born, cgroup=cgroup), machine.property("MainPID")
        machine.install(package)
        self.wait_until_ready()
        self.assertNotEqual(machine.property("MainPID"), pid)
        self.assertEqual(machine.read(CONFIGURATION), mine)
        self.assertEqual(machine.read(DEFAULT), 'ARGS="--log.level=warn"\n')
        self.assertIn("--log.level=warn", machine.run(
            "cat", f"/proc/{machine.property('MainPID')}/cmdline").split("\0"))
        self.assertEqual(machine.json("/api/v1/status")["interval_seconds"], 2)
        self.check_state(private=False)
        self.assertLess(min(self.times()), max(known))
        machine.until(lambda: self.scrape().value(born, cgroup=cgroup) is not None, "a birth")
        self.assertGreater(self.scrape().value(born, cgroup=cgroup), started)
