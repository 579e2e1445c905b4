# SPDX-License-Identifier: Apache-2.0
"""Profiles on AArch64 and Linux 6.1: stacks of a program that are known (support/known_stacks.c),
unwound by its tables. Each sample has one of them, from its root on.
"""
import json
import unittest

import live
from guest import COUNTING, Guest
from profiles import CHAINS, NEW, is_end_of, is_part_of, own_stacks, sampled_hz, stacks_of

RATE = 499
FEW = 20
KINDS = sorted(CHAINS)
BY_VDSO = ("vdso", "signal")  # which also returns from signals
CONFIG = f"""
interval: 1s
counting: {COUNTING}
groups: [{{name: software, events: [task-clock]}}]
targets:
  cgroups: [{{include: ["/k_*"], groups: [software]}}]
profiles: {{rate: {RATE}, memory: 8MiB}}
"""
BEGIN = """
enable_counting
wait_for_line() {
    wait_until "[ \\$(wc -l <$OUT/$1.said) -ge $2 ]"
}
"""
SCRIPT = BEGIN + f"""
for kind in {' '.join(KINDS)}; do make_cgroup /k_$kind; done
start_exporter config
# the first run teaches the exporter what the program has mapped; the second one is judged
profile() {{
    mkfifo /tmp/go.$1
    known_stacks $cgroups/k_$1/cgroup.procs $1 300 /tmp/bin/known_plugin_one.so \\
        /tmp/bin/known_plugin_two.so </tmp/go.$1 >$OUT/$1.said & known=$!
    exec 3>/tmp/go.$1
    wait_for_line $1 1
    for line in 2 3; do
        sleep 3
        start=$(date +%s)
        echo go >&3
        wait_for_line $1 $line
    done
    sleep 3
    wget -q -O $OUT/$1 "http://127.0.0.1:10138/api/v1/profile?target=cgroup:/k_$1&start=$start&nodes=100000"
    exec 3>&-
    wait $known
}}
for kind in {' '.join(KINDS)}; do profile $kind; done
scrape last
stop_exporter
"""

# CPU 1 goes and comes back; then a program is bound to it
HOTPLUG_SCRIPT = BEGIN + """
make_cgroup /k_shares
start_exporter config
sleep 2
for i in 1 2 3; do
    echo 0 >/sys/devices/system/cpu/cpu1/online
    sleep 1.2
    echo 1 >/sys/devices/system/cpu/cpu1/online
    sleep 1.2
done
sleep 2
mkfifo /tmp/go
taskset 2 known_stacks $cgroups/k_shares/cgroup.procs shares 1000 /tmp/bin/known_plugin_one.so \\
    /tmp/bin/known_plugin_two.so </tmp/go >$OUT/hotplug.said & known=$!
exec 3>/tmp/go
wait_for_line hotplug 1
for line in 2 3; do
    sleep 3
    scrape before.$line
    echo go >&3
    wait_for_line hotplug $line
    sleep 3
    scrape after.$line
done
exec 3>&-
wait $known
stop_exporter
"""


class Profile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = Guest("profile").run(SCRIPT, config=CONFIG)

    def check(self, kind):
        stacks = own_stacks(stacks_of(json.loads(self.results.text(kind))))
        whole = {names: n for (note, names), n in stacks.items() if note is None}
        noted = {key: n for key, n in stacks.items() if key[0] is not None}
        print(f"{kind}: {sum(whole.values())} whole, {sum(noted.values())} with a note")
        for names in whole:
            self.assertTrue(is_part_of(names, CHAINS[kind]), f"no such stack: {names}")
        # the vDSO of AArch64 has no tables, nor has the PLT
        allowed = NEW | ({"[no unwind rule]"} if kind in BY_VDSO else set())
        for note, names in noted:
            self.assertIn(note, allowed)
            self.assertTrue(is_end_of(names, CHAINS[kind]), f"{note} above {names}")
        self.assertGreater(sum(whole.get(chain, 0) for chain in CHAINS[kind]), FEW)
        if kind not in ("plugins", "fork", *BY_VDSO):
            self.assertEqual(noted, {})

    def test_chains_are_those_of_the_program(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.check(kind)

    def test_samples_agree_with_the_clock(self):
        metrics = self.results.scrape("last")
        for kind in KINDS:
            ratio = metrics.value("pmu_cgroup_profile_cpu_ratio", cgroup=f"/k_{kind}")
            print(f"{kind}: {ratio}")
            self.assertIsNotNone(ratio, kind)
            self.assertLess(abs(float(ratio) - 1), 0.2, kind)


class Hotplug(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = Guest("profile_hotplug", cpus=2).run(HOTPLUG_SCRIPT, config=CONFIG)

    def growth(self, name):
        before, after = (self.results.scrape(f"{when}.3").value(name, cgroup="/k_shares")
                         for when in ("before", "after"))
        return float(after - before)

    def test_a_cpu_that_has_come_back_is_sampled_as_before(self):
        expected = sampled_hz(RATE) * self.growth("pmu_cgroup_task_clock_seconds_total")
        samples = self.growth("pmu_cgroup_profile_samples_total")
        print(f"{samples:.0f} samples, {expected:.0f} by the clock")
        self.assertGreater(expected, RATE / 2)
        self.assertLess(abs(samples / expected - 1), 0.2)


if __name__ == "__main__":
    live.main()
