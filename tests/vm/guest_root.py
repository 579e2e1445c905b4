# SPDX-License-Identifier: Apache-2.0
"""The parts of the fast guest that never change: kernel, initial file system, perf.

They are made once, of Debian's packages, and kept below the user's cache directory in a folder that
is named by a hash of all that goes in. Where two processes want them at once, one waits.
"""
import contextlib
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
KERNEL = "linux-image-arm64:arm64"
NEWER = "http://deb.debian.org/debian bookworm-backports main"
# What init loads, in that order; newer kernels have no fscache. Then what tests load themselves.
MODULES = ("drivers/virtio/virtio_mmio", "fs/netfs/netfs", "fs/fscache/fscache", "net/9p/9pnet",
           "net/9p/9pnet_virtio", "fs/9p/9p",
           "fs/configfs/configfs", "drivers/block/null_blk/null_blk")
FOLDERS = ("bin", "dev", "lib/aarch64-linux-gnu", "modules", "perf", "proc", "programs", "sys", "t",
           "tmp")
KEEP_DAYS = 7


class Missing(Exception):
    """This machine does not have something that the guest needs."""


def cache_directory():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "pmu_exporter" / "vm"


def apt_cache(*words):
    done = subprocess.run(["apt-cache", *words], capture_output=True, text=True)
    return done.stdout


def dependencies(package, *options):
    listing = apt_cache("depends", *options, "--no-recommends", "--no-suggests", "--no-conflicts",
                        "--no-breaks", "--no-replaces", "--no-enhances", package)
    return {word for word in listing.split() if word.endswith(":arm64") and word != package}


def find_kernel(*options):
    kernels = {p for p in dependencies(KERNEL, *options) if p.startswith("linux-image-")}
    if len(kernels) != 1:
        raise Missing("apt knows no packages for arm64 (dpkg --add-architecture arm64; "
                      "apt-get update)")
    return kernels


def list_packages():
    """The packages that are downloaded, as {what they are for: their names}."""
    kernels = find_kernel()
    libraries = {p for p in dependencies("linux-perf:arm64", "--recurse") if p.startswith(("lib", "zlib"))}
    return {"kernel": kernels, "busybox": {"busybox-static:arm64"},
            "perf": {"linux-perf:arm64", *libraries}}


def versions_of(packages):
    lines = apt_cache("show", "--no-all-versions", *sorted(packages)).splitlines()
    return [line for line in lines if line.startswith(("Package:", "Version:"))]


