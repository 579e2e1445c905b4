# SPDX-License-Identifier: Apache-2.0
"""The kernel and we agree: hardware events of the same seconds, by us and by `perf stat -I 1000`.

The load begins after both have opened, and ends before either reads for the last time.
"""
import unittest

import live
from guest import COUNTING, Scenario

# Few events: where counters are short, both sides would have a sample only.
EVENTS = f"counting: {COUNTING}\n" + """
interval: 1s
groups:
  - name: core
    events: [instructions, "instructions:u"]
targets:
"""
CGROUPS = EVENTS + """
  cgroups:
    - include: ["/load", "/other"]
      groups: [core]
"""
MACHINE = EVENTS + """
  system: {groups: [core], by: all}
"""
LOAD = 64 * 6_000_000
SCRIPT = f"""
enable_counting
make_cgroup /load; make_cgroup /other; make_cgroup /perf
install_perf
perf_stat() {{
    name=$1
    shift
    (LD_LIBRARY_PATH=/tmp/perf enter /perf /tmp/perf/perf stat -x ';' -I 1000 -a "$@" \\
        -o "$OUT/$name.perf" -- sleep 8) &
    perf=$!
}}
load() {{
    known_load $cgroups$1/cgroup.procs $cgroups/rest/cgroup.procs $2
}}
# both begin and end their waiting after perf has opened: its program takes a while to be loaded
wait_for_perf() {{
    for _ in $(seq 100); do
        ! grep -qs instructions "$OUT/$1.perf" || return 0
        sleep 0.1
    done
    die "perf does not count"
}}
# scrape_beside NAME EDGE: with the number of lines that perf has written by then
scrape_beside() {{
    grep -c ';' "$OUT/$1.perf" >"$OUT/$1.$2.lines"
    scrape "$1.$2"
}}
count() {{
    wait_for_perf $1
    sleep 1.1
    scrape_beside $1 begin
    load /load {LOAD + 4} & first=$!
    load /other {LOAD // 4 + 4} & second=$!
    wait $first; wait $second
    sleep 2
    scrape_beside $1 end
    wait $perf
}}
start_exporter cgroups
perf_stat cgroups -e instructions:u,instructions,instructions:u,instructions \\
    -G /load,/load,/other,/other
count cgroups
stop_exporter
start_exporter machine
perf_stat machine -e instructions:u,instructions
count machine
stop_exporter
"""
SCENARIO = Scenario("against_perf_stat", SCRIPT, {"cgroups": CGROUPS, "machine": MACHINE})


def read_perf(text, first=0, end=None):
    """{(event, cgroup or ""): sum of the intervals} of `perf stat -x ; -I`, of lines from the first
    up to the end."""
    sums = {}
    for line in [line for line in text.splitlines() if ";" in line][first:end]:
        fields = line.split(";")
        cgroup = fields[4] if fields[4].startswith("/") else ""
        key = fields[3], cgroup
        count = 0 if fields[1] == "<not counted>" else int(fields[1]) # it did not run
        sums[key] = sums.get(key, 0) + count
    return sums


class AgainstPerfStat(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = SCENARIO.run()

    def ours(self, phase, name, **labels):
        begin, end = (self.results.scrape(f"{phase}.{edge}").value(name, **labels)
                      for edge in ("begin", "end"))
        return int(end - begin)

    def test_user_instructions_of_cgroups_are_the_same(self):
        theirs = read_perf(self.results.text("cgroups.perf"))
        for cgroup in ("/load", "/other"):
            ours = self.ours("cgroups", "pmu_cgroup_instructions_user_total", cgroup=cgroup)
            self.assertEqual(ours, theirs["instructions:u", cgroup])

    def test_instructions_of_cgroups_are_the_same(self):
        theirs = read_perf(self.results.text("cgroups.perf"))
        for cgroup in ("/load", "/other"):
            ours = self.ours("cgroups", "pmu_cgroup_instructions_total", cgroup=cgroup)
            perf = theirs["instructions", cgroup]
            print(f"instructions of {cgroup}: {ours}, perf {perf}: {ours - perf:+}")
            # of a switch perf counts some to the one, bpf some to the other
            self.assertAlmostEqual(ours, perf, delta=0.005 * perf if COUNTING == "bpf" else 0)

    def test_instructions_of_the_machine_are_the_same(self):
        """Of the intervals that perf ended between our scrapes: a part of a second may be the one's
        and not the other's, in which hardly anything runs."""
        lines = (int(self.results.text(f"machine.{edge}.lines")) for edge in ("begin", "end"))
        theirs = read_perf(self.results.text("machine.perf"), *lines)
        for name, event in (("pmu_machine_instructions_user_total", "instructions:u"),
                            ("pmu_machine_instructions_total", "instructions")):
            ours, perf = self.ours("machine", name), theirs[event, ""]
            print(f"{event}: {ours}, perf {perf}: {ours - perf:+}")
            self.assertAlmostEqual(ours, perf, delta=0.01 * perf)


if __name__ == "__main__":
    live.main()
