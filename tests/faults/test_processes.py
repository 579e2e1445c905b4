# SPDX-License-Identifier: Apache-2.0
"""What others, and the kernel, may do while processes are counted: numbers used again, bombs, storms
of births, names and kills, and calls that fail."""
import os
import random
import subprocess
import sys
import tempfile
import time

import live
import standing
import strict_exposition
from counted_processes import (CLOCK, CYCLE, FAULTS, FAULTS_A_PROCESS, MEMBERS, START, UNCOUNTED, Crowd,
                               ProcessTest, config)
from exporter import PATIENCE, SLACK, Exporter
from failing_calls import FailingCalls
from live import own
from own_mounts import UNSHARE_PIDS, own_mounts

# Page faults of a process that is born in the namespace, but for those of its start.
A_LIFE, LESS_THAN_THREE_LIVES = 400, 1200
MOST_CPU = 0.5 * SLACK  # the share of one core that it may take while a storm lasts
PUT_OFF = "pmu_exporter_processes_put_off"
UNDECIDED = "pmu_exporter_processes_undecided"

# The first process of a PID namespace: runs the command, and has children of the numbers wanted.
NAMESPACE = """
import ctypes, mmap, os, signal, subprocess, sys, time
exporter = subprocess.Popen(sys.argv[1:])
def bear(number):
    with open("/proc/sys/kernel/ns_last_pid", "w") as file:
        file.write(str(number - 1))
    pid = os.fork()
    if pid == 0:
        ctypes.CDLL(None).prctl(15, b"reborn", 0, 0, 0)
        time.sleep(0.1)
        mmap.mmap(-1, 400 * 4096).write(b"x" * 400 * 4096)
        time.sleep(600)
    return pid
for line in sys.stdin:
    word, number = line.split()
    if word == "end":
        os.kill(int(number), signal.SIGKILL)
        os.waitpid(int(number), 0)
        print("ended", flush=True)
    else:
        print("born", bear(int(number)), flush=True)
exporter.terminate()
sys.exit(exporter.wait(20))
"""

# The first process of a PID namespace too, so that all end with it.
BOMB = """
import ctypes, os, sys, threading, time
def explode(n_processes, n_threads):
    for _ in range(n_threads):
        threading.Thread(target=time.sleep, args=(300,), daemon=True).start()
    for _ in range(n_processes):
        if os.fork() == 0:
            time.sleep(300)
            os._exit(0)
if os.fork() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)  # before its name: it is never root's
    ctypes.CDLL(None).prctl(15, sys.argv[1].encode(), 0, 0, 0)
    for _ in range(3):
        if os.fork() == 0:
            explode(0, 150)
            time.sleep(300)
            os._exit(0)
    explode(200, 0)
    print("ready", flush=True)
time.sleep(300)
"""

RENAMES = """
import ctypes, sys, time
libc = ctypes.CDLL(None)
end = time.monotonic() + float(sys.argv[1])
names = [b"renamed-%d" % i for i in range(40)]
while time.monotonic() < end:
    for name in names:
        libc.prctl(15, name, 0, 0, 0)
        time.sleep(0.0005)
libc.prctl(15, b"at-rest", 0, 0, 0)
print("done", flush=True)
sys.stdin.readline()
"""


# Processes of another user that change their names each second, each with arguments that a pattern
# goes through for long. They end with the process that starts them.
COSTLY = """
import ctypes, os, sys, time
libc = ctypes.CDLL(None)
os.setgroups([]); os.setgid(65534); os.setuid(65534)
for _ in range(int(sys.argv[1])):
    if os.fork() == 0:
        libc.prctl(1, 9, 0, 0, 0)
        for i in range(600):
            libc.prctl(15, b"renamed-%d" % i, 0, 0, 0)
            time.sleep(1)
        os._exit(0)
print("ready", flush=True)
time.sleep(600)
"""


