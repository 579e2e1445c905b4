# SPDX-License-Identifier: Apache-2.0
"""pmutool record on Linux 6.1: cycles of a real PMU, beside perf record, and page faults."""
import json
import math
import re
import unittest

import live
from guest import COUNTING, Guest
from profiles import stacks_of

RATE = 499
SECONDS = 3
SIGMAS = 4
MANY = 200  # samples; how many there are in a time depends on the host
CONFIG = f"""
interval: 1s
counting: {COUNTING}
groups: [{{name: software, events: [task-clock]}}]
targets:
  cgroups: [{{include: ["/perf"], groups: [software]}}]
profiles: {{rate: 49}}
"""
SCRIPT = f"""
enable_counting
install_perf
start_exporter config
# record NAME SECONDS ARGUMENT...: a command that is ended when its time is over
record() {{
    name=$1 seconds=$2
    shift 2
    status=0
    pmutool record --socket=/tmp/control -d $seconds -F {RATE} --format=json -o $OUT/$name.profile "$@" \\
        2>$OUT/$name.said || status=$?
    cat $OUT/$name.said
    [ $status = 143 ] || die "pmutool record ended with $status"
    wget -q -O $OUT/$name.run \\
        "http://127.0.0.1:10138/api/v1/runs/$(sed -n 's/.*kept as run //p' $OUT/$name.said)"
}}
# the first ones teach the exporter what the programs have mapped
record usual 1 -- known_shares - 70
record shares {SECONDS} -e cycles -- known_shares - 70
record learn 1 -e page-faults -- known_touches - 70
record touches {SECONDS} -e page-faults -- known_touches - 70
perf() {{
    LD_LIBRARY_PATH=/tmp/perf /tmp/perf/perf "$@"
}}
perf record -q -F {RATE} -e cycles -o /tmp/perf.data -- \\
    sh -c 'known_shares - 70 & sleep {SECONDS}; kill $!'
perf report -i /tmp/perf.data --stdio --no-children -F sample,period,sym >$OUT/perf.report
stop_exporter
"""


class Record(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = Guest("profile_record").run(SCRIPT, config=CONFIG)

    def recorded(self, name):
        """The profile, its leaves by name, and how many events were counted."""
        answer = json.loads(self.results.text(f"{name}.profile"))
        run = json.loads(self.results.text(f"{name}.run"))
        leaves = {}
        for stack, n in stacks_of(answer).items():
            leaves[stack[-1].name] = leaves.get(stack[-1].name, 0) + n
        counted = run["summary"][0]["total"]
        print(f"{name}: {run['sampled']}, {answer['events']} of {counted}: {leaves}")
        self.assertEqual(run["sampled"]["lost"], 0)
        self.assertLessEqual(answer["events"], counted)
        self.assertGreater(answer["events"], 0.9 * counted)
        return answer, leaves, counted

    def assert_share(self, n, among, share):
        self.assertLess(abs(n / among - share), SIGMAS * math.sqrt(share * (1 - share) / among))

    def test_cycles_are_those_of_the_functions_and_come_to_what_was_counted(self):
        answer, leaves, _ = self.recorded("shares")
        both = leaves["burn_more"] + leaves["burn_less"]
        self.assertEqual(answer["event"], "cycles")
        self.assertGreater(both, 0.9 * answer["samples"])
        self.assertGreater(both, MANY)
        self.assert_share(leaves["burn_more"], both, 0.7)

    def test_perf_record_finds_the_same_shares(self):
        _, ours, counted = self.recorded("shares")
        rows = {name: (int(samples), int(period)) for samples, period, name in re.findall(
            r"(?m)^ *(\d+) +(\d+) +\[\.\] (burn_\w+)",
            self.results.text("perf.report"))}
        theirs = [rows[name][0] for name in ("burn_more", "burn_less")]
        mine = [ours[name] for name in ("burn_more", "burn_less")]
        print(f"ours {mine}, perf's {theirs}, cycles {counted}, perf's {sum(p for _, p in rows.values())}")
        shares = [each[0] / sum(each) for each in (mine, theirs)]
        sigma = math.sqrt(0.7 * 0.3 * (1 / sum(mine) + 1 / sum(theirs)))
        self.assertLess(abs(shares[0] - shares[1]), SIGMAS * sigma)

    def test_cycles_are_what_is_recorded_without_a_word_where_there_are_cycles(self):
        self.assertEqual(json.loads(self.results.text("usual.profile"))["event"], "cycles")

    def test_page_faults_are_found_where_they_happen(self):
        answer, leaves, _ = self.recorded("touches")
        touched = sum(leaves[f"touch_{which}"] for which in ("first", "more", "less"))
        self.assertEqual(answer["event"], "page-faults")
        self.assertGreater(touched, 0.9 * answer["samples"])
        self.assertGreater(touched, MANY)
        self.assert_share(leaves["touch_first"], touched, 1 / 64)
        self.assert_share(leaves["touch_more"], touched, 0.7 * 63 / 64)


if __name__ == "__main__":
    live.main()
