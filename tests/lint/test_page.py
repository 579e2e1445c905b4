# SPDX-License-Identifier: Apache-2.0
"""page.py finds what it is there for."""
import unittest

import page

HEAD = "// SPDX-License-Identifier: Apache-2.0\n"


class Check(unittest.TestCase):
    def wrong(self, name, text):
        return [what for _, what in page.check(name, text)]

    def test_a_clean_file_has_no_faults(self):
        self.assertEqual(self.wrong("a.js", HEAD + "node.textContent = name;\n"), [])

    def test_each_breach_is_found(self):
        for name, line in {
            "a.js": "node.innerHTML = name;",
            "b.js": "node.insertAdjacentHTML('beforeend', name);",
            "c.js": "setTimeout('run()', 1);",
            "d.js": "node.setAttribute('style', 'color: red');",
            "e.js": "fetch('https://example.com/a');",
            "f.js": "element('p', { style: 'color: red' });",
            "g.html": "<p style='color: red'>",
            "h.html": "<button onclick=go()>",
            "i.html": "<script>go();</script>",
            "j.css": "@import 'other.css';",
            "k.css": "a { background: url(//example.com/a.png); }",
        }.items():
            with self.subTest(line=line):
                self.assertEqual(len(self.wrong(name, HEAD + line + "\n")), 1)

    def test_a_file_needs_a_licence_and_has_a_bound(self):
        self.assertEqual(self.wrong("a.js", "go();\n"),
                         ["no SPDX licence line among the first two"])
        self.assertEqual(self.wrong("a.js", HEAD + "go();\n" * 400), ["longer than 400 lines"])


if __name__ == "__main__":
    unittest.main()
