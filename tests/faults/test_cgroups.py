# SPDX-License-Identifier: Apache-2.0
"""What other users of the machine may do to us: their cgroups' names, numbers and lives."""
import os
import threading
import time

import live
import strict_exposition
from cgroups import LONGEST_LABEL, Cgroups, path_from_label
from exporter import PATIENCE, Exporter, is_sanitized

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


class HostileTest(live.LiveTest):
    def setUp(self):
        self.cgroups = self.enterContext(Cgroups())

    def run_exporter(self, config=None, **options):
        return self.enterContext(Exporter(config or live.config(self.cgroups), **options))

    def paths(self, metrics, name=FAULTS):
        return {path_from_label(label) for label in metrics.labels(name, "cgroup")}

    def wait_until_released(self, exporter, descriptors, dying):
        end = time.monotonic() + PATIENCE
        while exporter.open_descriptors() > descriptors + 2 or self.cgroups.dying() > dying:
            if time.monotonic() > end:
                self.fail(f"{exporter.open_descriptors()} descriptors, {descriptors} before; "
                          f"{self.cgroups.dying()} dying cgroups, {dying} before")
            time.sleep(0.05)


class Names(HostileTest):
    def test_every_label_tells_its_path_exactly(self):
        for name in HOSTILE:
            self.cgroups.make(name)
            self.cgroups.make(b"nested/" + name + b"/" + name)
        exporter = self.run_exporter()
        top = self.cgroups.directory()
        wanted = {d[len(os.fsencode(self.cgroups.mount)):] for d, _, _ in os.walk(top) if d != top}
        self.assertGreater(len(wanted), 3 * len(HOSTILE))
        # A cycle opens for half a second, so that a busy machine has not all of them in the first.
        metrics = exporter.scrape_until(lambda m: len(m.find(FAULTS)) >= len(wanted), PATIENCE,
                                        "all of them")
        self.assertEqual(self.paths(metrics), wanted)
        self.assertEqual(self.paths(metrics, "pmu_cgroup_info"), wanted)

    def test_no_name_costs_another_its_series(self):
        plain = self.cgroups.make("plain.service")
        exporter = self.run_exporter()
        for name in HOSTILE:
            self.cgroups.make(name)
        metrics = exporter.scrape_until(lambda m: len(m.find(FAULTS)) == len(HOSTILE) + 1,
                                        PATIENCE, "all of them")
        self.assertEqual(metrics.value(FAULTS, cgroup=plain), 0)

    def test_what_cannot_be_told_from_another_is_told_apart(self):
        """Both names of each pair would become one if they were escaped carelessly."""
        pairs = [(b"\xff", b"%ff"), (b"\xff", b"%FF"), (b"a\x1b", b"a%1b"), (b"\\", b"\\\\"),
                 (b"\xff", b"\xef\xbf\xbd")]
        for name in {n for pair in pairs for n in pair}:
            self.cgroups.make(name)
        n = len({n for pair in pairs for n in pair})
        metrics = self.run_exporter().scrape_until(lambda m: len(m.find(FAULTS)) >= n, PATIENCE,
                                                   "all of them")
        self.assertEqual(len(metrics.labels(FAULTS, "cgroup")), n)

    def test_names_longer_than_any_label(self):
        for length in (LONGEST_LABEL, 2000, 3000):
            for last in (b"a", b"b"):  # they differ only where they are cut
                # NAME_MAX does not hold here
                self.cgroups.make(b"x" * (length - 1) + last)
        metrics = self.run_exporter().scrape()
        labels = metrics.labels(FAULTS, "cgroup")
        self.assertEqual(len(labels), 6)
        self.assertLessEqual(max(len(label.encode()) for label in labels), LONGEST_LABEL)

    def test_the_longest_name_that_the_kernel_takes(self):
        short = self.cgroups.make("short")
        directory = os.open(self.cgroups.directory(), os.O_RDONLY)
        self.addCleanup(os.close, directory)
        name = b"\xff" * 4072
        os.mkdir(name, dir_fd=directory)
        self.addCleanup(os.rmdir, name, dir_fd=directory)
        exporter = self.run_exporter()
        metrics = exporter.scrape()
        self.assertEqual(metrics.value(FAULTS, cgroup=short), 0)
        # whether it is counted or not is told
        self.assertEqual(len(metrics.find(FAULTS)) + metrics.sum(UNCOUNTED, kind="cgroup"), 2)
        exporter.check_log_rate()

    def test_deep_trees(self):
        path = self.cgroups.make("/".join(["d"] * 30))
        metrics = self.run_exporter().scrape()
        self.assertEqual(metrics.value(FAULTS, cgroup=path), 0)


