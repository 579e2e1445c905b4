# SPDX-License-Identifier: Apache-2.0
"""What tests/support/observed.c prints, and what must be true of it on any machine."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Timed:
    """How many there were, how many of them have a duration, and how long those took."""
    n: int
    timed: int
    ns: int


@dataclasses.dataclass(frozen=True)
class Tcp:
    retransmits: int
    connects: int
    failures: int
    timed: int
    ns: int


class Observed:
    def __init__(self, text):
        self.text = text
        self.softirqs, self.kernel, self.hardirqs, self.devices = {}, {}, {}, {}
        self.tcp, self.exits, self.entries = {}, {}, {}
        self.lost, self.refused, self.said = {}, {}, {}
        for line in text.splitlines():
            self.take(*line.split())

    def take(self, what, *words):
        if what == "softirq":
            self.softirqs[words[0]] = Timed(*map(int, words[1:]))
        elif what == "kernel":
            self.kernel[words[0]] = tuple(map(int, words[1:]))
        elif what == "hardirq":
            self.hardirqs[int(words[0])] = Timed(*map(int, words[-3:]))
            self.devices[int(words[0])] = " ".join(words[1:-3])
        elif what == "tcp":
            self.tcp[words[0]] = Tcp(*map(int, words[1:]))
        elif what == "exit":
            self.exits[words[0], " ".join(words[1:-3])] = Timed(*map(int, words[-3:]))
        elif what == "entry":
            self.entries[words[0], int(words[1])] = int(words[2])
        elif what == "lost":
            self.lost[words[0]] = int(words[1])
        elif what == "refused":
            self.refused[words[0]] = " ".join(words[1:])
        elif len(words) == 1:  # the command's own
            self.said[what] = int(words[0])


def check_connects(test, observed, n):
    """N connects to oneself have succeeded."""
    for whose in ("cgroup", "process"):
        tcp = observed.tcp[whose]
        test.assertEqual((tcp.connects, tcp.failures, tcp.timed, tcp.retransmits), (n, 0, n, 0))
        test.assertGreater(tcp.ns, 0)
    test.assertEqual(observed.lost["tcp"], 0)


def check_refused(test, observed, n):
    for whose in ("cgroup", "process"):
        tcp = observed.tcp[whose]
        test.assertEqual((tcp.connects, tcp.failures, tcp.timed, tcp.ns), (0, n, 0, 0))


def check_retransmits(test, observed, n):
    """Segments that were sent again are those that the kernel counts in the same network namespace;
    they belong to the cgroup of the socket, and to no process."""
    test.assertGreaterEqual(observed.said["RetransSegs"], n)
    test.assertEqual(observed.tcp["cgroup"].retransmits, observed.said["RetransSegs"])
    test.assertEqual(observed.tcp["cgroup"].failures, observed.said["unanswered"])
    test.assertEqual(observed.tcp["process"].retransmits, 0)
    test.assertEqual(observed.tcp["process"].failures, observed.said["unanswered"])


def check_exits(test, observed, n, reasons):
    """The guest has left N times for one of these reasons, and entered once more than it has come
    back: its last exit has no entry behind it."""
    for whose in ("cgroup", "process"):
        found = [reason for reason in reasons if (whose, reason) in observed.exits]
        test.assertEqual(len(found), 1, observed.text)
        exits = [timed for (of, _), timed in observed.exits.items() if of == whose]
        test.assertEqual(observed.exits[whose, found[0]].n, n)
        for timed in exits:
            test.assertEqual(timed.n, timed.timed)
            test.assertGreater(timed.ns, 0)
        entries = sum(many for (of, _), many in observed.entries.items() if of == whose)
        test.assertEqual(entries, sum(timed.n for timed in exits) + 1)
    test.assertNotIn("rest", [whose for whose, _ in observed.exits])
    test.assertEqual(observed.lost["kvm"], 0)
