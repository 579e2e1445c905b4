# SPDX-License-Identifier: Apache-2.0
"""What other users of the machine may do to us: their cgroups' names, numbers and lives."""
import os
import threading
import time

import live
import standing
from cgroups import LONGEST_LABEL, path_from_label
from exporter import PATIENCE, is_sanitized

CYCLE = 1.0
FAULTS = "pmu_cgroup_page_faults_total"
UNCOUNTED = "pmu_exporter_targets_uncounted"
SUPPORTED = "pmu_exporter_event_supported"

HOSTILE = [
    b'q"uote', b"back\\slash", b"\\", b'\\"', b"systemd\\x2descape.service", b"esc\x1b[31m",
    b"\xff", b"a\xc0\xafb", b"\xed\xa0\x80", b"}", b'a"} 1', b"{", b"a,b=c", b"#", b"# TYPE x", b" ",
    b"a b", b"\t", b"cr\r", b"\x01", b"\x7f", b"%", b"%41", b"%/a", b"100%25",
    "żółw-漢字-👩‍👩".encode(), "\u202eoverride".encode(), "\u200fmark".encode(),
    "\u2028line".encode(), "\x85c1".encode(), "\ufffenon".encode(), "e\u0301".encode(), b"-", b"...",
    b"*", b"**", b"?", b"[a]",
]


class HostileTest(standing.FaultTest):
    def paths(self, metrics, name=FAULTS):
        return {path_from_label(label) for label in metrics.labels(name, "cgroup")}

    def all_there(self):
        """The paths of the cgroups of this test."""
        top = self.cgroups.directory()
        return {d[len(os.fsencode(self.cgroups.mount)):] for d, _, _ in os.walk(top) if d != top}

    def check_none_dies(self, dying):
        for _ in live.tries(PATIENCE):
            if self.cgroups.dying() <= dying:
                return
        self.fail(f"{self.cgroups.dying()} dying cgroups, {dying} before")


class Names(HostileTest):
    def test_every_label_tells_its_path_exactly(self):
        for name in HOSTILE:
            self.cgroups.make(name)
            self.cgroups.make(b"nested/" + name + b"/" + name)
        with self.standing() as exporter:
            wanted = self.all_there()
            self.assertGreater(len(wanted), 3 * len(HOSTILE))
            # A cycle opens for half a second, so that a busy machine has not all in the first.
            metrics = exporter.scrape_until(lambda m: len(m.find(FAULTS)) >= len(wanted), PATIENCE,
                                            "all of them")
            self.assertEqual(self.paths(metrics), wanted)
            self.assertEqual(self.paths(metrics, "pmu_cgroup_info"), wanted)

    def test_no_name_costs_another_its_series(self):
        with self.standing(descriptors=False, memory=False) as exporter:
            for name in HOSTILE:
                self.cgroups.make(name)
            exporter.scrape_until(lambda m: len(m.find(FAULTS)) == len(HOSTILE) + 1, PATIENCE,
                                  "all of them, and the control cgroup")

    def test_what_cannot_be_told_from_another_is_told_apart(self):
        """Both names of each pair would become one if they were escaped carelessly."""
        pairs = [(b"\xff", b"%ff"), (b"\xff", b"%FF"), (b"a\x1b", b"a%1b"), (b"\\", b"\\\\"),
                 (b"\xff", b"\xef\xbf\xbd")]
        names = {n for pair in pairs for n in pair}
        for name in names:
            self.cgroups.make(name)
        with self.standing() as exporter:
            n = len(names) + 1
            metrics = exporter.scrape_until(lambda m: len(m.find(FAULTS)) >= n, PATIENCE,
                                            "all of them")
            self.assertEqual(len(metrics.labels(FAULTS, "cgroup")), n)

    def test_names_longer_than_any_label(self):
        for length in (LONGEST_LABEL, 2000, 3000):
            for last in (b"a", b"b"):  # they differ only where they are cut
                # NAME_MAX does not hold here
                self.cgroups.make(b"x" * (length - 1) + last)
        with self.standing() as exporter:
            labels = exporter.scrape().labels(FAULTS, "cgroup")
            self.assertEqual(len(labels), 7)
            self.assertLessEqual(max(len(label.encode()) for label in labels), LONGEST_LABEL)

    def test_the_longest_name_that_the_kernel_takes(self):
        directory = os.open(self.cgroups.directory(), os.O_RDONLY)
        self.addCleanup(os.close, directory)
        name = b"\xff" * 4072
        os.mkdir(name, dir_fd=directory)
        self.addCleanup(os.rmdir, name, dir_fd=directory)
        with self.standing() as exporter:
            metrics = exporter.scrape()
            # whether it is counted or not is told
            self.assertEqual(len(metrics.find(FAULTS)) + metrics.sum(UNCOUNTED, kind="cgroup"), 2)

    def test_deep_trees(self):
        path = self.cgroups.make("/".join(["d"] * 30))
        with self.standing() as exporter:
            self.assertEqual(exporter.scrape().value(FAULTS, cgroup=path), 0)