class Churn(HostileTest):
    def test_cgroups_that_vanish_before_they_are_opened(self):
        stays = self.cgroups.make("stays")
        exporter = self.run_exporter()
        descriptors, dying = exporter.open_descriptors(), self.cgroups.dying()
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
        while time.monotonic() < began + 5 or (n <= 500 and time.monotonic() < began + PATIENCE):
            metrics = exporter.scrape()
            self.assertEqual(metrics.value(FAULTS, cgroup=stays), 0)
            self.assertEqual(metrics.labels(SUPPORTED, "reason"), {""}, "nothing looks like no_pmu")
            time.sleep(0.05)
        stop.set()
        for thread in threads:
            thread.join()
        self.assertGreater(n, 500)
        self.wait_until_released(exporter, descriptors, dying)
        # /metrics shows the last cycle, in which the last of them may have vanished
        exporter.scrape_until(lambda m: m.sum(UNCOUNTED, kind="cgroup") == 0, 2.5 * CYCLE,
                              "none of those that vanished is waited for")
        exporter.check_log_rate()

    def test_fifty_cgroups_that_come_and_go(self):
        exporter = self.run_exporter()
        descriptors, dying = exporter.open_descriptors(), self.cgroups.dying()
        last = exporter.scrape()
        for turn in range(4):
            for i in range(50):
                self.cgroups.make(f"c{i}")
            metrics = exporter.scrape_until(lambda m: m.value(FAULTS, cgroup=self.cgroups.path(
                "c49")) is not None, 2.5 * CYCLE, "the last one")
            self.assertEqual(strict_exposition.compare(last.exposition, metrics.exposition), [])
            last = metrics
            for i in range(50):
                self.cgroups.remove(f"c{i}")
            time.sleep(0.3 * turn)
        self.wait_until_released(exporter, descriptors, dying)
        exporter.check_log_rate()

    def test_a_burst_of_3000(self):
        n = 3000
        more = "limits: {cgroups: 10000, descriptors: 15000}\n"
        exporter = self.run_exporter(live.config(self.cgroups, events=("page-faults",), more=more))
        descriptors, dying = exporter.open_descriptors(), self.cgroups.dying()
        paths = [self.cgroups.make(f"b{i:04d}") for i in range(n)]
        within = (2.5 if not is_sanitized() else 8) * CYCLE
        metrics = exporter.scrape_until(
            lambda m: len(m.find(FAULTS)) + m.sum(UNCOUNTED, kind="cgroup") == n, within,
            f"{n} cgroups counted or told to be uncounted")
        self.assertLessEqual(metrics.labels(FAULTS, "cgroup"), set(paths))
        self.assertGreaterEqual(len(metrics.find(FAULTS)), 1000)
        exporter.answer_in_time()
        for i in range(n):
            self.cgroups.remove(f"b{i:04d}")
        self.wait_until_released(exporter, descriptors, dying)
        exporter.scrape_until(lambda m: not m.find(FAULTS), 3 + 3 * CYCLE, "the end of the series")
        exporter.check_log_rate()

    def test_a_limit_holds_and_those_that_stand_stay(self):
        first = [self.cgroups.make(f"a{i}") for i in range(5)]
        exporter = self.run_exporter(live.config(self.cgroups, more="limits: {cgroups: 5}\n"))
        standing = exporter.scrape().labels(FAULTS, "cgroup")
        self.assertLessEqual(len(standing), 5)
        self.assertLessEqual(standing, set(first))
        for i in range(20):
            self.cgroups.make(f"0{i}")  # before them in any order
        metrics = exporter.scrape_until(
            lambda m: m.value(UNCOUNTED, kind="cgroup", reason="over_limit") ==
            25 - len(standing), 2.5 * CYCLE, "the others over the limit")
        self.assertEqual(metrics.labels(FAULTS, "cgroup"), standing)
        self.assertGreaterEqual(metrics.sum("pmu_exporter_targets_dropped_total", kind="cgroup",
                                            reason="over_limit"), 20)


if __name__ == "__main__":
    live.main()
