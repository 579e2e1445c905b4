# SPDX-License-Identifier: Apache-2.0
"""maps.py over a small house, whose map is right, and then wrong in one place."""
import pathlib
import tempfile
import unittest

import layers
import maps

SOURCES = {
    "src/count/delta.c": "int delta_add(void) { return 0; }\n",
    "include/count/delta.h": "struct delta { int n; };\n",
    "src/sys/switch/gap.bpf.h": "",
    "tests/count/test_delta.c": "",
    "README.md": "# House\n\n## How it was built\n",
}

RIGHT = """# The map

```
 read ──► deltas     count/delta, GET /metrics
```

| `count/` | `delta.h`, `src/count/delta.c` (`delta_add()`), `tests/count/test_delta.c` |
| `sys/switch/`: `gap.bpf.h`; `delta_add()`, `struct delta`, `/proc`, `a / b`, `../x` |

Write `src/count/KIND.c` and `KIND_add()`, with `help.h`. See [the house](../README.md#how-it-was-built).
Go back to [the top](#the-map), or to [GitHub](https://github.com/a/b).
"""


class Maps(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        for name, text in SOURCES.items():
            file = self.root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def look(self, text):
        path = self.root / "src/README.md"
        path.write_text(text)
        return [what for _, what in maps.check_map(maps.House(self.root), path, text)]

    def test_a_map_that_is_right_passes(self):
        self.assertEqual(self.look(RIGHT), [])

    def test_what_is_not_there_is_found(self):
        for right, wrong, what in (
                ("`src/count/delta.c`", "`src/app/delta.c`", "there is no src/app/delta.c"),
                ("`delta.h`", "`gamma.h`", "there is no gamma.h"),
                ("`gap.bpf.h`", "`delta.h`", "there is no delta.h"),
                ("`count/`", "`counting/`", "there is no counting/"),
                ("count/delta,", "count/gamma,", "there is no count/gamma"),
                ("(`delta_add()`)", "(`sum()`)", "src/count/delta.c has no sum()"),
                ("; `delta_add()`", "; `delta_sum()`", "the sources have no delta_sum"),
                ("`help.h`", "`help_me()`", "the sources have no help_me"),
                ("`struct delta`", "`struct gamma`", "the sources have no gamma"),
                ("../README.md#", "../HOUSE.md#", "the link leads to ../HOUSE.md, which is not there"),
                ("#how-it-was-built", "#how-it-fell", "README.md has no heading #how-it-fell"),
                ("(#the-map)", "(#the-top)", "src/README.md has no heading #the-top")):
            self.assertIn(right, RIGHT)
            self.assertIn(what, self.look(RIGHT.replace(right, wrong, 1)), wrong)

    def test_the_line_is_told(self):
        path = self.root / "src/README.md"
        self.assertEqual(maps.check_map(maps.House(self.root), path, "one\n`src/two.c`\n"),
                         [(2, "there is no src/two.c")])

    def test_the_table_of_layers_has_their_order(self):
        rows = [f"| `{layer}/` | what it knows |" for layer in layers.LAYERS]
        self.assertEqual(maps.check_order("\n".join(rows)), [])
        self.assertEqual(len(maps.check_order("\n".join(rows[1:] + rows[:1]))), 1)
        self.assertEqual(len(maps.check_order("\n".join(rows[1:]))), 1)


if __name__ == "__main__":
    unittest.main()
