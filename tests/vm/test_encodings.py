# SPDX-License-Identifier: Apache-2.0
"""On a machine with a real PMU too, what `pmutool encode` says the kernel is told of an event is what
perf tells it, attribute by attribute (perf_attributes.py): of all names that `pmutool events` lists
there, and of raw codes, terms and modifiers. perf is given the names themselves, all at once, since
its start takes the guest long.

perf has names of its own for what libpfm4 knows; those few are given to it as codes (CODES).
"""
import itertools
import json
import unittest

import live
from guest import Scenario
from perf_attributes import differences, read_attributes

# PMU stands for the name that the kernel gives to that of the cores.
MODIFIED = ("cycles:", "LLC-loads:", "cs:", "r8:", "PMU/inst_retired/", "PMU/event=0x8/",
            "inst_retired:")
MODIFIERS = ("u", "k", "h", "uk", "kh", "G", "H", "GH", "uG", "I")
TERMS = ("PMU/event=0x8,long=1/", "PMU/event=0x8,long/u", "PMU/long/", "PMU/config=0x8/k",
         "PMU/config=8/", "PMU/r8/", "PMU/event=0x8,config1=2/", "PMU/cpu_cycles,long=1/")
RAW = ("r0", "r1a8", "rffffffff", "r0011")
CODES = {"BR_RETIRED": "r21", "BR_RETIRED:u": "r21:u"}
LINES = [(name, name) for name in (*map("".join, itertools.product(MODIFIED, MODIFIERS)),
                                   *TERMS, *RAW)] + list(CODES.items())
SCRIPT = """
install_perf
read_ahead /tmp/bin/pmutool
pmu=$(basename /sys/bus/event_source/devices/armv8_pmuv3*)
pmutool events --names --kind=hardware,software,cache,pmu >/tmp/names
sed 's/.*/& &/' /tmp/names >"$OUT/lines"
sed "s/PMU/$pmu/g" /t/more >>"$OUT/lines"
cut -d ' ' -f 1 "$OUT/lines" | xargs pmutool encode --json >"$OUT/encoded" 2>"$OUT/complaints" || true
LD_LIBRARY_PATH=/tmp/perf /tmp/perf/perf stat -vv \\
    -e "$(cut -d ' ' -f 2 "$OUT/lines" | tr '\\n' ',' | sed 's/,$//')" true 2>"$OUT/perf" || true
cp /tmp/names "$OUT"
"""
SCENARIO = Scenario("encodings", SCRIPT,
                    {"more": "".join(f"{name} {line}\n" for name, line in LINES)})


class Encodings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = SCENARIO.run()
        cls.lines = [line.split(" ") for line in cls.results.text("lines").splitlines()]

    def encoded(self):
        self.assertEqual(self.results.text("complaints"), "")
        return json.loads(self.results.text("encoded"))["events"]

    def test_all_kinds_of_names_are_compared(self):
        names = set(self.results.text("names").split())
        self.assertGreater(len(names), 60)
        self.assertLessEqual({"branch-instructions", "LLC-load-misses", "cs", "inst_retired"}, names)
        self.assertEqual({event["kind"] for event in self.encoded()},
                         {"hardware", "software", "cache", "pmu", "raw", "libpfm4"})

    def test_perf_tells_the_kernel_the_same(self):
        told = read_attributes(self.results.text("perf"))
        self.assertEqual(len(told), len(self.lines), self.results.text("perf")[-2000:])
        events = self.encoded()
        self.assertEqual([event["name"] for event in events], [name for name, _ in self.lines])
        for event, theirs in zip(events, told):
            with self.subTest(event=event["name"]):
                self.assertEqual(differences(event, theirs), [])

    def test_the_line_for_perf_is_what_perf_was_given(self):
        for event, (name, line) in zip(self.encoded(), self.lines):
            with self.subTest(event=name):
                self.assertEqual(event["perf"], f"-e {line}")


if __name__ == "__main__":
    live.main()
