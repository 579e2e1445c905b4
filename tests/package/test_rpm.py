# SPDX-License-Identifier: Apache-2.0
"""The RPM, by rpm itself: installed, upgraded and erased in a root of its own, which has systemd's
programs and is not booted. No distribution with RPM was at hand; its libraries' packages have other
names and sonames, so an RPM has to be built where it is installed."""
import pathlib
import shutil
import tempfile
import unittest

import bare_debian
import live

CONFIGURATION = "etc/pmu_exporter/pmu_exporter.yml"
UNIT = "usr/lib/systemd/system/pmu_exporter.service"
WANTED = "etc/systemd/system/multi-user.target.wants/pmu_exporter.service"


def find(name):
    found = list(bare_debian.packages().glob(f"{name}-[0-9]*.rpm"))
    if len(found) != 1:
        raise AssertionError(f"{name}: {found}")
    return found[0]


def query(package, *words):
    return bare_debian.run("rpm", "-qp", *words, package).splitlines()


class Rpm(unittest.TestCase):
    def setUp(self):
        live.need("rpm")

    def test_it_has_the_files_of_the_debian_package(self):
        def files(names):
            """But what is Debian's own: where zsh looks, and what lintian is told."""
            return {name for name in names if "/lintian" not in name and "/zsh" not in name}

        for name in ("pmu-exporter", "pmu-exporter-dashboards", "libpmuexporter0"):
            debian = bare_debian.run("dpkg-deb", "-c", bare_debian.find(name)).splitlines()
            wanted = {line.split()[5].lstrip(".") for line in debian if not line.startswith("d")}
            told = {line.split(" ", 1)[1] for line in
                    query(find(name), "--queryformat", "[%{FILEMODES:perms} %{FILENAMES}\n]")
                    if not line.startswith("d")}
            self.assertEqual(files(told), files(wanted), name)

    def test_libraries_are_depended_on_by_what_is_linked(self):
        requires = query(find("pmu-exporter"), "--requires")
        for library in ("libmicrohttpd.so.12()(64bit)", "libpfm.so.4()(64bit)", "systemd"):
            self.assertIn(library, requires)

    def test_the_configuration_is_the_administrators(self):
        flags = dict(reversed(line.split()) for line in
                     query(find("pmu-exporter"), "--queryformat",
                           "[%{FILEFLAGS:fflags}. %{FILENAMES}\n]"))
        for path in (f"/{CONFIGURATION}", "/etc/default/pmu_exporter"):
            self.assertEqual(flags[path], "cn.", path)  # %config(noreplace)

    def test_its_life(self):
        root = bare_debian.Root()
        self.addCleanup(root.clean)

        def rpm(*words):
            return bare_debian.run("rpm", "--root", root.path, "--nodeps", *words)

        package = pathlib.Path(shutil.copy(find("pmu-exporter"), tempfile.mkdtemp(dir=root.path)))
        rpm("-i", package)
        self.assertIn("pmu_exporter:", (root.path / "etc/passwd").read_text())
        self.assertTrue((root.path / WANTED).is_symlink())
        self.assertIn("pmu_exporter, version", root.chroot("/usr/bin/pmu_exporter", "--version"))
        rpm("-V", "pmu-exporter")
        (root.path / CONFIGURATION).write_text("interval: 2s\n")
        rpm("-U", "--replacepkgs", package)
        self.assertEqual((root.path / CONFIGURATION).read_text(), "interval: 2s\n")
        self.assertTrue((root.path / WANTED).is_symlink())
        rpm("-e", "pmu-exporter")
        self.assertFalse((root.path / UNIT).exists())
        self.assertFalse((root.path / WANTED).is_symlink())


if __name__ == "__main__":
    live.main()
