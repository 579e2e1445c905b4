# SPDX-License-Identifier: Apache-2.0
"""What counting adds to a system call, in instructions (tests/bench/system_call.c).

At a nanosecond an instruction the guest's clock is a count of them, so a busy host does not matter.
"""
import re
import unittest

import live
from guest import Guest

MOST = 360  # of a call that is counted for a cgroup, or for none
MOST_WATCHED = 560  # for a process, too
# While calls of other names are timed, one in 17, each. That a program is called at the begin of
# calls at all is a hundred of it.
MOST_OTHERS = 500
MOST_SAMPLED = 640
MOST_TIMED = 1200
SCRIPT = """
enable_counting
read_ahead /tmp/bin/bench_system_call
bench_system_call 2000 2 >>$OUT/table || [ $? -eq 77 ] || die "$(cat $OUT/table)"
"""


class SystemCallCost(unittest.TestCase):
    def test_a_counted_call_costs_few_instructions_more(self):
        text = Guest("system_call_cost").run(SCRIPT).text("table")
        if "built without" in text:  # another refusal is a fault
            self.skipTest(text)
        print(text)
        added = {name: int(n) for name, n in
                 re.findall(r"^(\S.*?) +[\d.]+ ns a call \(([+-]\d+)\)", text, re.MULTILINE)}
        self.assertEqual(added.pop("none"), 0)
        self.assertLess(added.pop("a target, watched"), MOST_WATCHED)
        self.assertLess(added.pop("others timed"), MOST_OTHERS)
        self.assertLess(added.pop("one in 17 timed"), MOST_SAMPLED)
        self.assertLess(added.pop("each timed"), MOST_TIMED)
        self.assertEqual(len(added), 3)
        for way, n in added.items():
            self.assertLess(n, MOST, way)


if __name__ == "__main__":
    live.main()
