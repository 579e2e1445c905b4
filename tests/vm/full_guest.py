# SPDX-License-Identifier: Apache-2.0
"""Boots the full guest: systemd is PID 1, and pmu_exporter is installed as a user installs it: by
its package.

Its root is in memory: the one of full_root.py, and above it the files of this build and test.
"""
import pathlib
import shutil

import guest
import guest_root

# Units that are of no use here and take time, or that wait for what is not there.
MASKED = ("systemd-logind.service", "getty.target", "getty-static.service",
          "systemd-update-utmp.service", "systemd-user-sessions.service", "systemd-pstore.service")
UNIT = """[Unit]
Description=The test
After=sysinit.target

[Service]
Type=oneshot
ExecStart=/guest/start
StandardOutput=tty
StandardError=tty
TTYPath=/dev/ttyAMA0
"""
START = """#!/bin/busybox sh
for module in virtio_mmio netfs fscache 9pnet 9pnet_virtio 9p; do
    busybox insmod /modules/$module.ko
done
busybox mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 test /t
mkdir -p /tmp/out
busybox timeout -s KILL 1000000 bash -eu /t/run
echo $? >/t/status
journalctl -u pmu_exporter -o json --no-pager >/tmp/out/journal.json
journalctl -u pmu_exporter -o short-monotonic --no-pager >/tmp/out/exporter.log
cp -r /tmp/out/. /t/out
busybox poweroff -f
"""


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


class FullGuest(guest.Guest):
    def __init__(self, name, units=None, **options):
        super().__init__(name, memory=1024, **options)
        self.units = units or {}
        try:
            self.full = pathlib.Path((guest.build_directory() / "full_root").read_text().strip())
        except OSError:
            guest.missing("there is no full guest: prepare.py has not made it")

    def install(self, root):
        """Puts the package there, for the script to install it, and the programs of the tests."""
        package = next(guest.build_directory().glob("pmu-exporter_*.deb"))
        write(root / "etc/sysctl.d/60-pmu_exporter.conf", "kernel.perf_event_paranoid=2\n")
        (root / "guest").mkdir(parents=True)
        shutil.copy(package, root / "guest/pmu-exporter.deb")
        shutil.copytree(self.programs, root / "guest/bin")

    def prepare(self, script, files):
        super().prepare(script, files)
        root = self.directory / "root"
        self.install(root)
        write(root / "guest/start", START, 0o755)
        write(root / "etc/systemd/system/guest.service", UNIT)
        wants = root / "etc/systemd/system/multi-user.target.wants"
        wants.mkdir(parents=True)
        (wants / "guest.service").symlink_to("/etc/systemd/system/guest.service")
        for name, text in self.units.items():
            write(root / "etc/systemd/system" / name, text)
        guest_root.pack(root, self.directory / "more")
        shutil.rmtree(root)
        with open(self.directory / "initial", "wb") as initial:
            for part in (self.full / "initial", self.directory / "more"):
                initial.write(part.read_bytes())
        (self.directory / "more").unlink()

    def beginning(self):
        return (guest.HERE / "full_library.sh").read_text()

    def shares(self):
        return {"test": (self.directory, "")}

    def initial(self):
        return self.directory / "initial"

    def kernel_words(self):
        masks = " ".join(f"systemd.mask={unit}" for unit in MASKED)
        return f"systemd.unit=multi-user.target systemd.show_status=off {masks}"

    def run(self, script, **files):
        results = super().run(script, **files)
        self.initial().unlink()
        return results
