# SPDX-License-Identifier: Apache-2.0
"""The image of config/container/Containerfile: prepare.py builds it once, and tests run it by podman, in
namespaces of its own.

The base is a Debian that mmdebstrap has made and that has what the package depends on.
"""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import bare_debian
import live
from exporter import Metrics

CONTAINERFILE = bare_debian.TOP / "config/container/Containerfile"
NAME = "localhost/pmu_exporter"
MOST = 10000  # open files, processes of one user: podman's own are above what a container may give
CAPABILITIES = 1 << 38 | 1 << 39  # CAP_PERFMON, CAP_BPF


def store():
    """Where the image is."""
    return bare_debian.folder() / "image"


def command(root, run, *options):
    """podman with a store of its own. The path of `run` has to be short. crun knows no hybrid hierarchy of
    cgroups; runc does."""
    return ["podman", "--root", root, "--runroot", run, "--runtime=runc", "--cgroup-manager=cgroupfs",
            "--events-backend=none", *options]


def build(package, base):
    """Builds the image of a package upon a tar of a Debian; one from before goes."""
    shutil.rmtree(store(), ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="pmu-test-image-") as folder:
        context = pathlib.Path(folder, "context")
        context.mkdir()
        shutil.copy(package, context)
        podman = command(store(), pathlib.Path(folder, "run"))
        bare_debian.run(*podman, "import", base, "localhost/base")
        bare_debian.run(*podman, "build", "--no-cache", "--network=host", "--build-arg=BASE=localhost/base",
                        "-t", NAME, "-f", CONTAINERFILE, context)


def remove(folder):
    """Removes the folder of a test. What cleans up behind a container may end after that has gone, and
    leave the store mounted on itself."""
    for _ in live.tries(bare_debian.PATIENCE):
        subprocess.run(["umount", "--quiet", folder / "store/overlay"], capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
    raise AssertionError(f"{folder} stays")


class ImageTest(unittest.TestCase):
    """Containers of the image."""

    port = 10138

    @classmethod
    def setUpClass(cls):
        live.need("podman", "runc", "curl")
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pmu-test-container-"))
        cls.folder.chmod(0o755)  # the user of the image reads what is mounted from here
        cls.addClassCleanup(remove, cls.folder)
        cls.pids = {}

    @classmethod
    def words(cls):
        return command(cls.folder / "store", cls.folder / "run", "--storage-opt", f".imagestore={store()}")

    @classmethod
    def podman(cls, *words):
        return bare_debian.run(*cls.words(), *words)

    def run_image(self, name, *options, arguments=(), of_class=False):
        """Starts a container in a cgroup namespace of its own. It ends with the test, or with its class."""
        limits = [f"--ulimit={limit}={MOST}:{MOST}" for limit in ("nofile", "nproc")]
        self.podman("run", "-d", "--name", name, "--cgroupns=private", *limits, *options, NAME, *arguments)
        clean_up = self.addClassCleanup if of_class else self.addCleanup
        clean_up(self.podman, "rm", "--force", "--time=10", name)
        self.pids[name] = self.state(name)["Pid"]

    def state(self, name):
        return json.loads(self.podman("inspect", name))[0]["State"]

    def status(self, name):
        """The fields of /proc/PID/status of a container's first process."""
        text = pathlib.Path(f"/proc/{self.pids[name]}/status").read_text()
        return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)

    def log(self, name):
        done = subprocess.run([*self.words(), "logs", name], capture_output=True, text=True)
        return done.stdout + done.stderr

    def page(self, name, path):
        """(status, body) of what is answered in the network of a container; None without an answer."""
        done = subprocess.run(["nsenter", "-t", str(self.pids[name]), "-n", "--", "curl", "-s", "-w",
                               "\n%{http_code}", f"http://127.0.0.1:{self.port}{path}"],
                              capture_output=True)
        body, _, status = done.stdout.rpartition(b"\n")
        return (int(status), body) if done.returncode == 0 else None

    def scrape(self, name):
        answer = self.page(name, "/metrics")
        return Metrics(answer[1], 0) if answer and answer[0] == 200 else None

    def until(self, name, condition, what):
        """The first scrape of which this holds."""
        for _ in live.tries(bare_debian.PATIENCE):
            metrics = self.scrape(name)
            if metrics is not None and condition(metrics):
                return metrics
        raise AssertionError(f"{what} did not come: {self.log(name)[-3000:]}")

    def load(self, name, directory, faults, waiting=0):
        """A load in a cgroup of the host, which begins when the exporter has seen its process. Other
        loads may be waiting."""
        load = self.enterContext(live.Load(directory, faults=faults, burn_ms=6000))
        self.until(name, lambda m: m.sum("pmu_process_members", groupname="load") > waiting, "the load")
        load.go()

    def need_bpf(self, name):
        """Skips the test where bpf cannot count, unless that is for want of what a container lacks."""
        info = "pmu_exporter_mechanism_info"
        metrics = self.until(name, lambda m: m.find(info, scope="process"), "a mechanism")
        if metrics.labels(info, "mechanism", scope="process") != {"bpf"}:
            reasons = str(metrics.labels(info, "reason", scope="process"))
            self.assertNotRegex(reasons, "namespace|something else|CAP_BPF")
            self.skipTest(f"bpf cannot count here: {reasons}")
