# SPDX-License-Identifier: Apache-2.0
"""`pmutool stat` for tests: started, ended, and its columns read; and work of a known number."""
import os
import pathlib
import subprocess
import sys
import tempfile

from exporter import PATIENCE, binary
from own_mounts import own_mounts

TRACING = "/sys/kernel/tracing"
CALL = "syscalls:sys_enter_getppid"  # what nothing but our work makes


def pmutool():
    return os.environ.get("PMUTOOL") or str(pathlib.Path(binary()).parent / "pmutool")


def with_tracefs():
    """Words to put in front of a program that is to have tracefs; none where it is mounted."""
    if os.path.isdir(f"{TRACING}/events"):
        return ()
    return own_mounts("/sys/kernel", f"mount -t tracefs tracefs {TRACING}")


def command(*words):
    return [*with_tracefs(), pmutool(), "stat", *map(str, words)]


def environment():
    return dict(os.environ, LC_ALL="C")


def run(*words, program=None, wrapper=(), **options):
    """Runs it to its end; a CompletedProcess with text. program: another one, as perf. wrapper:
    words in front of it."""
    line = [*with_tracefs(), program, "stat", *map(str, words)] if program else command(*words)
    line = [*wrapper, *line]
    options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, check=False,
                          env=environment(), **options)


def rows(text, separator=","):
    """The columns of each line; lines without any, as those of the command, are left out."""
    return [line.split(separator) for line in text.splitlines() if separator in line]


def counts(text, event_column=2):
    """{event: count}, of the columns without time and CPU."""
    return {r[event_column]: r[event_column - 2] for r in rows(text)}


def calls(n, then=""):
    """Words of a command that makes the system call CALL n times."""
    return (sys.executable, "-SE", "-c", f"import os\nfor _ in range({n}): os.getppid()\n{then}")


class Open:
    """`stat` of another target, over a command that waits: leaving the block ends it; then `text`
    is what it has shown. Inside the block the counters are open."""

    def __init__(self, *words):
        self.words = words

    def __enter__(self):
        self.process = subprocess.Popen(
            command("-x,", *self.words, "--", "sh", "-c", "echo open; read -r _"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment())
        if self.process.stdout.readline() != "open\n":
            raise AssertionError(self.process.communicate()[1])
        return self

    def __exit__(self, *_):
        _, self.text = self.process.communicate("\n", timeout=PATIENCE)


WORKER = """
import os, subprocess, sys, threading
def work():
    for _ in range(1000): os.getppid()
line = sys.stdin.readline()       # the thread and the child begin when they are told
thread = threading.Thread(target=work) if "thread" in line else None
if thread:
    thread.start(); thread.join()
if "self" in line:
    work()
if "child" in line:
    subprocess.run([sys.executable, "-SEc", "import os\\nfor _ in range(500): os.getppid()"])
print("done", flush=True)
sys.stdin.readline()
"""


class Worker:
    """A process that makes known numbers of calls when it is told: "self", "thread" (1,000 each)
    and "child" (500)."""

    def __init__(self, cgroup_procs=None, cpu=None):
        def prepare():
            if cgroup_procs:
                pathlib.Path(cgroup_procs).write_text("0")
            if cpu is not None:
                os.sched_setaffinity(0, {cpu})

        self.process = subprocess.Popen([sys.executable, "-SE", "-c", WORKER], preexec_fn=prepare,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def do(self, what):
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        if self.process.stdout.readline() != "done\n":
            raise AssertionError("the worker has ended")

    def end(self):
        self.process.communicate("\n", timeout=PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def file_for_others(source):
    """A directory with a copy of a program that everybody may run; to be used in a with."""
    directory = tempfile.TemporaryDirectory()
    os.chmod(directory.name, 0o755)
    copy = pathlib.Path(directory.name) / "program"
    copy.write_bytes(pathlib.Path(source).read_bytes())
    copy.chmod(0o755)
    return directory, str(copy)
