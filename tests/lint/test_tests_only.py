# SPDX-License-Identifier: Apache-2.0
"""tests_only.py over a small product."""
import pathlib
import tempfile
import unittest

import tests_only


class TestsOnly(unittest.TestCase):
    def unused(self, files):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return set(tests_only.find_unused(tests_only.read_sources(root)))

    def test_a_function_that_nobody_calls_is_found(self):
        files = {"include/a/a.h": "int used(void);\nstruct x *unused(int);\n",
                 "src/a/a.c": '#include "a/a.h"\nint used(void) { return 0; }\n'
                              "struct x *unused(int n) { return 0; }\n",
                 "src/b/b.c": "int main(void) { return used(); } /* and not unused() */\n"}
        self.assertEqual(self.unused(files), {"unused"})

    def test_a_call_in_its_own_file_is_a_use(self):
        files = {"src/a/a.h": "int parse(const char *text);\n",
                 "src/a/a.c": "int parse(const char *text) { return 0; }\n"
                              'int read_it(void) { return parse("x"); }\n'}
        self.assertEqual(self.unused(files), set())

    def test_a_pointer_to_it_is_a_use(self):
        files = {"src/a/a.h": "void handle(int);\n",
                 "src/a/a.c": "void handle(int n) {}\nvoid (*handlers[])(int) = {handle};\n"}
        self.assertEqual(self.unused(files), set())


if __name__ == "__main__":
    unittest.main()