class Churn(HostileTest):
    def test_cgroups_that_vanish_before_they_are_opened(self):
        stays, dying = self.cgroups.make("stays"), self.cgroups.dying()
        with self.standing() as exporter:
            stop = threading.Event()
            self.addCleanup(stop.set)
            n = 0

            def vanish(k):
                nonlocal n
                while not stop.is_set():
                    self.cgroups.make(f"v{k}")
                    time.sleep(0.0005)
                    self.cgroups.remove(f"v{k}")
                    n += 1

            threads = [threading.Thread(target=vanish, args=(k,)) for k in range(2)]
            for thread in threads:
                thread.start()
            began = time.monotonic()
            while time.monotonic() < began + 5 or (n <= 1000 and time.monotonic() < began + PATIENCE):
                metrics = exporter.scrape()
                self.assertEqual(metrics.value(FAULTS, cgroup=stays), 0)
                self.assertEqual(metrics.labels(SUPPORTED, "reason"), {""}, "nothing looks like no_pmu")
                time.sleep(0.05)
            stop.set()
            for thread in threads:
                thread.join()
            self.assertGreater(n, 1000)
            self.check_none_dies(dying)
            # /metrics shows the last cycle, in which the last of them may have vanished
            exporter.scrape_until(lambda m: m.sum(UNCOUNTED, kind="cgroup") == 0, 2.5 * CYCLE,
                                  "none of those that vanished is waited for")

    def test_fifty_cgroups_that_come_and_go(self):
        dying = self.cgroups.dying()
        with self.standing() as exporter:
            for turn in range(4):
                names = [f"c{i}" for i in range(50)]
                last = [self.cgroups.make(name) for name in names][-1]
                exporter.scrape_until(lambda m, path=last: m.value(FAULTS, cgroup=path) is not None,
                                      2.5 * CYCLE, "the last one")
                for name in names:
                    self.cgroups.remove(name)
                time.sleep(0.3 * turn)
            self.check_none_dies(dying)

    def test_a_burst_of_3000(self):
        n, dying = 3000, self.cgroups.dying()
        more = "limits: {cgroups: 10000, descriptors: 15000}\n"
        config = self.config(events=("page-faults", "context-switches"), more=more)
        # what so many have taken is kept for others (GLIBC_TUNABLES)
        with self.standing(config, memory=False) as exporter:
            paths = [self.cgroups.make(f"b{i:04d}") for i in range(n)]
            within = (2.5 if not is_sanitized() else 8) * CYCLE
            metrics = exporter.scrape_until(
                lambda m: len(m.find(FAULTS)) - 1 + m.sum(UNCOUNTED, kind="cgroup") == n, within,
                f"{n} cgroups counted or told to be uncounted")
            self.assertLessEqual(metrics.labels(FAULTS, "cgroup"), {*paths, exporter.load.path})
            self.assertGreaterEqual(len(metrics.find(FAULTS)), 1000)
            exporter.answer_in_time()
            for i in range(n):
                self.cgroups.remove(f"b{i:04d}")
            self.check_none_dies(dying)
            exporter.scrape_until(lambda m: len(m.find(FAULTS)) == 1, 3 + 3 * CYCLE,
                                  "the end of the series")

    def test_a_limit_holds_and_those_that_stand_stay(self):
        for i in range(4):
            self.cgroups.make(f"a{i}")
        with self.standing(self.config(more="limits: {cgroups: 5}\n")) as exporter:
            standing_ones = exporter.scrape().labels(FAULTS, "cgroup")
            self.assertLessEqual(len(standing_ones), 5)
            for i in range(20):
                self.cgroups.make(f"0{i}")  # before them in any order
            metrics = exporter.scrape_until(
                lambda m: m.value(UNCOUNTED, kind="cgroup", reason="over_limit") ==
                25 - len(standing_ones), 2.5 * CYCLE, "the others over the limit")
            self.assertEqual(metrics.labels(FAULTS, "cgroup"), standing_ones)
            self.assertGreaterEqual(metrics.sum("pmu_exporter_targets_dropped_total", kind="cgroup",
                                                reason="over_limit"), 20)


if __name__ == "__main__":
    standing.main()
