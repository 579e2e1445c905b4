# SPDX-License-Identifier: Apache-2.0
"""circles.py over a small house of three layers, whose sources are compiled."""
import contextlib
import io
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import circles

# One header declares what all of them define.
HOUSE = {
    "include/roof/roof.h": "void wall(void); void floor(void); void door(void); void roof(void);\n",
    "src/roof/roof.c": '#include "roof/roof.h"\nvoid wall(void);\nvoid roof(void) { wall(); }\n',
    "src/wall/wall.c": '#include "roof/roof.h"\nvoid wall(void) { floor(); }\n',
    "src/floor/floor.c": '#include "roof/roof.h"\nvoid floor(void) {}\n',
}


@unittest.skipUnless(shutil.which("cc") and shutil.which("nm"), "needs a compiler and nm")
class Circles(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()

    def look(self, more, build=True):
        """The status, and what is printed of the house with these files changed or added."""
        commands = []
        for name, text in (HOUSE | more).items():
            file = self.top / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        for file in self.top.rglob("*.c"):
            command = f"cc -fno-builtin -Isrc -Iinclude -c {file} -o {file.stem}.o"
            commands.append({"directory": str(self.top), "file": str(file), "command": command})
            if build:
                subprocess.run(command.split(), cwd=self.top, check=True)
        (self.top / "commands.json").write_text(json.dumps(commands))
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            status = circles.main([self.top, self.top / "commands.json"])
        return status, shown.getvalue()

    def test_a_house_without_circles_passes(self):
        self.assertEqual(self.look({}), (0, "3 modules, 0 circles\n"))

    def test_a_circle_of_calls_is_shown_though_one_header_declares_all(self):
        floor = '#include "roof/roof.h"\nvoid floor(void) { roof(); }\n'
        status, shown = self.look({"src/floor/floor.c": floor})
        self.assertEqual(status, 1)
        self.assertIn("circle: floor/floor, roof/roof, wall/wall\n"
                      "    floor/floor needs roof (roof/roof)\n"
                      "    roof/roof needs wall (wall/wall)\n"
                      "    wall/wall needs floor (floor/floor)\n", shown)

    def test_variables_make_circles_as_functions_do(self):
        status, _ = self.look({
            "src/floor/floor.c": "extern int n; void floor(void); void floor(void) { n++; }\n",
            "src/wall/wall.c": "void floor(void); int n;\nvoid wall(void) { floor(); }\n"})
        self.assertEqual(status, 1)

    def test_inline_functions_of_a_header_make_circles(self):
        status, shown = self.look({
            "src/floor/floor.h": "static inline int level(void) { return 1; }\n",
            "src/wall/wall.h": '#include "floor/floor.h"\nvoid wall(void);\n'
                               "static inline int height(void)\n{\n    return level() + 1;\n}\n",
            "src/floor/floor.c": "void wall(void); void floor(void);\nvoid floor(void) { wall(); }\n"
                                 "/* height() in words calls nobody */\n",
            "src/wall/wall.c": '#include "wall/wall.h"\nvoid wall(void) { height(); }\n'})
        self.assertEqual(status, 1)
        self.assertIn("wall/wall calls level() of a header (floor/floor)", shown)

    def test_comments_and_declarations_call_nobody(self):
        self.assertEqual(self.look({
            "src/wall/wall.h": "static inline int height(void) { return 1; }\nvoid roof(void);\n",
            "src/floor/floor.c": "/* height() */ void floor(void);\nvoid floor(void) {}\n"})[0], 0)

    def test_a_static_function_of_the_same_name_is_another_one(self):
        self.assertEqual(self.look({
            "src/wall/wall.h": "static inline int height(void) { return 1; }\n",
            "src/floor/floor.c": "static int height(void) { return 2; }\n"
                                 "int floor(void) { return height(); }\n"})[0], 0)

    def test_headers_that_include_each_other_are_a_circle(self):
        status, shown = self.look({
            "src/wall/wall.h": '#pragma once\n#include "floor/floor.h"\n',
            "src/floor/floor.h": '#pragma once\n#include "wall/wall.h"\n'})
        self.assertEqual(status, 1)
        self.assertIn('floor/floor includes "wall/wall.h" (wall/wall)', shown)

    def test_what_is_reached_by_a_pointer_is_no_circle(self):
        self.assertEqual(self.look({
            "src/floor/floor.c": "void floor(void); void (*rings)(void);\n"
                                 "void floor(void) { rings(); }\n"})[0], 0)

    def test_what_is_not_built_is_not_judged(self):
        status, shown = self.look({}, build=False)
        self.assertEqual(status, 1)
        self.assertIn("build first", shown)


if __name__ == "__main__":
    unittest.main()
