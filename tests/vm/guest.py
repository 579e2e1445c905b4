# SPDX-License-Identifier: Apache-2.0
"""Boots the fast guest for a test: a real kernel that drives a real (emulated) PMU.

    results = Guest("name").run(script)
    results = Scenario("name", script).run()

The script is shell for busybox, behind library.sh; what it leaves in $OUT is in results.directory
when the guest has ended. One CPU counts exactly; on two qemu counts the instructions of both. Time
is virtual: an instruction takes a nanosecond (2^shift), and sleeping costs nothing.

A scenario leaves the guest as it was, but for what shared_boot.py removes: then several of them may
have run in one guest before their tests begin.

Kernel and file system come from guest_root.py, programs from the cross build; both are made by
prepare.py, before any test (as a fixture of ctest).
"""
import dataclasses
import os
import pathlib
import shutil
import subprocess
import time
import unittest

from exporter import Metrics, without_profiles

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = "/usr/lib/aarch64-linux-gnu"
SECONDS = 2400  # for what never ends: on a host with thirty others a boot of a minute took ten
MEMORY = 512
SERIAL_LINES = 60
COPY_PROGRAMS = """
mkdir "$OUT" /tmp/bin
cp /programs/* /tmp/bin
PATH=/tmp/bin:$PATH
read_ahead /tmp/bin/pmu_exporter
"""


def is_required():
    """Whether a test that cannot have its guest fails. Otherwise it is skipped."""
    return os.environ.get("PMU_TEST_VM") == "required"


def missing(reason):
    if is_required():
        raise AssertionError(f"the guest is required: {reason}")
    raise unittest.SkipTest(reason)


def build_directory():
    """The directory where the programs of the guest are built, and where runs leave their files."""
    default = HERE.parents[1] / "build/arm64"
    return pathlib.Path(os.environ.get("PMU_TEST_ARM64", default))


COUNTING = os.environ.get("PMU_TEST_COUNTING", "direct")  # a test may be run for each mechanism


def shell_library():
    """The functions of the guest's shell that most scripts use."""
    return (HERE / "library.sh").read_text()


def write_file(path, text):
    """A file of a scenario; a configuration has no profiles unless it asks for them."""
    path.write_text(without_profiles(text) if "\ntargets:" in text else text)


class Results:
    """The files that a run has left."""

    def __init__(self, directory):
        self.directory = directory

    def text(self, name):
        return (self.directory / "out" / name).read_text()

    def scrape(self, name):
        """One scrape; its time is in seconds since the guest booted."""
        body = (self.directory / "out" / name).read_bytes()
        return Metrics(body, float(self.text(name + ".at")))

    def scrapes(self, pattern):
        """All scrapes whose names match, in the order of their names."""
        names = sorted(p.name for p in (self.directory / "out").glob(pattern))
        return [self.scrape(name) for name in names if not name.endswith(".at")]

    def log(self):
        return self.text("exporter.log")


class Guest:
    def __init__(self, name, cpus=1, shift=0, seconds=SECONDS, memory=MEMORY,
                 root="guest_root", machine="virt", numa=False):
        """numa: each CPU is in a node of its own."""
        self.name, self.cpus, self.shift, self.seconds = name, cpus, shift, seconds
        self.memory, self.machine, self.numa = memory, machine, numa
        self.directory = build_directory() / "runs" / f"{name}_{COUNTING}"
        self.programs = build_directory() / "bin"
        self.root = self.find_root(root)

    def find_root(self, root):
        try:
            return pathlib.Path((build_directory() / root).read_text().strip())
        except OSError:
            return missing(f"there is no {root}: prepare.py has not made it")

    def beginning(self):
        """What stands before each script."""
        return shell_library() + COPY_PROGRAMS

    def shares(self):
        return {"test": (self.directory, ""), "libraries": (LIBRARIES, ",readonly=on"),
                "programs": (self.programs, ",readonly=on"),
                "perf": (self.root / "perf", ",readonly=on")}

    def initial(self):
        return self.root / "initial"

    def kernel_words(self):
        return ""

    def command(self):
        words = ["qemu-system-aarch64", "-M", self.machine, "-cpu", "neoverse-n1", "-nographic",
                 "-icount", f"shift={self.shift},sleep=off", "-smp", str(self.cpus),
                 "-m", str(self.memory), "-display", "none", "-monitor", "none", "-no-reboot",
                 "-nodefaults", "-serial", f"file:{self.directory / 'serial'}",
                 "-kernel", str(self.root / "kernel"), "-initrd", str(self.initial()),
                 "-append", "console=ttyAMA0 loglevel=4 panic=-1 " + self.kernel_words()]
        for cpu in range(self.cpus) if self.numa else ():
            words += ["-object", f"memory-backend-ram,id=node{cpu},size={self.memory // self.cpus}M",
                      "-numa", f"node,nodeid={cpu},cpus={cpu},memdev=node{cpu}"]
        for tag, (path, more) in self.shares().items():
            words += ["-fsdev", f"local,id={tag},path={path},security_model=none{more}",
                      "-device", f"virtio-9p-device,fsdev={tag},mount_tag={tag}"]
        return words

    def prepare(self, script, files):
        shutil.rmtree(self.directory, ignore_errors=True)
        (self.directory / "out").mkdir(parents=True)
        (self.directory / "run").write_text(self.beginning() + script)
        for name, text in files.items():
            write_file(self.directory / name, text)

    def run(self, script, **files):
        """Boots, runs the script and powers off; the Results. `files` are texts for /t, by their
        names."""
        self.prepare(script, files)
        began = time.monotonic()
        try:
            done = subprocess.run(self.command(), timeout=self.seconds, capture_output=True,
                                  text=True, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the guest did not end within {self.seconds} s\n"
                                 f"{self.story()}") from None
        print(f"guest {self.name}: {time.monotonic() - began:.1f} s", flush=True)
        status = self.file("status").strip()
        if done.returncode != 0 or status != "0":
            raise AssertionError(f"qemu ended with {done.returncode}, the script with "
                                 f"{status or 'nothing'}\n{done.stderr}{self.story()}")
        return Results(self.directory)

    def file(self, name):
        return read_if_there(self.directory / name)

    def story(self):
        return story(self.directory)


def read_if_there(path):
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def story(directory):
    """The ends of console and log of a run that failed. Its files stay where they are."""
    serial = "\n".join(read_if_there(directory / "serial").splitlines()[-SERIAL_LINES:])
    return (f"--- serial, {directory}\n{serial}\n--- exporter\n"
            f"{read_if_there(directory / 'out/exporter.log')}")


SHARED = "shared"  # a file in the directory of a scenario that has run in a shared guest


@dataclasses.dataclass
class Scenario:
    """What a test runs in a guest of one CPU: a script, texts for /t by their names, and the shift,
    which says how slow the guest is."""
    name: str
    script: str
    files: dict = dataclasses.field(default_factory=dict)
    shift: int = 0

    @property
    def directory(self):
        return build_directory() / "runs" / f"{self.name}_{COUNTING}"

    def run(self):
        """The Results: of a shared guest if it has run there, else of a guest of its own. Those of
        a shared guest are taken once, so that a second try boots for itself; a test that is run by
        hand does so too."""
        shared = self.directory / SHARED
        if os.environ.get("PMU_TEST_SHARED_BOOT") != "1" or not shared.exists():
            return Guest(self.name, shift=self.shift).run(self.script, **self.files)
        shared.unlink()
        status = read_if_there(self.directory / "status").strip()
        if status != "0":
            raise AssertionError(f"the script ended with {status}\n{story(self.directory)}")
        return Results(self.directory)
