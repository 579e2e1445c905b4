# SPDX-License-Identifier: Apache-2.0
"""Runs tests/support/turns.c, and asks the kernel what it tells of tasks: the truth for latencies.

    with Turns(cgroups.directory("a"), turns=1000) as turns:
        before = turns.told()
        spun = turns.take()
        after = turns.told()
"""
import dataclasses
import decimal
import os
import pathlib
import tempfile
import time

import live
from exporter import PATIENCE
from line_program import LineProgram

NANOSECOND = decimal.Decimal("0.000000001")


@dataclasses.dataclass(frozen=True)
class Told:
    """What /proc/PID/schedstat and status tell: seconds, and numbers of arrivals and switches."""
    ran: decimal.Decimal = decimal.Decimal(0)
    waited: decimal.Decimal = decimal.Decimal(0)
    arrivals: int = 0
    voluntary: int = 0
    involuntary: int = 0

    def __add__(self, other):
        return Told(*(a + b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(other))))

    def __sub__(self, other):
        return Told(*(a - b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(other))))


def of_thread(directory):
    """What the kernel tells of one thread, and whether it is blocked."""
    ran, waited, arrivals = map(int, (directory / "schedstat").read_text().split())
    status = dict(line.split(":\t", 1) for line in (directory / "status").read_text().splitlines())
    return Told(ran * NANOSECOND, waited * NANOSECOND, arrivals,
                int(status["voluntary_ctxt_switches"]),
                int(status["nonvoluntary_ctxt_switches"])), status["State"].startswith("S")


def of_processes(pids):
    """The sum over all threads of these processes, and whether all are blocked."""
    threads = [of_thread(directory) for pid in pids
               for directory in pathlib.Path(f"/proc/{pid}/task").iterdir()]
    return sum((told for told, _ in threads), Told()), all(blocked for _, blocked in threads)


class Turns(LineProgram):
    """The program; its processes are blocked but for take() and execute(). `name` is its comm."""

    def __init__(self, cgroup_directory, turns=1000, spin_us=0, name="turns"):
        self.directory = tempfile.TemporaryDirectory()
        os.chmod(self.directory.name, 0o755)
        link = os.path.join(self.directory.name, name)
        os.symlink(os.path.realpath(live.program("turns")), link)
        procs = os.fsdecode(cgroup_directory) + "/cgroup.procs" if cgroup_directory else "-"
        super().__init__([link, procs, str(turns), str(spin_us)])

    def pids(self):
        pid = self.pid
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [pid, *map(int, children)]

    def told(self):
        """What the kernel tells, once all are blocked: two answers in a row are the same."""
        end, last = time.monotonic() + PATIENCE, None
        while True:
            told, blocked = of_processes(self.pids())
            if blocked and told == last:
                return told
            if time.monotonic() > end:
                raise AssertionError("the turns do not end")
            last = told
            time.sleep(0.001)

    def begin(self):
        self.say("go")

    def finish(self):
        """The seconds that it has spun."""
        return int(self.answer()) * NANOSECOND

    def take(self):
        self.begin()
        return self.finish()

    def execute(self):
        """It becomes the same program anew, in the same process."""
        self.say("exec")
        self.expect_ready()

    def __exit__(self, *_):
        super().__exit__()
        self.directory.cleanup()
