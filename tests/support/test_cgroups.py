# SPDX-License-Identifier: Apache-2.0
"""Labels of cgroups are read back exactly, and only what should be encoded may be."""
import unittest

from cgroups import path_from_label


class PathFromLabel(unittest.TestCase):
    def test_clean_paths_stand_for_themselves(self):
        for label in ("/", "/a/b.service", "/a\\x2db", "/żółw", "/50%25"):
            self.assertEqual(path_from_label(label), label.encode())

    def test_encoded_ones_are_decoded(self):
        self.assertEqual(path_from_label("%/a%FFb%25/c"), b"/a\xffb%/c")
        self.assertEqual(path_from_label("%/%1b%5B"), b"/\x1b[")

    def test_what_is_no_label_is_refused(self):
        for label in ("", "a", "%a", "%/a%", "%/a%f", "%/a%zz"):
            self.assertRaises(ValueError, path_from_label, label)

    def test_a_clean_path_may_not_be_encoded(self):
        self.assertRaises(ValueError, path_from_label, "%/a%41")

    def test_an_unclean_path_may_not_stand_as_it_is(self):
        for label in ("/a\x1b", "/a\u202e", "/a\x85", "/\ufffe"):
            self.assertRaises(ValueError, path_from_label, label)


if __name__ == "__main__":
    unittest.main()
