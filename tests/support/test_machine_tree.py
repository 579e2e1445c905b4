# SPDX-License-Identifier: Apache-2.0
"""The texts of machines make the trees that their form promises."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import machine_tree


class MachineTree(unittest.TestCase):
    def test_braces_stand_for_each_number(self):
        self.assertEqual(machine_tree.expand("a/cpu{0-2,7}/b"),
                         ["a/cpu0/b", "a/cpu1/b", "a/cpu2/b", "a/cpu7/b"])
        self.assertEqual(machine_tree.expand("a/b"), ["a/b"])

    def test_every_text_has_a_path_and_a_value_in_each_line(self):
        for text in machine_tree.MACHINES.glob("*.txt"):
            for path, value in machine_tree.files(text.stem):
                with self.subTest(machine=text.stem, path=path):
                    self.assertRegex(path, r"^(bus/event_source/devices|devices/system/cpu)/[\w./-]+$")
                    self.assertRegex(value, r"^[^=\n].*\n$")

    def test_unpack_writes_the_files(self):
        with tempfile.TemporaryDirectory() as directory:
            root = machine_tree.unpack("intel_server", directory)
            devices = root / "bus/event_source/devices"
            self.assertEqual((devices / "uncore_imc_3/type").read_text(), "17\n")
            self.assertEqual((devices / "uncore_imc_3/events/cas_count_read.unit").read_text(), "MiB\n")
            self.assertEqual((root / "devices/system/cpu/cpu28/topology/physical_package_id").read_text(), "1\n")


if __name__ == "__main__":
    unittest.main()
