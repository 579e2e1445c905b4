# SPDX-License-Identifier: Apache-2.0
"""The client library as another project has it: from what is installed, and nothing else."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import live
from cgroups import Cgroups
from exporter import Exporter, binary

BUILD = pathlib.Path(binary()).parents[1]
LIBRARY = "libpmu_exporter"


def install(directory):
    subprocess.run(["cmake", "--install", BUILD], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "DESTDIR": str(directory)})


def example_of_manual(directory):
    """The program that libpmu_exporter(3) shows, as mandoc renders it."""
    page, = directory.rglob(f"{LIBRARY}.3.gz")
    text = subprocess.run(["mandoc", "-Tascii", page], capture_output=True, text=True, check=True,
                          env={**os.environ, "MANPAGER": ""}).stdout
    text = re.sub(".\b", "", text)
    return text[text.index("#include <pmu_exporter/client.h>\n", text.index("EXAMPLES")):
                text.rindex("examples/rates.c")].rsplit("}", 1)[0] + "}\n"


class Installed(live.LiveTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        live.need("cmake", "cc", "pkg-config", "mandoc")
        cls.top = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        install(cls.top)
        package, = cls.top.rglob("pmu_exporter.pc")
        cls.installed = package.parents[1]
        cls.environment = {**os.environ, "PKG_CONFIG_SYSROOT_DIR": str(cls.top),
                           "PKG_CONFIG_PATH": str(package.parent),
                           "LD_LIBRARY_PATH": str(cls.installed)}
        cgroups = cls.enterClassContext(Cgroups())
        cls.cgroup = cgroups.make('a"b.service')
        cls.exporter = cls.enterClassContext(Exporter(live.config(cgroups)))

    def flags(self, *options):
        done = subprocess.run(["pkg-config", "--cflags", *options, "pmu_exporter"],
                              capture_output=True, text=True, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()

    def build(self, source, name):
        program = self.top / name
        done = subprocess.run(["cc", "-Wall", "-Werror", "-o", program, source, *self.flags("--libs")],
                              capture_output=True, text=True)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        return program

    def run_program(self, *words):
        done = subprocess.run(words, capture_output=True, text=True, timeout=60,
                              env=self.environment)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        return done.stdout

    def example(self, name):
        path, = self.top.rglob(f"examples/{name}")
        return path

    def assert_shows_the_cgroup(self, output):
        self.assertRegex(output, rf"(?m)^ +0\.\d+ {re.escape(self.cgroup)}$")
        self.assertEqual(len(re.findall(r"(?m)^\d+\.\d{3}$", output)), 3)

    def test_the_example_in_c_follows_the_socket(self):
        program = self.build(self.example("rates.c"), "rates")
        self.assert_shows_the_cgroup(self.run_program(program, self.exporter.control, "3"))

    def test_the_example_in_c_follows_over_tcp(self):
        program = self.build(self.example("rates.c"), "rates-tcp")
        where = f"http://127.0.0.1:{self.exporter.port}"
        self.assert_shows_the_cgroup(self.run_program(program, where, "3"))

    def test_the_example_in_python_shows_the_same(self):
        words = [sys.executable, "-B", self.example("rates.py"), self.exporter.control, "3"]
        self.assert_shows_the_cgroup(self.run_program(*words))

    def test_the_example_of_the_manual_compiles_and_runs(self):
        text = example_of_manual(self.top)
        text = text.replace("open(NULL,", f'open("{self.exporter.control}",')
        text = text.replace("pmu_cgroup_instructions_total", "pmu_cgroup_page_faults_total")
        source = self.top / "manual.c"
        source.write_text(text)
        output = self.run_program(self.build(source, "manual"))
        self.assertRegex(output, rf"(?m)^\d+ {re.escape(self.cgroup)}$")

    def test_the_static_library_serves_too(self):
        archive = self.installed / f"{LIBRARY}.a"
        source = self.example("rates.c")
        program = self.top / "rates-static"
        subprocess.run(["cc", "-o", program, source, *self.flags(), archive,
                        "-ljansson"], check=True)
        self.assertNotIn(LIBRARY, subprocess.run(["ldd", program], capture_output=True, text=True,
                                                 check=True).stdout)
        self.assert_shows_the_cgroup(self.run_program(program, self.exporter.control, "3"))

    def test_the_shared_library_shows_only_what_its_header_declares(self):
        header, = self.top.rglob("pmu_exporter/client.h")
        declared = set(re.findall(r"\b(pmu_\w+)\(", re.sub(r"(?s)/\*.*?\*/", "",
                                                             header.read_text())))
        shown = subprocess.run(["nm", "-D", "--defined-only", self.installed / f"{LIBRARY}.so"],
                               capture_output=True, text=True, check=True).stdout
        names = {line.split()[2].split("@")[0] for line in shown.splitlines()
                 if line.split()[1] == "T"}
        self.assertEqual(names, declared)

    def test_who_asks_nobody_is_told_so_in_words(self):
        for program, why in (([self.build(self.example("rates.c"), "rates-nobody")],
                              "there is no such socket"),
                             ([sys.executable, "-B", self.example("rates.py")],
                              "rates.py: /nowhere/control: No such file or directory; is ")):
            done = subprocess.run([*program, "/nowhere/control"], capture_output=True, text=True,
                                  env=self.environment)
            self.assertEqual(done.returncode, 1)
            self.assertIn(why, done.stderr)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    live.main()
