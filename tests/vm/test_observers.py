# SPDX-License-Identifier: Apache-2.0
"""What the programs for interrupts, TCP and KVM count of known loads (tests/support/observed.c), in
guests where nothing else runs. The guest's processor has the extension for guests of its own."""
import unittest

import live
from guest import Guest, build_directory
from observed import Observed, check_connects, check_exits, check_refused, check_retransmits

DATAGRAMS = 5000
CONNECTS = 200
RETRANSMITS = 100
EXITS = 1000
LOADS = {"datagrams": DATAGRAMS, "connects": CONNECTS, "refused": CONNECTS,
         "retransmits": RETRANSMITS}
SCRIPT = f"""
make_cgroup /a
mount -t tracefs tracefs /sys/kernel/tracing
read_ahead /tmp/bin/observed
observe() {{
    name=$1
    shift
    observed $cgroups/a "$@" >$OUT/$name || [ $? -eq 77 ] || die "$(cat $OUT/$name)"
}}
{chr(10).join(f"observe {name} traffic {name} {n}" for name, n in LOADS.items())}
observe exits small_guest {EXITS}
umount /sys/kernel/tracing
observe hidden true
"""


class Observers(unittest.TestCase):
    root = "guest_root"

    @classmethod
    def setUpClass(cls):
        if not (build_directory() / cls.root).exists():
            raise unittest.SkipTest(f"there is no {cls.root}: prepare.py has not made it")
        guest = Guest(f"observers_{cls.root}", root=cls.root, machine="virt,virtualization=on")
        cls.results = guest.run(SCRIPT)
        if "built without" in cls.results.text("datagrams"):
            raise unittest.SkipTest("built without libbpf")

    def observed(self, name):
        text = self.results.text(name)
        print(text)
        return Observed(text)

    def test_each_datagram_is_a_softirq(self):
        observed = self.observed("datagrams")
        self.assertEqual(observed.softirqs["NET_RX"].n, DATAGRAMS)
        self.assertEqual(observed.softirqs["NET_RX"].timed, DATAGRAMS)
        self.assertEqual(observed.lost["interrupts"], 0)

    def test_softirqs_are_those_of_proc_softirqs(self):
        observed = self.observed("retransmits")
        for name, (least, most) in observed.kernel.items():
            ours = observed.softirqs[name].n if name in observed.softirqs else 0
            self.assertLessEqual(least, ours, name)
            self.assertLessEqual(ours, most, name)
        self.assertGreater(observed.softirqs["TIMER"].n, 0)

    def test_connects_are_counted_for_the_cgroup_and_the_process(self):
        check_connects(self, self.observed("connects"), CONNECTS)

    def test_connects_that_are_refused_have_failed(self):
        check_refused(self, self.observed("refused"), CONNECTS)

    def test_retransmits_are_those_of_proc_net_snmp(self):
        check_retransmits(self, self.observed("retransmits"), RETRANSMITS)

    def test_exits_of_a_guest_have_their_reason(self):
        observed = self.observed("exits")
        check_exits(self, observed, EXITS, ["DABT_LOW"])
        self.assertIn(("cgroup", -1), observed.entries)  # arm64 does not tell the vCPU

    def test_without_tracefs_kvm_is_refused_and_the_others_count(self):
        observed = self.observed("hidden")
        self.assertEqual(observed.refused, {"kvm": "tracefs is not mounted, or may not be read"})
        self.assertIn("interrupts", observed.lost)
        self.assertIn("tcp", observed.lost)


class OnTheKernelOfBackports(Observers):
    root = "newer_root"


if __name__ == "__main__":
    live.main()
