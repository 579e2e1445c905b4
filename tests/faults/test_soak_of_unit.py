# SPDX-License-Identifier: Apache-2.0
"""The soak (faults/soak.py) of the package's unit on a booted bare Debian: with its user, its filter,
its limits and systemd, to which more is done than to a process of the test's own.

After each fault systemd has the same main process, which it never started anew, and the unit has as
many processes as before.
"""
import time

import bare_debian
import injectors
import live
import soak
import unit_injectors
from cgroups import Cgroups
from exporter_of_unit import ExporterOfUnit


class Soak(soak.SoakTest):
    FAULTS = (*injectors.ANYWHERE, *unit_injectors.ALL)
    LAST = (unit_injectors.journal_stops,)

    def setUp(self):
        live.need("systemd-nspawn", "nsenter")
        root = bare_debian.Root()
        self.addCleanup(root.clean)
        self.machine = bare_debian.Machine(root)
        self.addCleanup(self.machine.stop)
        self.machine.install(bare_debian.find("pmu-exporter"))
        self.machine.enter_network()

    def make_cgroups(self):
        return Cgroups(mount=self.machine.cgroups.root())

    def among_its_processes(self):
        return self.machine.processes()

    def start_exporter(self, config):
        exporter = ExporterOfUnit(self.machine, config)
        self.addCleanup(exporter.close)
        if not exporter.is_limited():
            self.skipTest("systemd cannot limit a unit here")
        # a reader may have a worker for a moment
        self.n_processes = min(len(exporter.processes()) for _ in range(20) if not time.sleep(0.05))
        return exporter

    def check_other(self, fault):
        try:
            self.exporter.check_unit()
            self.check_processes()
        except AssertionError:
            print(f"after {fault}:\n{self.exporter.stderr()}")
            raise

    def check_processes(self):
        for _ in live.tries(soak.DESCRIPTORS_BACK_WITHIN):
            if len(self.exporter.processes()) == self.n_processes:
                return
        self.fail(f"{len(self.exporter.processes())} processes, {self.n_processes} at the beginning")


if __name__ == "__main__":
    live.main()
