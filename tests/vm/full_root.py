# SPDX-License-Identifier: Apache-2.0
"""The root of the full guest: Debian's systemd as PID 1, and what our programs are linked with.

apt decides what that takes, on an empty machine of arm64; the packages are unpacked and not
configured, which needs no program of arm64 to run here. Cached as the fast guest (guest_root.py).
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import guest_root
from guest_root import Missing

PACKAGES = ("base-files", "base-passwd", "bash", "busybox-static", "coreutils", "libnss-systemd",
            "libcurl3-gnutls", "mount", "systemd-sysv", "util-linux",  # pmutool loads libcurl
            # what installs packages, and what their scripts call
            "dpkg", "tar", "init-system-helpers", "perl-base", "passwd", "libc-bin", "diffutils",
            "sed", "grep", "dash")
LIBRARIES = pathlib.Path("/usr/lib/aarch64-linux-gnu")
LINKS = ("bin", "lib", "sbin")  # into usr
NOT_WANTED = ("usr/include", "usr/lib/aarch64-linux-gnu/gconv", "usr/lib/udev", "usr/share/doc",
              "usr/share/bash-completion", "usr/share/info", "usr/share/lintian",
              "usr/share/locale", "usr/share/man", "usr/share/zoneinfo")
FILES = {
    "etc/hostname": "guest\n",
    "etc/machine-id": "0123456789abcdef0123456789abcdef\n",
    "etc/nsswitch.conf": "passwd: files systemd\ngroup: files systemd\n",
}


def needed_libraries(program):
    text = subprocess.run(["aarch64-linux-gnu-readelf", "-d", str(program)], check=True,
                          capture_output=True, text=True).stdout
    return re.findall(r"\(NEEDED\).*\[(lib\S+)\]", text)


def owners(programs):
    """The names of the packages for arm64 that hold the libraries of our programs."""
    files = {str(LIBRARIES / name) for program in programs for name in needed_libraries(program)}
    # the C library is the cross compiler's
    found = subprocess.run(["dpkg-query", "-S", *(f"*{f.removeprefix('/usr')}" for f in files)],
                           capture_output=True, text=True).stdout
    return sorted({line.split(":")[0] for line in found.splitlines() if ":arm64:" in line})


def apt_get(work, *words):
    """Runs apt-get as if for a machine of arm64 that has no packages, with this machine's lists."""
    (work / "status").touch()
    (work / "archives/partial").mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["apt-get", "-q", "-y", "-o", f"Dir::State::status={work}/status", "-o",
         "APT::Architecture=arm64", "-o", "APT::Architectures=arm64", "-o",
         f"Dir::Cache::archives={work}/archives", "-o", "Debug::NoLocking=true",
         "--no-install-recommends", *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise Missing(f"apt-get could not find the full guest: {done.stderr.strip()[-500:]}")
    return done.stdout


def unpack(work, root):
    for name in LINKS:
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    database = root / "var/lib/dpkg"
    for folder in ("info", "updates"):
        (database / folder).mkdir(parents=True)
    with open(database / "status", "w", encoding="utf-8") as status:
        for archive in sorted((work / "archives").glob("*.deb")):
            guest_root.unpack(archive, root, "--keep-directory-symlink")
            note_as_installed(archive, database, status)


def note_as_installed(archive, database, status):
    """Tells dpkg of a package as if it had configured it, so that others may depend on it."""
    def told(*words):
        return subprocess.run(["dpkg-deb", *words, str(archive)], check=True, capture_output=True,
                              text=True).stdout

    fields = told("--field").splitlines(keepends=True)
    name = next(line.split()[1] for line in fields if line.startswith("Package:"))
    if "Multi-Arch: same\n" in fields:
        name += ":arm64"
    fields.insert(1, "Status: install ok installed\n")
    status.writelines([*fields, "\n"])
    listing = subprocess.run(["tar", "-t"], input=subprocess.run(
        ["dpkg-deb", "--fsys-tarfile", str(archive)], check=True, capture_output=True).stdout,
        check=True, capture_output=True).stdout.decode()
    (database / f"info/{name}.list").write_text(
        "".join(f"{line[1:].rstrip('/') or '/.'}\n" for line in listing.splitlines()))


def configure(root):
    """Does the little that the packages would have done if they were configured, and that is
    needed."""
    for name in ("passwd", "group"):
        shutil.copy(root / f"usr/share/base-passwd/{name}.master", root / f"etc/{name}")
    for path, text in FILES.items():
        (root / path).write_text(text)
    for folder in NOT_WANTED:
        shutil.rmtree(root / folder, ignore_errors=True)
    for folder in ("dev", "proc", "sys", "run", "tmp", "t"):
        (root / folder).mkdir(exist_ok=True)
    if not (root / "var/run").exists():
        (root / "var/run").symlink_to("../run")
    root.chmod(0o755)
    (root / "init").symlink_to("usr/lib/systemd/systemd")
    for folder in ("etc", "var"):
        (root / folder / ".updated").touch()  # no first boot: nothing is to be brought up to date


def full_guest(fast, programs):
    """The folder with `initial`, the root as an initial file system; or raises Missing."""
    names = [*PACKAGES, *owners(programs)]
    cache = guest_root.cache_directory()
    with guest_root.locked(cache), tempfile.TemporaryDirectory(dir=cache) as work:
        work = pathlib.Path(work)
        parts = [apt_get(work, "install", "--print-uris", *names), str(fast),
                 pathlib.Path(__file__).read_text()]
        root = cache / ("full-" + hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16])
        if not root.is_dir():
            apt_get(work, "install", "--download-only", *names)
            unpack(work, work / "root")
            configure(work / "root")
            shutil.copytree(fast / "modules", work / "root/modules")
            (work / "made").mkdir()
            guest_root.pack(work / "root", work / "made/initial")
            (work / "made").rename(root)
        os.utime(root)
        guest_root.prune(cache, (fast, root))
    return root
