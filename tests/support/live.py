# SPDX-License-Identifier: Apache-2.0
"""What live tests share: their main(), configurations of the test's own cgroups, and loads.

A file of live tests ends in live.main(). Its status is 77, which ctest shows as skipped, if every
test was skipped; each reason is printed.
"""
import concurrent.futures
import decimal
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import time
import unittest

from exporter import PATIENCE, quote

SOFTWARE = ("task-clock", "context-switches", "cpu-migrations", "page-faults")
COUNTING = os.environ.get("PMU_TEST_COUNTING", "direct")  # a test may be run for each mechanism

# In front of a command: it has a user and the capabilities that the unit of the service gives.
AS_THE_UNIT = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
               "--inh-caps=+perfmon,+bpf", "--ambient-caps=+perfmon,+bpf",
               "--bounding-set=-all,+perfmon,+bpf")
UNATTRIBUTED = "pmu_exporter_unattributed_seconds_total"
FASTEST_FAULT = decimal.Decimal("0.0000005")  # seconds, where this machine is not faster still
MEASURED_FAULTS = 50000
ROUNDS = 3  # the most that a test takes, where the kernel hides switches from it


def again_where_switches_are_hidden(test):
    """A test of exact counts, which fails, takes another round if the kernel kept switches to
    itself meanwhile: then a burst of events may be charged to who ran before or after. Its class
    tells by hidden_switches() how many there were. Where none was hidden the first failure
    stands, and where some always are the last one does."""
    @functools.wraps(test)
    def rounds(case):
        for left in reversed(range(ROUNDS)):
            try:
                return test(case)
            except AssertionError as failure:
                hidden = case.hidden_switches()
                if not hidden or not left:
                    raise
                print(f"{case.id()}: another round, {hidden} switches were hidden: {failure}")
            case.doCleanups()
            case.setUp()
        return None

    return rounds


def seconds_in_doubt(first, last):
    """The seconds between two scrapes that are charged to nobody, because the kernel hid
    switches."""
    return last.value(UNATTRIBUTED) - first.value(UNATTRIBUTED)


@functools.cache
def fastest_fault():
    """The seconds that a page fault takes at least: a third of what one of many takes with all that
    is around it, if that is less than what most machines take."""
    def measure():
        with Load(None, faults=MEASURED_FAULTS) as load:
            began = time.monotonic()
            load.run()
            return (time.monotonic() - began) / MEASURED_FAULTS

    return min(FASTEST_FAULT, decimal.Decimal(min(measure() for _ in range(3)) / 3))


def faults_in_doubt(first, last):
    """The most page faults that these seconds may have had."""
    seconds = seconds_in_doubt(first, last)
    return seconds / fastest_fault() if seconds else 0


def config(cgroups=None, events=SOFTWARE, linger="3s", system=None, more=""):
    """A configuration with one group of events, which counts the cgroups of the test, or the system
    as a whole (system: all) or by CPU (system: cpu)."""
    targets = ""
    if system:
        targets += f"  system: {{groups: [software], by: {system}}}\n"
    if cgroups:
        targets += ("  cgroups:\n"
                    f"    - include: [{quote('/' + cgroups.top + '/**')}]\n"
                    "      groups: [software]\n")
    return (f"interval: 1s\ncounting: {COUNTING}\nlinger: {linger}\n"
            f"groups:\n  - name: software\n    events: [{', '.join(events)}]\n"
            f"targets:\n{targets}{more}")


def own(name):
    """A comm that no other process has, of this test or of one beside it: 15 characters at most."""
    return f"{name}-{os.getpid()}"


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            raise unittest.SkipTest(f"{tool} is not installed")


def tries(seconds, pause=0.1):
    """Yields until so many seconds have passed, with a pause between two turns."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield
        time.sleep(pause)


def program(name):
    """The path of a program of tests/support: PMU_TEST_<NAME> names it, else it is in
    build/release."""
    top = pathlib.Path(__file__).resolve().parents[2]
    return os.environ.get(f"PMU_TEST_{name.upper()}") or str(top / "build/release/bin" / name)


class Load:
    """Runs tests/support/load.c. It begins at go(), and has ended when wait() returns."""

    def __init__(self, cgroup_directory, switches=0, faults=0, burn_ms=0, migrations=0):
        procs = os.fsdecode(cgroup_directory) + "/cgroup.procs" if cgroup_directory else "-"
        self.process = subprocess.Popen(
            [program("load"), procs, str(switches), str(faults), str(burn_ms), str(migrations)],
            stdin=subprocess.PIPE)

    def go(self):
        self.process.stdin.write(b"g")
        self.process.stdin.close()

    def wait(self, within=120):
        if self.process.wait(within) != 0:
            raise AssertionError(f"the load ended with {self.process.returncode}")

    def run(self):
        self.go()
        self.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def wait_until_it_reads(pid):
    """Waits until the process has left its CPU to read its standard input. One that has answered is
    on its way there, and on a busy machine that may take long: perf would end before it."""
    end = time.monotonic() + PATIENCE
    while True:
        # the kernel shows the numbers of a call only of a task that is off its CPU
        words = pathlib.Path(f"/proc/{pid}/syscall").read_text().split()
        if words[1:2] == ["0x0"]:
            return
        if time.monotonic() > end:
            raise AssertionError(f"the process does not read its standard input: {words}")
        time.sleep(0.001)


class Stuck:
    """Delays each system call of that name in one thread by that long, until the block is left."""

    def __init__(self, thread, call, delay="3600s"):
        self.status = pathlib.Path(f"/proc/{thread}/status")
        self.words = ["strace", "-q", "-o", "/dev/null", "-p", str(thread), "-e", f"trace={call}",
                      "-e", f"inject={call}:delay_enter={delay}"]

    def __enter__(self):
        self.process = subprocess.Popen(self.words)
        end = time.monotonic() + PATIENCE
        while f"TracerPid:\t{self.process.pid}\n" not in self.status.read_text():
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError("strace has not attached itself")
            time.sleep(0.01)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def perf_stat_counts(text):
    """{event: count}, read from what `perf stat -x;` writes."""
    fields = [line.split(";") for line in text.splitlines() if ";" in line]
    return {f[2]: float(f[0]) for f in fields}


class LiveTest(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        if os.geteuid() != 0:
            raise unittest.SkipTest("live tests need root")


def names_of(suite):
    """The name of each test, as Class.method."""
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from names_of(test)
        else:
            yield test.id().split(".", 1)[1]


def run_apart(name):
    """Runs one test in a process of its own; its status, and what it printed."""
    done = subprocess.run([sys.executable, "-B", sys.argv[0], name], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


def run_several(at_once):
    names = list(names_of(unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])))
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        results = list(pool.map(run_apart, names))
    for _, text in results:
        print(text)
    statuses = {status for status, _ in results}
    sys.exit(77 if statuses == {77} else int(bool(statuses - {0, 77})))


def main(at_once=1):
    """at_once: how many tests may run side by side; for tests that mostly wait and share
    nothing."""
    if at_once > 1 and len(sys.argv) == 1:
        run_several(at_once)
    runner = unittest.TextTestRunner(stream=sys.stdout, verbosity=2)
    result = unittest.main(module="__main__", testRunner=runner, exit=False).result
    for test, reason in result.skipped:
        print(f"skipped: {test}: {reason}")
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if result.skipped and len(result.skipped) >= result.testsRun else 0)
