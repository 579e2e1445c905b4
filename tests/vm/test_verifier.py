# SPDX-License-Identifier: Apache-2.0
"""The kernels that there are take the programs of bpf, and their verifiers walk little of what they
allow (tests/support/verified.c)."""
import unittest

import live
from guest import Guest, build_directory

SCRIPT = """
mount -t tracefs tracefs /sys/kernel/tracing
verified >$OUT/verified || [ $? -eq 77 ] || die "$(cat $OUT/verified)"
"""


class Verifier(unittest.TestCase):
    def check(self, root):
        text = Guest(f"verifier_{root}", root=root).run(SCRIPT).text("verified")
        print(text)
        if "built without" in text:
            self.skipTest("built without libbpf")
        self.assertIn("on_switch", text)
        self.assertIn("on_complete", text)
        self.assertIn("begin_of_tracep", text)
        self.assertIn("end_of_probe", text)
        self.assertIn("schedule, processes", text)
        self.assertIn("on_return", text)

    def test_on_the_kernel_of_debian_12(self):
        self.check("guest_root")

    def test_on_the_kernel_of_its_backports(self):
        if not (build_directory() / "newer_root").exists():
            self.skipTest("prepare.py could not get it")
        self.check("newer_root")


if __name__ == "__main__":
    live.main()
