# SPDX-License-Identifier: Apache-2.0
"""The exporter of the package as systemd runs it on a booted bare Debian, with what tests ask of one
that they start themselves.

    machine.enter_network()
    exporter = ExporterOfUnit(machine, "interval: 1s\\n")
    exporter.scrape()
    exporter.check_unit()
"""
import os
import pathlib
import select
import signal

from exporter import RunningExporter, without_profiles
from installed import CONFIGURATION

UNIT = "pmu_exporter.service"
PORT = 10138
# Its lines have the time at which the journal took them. So those that waited for a journal that
# stood still count for a longer time than a second.
JOURNAL_SECONDS = 15


class MainProcess:
    """A process that another one has started, with what is asked of one of our own."""

    returncode = "a status that only systemd knows"

    def __init__(self, pid):
        self.pid = pid
        self.descriptor = os.pidfd_open(pid)

    def poll(self):
        """None as long as it runs."""
        ended, _, _ = select.select([self.descriptor], [], [], 0)
        return self.returncode if ended else None

    def send_signal(self, sign):
        signal.pidfd_send_signal(self.descriptor, sign)

    def close(self):
        os.close(self.descriptor)


class ExporterOfUnit(RunningExporter):
    """It has this configuration from now on, in a new start. This thread has to have the network of
    the machine."""

    port = PORT

    def __init__(self, machine, config):
        self.machine = machine
        path = machine.root.path / CONFIGURATION.lstrip("/")
        self.directory = path.parent
        path.write_text(without_profiles(config))
        machine.run("systemctl", "restart", UNIT)
        self.main_pid = machine.property("MainPID")
        self.process = MainProcess(self.find_main())
        self.wait_until_ready()

    def find_main(self):
        """The number that the main process has here."""
        for pid in self.processes():
            try:
                status = pathlib.Path(f"/proc/{pid}/status").read_text()
            except FileNotFoundError:  # a reader's worker, which has ended
                continue
            if f"\t{self.main_pid}\n" in status.partition("NSpid:")[2].partition("\n")[0] + "\n":
                return pid
        raise AssertionError(f"no process of {UNIT} is number {self.main_pid} in there")

    @property
    def pid(self):
        return self.process.pid

    @property
    def control(self):
        return pathlib.Path(f"/proc/{self.machine.leader}/root/run/pmu_exporter/control")

    def cgroup(self):
        """The directory of its cgroup, in the hierarchy of v2."""
        return pathlib.Path(self.machine.cgroups.root()) / "system.slice" / UNIT

    def processes(self):
        """The numbers of all its processes."""
        return [int(pid) for pid in (self.cgroup() / "cgroup.procs").read_text().split()]

    def is_limited(self):
        """Whether systemd can set limits of the unit here."""
        return "[not set]" not in (self.machine.property("MemoryCurrent"),
                                   self.machine.property("TasksCurrent"))

    def memory_used(self):
        """The bytes that a limit of its memory is about."""
        return int(self.machine.property("MemoryCurrent"))

    def tasks(self):
        """How many processes and threads it has."""
        return int(self.machine.property("TasksCurrent"))

    def memory_settings(self):
        """The limits of memory that mean something here: v1 has one."""
        return ("MemoryMax", "MemoryHigh") if (self.cgroup() / "memory.high").exists() else ("MemoryMax",)

    def journal(self, *options):
        return self.machine.run("journalctl", "--no-pager", "--quiet", *options)

    def stderr(self):
        return self.journal("-o", "cat", "-u", UNIT)

    def log_stamps(self):
        lines = self.journal("-o", "short-unix", f"_SYSTEMD_UNIT={UNIT}", "_COMM=pmu_exporter")
        return [float(line.split(" ", 1)[0]) for line in lines.splitlines()]

    def check_log_rate(self, seconds=JOURNAL_SECONDS):
        super().check_log_rate(seconds)

    def told(self):
        """What systemd tells of it, when a reload has ended that it is in."""
        def shown():
            lines = self.machine.run("systemctl", "show", UNIT, "-p",
                                     "ActiveState,SubState,Result,NRestarts,MainPID").split()
            return "ActiveState=reloading" not in lines and set(lines)

        return self.machine.until(shown, "the end of a reload")

    def check_unit(self):
        """systemd has it as one that runs, under the same number, and has never started it anew."""
        told = self.told()
        wanted = {"ActiveState=active", "SubState=running", "Result=success", "NRestarts=0",
                  f"MainPID={self.main_pid}"}
        if told != wanted:
            raise AssertionError(f"{sorted(told)} of {UNIT}, not {sorted(wanted)}")

    def close(self):
        self.process.close()