def key_of(packages):
    everything = set().union(*packages.values())
    parts = [repr(versions_of(everything)), repr((MODULES, FOLDERS)),
             (HERE / "init").read_text(), pathlib.Path(__file__).read_text()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def download(packages, directory, *options):
    done = subprocess.run(["apt-get", "download", "-q", *options, *sorted(packages)],
                          cwd=directory, capture_output=True, text=True)
    if done.returncode != 0:
        raise Missing(f"apt-get could not download the guest: {done.stderr.strip()[-500:]}")
    return sorted(directory.glob("*.deb"))


def unpack(archive, directory, *words):
    """Unpacks the files of a package. `words` go to tar: options, or patterns of the files
    wanted."""
    directory.mkdir(parents=True, exist_ok=True)
    with subprocess.Popen(["dpkg", "--fsys-tarfile", str(archive)],
                          stdout=subprocess.PIPE) as files:
        subprocess.run(["tar", "-x", "-C", str(directory), "--wildcards", *words],
                       stdin=files.stdout, check=True)
    if files.returncode != 0:
        raise Missing(f"{archive.name} cannot be unpacked")


def pack(directory, image):
    """Makes an initial file system of all that is below a directory."""
    names = [".", *sorted(str(p.relative_to(directory)) for p in directory.rglob("*"))]
    with open(image, "wb") as file:
        subprocess.run(["cpio", "--quiet", "-o", "-H", "newc", "-R", "0:0"], cwd=directory,
                       check=True, input="\n".join(names).encode(), stdout=file)


def make_directory(path):
    path.mkdir(parents=True)
    return path


def make_kernel(archive, work, ret):
    listing = subprocess.run(["dpkg", "-c", str(archive)], check=True, capture_output=True,
                             text=True).stdout
    modules = [file for file in re.findall(r"\./lib/modules/\S+\.ko\S*", listing)
               if file.split("/kernel/")[1].split(".")[0] in MODULES]
    unpack(archive, work / "kernel", "./boot/vmlinuz-*", *modules)
    shutil.copy(next((work / "kernel/boot").glob("vmlinuz-*")), ret / "kernel")
    for found in (work / "kernel/lib/modules").rglob("*.ko.xz"):
        subprocess.run(["xz", "-d", str(found)], check=True)
    for found in (work / "kernel/lib/modules").rglob("*.ko"):
        shutil.copy(found, work / "initial/modules")
    shutil.copytree(work / "initial/modules", ret / "modules")


def make_initial(work, ret):
    """Makes the initial file system: busybox, modules, init."""
    initial = work / "initial"
    (initial / "bin/sh").symlink_to("busybox")
    shutil.copy(HERE / "init", initial / "init")
    (initial / "init").chmod(0o755)
    (initial / "lib/ld-linux-aarch64.so.1").symlink_to("aarch64-linux-gnu/ld-linux-aarch64.so.1")
    pack(initial, ret / "initial")


def make_perf(archives, work, ret):
    for archive in archives:
        unpack(archive, work / "files")
    (ret / "perf").mkdir()
    shutil.copy(work / "files/usr/bin/perf", ret / "perf")
    for folder in ("lib", "usr/lib"):
        for library in sorted((work / "files" / folder / "aarch64-linux-gnu").glob("*.so*")):
            shutil.copy(library, ret / "perf")


def make(packages, work, ret):
    for folder in FOLDERS:
        (work / "initial" / folder).mkdir(parents=True)
    archives = {}
    for what, names in packages.items():
        (work / what).mkdir()
        archives[what] = download(names, work / what)
    make_kernel(archives["kernel"][0], work, ret)
    unpack(archives["busybox"][0], work / "busybox", "./bin/busybox")
    shutil.copy(work / "busybox/bin/busybox", work / "initial/bin")
    make_initial(work, ret)
    make_perf(archives["perf"], work, ret)


def prune(cache, keep):
    """Removes the guests that have not been used for a week."""
    for folder in cache.iterdir():
        if folder.is_dir() and folder not in keep:
            if time.time() - folder.stat().st_mtime > KEEP_DAYS * 86400:
                shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def locked(cache):
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def fast_guest():
    """The folder with kernel, initial and perf/. It is made if it is not there, or Missing is
    raised."""
    packages = list_packages()
    cache = cache_directory()
    root = cache / key_of(packages)
    with locked(cache):
        if not root.is_dir():
            with tempfile.TemporaryDirectory(dir=cache) as work:
                made = pathlib.Path(work) / "made"
                made.mkdir()
                make(packages, pathlib.Path(work), made)
                made.rename(root)
        os.utime(root)
        prune(cache, (root,))
    return root


def of_newer(work):
    """Options for apt, by which it knows the packages of backports and no others."""
    (work / "lists/partial").mkdir(parents=True)
    (work / "sources.list").write_text(
        f"deb [arch=arm64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {NEWER}\n")
    options = []
    for option in (f"Dir::Etc::sourcelist={work}/sources.list", "Dir::Etc::sourceparts=/dev/null",
                   f"Dir::State::lists={work}/lists", "Dir::Cache::pkgcache=",
                   "Dir::Cache::srcpkgcache=", "Acquire::Retries=0", "Acquire::http::Timeout=20"):
        options += ["-o", option]
    done = subprocess.run(["apt-get", "-q", *options, "update"], capture_output=True, text=True)
    if done.returncode != 0:
        raise Missing(f"apt-get does not reach {NEWER}: {done.stderr.strip()[-500:]}")
    return options


def newer_guest(fast):
    """The folder of a guest with Debian's newest kernel; the rest it shares with the fast guest.
    Raises Missing."""
    cache = cache_directory()
    key = hashlib.sha256((fast.name + NEWER).encode()).hexdigest()[:16]
    root = cache / f"newer-{key}"
    with locked(cache):
        if not root.is_dir():
            with tempfile.TemporaryDirectory(dir=cache) as work:
                work = pathlib.Path(work)
                options = of_newer(work)
                subprocess.run(["cpio", "-i", "--quiet", "-d", "-F", str(fast / "initial")],
                               cwd=make_directory(work / "initial"), check=True)
                for module in (work / "initial/modules").iterdir():
                    module.unlink()
                archive = download(find_kernel(*options), work, *options)[0]
                made = make_directory(work / "made")
                make_kernel(archive, work, made)
                pack(work / "initial", made / "initial")
                (made / "perf").symlink_to(fast / "perf")
                made.rename(root)
        os.utime(root)
    return root


if __name__ == "__main__":
    print(newer_guest(fast_guest()))
