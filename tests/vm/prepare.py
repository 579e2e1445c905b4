#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what every guest needs: programs and packages for arm64, and the guest's own files
(guest_root.py)."""
import shutil
import subprocess
import sys
import unittest

import guest
import full_root
import guest_root

TOOLS = {"qemu-system-aarch64": "qemu-system-arm",
         "aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu", "cpio": "cpio"}
PROGRAMS = ("pmu_exporter", "pmutool")


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}:\n{done.stdout[-5000:]}{done.stderr[-5000:]}")


def build():
    top, build_directory = guest.HERE.parents[1], guest.build_directory()
    for package in build_directory.glob("*deb"):
        package.unlink()  # of an earlier commit
    run("cmake", "--preset", "package", "-S", str(top), "-B", str(build_directory), "--toolchain",
        str(guest.HERE / "arm64.cmake"), "-DBUILD_TESTING=ON")
    run("cmake", "--build", str(build_directory), "--target", "all", "package")


def main():
    made = guest.build_directory()
    for name in ("guest_root", "full_root", "newer_root"):
        (made / name).unlink(missing_ok=True)
    try:
        for tool, package in TOOLS.items():
            if not shutil.which(tool):
                guest.missing(f"{tool} is not installed ({package})")
        build()
        try:
            fast = guest_root.fast_guest()
            full = full_root.full_guest(fast, [made / "bin" / name for name in PROGRAMS])
        except guest_root.Missing as what:
            guest.missing(str(what))
    except unittest.SkipTest as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    (made / "guest_root").write_text(f"{fast}\n")
    (made / "full_root").write_text(f"{full}\n")
    try:
        (made / "newer_root").write_text(f"{guest_root.newer_guest(fast)}\n")
    except guest_root.Missing as what:
        print(f"without a newer kernel: {what}")


if __name__ == "__main__":
    main()
