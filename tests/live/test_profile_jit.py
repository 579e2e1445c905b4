# SPDX-License-Identifier: Apache-2.0
"""Profiles of code that is made at run time: node writes a map of it, which names its functions, and
Java does when it is asked for one.
Anybody can make a file of that name; what is no map of the process's own user changes nothing.
"""
import contextlib
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import live
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, quote
from profiles import NAMES_PATIENCE, ask_profile

SUPPORTED = "pmu_exporter_profile_supported"
SCRIPT = """
function hotInner(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
function hotOuter() { let t = 0; for (let i = 0; i < 1000; i++) t += hotInner(20000); return t; }
let x = 0;
for (;;) x += hotOuter();
"""
CLASS = """
public class Hot {
    static int hotInner(int n) { int s = 0; for (int i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
    static int hotOuter() { int t = 0; for (int i = 0; i < 1000; i++) t += hotInner(20000); return t; }
    public static void main(String[] words) { for (int x = 0; ; ) x += hotOuter(); }
}
"""
JAVA = ("java", "-Xmx64m", "-XX:+PreserveFramePointer", "-XX:CompileCommand=quiet",
        "-XX:CompileCommand=dontinline,Hot::hot*", "Hot.java")
JAVA_AGAIN = 12  # seconds between two maps
HUGE = 1 << 30
ENTER = "echo 0 >\"$1\" && shift && read -r go && exec \"$@\""


def make_fifo(path):
    os.mkfifo(path, 0o644)


def make_of_another_user(path):
    path.write_text("1000 ffffffffffff stolen\n")
    os.chown(path, 65534, 65534)


def make_huge(path):
    path.write_text("1000 ffffffffffff stolen\n")
    os.truncate(path, HUGE)


def make_link(path):
    target = path.with_suffix(".target")
    target.write_text("1000 ffffffffffff stolen\n")
    path.symlink_to(target)


def make_garbage(path):
    path.write_bytes(b"\xff" * 100000 + b"\nzz zz zz\n1 \n\n1000 0 empty\nffffffffffffffff 10 x\n")


HOSTILE = {"a fifo": make_fifo, "a file of another user": make_of_another_user,
           "a file of a gigabyte": make_huge, "a link": make_link, "garbage": make_garbage}


def most(is_whole, stacks):
    """Of the samples nine in ten have such a stack."""
    return sum(n for stack, n in stacks.items() if is_whole(stack)) > 0.9 * sum(stacks.values())


