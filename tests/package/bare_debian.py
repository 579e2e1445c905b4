# SPDX-License-Identifier: Apache-2.0
"""A bare Debian with systemd as PID 1: a root made by mmdebstrap, booted by systemd-nspawn.

It has namespaces of its own for mounts, processes, cgroups, its name and the network, and the kernel
of this machine, whose counters it may use as a privileged container may. Its cgroups are its own, with
their limits (machine_cgroups.py).
"""
import contextlib
import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from machine_cgroups import MachineCgroups

PATIENCE = 180.0  # seconds: for what would never come
TOP = pathlib.Path(__file__).resolve().parents[2]
# What a service on a host may do and systemd-nspawn keeps from containers.
BOOT = ("systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network", "--boot",
        "--console=pipe", "--capability=all", "--system-call-filter=perf_event_open bpf",
        "--link-journal=no")
PAGE = """
import sys, urllib.error, urllib.request
try:
    sys.stdout.write(urllib.request.urlopen(sys.argv[1], timeout=30).read().decode())
except urllib.error.URLError as error:
    sys.exit(str(error))
"""
# What changes on a Debian that nobody uses: of the kernel, of this boot, of dpkg and the journal.
VOLATILE = ("dev", "proc", "sys", "run", "tmp", "var/log", "var/tmp", "var/cache", "var/lib/dpkg",
            "var/lib/systemd", "var/lib/apt", "etc/.pwd.lock", "etc/passwd-", "etc/group-",
            "etc/shadow-", "etc/gshadow-", "root")


def enter_namespace(pid, kind):
    """This thread, and what it starts, have that namespace of a process from now on; of process
    numbers only what it starts."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/proc/{pid}/ns/{kind}", encoding="ascii") as namespace:
        if libc.setns(namespace.fileno(), 0) != 0:
            raise OSError(ctypes.get_errno(), f"the namespace {kind} of {pid} cannot be entered")


def folder():
    return pathlib.Path(os.environ.get("PMU_TEST_PACKAGES", TOP / "build/release/packages"))


def packages():
    """Where the packages are that prepare.py has made."""
    return folder() / "build"


def find(name, where=None):
    """The file of a package, as pmu-exporter or pmu-exporter-dbgsym."""
    found = [path for path in (where or packages()).glob(f"{name}_*") if path.suffix in (".deb", ".ddeb")]
    if len(found) != 1:
        raise AssertionError(f"{name}: {found}")
    return found[0]


def run(*words, **options):
    """What a command prints; it has to succeed."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def fields(package):
    """The control fields of a package."""
    found = {}
    for line in run("dpkg-deb", "--field", package).splitlines():
        if not line.startswith(" "):
            key, _, value = line.partition(": ")
            found[key] = value
    return found


