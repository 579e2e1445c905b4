# SPDX-License-Identifier: Apache-2.0
"""What is in the packages: lintian's judgement, dependencies, owners, and that a program can be built
with the library's package."""
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

import bare_debian
import live

DEBIAN = ("pmu-exporter", "pmu-exporter-dbgsym", "pmu-exporter-dashboards", "libpmuexporter0",
          "libpmuexporter0-dbgsym", "libpmuexporter-dev")
CONFIGURATION = {"/etc/default/pmu_exporter", "/etc/pmu_exporter/pmu_exporter.yml"}
# No library of the program names them: they are loaded when they are needed.
LOADED = {"libcurl3-gnutls", "libcapstone4"}


class Contents(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="pmu-test-packages-")
        self.addCleanup(shutil.rmtree, self.folder)

    def unpack(self, name):
        tree = pathlib.Path(self.folder) / name
        bare_debian.run("dpkg-deb", "-x", bare_debian.find(name), tree)
        return tree

    def test_lintian_has_no_error_and_no_warning(self):
        live.need("lintian")
        for name in DEBIAN:
            package = bare_debian.find(name)
            if package.suffix == ".ddeb":  # which lintian does not know
                package = shutil.copy(package, pathlib.Path(self.folder) / f"{package.stem}.deb")
            with self.subTest(package=name):
                done = subprocess.run(["lintian", "--allow-root", "--fail-on=error,warning",
                                       str(package)], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_every_override_of_lintian_has_its_reason_above(self):
        for file in (bare_debian.TOP / "config/package/lintian").iterdir():
            lines = file.read_text().splitlines()
            self.assertTrue(lines[0].startswith("#"), file)
            for above, line in zip(lines, lines[1:]):
                if not line.startswith("#"):
                    self.assertTrue(above.startswith("#"), f"{file}: {line}")

    def test_the_administrator_owns_the_configuration(self):
        text = bare_debian.run("dpkg-deb", "-I", bare_debian.find("pmu-exporter"), "conffiles")
        self.assertEqual(set(text.split()), CONFIGURATION)

    def test_libraries_are_depended_on_by_what_is_linked(self):
        """Every library that the programs name is in a package that is depended on. The loader is the
        C library's."""
        tree = self.unpack("pmu-exporter")
        fields = bare_debian.fields(bare_debian.find("pmu-exporter"))
        depends = set(re.findall(r"lib[\w.+-]+", fields["Depends"]))
        for program in ("pmu_exporter", "pmutool"):
            text = bare_debian.run("objdump", "-p", tree / "usr/bin" / program)
            for library in re.findall(r"NEEDED +(\S+)", text):
                owner = bare_debian.run("dpkg-query", "-S", f"*/{library}").splitlines()
                packages = {line.split(":")[0] for line in owner}
                self.assertTrue(packages & depends or library.startswith("ld-"),
                                f"{program} needs {library} of {packages}")
        self.assertTrue(LOADED <= depends | {fields["Recommends"]})

    def test_files_belong_to_root_and_only_root_may_write_them(self):
        for name in DEBIAN:
            tar = subprocess.run(["dpkg-deb", "--fsys-tarfile", bare_debian.find(name)],
                                 capture_output=True, check=True).stdout
            path = pathlib.Path(self.folder) / "files.tar"
            path.write_bytes(tar)
            with tarfile.open(path) as archive:
                for member in archive:
                    with self.subTest(package=name, file=member.name):
                        self.assertEqual((member.uname, member.gname), ("root", "root"))
                        self.assertTrue(member.issym() or not member.mode & 0o6022)

    def test_nothing_tells_where_it_was_built(self):
        where = str(bare_debian.TOP).encode()
        for name in DEBIAN:
            for path in self.unpack(name).rglob("*"):
                if path.is_file() and not path.is_symlink():
                    self.assertFalse(where in path.read_bytes(), path)

    def test_debug_symbols_are_those_of_the_program(self):
        tree, symbols = self.unpack("pmu-exporter"), self.unpack("pmu-exporter-dbgsym")
        for program in ("pmu_exporter", "pmutool"):
            notes = bare_debian.run("readelf", "-n", tree / "usr/bin" / program)
            number = re.search(r"Build ID: (\w+)", notes)[1]
            found = symbols / f"usr/lib/debug/.build-id/{number[:2]}/{number[2:]}.debug"
            self.assertIn(".debug_info", bare_debian.run("readelf", "-S", "-W", found))

    def test_a_program_is_built_with_the_library(self):
        """pkg-config finds the library in its package, and the example runs with it."""
        live.need("gcc", "pkg-config")
        tree = self.unpack("libpmuexporter-dev")
        bare_debian.run("dpkg-deb", "-x", bare_debian.find("libpmuexporter0"), tree)
        folder = next(tree.glob("usr/lib/*/pkgconfig"))
        words = bare_debian.run("pkg-config", "--cflags", "--libs", "pmu_exporter", env={
            "PATH": "/usr/bin:/bin", "PKG_CONFIG_SYSROOT_DIR": str(tree),
            "PKG_CONFIG_LIBDIR": f"{folder}:/usr/lib/{folder.parent.name}/pkgconfig"}).split()
        example = tree / "usr/share/doc/libpmuexporter-dev/examples/rates.c"
        program = pathlib.Path(self.folder) / "rates"
        bare_debian.run("gcc", "-o", program, example, *words,
                        f"-L{folder.parent}")
        done = subprocess.run([str(program), "/nonexistent"], capture_output=True, text=True,
                              env={"LD_LIBRARY_PATH": str(folder.parent)})
        self.assertIn("there is no such socket", done.stderr)

    def test_dashboards_and_rules_are_those_of_the_sources(self):
        tree = self.unpack("pmu-exporter-dashboards") / "usr/share/pmu_exporter"
        sources = bare_debian.TOP / "dashboards"
        for inside, source in (("dashboards", "grafana"), ("rules", "rules")):
            self.assertEqual({p.name: p.read_bytes() for p in (tree / inside).iterdir()},
                             {p.name: p.read_bytes() for p in (sources / source).iterdir()})

    def test_the_mixin_of_the_package_is_that_of_the_sources(self):
        live.need("jsonnet")
        installed, source = (bare_debian.run(
            "jsonnet", "-e", f"local mixin = import '{folder}/mixin/mixin.libsonnet';"
            "[mixin.prometheusAlerts, mixin.prometheusRules, mixin.grafanaDashboards]")
            for folder in (self.unpack("pmu-exporter-dashboards") / "usr/share/pmu_exporter",
                           bare_debian.TOP / "dashboards"))
        self.assertTrue(installed == source)


if __name__ == "__main__":
    live.main()