class JitTest(live.LiveTest):
    def setUp(self):
        self.cgroups = self.enterContext(Cgroups())
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.directory / "hot.js").write_text(SCRIPT)
        (self.directory / "Hot.java").write_text(CLASS)

    def start(self):
        pattern = quote(f"/{self.cgroups.top}/**")
        exporter = self.enterContext(Exporter(
            "interval: 1s\ngroups: [{name: software, events: [task-clock]}]\n"
            f"targets:\n  cgroups: [{{include: [{pattern}], groups: [software]}}]\n"
            "profiles: {rate: 199}\n"))
        metrics = exporter.scrape_until(lambda m: m.find(SUPPORTED), PATIENCE, "the status")
        if metrics.sum(SUPPORTED) == 0:
            self.skipTest(f"nothing is sampled here: {metrics.labels(SUPPORTED, 'reason')}")
        return exporter

    @contextlib.contextmanager
    def running(self, name, *command, make=None):
        """Runs a command in a cgroup. `make` makes its map before it begins."""
        live.need(command[0])
        self.cgroups.make(name)
        procs = os.fsdecode(self.cgroups.directory(name)) + "/cgroup.procs"
        process = subprocess.Popen(["sh", "-c", ENTER, "sh", procs, *command],
                                   cwd=self.directory, stdin=subprocess.PIPE)
        path = pathlib.Path(f"/tmp/perf-{process.pid}.map")
        try:
            if make:
                make(path)
            process.stdin.write(b"go\n")
            process.stdin.close()
            yield process
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
            path.unlink(missing_ok=True)
            path.with_suffix(".target").unlink(missing_ok=True)

    def until(self, exporter, name, condition, what):
        """The stacks of the cgroup for which the condition holds."""
        end = time.monotonic() + NAMES_PATIENCE
        while True:
            time.sleep(0.5)
            profile = ask_profile(exporter, target=f"cgroup:{self.cgroups.path(name)}",
                                  start=time.time() - 5)
            if profile and condition(profile.stacks):
                return profile.stacks
            self.assertLess(time.monotonic(), end, f"{what}: {profile and profile.stacks}")

    def test_functions_have_their_names_and_stacks_reach_their_roots(self):
        exporter = self.start()

        def is_whole(stack):
            text = " ".join(frame.name for frame in stack)
            return (stack[0].kind == "user" and stack[0].owner == "node" and
                    "hotOuter" in text)

        with self.running("a", "node", "--perf-basic-prof", "--interpreted-frames-native-stack", "hot.js"):
            stacks = self.until(exporter, "a", lambda s: most(is_whole, s), "whole stacks")
        print(f"{sum(n for s, n in stacks.items() if is_whole(s))} whole of {sum(stacks.values())}")

    def test_functions_of_a_script_are_those_of_its_interpreter(self):
        exporter = self.start()
        script = "def hot_inner():\n  for i in range(20000): i * i\nwhile True: hot_inner()\n"

        def is_interpreted(stack):
            return any(frame.name.startswith("_PyEval_") for frame in stack)

        with self.running("a", sys.executable, "-c", script):
            stacks = self.until(exporter, "a", lambda s: most(is_interpreted, s), "frames of the interpreter")
        self.assertFalse([stack for stack in stacks if "hot_inner" in " ".join(f.name for f in stack)])

    def test_java_has_names_from_when_it_was_asked_for_a_map(self):
        live.need("jcmd")
        exporter = self.start()

        def reaches_root(stack):
            return stack[0].kind == "user" and stack[-1].kind == "jit"

        def is_whole(stack):
            return (reaches_root(stack) and
                    [frame.name for frame in stack if frame.kind == "jit"][-2:] ==
                    ["int Hot.hotOuter()", "int Hot.hotInner(int)"])

        asked = -math.inf

        def has_whole(stacks):
            """It goes on compiling for a while: what was made since has a name in the next map. Maps
            are read every ten seconds, and so is asked for no more: one that is just being written
            has not all names."""
            nonlocal asked
            if time.monotonic() > asked + JAVA_AGAIN:
                done = subprocess.run(["jcmd", str(java.pid), "Compiler.perfmap"], check=False,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                if done.returncode == 0:  # it listens some time after its start
                    asked = time.monotonic()
            return most(is_whole, stacks)

        with self.running("j", *JAVA) as java:
            # its interpreter calls nothing, and what calls it is in a file whose tables come later
            self.until(exporter, "j", lambda s: most(reaches_root, s), "stacks without names")
            stacks = self.until(exporter, "j", has_whole, "whole stacks")
        print(f"{sum(n for s, n in stacks.items() if is_whole(s))} whole of {sum(stacks.values())}")

    def test_a_lying_map_changes_nothing(self):
        exporter = self.start()
        for number, (kind, make) in enumerate(HOSTILE.items()):
            with self.subTest(kind=kind), self.running(f"h{number}", "node", "hot.js", make=make):
                stacks = self.until(
                    exporter, f"h{number}",
                    lambda s: any(f.kind == "jit" for stack in s for f in stack), "code")
                names = {f.name for stack in stacks for f in stack if f.kind == "jit"}
                self.assertEqual(names, {"[unnamed]"})
        exporter.after_cycles(2)
        self.assertEqual(exporter.process.poll(), None)


if __name__ == "__main__":
    live.main()
