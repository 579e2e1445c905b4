# SPDX-License-Identifier: Apache-2.0
"""The lint scripts find what they are there for."""
import pathlib
import unittest

import layers
import sources


class Layers(unittest.TestCase):
    def breaches(self, layer, text):
        return [what for _, what in layers.check_text(layer, "any.c", text)]

    def test_a_layer_includes_itself_and_those_before(self):
        self.assertEqual(self.breaches("count", '#include "count/a.h"\n#include "sys/b.h"\n'), [])

    def test_a_later_layer_is_refused(self):
        self.assertIn("web/ comes after", self.breaches("count", '#include "web/a.h"')[0])

    def test_an_include_without_folder_is_refused(self):
        self.assertIn("folder", self.breaches("count", '#include "a.h"')[0])

    def test_microhttpd_belongs_to_web(self):
        self.assertEqual(self.breaches("web", "#include <microhttpd.h>"), [])
        self.assertIn("belongs to web", self.breaches("service", "#include <microhttpd.h>")[0])

    def test_only_who_may_writes_to_stderr(self):
        line = 'fprintf(stderr, "x");'
        self.assertEqual(self.breaches("log", line), [])
        self.assertIn("stderr", self.breaches("sys", line)[0])

    def test_only_who_is_listed_speaks(self):
        self.assertEqual(self.breaches("cycle", '#include "log/log.h"'), [])
        self.assertIn("does not speak", self.breaches("resolve", '#include "log/log.h"')[0])

    def test_comments_and_strings_do_nothing(self):
        text = '/* stderr, abort() */\nchar *a = "exit(1)"; // syscall(1)\n'
        self.assertEqual(self.breaches("base", text), [])

    def test_system_calls_are_made_in_sys(self):
        self.assertEqual(self.breaches("sys", "syscall(SYS_x)"), [])
        self.assertEqual(len(self.breaches("count", "return syscall(1);")), 1)

    def test_the_format_attribute_prints_nothing(self):
        self.assertEqual(self.breaches("base", "__attribute__((format(printf, 1, 2)))"), [])

    def test_breaches_tell_their_line(self):
        self.assertEqual(layers.check_text("base", "any.c", '\n/*\n*/ abort();\n')[0][0], 3)


class Sources(unittest.TestCase):
    LICENCE = "/* SPDX-License-Identifier: Apache-2.0 */\n"

    def wrong(self, text):
        return [what for _, what in sources.check_source(pathlib.Path("a.c"), text)]

    def test_a_good_one_passes(self):
        self.assertEqual(self.wrong(self.LICENCE + "int a;\n"), [])

    def test_the_licence_is_missed(self):
        self.assertIn("SPDX", self.wrong("int a;\n")[0])

    def test_450_lines_are_enough(self):
        self.assertEqual(self.wrong(self.LICENCE + "x\n" * 449), [])
        self.assertIn("longer", self.wrong(self.LICENCE + "x\n" * 450)[0])

    def test_trailing_space_and_a_missing_newline_are_found(self):
        self.assertEqual(len(self.wrong(self.LICENCE + "int a; ")), 2)

    def test_what_was_left_for_later_is_found(self):
        self.assertIn("later", self.wrong(self.LICENCE + "/* TO" + "DO */\n")[0])


if __name__ == "__main__":
    unittest.main()
