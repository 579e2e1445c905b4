# SPDX-License-Identifier: Apache-2.0
"""The life of the Debian package on a bare Debian: installed, upgraded, taken back, removed, purged.

systemd is PID 1, and the kernel is this machine's. An older and a newer version are the same package
under another version and with another text in its configuration.
"""
import os
import pathlib
import shutil
import tempfile
import unittest

import bare_debian
import live
from installed import CONFIGURATION, DEFAULT, MARK, STATE, Installed

DYNAMIC = "[Service]\nDynamicUser=yes\n"


def other_version(package, folder, version, more):
    """The package as another version, whose configuration has a line more."""
    tree = pathlib.Path(folder) / f"tree-{version}"
    bare_debian.run("dpkg-deb", "-R", package, tree)
    control = tree / "DEBIAN/control"
    own = bare_debian.fields(package)["Version"]
    control.write_text(control.read_text().replace(f"Version: {own}\n", f"Version: {version}\n"))
    configuration = tree / CONFIGURATION.lstrip("/")
    configuration.write_text(configuration.read_text() + more)
    made = pathlib.Path(folder) / f"pmu-exporter_{version}_all.deb"
    bare_debian.run("dpkg-deb", "--root-owner-group", "-Zgzip", "-b", tree, made)
    return made


class Life(Installed):
    """Its steps build on each other, so they are one test."""

    def setUp(self):
        live.need("systemd-nspawn", "nsenter")
        self.folder = tempfile.mkdtemp(prefix="pmu-test-packages-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.package = bare_debian.find("pmu-exporter")
        own = bare_debian.fields(self.package)["Version"]
        self.older = other_version(self.package, self.folder, f"{own}~before", "# older\n")
        self.newer = other_version(self.package, self.folder, f"{own}+after", "# newer\n")
        self.boot()

    def check_commands(self):
        """What a user finds: the tool, its manual, its completion."""
        machine = self.machine
        machine.run("pmutool", "check", "config", CONFIGURATION)
        machine.run("pmutool", "mark", MARK)
        machine.run("systemctl", "reload", "pmu_exporter")
        for path in ("/usr/share/man/man8/pmu_exporter.8.gz", "/usr/share/man/man1/pmutool.1.gz",
                     "/usr/share/bash-completion/completions/pmutool",
                     "/usr/share/zsh/vendor-completions/_pmutool"):
            self.assertTrue((self.root.path / path.lstrip("/")).is_file(), path)

    def step_through_a_dynamic_user(self):
        """A unit of before had DynamicUser=yes, and its state in another folder: systemd brings it
        back with what it holds."""
        folder = self.root.path / "etc/systemd/system/pmu_exporter.service.d"
        folder.mkdir(parents=True)
        (folder / "dynamic.conf").write_text(DYNAMIC)
        self.machine.run("systemctl", "daemon-reload")
        self.machine.run("systemctl", "restart", "pmu_exporter")
        self.check_state(private=True)
        shutil.rmtree(folder)
        self.machine.run("systemctl", "daemon-reload")

    def check_that_what_is_disabled_stays_so(self):
        """An administrator who has disabled the service is not overruled by a new version."""
        machine = self.machine
        machine.run("systemctl", "disable", "--now", "pmu_exporter")
        machine.install(self.newer)
        self.assertEqual(machine.property("ActiveState"), "inactive")
        self.assertEqual(machine.property("UnitFileState"), "disabled")
        machine.run("systemctl", "enable", "--now", "pmu_exporter")

    def check_removal(self, before):
        machine = self.machine
        machine.run("dpkg", "-r", "pmu-exporter")
        self.assertIsNone(machine.page("/-/ready"))
        self.assertEqual(machine.ask("systemctl", "is-active", "pmu_exporter").stdout.strip(), "inactive")
        left = set(self.root.files()) - set(before)
        for path in (CONFIGURATION, DEFAULT, STATE):
            self.assertIn(path.lstrip("/"), left)
        self.assertFalse({path for path in left if path.startswith("usr/")})

    def check_purge(self, before):
        """A key that only the group could read stays, and is root's alone."""
        folder = self.root.path / "etc/pmu_exporter"
        self.machine.run("install", "-g", "pmu_exporter", "-m", "640", "/dev/null",
                         "/etc/pmu_exporter/exporter.key")
        self.machine.run("dpkg", "-P", "pmu-exporter")
        key = (folder / "exporter.key").stat()
        self.assertEqual((key.st_uid, key.st_gid), (folder.stat().st_uid, folder.stat().st_gid))
        shutil.rmtree(folder)
        after = self.root.files()
        self.assertEqual({path for path in before.keys() | after.keys()
                          if before.get(path) != after.get(path)}, set())

    def test_it_counts_at_once_keeps_what_is_the_administrators_and_leaves_nothing(self):
        before = self.root.files()
        self.machine.install(self.older)
        self.check_that_it_counts_at_once()
        self.check_commands()
        self.step_through_a_dynamic_user()
        self.check_upgrade(self.package)
        self.check_that_what_is_disabled_stays_so()
        self.machine.install(self.older)  # taken back
        self.wait_until_ready()
        self.check_state(private=False)
        self.check_removal(before)
        self.machine.install(self.package)  # and there again, with what was left
        self.wait_until_ready()
        self.check_state(private=False)
        self.check_purge(before)


class FromSources(unittest.TestCase):
    """"cmake --install" into /usr/local, and what the README says after it."""

    def test_it_counts(self):
        live.need("systemd-nspawn", "nsenter")
        root = bare_debian.Root()
        self.addCleanup(root.clean)
        bare_debian.run("cmake", "--install", os.environ["PMU_TEST_BUILD"],
                        env={**os.environ, "DESTDIR": str(root.path)})
        machine = bare_debian.Machine(root)
        self.addCleanup(machine.stop)
        machine.run("systemd-sysusers", "pmu_exporter.conf")
        machine.run("systemctl", "daemon-reload")
        machine.run("systemctl", "enable", "--now", "pmu_exporter")
        self.assertIsNotNone(machine.page("/-/ready"))
        self.assertEqual(machine.run("stat", "-c", "%U %n", f"/proc/{machine.property('MainPID')}"),
                         f"pmu_exporter /proc/{machine.property('MainPID')}\n")
        self.assertIn("/usr/local/bin/pmu_exporter", machine.property("ExecStart"))
        machine.run("systemctl", "reload", "pmu_exporter")


if __name__ == "__main__":
    live.main()