class Root:
    """A copy of the bare root; it is removed by clean()."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="pmu-test-root-"))
        run("tar", "-C", self.path, "-xf", folder() / "bare.tar")

    def chroot(self, *words):
        return run("chroot", self.path, *words, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                                                     "DEBIAN_FRONTEND": "noninteractive"})

    def files(self):
        """{path: what it is and has} of all that stays over a boot."""
        found = {}
        for place, folders, names in os.walk(self.path):
            inside = os.path.relpath(place, self.path)
            folders[:] = [f for f in folders if os.path.normpath(f"{inside}/{f}") not in VOLATILE]
            for name in [*folders, *names]:
                path = os.path.normpath(f"{inside}/{name}")
                if path not in VOLATILE:
                    found[path] = self.look(self.path / path)
        return found

    @staticmethod
    def look(path):
        if path.is_symlink():
            return f"-> {os.readlink(path)}"
        return path.read_bytes() if path.is_file() else "folder"

    def clean(self):
        shutil.rmtree(self.path, ignore_errors=True)
        pathlib.Path(f"{self.path}.log").unlink(missing_ok=True)


class Machine:
    """A root that is booted: systemd is PID 1."""

    def __init__(self, root):
        self.root = root
        self.cgroups = MachineCgroups()
        with open(f"{root.path}.log", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen([*BOOT, "-D", str(root.path)], stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, start_new_session=True,
                                            preexec_fn=self.cgroups.enter)
        self.leader = None
        try:
            self.until(self.find_leader, "systemd")
            self.until(self.is_up, "the end of the boot")
            self.let_it_limit()
        except BaseException:
            self.stop()
            raise

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not (answer := condition()):
            if time.monotonic() > end or self.process.poll() is not None:
                log = pathlib.Path(f"{self.root.path}.log").read_text(errors="replace")
                journal = self.ask("journalctl", "--no-pager", "-n", "40").stdout if self.leader else ""
                raise AssertionError(f"{what} did not come: {log[-3000:]}{journal}")
            time.sleep(0.1)
        return answer

    def find_leader(self):
        pid = self.process.pid
        try:
            children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            for child in children:
                if os.path.realpath(f"/proc/{child}/exe").endswith("/systemd"):
                    self.leader = child
        except OSError:
            pass
        return self.leader

    def is_up(self):
        return self.ask("systemctl", "is-system-running").stdout.strip() in ("running", "degraded")

    def let_it_limit(self):
        """systemd-nspawn lets a container only read the controllers of v1, and systemd looks for what
        it may use when it begins."""
        closed = [mount.split()[1] for mount in self.run("cat", "/proc/self/mounts").splitlines()
                  if mount.split()[2] == "cgroup" and mount.split()[3].startswith("ro")]
        limiting = [path for path in closed if path.rpartition("/")[2] in self.cgroups.controllers()]
        for path in limiting:
            self.run("mount", "-o", "remount,bind,rw", path)
        if limiting:
            self.run("systemctl", "daemon-reexec")

    def enter(self, *words):
        return ["nsenter", "-t", self.leader, "-m", "-p", "-u", "-i", "-n", "-C", "--",
                "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive",
                *map(str, words)]

    def ask(self, *words):
        """Runs a command in there, whatever its status is."""
        return subprocess.run(self.enter(*words), capture_output=True, text=True, errors="replace")

    def run(self, *words):
        return run(*self.enter(*words))

    @contextlib.contextmanager
    def processes(self):
        """What this thread starts in the block has a process number in there. It cannot start
        threads meanwhile."""
        enter_namespace(self.leader, "pid")
        try:
            yield
        finally:
            enter_namespace(os.getpid(), "pid")

    def enter_network(self):
        """This thread, and what it starts, have the network in there from now on."""
        enter_namespace(self.leader, "net")

    def page(self, path):
        """What the exporter answers in there; None if it does not. The root has no program that
        could ask."""
        url = f"http://127.0.0.1:10138{path}"
        done = subprocess.run(["nsenter", "-t", self.leader, "-n", "--", "/usr/bin/python3", "-c",
                               PAGE, url], capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else None

    def json(self, path):
        page = self.page(path)
        return json.loads(page) if page else None

    def property(self, name, unit="pmu_exporter.service"):
        return self.run("systemctl", "show", "-P", name, unit).strip()

    def write(self, path, text):
        """Writes a file of the root, as its administrator would."""
        (self.root.path / path.lstrip("/")).write_text(text)

    def read(self, path):
        return (self.root.path / path.lstrip("/")).read_text()

    def install(self, *packages):
        """Installs files of packages from this machine; a configuration that the administrator has
        changed stays."""
        incoming = self.root.path / "root/incoming"
        incoming.mkdir(exist_ok=True)
        names = []
        for package in packages:
            shutil.copy(package, incoming)
            names.append(f"/root/incoming/{package.name}")
        # five starts within ten seconds would be a fault to systemd
        self.ask("systemctl", "reset-failed", "pmu_exporter.service")
        return self.run("dpkg", "--force-confold", "-i", *names)

    def stop(self):
        if self.leader and self.process.poll() is None:
            os.kill(int(self.leader), signal.SIGRTMIN + 4)  # to systemd: power off
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                pass
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.cgroups.remove()
