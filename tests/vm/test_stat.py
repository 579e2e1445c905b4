# SPDX-License-Identifier: Apache-2.0
"""`pmutool stat` and `perf stat` over the same command, on a real PMU: user instructions are equal to
the one, and so is what is derived from events of one group.

Addresses are not random meanwhile. The loader of the command reads its environment, to which perf
adds a PATH; so ours gets the environment that a command of perf has.
"""
import unittest

import live
from guest import Scenario

SHORT, LONG = 64 * 200_000 + 4, 64 * 900_000 + 4  # of the same length, which is parsed
# Twice as many events as there are counters, each alone, so that they take turns.
MANY = ",".join(["instructions:u"] + [f"r{n:02x}" for n in range(1, 12)])
STEADY = 64 * 20_000_000 + 4
SCRIPT = f"""
install_perf
random=/proc/sys/kernel/randomize_va_space
before=$(cat $random)
echo 0 >$random
perf_environment=$(env -i LD_LIBRARY_PATH=/tmp/perf /tmp/perf/perf stat -o /dev/null -- /bin/busybox env)
# stat NAME WORDS...: the words behind it, to both programs
stat() {{
    name=$1
    shift
    # shellcheck disable=SC2086 # each line is an argument
    env -i $perf_environment /tmp/bin/pmutool stat -x, -o "$OUT/$name.ours" --append "$@"
    env -i LD_LIBRARY_PATH=/tmp/perf /tmp/perf/perf stat -x, -o "$OUT/$name.perf" --append "$@"
}}
for _ in 1 2 3; do
    stat short -e instructions:u -- /tmp/bin/known_load /dev/null /dev/null {SHORT}
    stat long -e instructions:u -- /tmp/bin/known_load /dev/null /dev/null {LONG}
done
stat group -e "{{instructions,cycles}}:u" -- /tmp/bin/known_load /dev/null /dev/null {LONG}
stat many -e {MANY} -- /tmp/bin/known_load /dev/null /dev/null {STEADY}
stat parts -I 10 -e instructions:u -- /tmp/bin/known_load /dev/null /dev/null {LONG}
echo "$before" >$random
"""
SCENARIO = Scenario("stat", SCRIPT, {})


class Stat(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = SCENARIO.run()

    def rows(self, name, program):
        return [line.split(",") for line in self.results.text(f"{name}.{program}").splitlines()
                if "," in line and not line.startswith("#")]

    def counts(self, name, program):
        return [int(r[0]) for r in self.rows(name, program)]

    def test_user_instructions_are_those_of_perf_to_the_one(self):
        for name in ("short", "long"):
            ours, perf = (self.counts(name, p) for p in ("ours", "perf"))
            print(f"{name}: {ours}, perf {perf}")
            self.assertEqual(ours, perf)
        self.assertEqual(self.counts("long", "ours")[0] - self.counts("short", "ours")[0],
                         LONG - SHORT)

    def test_intervals_add_up_to_the_whole(self):
        rows = self.rows("parts", "ours")
        self.assertGreater(len(rows), 2)
        self.assertEqual(sum(int(r[1]) for r in rows), self.counts("long", "ours")[0])

    def test_a_group_has_the_ratio_of_perf(self):
        ours, perf = (self.rows("group", p) for p in ("ours", "perf"))
        self.assertEqual(ours[0][0], perf[0][0])
        print(ours, perf)
        self.assertEqual(ours[0][5:], perf[0][5:])
        self.assertEqual(ours[0][6], "insn per cycle")

    def test_events_that_take_turns_have_their_coverage(self):
        ours, perf = ({r[2]: float(r[4 if "%" not in r[3] else 5]) for r in self.rows("many", p)}
                      for p in ("ours", "perf"))
        print("coverage:", ours, "perf:", perf)
        self.assertEqual(set(ours), set(perf))
        self.assertLess(ours["instructions:u"], 100)
        self.assertAlmostEqual(ours["instructions:u"], perf["instructions:u"], delta=10)
        count = self.counts("many", "ours")[0]
        self.assertAlmostEqual(count, STEADY, delta=0.1 * STEADY)


if __name__ == "__main__":
    live.main()