class FaultTest(ProcessTest, standing.FaultTest):
    def counting(self, *rules, more="", **options):
        """standing() with these rules of processes, beside the control cgroup."""
        cgroups = f'  cgroups: [{{include: ["/{self.cgroups.top}/**"], groups: [software]}}]\n'
        return self.standing(config(*rules, more=cgroups + more), **options)

    def named(self, name):
        """/bin/sleep, or another program of the test's, under a comm of the test's own."""
        directory = self.enterContext(tempfile.TemporaryDirectory())
        os.symlink("/bin/sleep", directory + "/" + name)
        return directory + "/" + name

    def sleeper(self, program):
        process = subprocess.Popen([program, "600"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def ends(self, processes):
        for process in processes:
            process.kill()
            process.wait()


class Numbers(FaultTest):
    def test_a_number_used_again_is_another_birth_that_begins_at_0(self):
        live.need("unshare")
        exporter = Exporter(config('comm: [reborn], name: "{{.Comm}}-{{.PID}}"'))
        self.addCleanup(exporter.clean)
        with open(exporter.stderr_path, "wb") as stderr:
            namespace = exporter.process = subprocess.Popen(
                [*UNSHARE_PIDS, sys.executable, "-c", NAMESPACE, *exporter.command()],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True)
        self.addCleanup(namespace.stdout.close)
        self.addCleanup(exporter.kill)

        def ask(what):
            namespace.stdin.write(what + "\n")
            namespace.stdin.flush()
            return namespace.stdout.readline().strip()

        exporter.wait_until_ready()
        name, start, last = "reborn-5000", None, None
        for i in range(12):
            if start:
                self.assertEqual(ask("end 5000"), "ended")
            self.assertEqual(ask("bear 5000"), "born 5000")
            metrics = exporter.scrape_until(
                lambda m: m.value(START, groupname=name) not in (None, start), 3.5 * CYCLE,
                "the birth")
            if last:
                self.assertEqual(strict_exposition.compare(last, metrics.exposition), [])
            self.assertLess(metrics.value(FAULTS, groupname=name), LESS_THAN_THREE_LIVES)
            self.assertEqual(metrics.value(MEMBERS, groupname=name), 1)
            start = metrics.value(START, groupname=name)
            last = metrics.exposition
            if i % 4 == 0:
                last = exporter.scrape_until(lambda m: m.value(FAULTS, groupname=name) >= A_LIFE,
                                             3.5 * CYCLE, "its faults").exposition
        namespace.stdin.close()
        self.assertEqual(namespace.wait(PATIENCE), 0, exporter.stderr())


class NameService(FaultTest):
    """The accounts are in a pipe that nobody writes to: who opens it waits."""

    def setUp(self):
        super().setUp()
        self.accounts = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "passwd")
        os.mkfifo(self.accounts)

    def test_one_that_hangs_delays_nothing(self):
        name = own("named")
        program = self.named(name)
        self.sleeper(program)
        wrapper = own_mounts("/etc/passwd", f"mount --bind '{self.accounts}' /etc/passwd")
        with self.counting(f'comm: [{name}], name: "of {{{{.Username}}}}"', wrapper=wrapper,
                           descriptors=False) as exporter:
            first = self.seen(exporter, "of 0", 1)
            self.sleeper(program)
            self.seen(exporter, "of 0", 2)
            last = exporter.after_cycles(3)
            self.assertGreaterEqual(last.value(FAULTS, groupname="of 0"),
                                    first.value(FAULTS, groupname="of 0"))
        # its end, behind the block, does not wait for an answer either


class Storms(FaultTest):
    def test_a_bomb_of_processes_and_threads_costs_nobody_else(self):
        live.need("unshare")
        calm = self.named(own("calm"))
        with self.counting(f'comm: [{own("bomb")}], name: "bomb"', f'comm: [{own("calm")}], name: "calm"',
                           more="limits: {processes: 40, threads: 120}\n") as exporter:
            living = [self.sleeper(calm)]
            self.seen(exporter, "calm", 1)
            cpu, began = exporter.cpu_seconds(), time.monotonic()
            bomb = subprocess.Popen(["unshare", "--pid", "--fork", "--kill-child", sys.executable, "-c",
                                     BOMB, own("bomb")], stdout=subprocess.PIPE, text=True)
            try:
                self.assertEqual(bomb.stdout.readline(), "ready\n")
                living.append(self.sleeper(calm))
                self.seen(exporter, "calm", 2)
                metrics = self.after(exporter)
                self.check_between(metrics.value(MEMBERS, groupname="bomb"), 1, 30)  # its own share
                self.assertEqual(metrics.value(MEMBERS, groupname="calm"), 2)
                self.assertGreater(metrics.value(UNCOUNTED, kind="process", reason="over_limit"), 0)
            finally:
                bomb.kill()
                bomb.wait()
                bomb.stdout.close()
            share = (exporter.cpu_seconds() - cpu) / (time.monotonic() - began)
            self.assertLess(share, MOST_CPU)
            exporter.scrape_until(lambda m: m.value(MEMBERS, groupname="bomb") == 0, 3.5 * CYCLE,
                                  "its end")
            self.ends(living)

    def test_a_storm_of_births_that_loses_records_costs_no_count(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        os.symlink("/bin/sh", f'{directory}/{own("storm")}')
        with self.counting(f'comm: [{own("storm")}], name: "storm"',
                           f'comm: [{own("crowd-y")}], name: "crowd"') as exporter, \
                Crowd(own("crowd-y"), "threads", 4, 500, 100) as crowd:
            before = self.seen(exporter, "crowd", 1)
            cpu, began = exporter.cpu_seconds(), time.monotonic()
            storms = [subprocess.Popen([f'{directory}/{own("storm")}', "-c",
                                        "while :; do (:); (:); done"]) for _ in range(2)]
            try:
                told, _, _ = crowd.run()
                last = before
                while time.monotonic() < began + 4 or not last.value(CLOCK, groupname="storm"):
                    self.assertLess(time.monotonic(), began + PATIENCE, "none of it is counted")
                    metrics = exporter.scrape(timeout=PATIENCE)
                    self.assertEqual(
                        strict_exposition.compare(last.exposition, metrics.exposition), [])
                    last = metrics
                    time.sleep(0.5)
            finally:
                self.ends(storms)
            share = (exporter.cpu_seconds() - cpu) / (time.monotonic() - began)
            after = self.after(exporter)
            ours = after.value(FAULTS, groupname="crowd") - before.value(FAULTS, groupname="crowd")
            self.check_between(ours, told, told + FAULTS_A_PROCESS)
            self.assertEqual(after.value(MEMBERS, groupname="crowd"), 1)
            exporter.scrape_until(lambda m: m.value(MEMBERS, groupname="storm") == 0, 3.5 * CYCLE,
                                  "its end")
            print(f"{share:.0%} of a core in the storm")
            self.assertLess(share, MOST_CPU)
            crowd.end()

    def test_names_that_change_1000_times_a_second_cost_little(self):
        with self.counting(f'cmdline: [" {own("renamed")}$"], name: "{{{{.Comm}}}}"') as exporter:
            cpu, began = exporter.cpu_seconds(), time.monotonic()
            process = subprocess.Popen([sys.executable, "-c", RENAMES, "2.5", own("renamed")],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            try:
                self.assertEqual(process.stdout.readline(), "done\n")
                share = (exporter.cpu_seconds() - cpu) / (time.monotonic() - began)
                print(f"{share:.0%} of a core while names change")
                self.assertLess(share, MOST_CPU / 2)
                metrics = self.seen(exporter, "at-rest", 1)
                self.assertLessEqual(sum(v for v in metrics.find(MEMBERS).values()), 1)
            finally:
                process.stdin.close()
                process.wait()
                process.stdout.close()

    def test_arguments_that_are_costly_to_match_hold_up_only_who_has_them(self):
        """What comes meanwhile is counted at once; in the end all have been looked at, once."""
        costly = 250
        with self.counting(
                f'comm: [{own("victim")}], name: "victim"',
                f'cmdline: ["(?s)^{own("costly")} .*a.*b.*c.*d.*e$"], name: "costly"') as exporter:
            process = subprocess.Popen(
                [own("costly"), "-c", COSTLY, str(costly), "abc " * 900], executable=sys.executable,
                stdout=subprocess.PIPE, text=True)
            self.addCleanup(process.stdout.close)
            self.addCleanup(self.ends, [process])
            self.assertEqual(process.stdout.readline(), "ready\n")
            exporter.scrape_until(lambda m: m.value(PUT_OFF) > 0, PATIENCE,
                                  "more than one cycle does")
            victim = self.sleeper(self.named(own("victim")))
            metrics = self.seen(exporter, "victim", 1)
            self.assertGreater(metrics.value(PUT_OFF), 0)
            exporter.scrape_until(
                lambda m: m.value(PUT_OFF) == 0 and m.value(UNDECIDED) == costly + 1, PATIENCE,
                "all to be looked at")
            self.ends([process, victim])
            exporter.scrape_until(lambda m: m.value(UNDECIDED) == 0, PATIENCE, "their end")

    def test_kills_at_random_leave_the_others(self):
        with self.counting(f'comm: [{own("mortal")}], name: "mortal"') as exporter:
            program, chance = self.named(own("mortal")), random.Random(1)
            living = [self.sleeper(program) for _ in range(60)]
            end = time.monotonic() + 2.5
            while time.monotonic() < end:
                self.ends([living.pop(chance.randrange(len(living)))])
                living.append(self.sleeper(program))
            self.ends(living[:40])
            self.seen(exporter, "mortal", 20)
            self.ends(living[40:])
            exporter.scrape_until(lambda m: m.sum(MEMBERS) == 0, 3.5 * CYCLE, "their end")


class Injected(FaultTest):
    """Calls fail while processes come and go; afterwards all that live are counted."""

    def check(self, call, *errors):
        calls = self.enterContext(FailingCalls(call))
        program = self.named(own("victim"))
        with self.counting(f'comm: [{own("victim")}], name: "victim"',
                           f'comm: [{own("steady")}], name: "constant"',
                           wrapper=calls.wrapper()) as exporter:
            steady = self.sleeper(self.named(own("steady")))
            living = [self.sleeper(program) for _ in range(4)]
            last = self.seen(exporter, "victim", 4).exposition
            self.seen(exporter, "constant", 1)
            for error in errors:
                with self.subTest(error=error):
                    with calls.answered(call, error, first=2, every=2) as met:
                        living += [self.sleeper(program) for _ in range(4)]
                        self.ends(living[:3])
                        del living[:3]
                        exporter.after_cycles(1)
                    self.assertGreater(met.answered, 0)
                    metrics = exporter.scrape_until(
                        lambda m: m.value(MEMBERS, groupname="victim") == len(living) and
                        m.sum(UNCOUNTED, kind="process") == 0 and
                        m.value("pmu_exporter_targets", kind="process") == len(living) + 1,
                        PATIENCE, f"recovery from {call} {error}")
                    self.assertEqual(strict_exposition.compare(last, metrics.exposition), [])
                    last = metrics.exposition
            self.ends([*living, steady])

    def test_opening_counters_fails(self):
        self.check("perf_event_open", "EMFILE", "ENOMEM", "EINTR", "EACCES")

    def test_opening_files_of_processes_fails(self):
        # EACCES is how /proc says that we may not see it: then the next scan looks again
        self.check("openat", "EMFILE", "ENOMEM", "EINTR")

    def test_opening_descriptors_of_processes_fails(self):
        self.check("pidfd_open", "EMFILE")


if __name__ == "__main__":
    standing.main()
