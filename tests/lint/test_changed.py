# SPDX-License-Identifier: Apache-2.0
"""tests/changed.py over a small repository with two layers and tests of both."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

CHANGED = pathlib.Path(__file__).resolve().parents[1] / "changed.py"
# Each test leaves its name in the file "ran"; clang-tidy is a script that leaves what it was given.
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(fake C)
include(CTest)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
include_directories(src tests)
add_executable(pmu_exporter src/low/main.c)
add_executable(pmutool src/low/main.c)
if(NOT BUILD_TESTING)
  return()
endif()
function(unit layer name)
  add_executable(test_${layer}_${name} tests/${layer}/test_${name}.c)
  add_test(NAME ${layer}/${name}
    COMMAND sh -c "echo $1 >>${CMAKE_SOURCE_DIR}/../ran && exec $0"
            $<TARGET_FILE:test_${layer}_${name}> ${layer}/${name})
  set_tests_properties(${layer}/${name} PROPERTIES LABELS "unit")
endfunction()
unit(low floor)
unit(low cellar)
unit(high roof)
add_test(NAME low/slow COMMAND false)
set_tests_properties(low/slow PROPERTIES LABELS "unit;long")
add_test(NAME live/processes COMMAND false)
set_tests_properties(live/processes PROPERTIES LABELS live)
add_test(NAME lint/layers COMMAND sh ${CMAKE_SOURCE_DIR}/layers)
add_test(NAME lint/clang-tidy COMMAND sh ${CMAKE_SOURCE_DIR}/tidy -all src/.*)
set_tests_properties(lint/layers lint/clang-tidy PROPERTIES LABELS lint)
"""
FILES = {
    "CMakeLists.txt": PROJECT,
    "CMakePresets.json": json.dumps({
        "version": 6,
        "configurePresets": [{"name": "release", "generator": "Ninja",
                              "binaryDir": "${sourceDir}/build/release"}],
        "buildPresets": [{"name": "release", "configurePreset": "release"}],
        "testPresets": [{"name": "release", "configurePreset": "release"}]}),
    ".gitignore": "/build/\n",
    ".clang-format": "BasedOnStyle: LLVM\n",
    "layers": "exit 0\n",
    "tidy": 'echo "$@" >>../ran\n',
    "src/low/main.c": "int main(void) { return 0; }\n",
    "src/high/roof.c": "int roof;\n",
    "tests/low/test_floor.c": '#include "support/level.h"\nint main(void) { return LEVEL; }\n',
    "tests/low/test_cellar.c": "int main(void) { return 0; }\n",
    "tests/high/test_roof.c": "int main(void) { return 0; }\n",
    "tests/support/level.h": '#include "support/zero.h"\n#define LEVEL ZERO\n',
    "tests/support/zero.h": "#define ZERO 0\n",
    "tests/live/test_processes.py": "",
}
TOOLS = ("cmake", "ninja", "git", "clang-format", "cc")


@unittest.skipUnless(all(map(shutil.which, TOOLS)), f"needs {', '.join(TOOLS)}")
class Changed(unittest.TestCase):
    def setUp(self):
        self.ran = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "ran"
        self.top = self.ran.parent / "top"
        self.write(FILES)
        self.git("init", "-q", "-b", "main")
        self.commit()

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.top,
                       check=True, capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")

    def write(self, files):
        for name, text in files.items():
            (self.top / name).parent.mkdir(parents=True, exist_ok=True)
            (self.top / name).write_text(text)

    def check(self, files, *options):
        """After these changes: the status, what is shown, and which tests have run."""
        self.write(files)
        self.ran.write_text("")
        done = subprocess.run([sys.executable, "-B", str(CHANGED), *options], capture_output=True,
                              text=True, timeout=300,
                              env={**os.environ, "PMU_TEST_SOURCE": str(self.top)})
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout, sorted(self.ran.read_text().splitlines())

    def test_a_changed_source_is_formatted_checked_and_its_layer_is_tested(self):
        status, shown, ran = self.check({"src/low/main.c": "int  main(void) {return 0;}\n"})
        self.assertEqual(status, 0, shown)
        self.assertEqual((self.top / "src/low/main.c").read_text(), FILES["src/low/main.c"])
        self.assertIn("rewritten: src/low/main.c", shown)
        self.assertEqual(ran, [f"-all {self.top}/src/low/main\\.c$", "low/cellar", "low/floor"])

    def test_of_a_changed_header_of_the_tests_those_run_that_include_it_by_others(self):
        status, shown, ran = self.check({"tests/support/zero.h": "#define ZERO 1\n"})
        self.assertEqual(status, 1)
        self.assertIn("low/floor", shown)
        self.assertEqual(ran, ["low/cellar", "low/floor"])

    def test_a_failing_lint_fails(self):
        status, shown, _ = self.check({"layers": "echo oh no; exit 1\n",
                                       "src/high/roof.c": "int roof_2;\n"})
        self.assertEqual(status, 1)
        self.assertIn("lint/layers", shown)

    def test_failing_clang_tidy_fails_and_shows_what_it_says(self):
        status, shown, _ = self.check({"tidy": "echo a name is wrong; exit 1\n",
                                       "src/high/roof.c": "int roof_2;\n"})
        self.assertEqual(status, 1)
        self.assertIn("a name is wrong", shown)

    def test_what_does_not_compile_fails_and_is_shown(self):
        status, shown, ran = self.check({"src/low/main.c": "int main(void) { return x; }\n"})
        self.assertEqual((status, ran), (1, []))
        self.assertIn("undeclared", shown)

    def test_new_files_count_as_changed(self):
        self.assertEqual(self.check({"src/high/new.c": "int a;\n"})[2],
                         [f"-all {self.top}/src/high/new\\.c$", "high/roof"])

    def test_with_all_committed_it_is_the_last_commit_or_all_since_the_base(self):
        self.write({"src/high/roof.c": "int roof_3;\n"})
        self.commit()
        self.write({"tests/low/test_cellar.c": "int main(void) { return 1 - 1; }\n"})
        self.commit()
        self.assertEqual(self.check({})[2], ["low/cellar", "low/floor"])
        self.assertIn("high/roof", self.check({}, "--base", "HEAD~2")[2])

    def test_with_an_upstream_it_is_all_since_then(self):
        self.git("branch", "landed")
        self.git("branch", "-q", "-u", "landed")
        for name in ("high/roof.c", "high/other.c"):
            self.write({f"src/{name}": "int roof_4;\n"})
            self.commit()
        self.assertIn("2 files differ", self.check({})[1])

    def test_a_build_without_tests_gets_them(self):
        subprocess.run(["cmake", "--preset", "release", "-DBUILD_TESTING=OFF"], cwd=self.top,
                       check=True, capture_output=True)
        self.assertEqual(self.check({"src/high/roof.c": "int roof_5;\n"})[2][1:], ["high/roof"])

    def test_slow_tests_are_named_and_not_run(self):
        status, shown, ran = self.check({"tests/live/test_processes.py": "# changed\n"})
        self.assertEqual((status, ran), (0, []))
        self.assertIn("not run here: ctest --preset release -R ^live/processes$", shown)


if __name__ == "__main__":
    unittest.main()
