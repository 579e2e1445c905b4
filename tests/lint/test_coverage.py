# SPDX-License-Identifier: Apache-2.0
"""tests/coverage.py over two programs that share a header."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import coverage

FILES = {
    "include/low/half.h": "static inline int half(int n)\n{\n    return n / 2;\n}\n"
                          "static inline int quarter(int n)\n{\n    return n / 4;\n}\n",
    "src/low/one.c": '#include "low/half.h"\nint main(int n, char **words)\n{\n    (void)words;\n'
                     "    if (n > 1)\n        return 1;\n    return half(n) + quarter(0);\n}\n",
    "src/high/two.c": '#include "low/half.h"\nint main(int n, char **words)\n{\n    (void)words;\n'
                      "    return half(n) + quarter(0);\n}\n",
}


@unittest.skipUnless(shutil.which("gcc") and shutil.which("gcov"), "needs gcc and gcov")
class Coverage(unittest.TestCase):
    def measure(self, *programs):
        """What was run when these programs have run."""
        top = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        for name, text in FILES.items():
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            (top / name).write_text(text)
        for name in ("low/one", "high/two"):
            build = top / "build/src" / name
            build.mkdir(parents=True)
            subprocess.run(["gcc", "--coverage", "-O0", f"-I{top}/include", "-c",
                            str(top / f"src/{name}.c"), "-o", "o.o"], cwd=build, check=True)
            subprocess.run(["gcc", "--coverage", "o.o", "-o", "program"], cwd=build, check=True)
            if name in programs:
                subprocess.run(["./program"], cwd=build, check=True)
        return coverage.measure(top, top / "build")

    def functions(self, runs, key):
        return {k: (share.n, share.total) for k, (_, share) in runs.shares(key).items()}

    def test_it_tells_which_lines_were_run(self):
        runs = self.measure("low/one")
        name = "src/low/one.c"
        self.assertEqual([runs.lines[name, number] for number in (5, 6, 7)], [1, 0, 1])
        low, high = (runs.shares(coverage.folder_of)[name][0] for name in ("low", "high"))
        self.assertEqual((low.total - low.n, high.n), (1, 0))
        self.assertGreater(high.total, 0)

    def test_it_tells_which_functions_were_run(self):
        self.assertEqual(self.functions(self.measure("low/one"), coverage.folder_of),
                         {"low": (3, 3), "high": (0, 1)})

    def test_what_is_in_a_header_is_there_once_however_many_include_it(self):
        runs = self.measure("low/one", "high/two")
        self.assertEqual(runs.lines["include/low/half.h", 3], 2)
        self.assertEqual(self.functions(runs, lambda _: "all"), {"all": (4, 4)})

    def test_the_report_names_folders_and_the_whole(self):
        text = coverage.report(self.measure("low/one"))
        self.assertRegex(text, r"(?m)^high +0\.0 % of +\d+ +0\.0 % of +1$")
        self.assertRegex(text, r"(?m)^low +\d\d\.\d % of +\d+ +100\.0 % of +3$")
        self.assertRegex(text, r"(?m)^all +\d\d\.\d % of +\d+ +75\.0 % of +4$")


if __name__ == "__main__":
    unittest.main()
