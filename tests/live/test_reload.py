# SPDX-License-Identifier: Apache-2.0
"""SIGHUP takes a configuration as a whole or not at all; no count is lost of what goes on."""
import os
import signal
import time

import live
from cgroups import Cgroups
from exporter import Exporter, without_profiles

FAULTS = "pmu_cgroup_page_faults_total"
SWITCHES = "pmu_cgroup_context_switches_total"
START = "pmu_cgroup_start_time_seconds"
GOOD = "pmu_exporter_config_last_reload_successful"
READ_AT = "pmu_exporter_config_last_reload_success_timestamp_seconds"
# A file that has not changed for 0.1 s is taken for complete, and the kernel notes times of changes to
# some milliseconds.
SURELY_WRITTEN = 0.08
MOST_TRIES = 20


class Reload(live.LiveTest):
    def setUp(self):
        self.cgroups = self.enterContext(Cgroups())
        self.path = self.cgroups.make("a")

    def start(self, **more):
        exporter = self.enterContext(Exporter(live.config(self.cgroups, **more)))
        exporter.scrape_until(lambda m: m.value(FAULTS, cgroup=self.path) is not None, 5, "birth")
        return exporter

    def reload(self, exporter, text=None, good=1):
        if text is not None:
            (exporter.directory / "pmu_exporter.yml").write_text(without_profiles(text))
        before = exporter.scrape().value(READ_AT)
        os.kill(exporter.pid, signal.SIGHUP)
        return exporter.scrape_until(
            lambda m: m.value(GOOD) == good and (good == 0 or m.value(READ_AT) > before),
            5, "the reload")

    def test_what_is_new_is_counted_and_what_is_not_wanted_ends(self):
        exporter = self.start(events=("page-faults",))
        first = exporter.scrape()
        with live.Load(self.cgroups.directory("a"), faults=5000) as load:
            load.run()
        descriptors = exporter.open_descriptors()
        before = exporter.scrape_until(
            lambda m: m.value(FAULTS, cgroup=self.path) >= 5000 - live.faults_in_doubt(first, m),
            5, "the load's faults")
        self.reload(exporter, live.config(self.cgroups, events=("page-faults",)) +
                    "rename: [{event: page-faults, name: faults}]\n")
        after = exporter.scrape_until(
            lambda m: m.value("pmu_cgroup_faults_total", cgroup=self.path) is not None, 5, "name")
        self.assertEqual(after.find(FAULTS), {})
        self.reload(exporter, live.config(self.cgroups, events=("page-faults",)))
        self.assertEqual(after.value(START, cgroup=self.path), before.value(START, cgroup=self.path))
        exporter.after_cycles(2)
        self.assertAlmostEqual(exporter.open_descriptors(), descriptors, delta=2)

    def test_a_bad_configuration_never_replaces_a_good_one(self):
        exporter = self.start()
        before = exporter.scrape()
        self.reload(exporter, "intervall: 1s\n", good=0)
        self.assertIn("1:1", exporter.stderr())
        self.assertIn("interval", exporter.stderr())
        after = exporter.after_cycles(2)
        self.assertEqual(after.value(START, cgroup=self.path), before.value(START, cgroup=self.path))
        self.assertEqual(after.value(READ_AT), before.value(READ_AT))
        self.reload(exporter, live.config(self.cgroups), good=1)

    def refuse(self, exporter, why):
        """Asks for a reload that is refused: what runs goes on, and the log says why."""
        exporter.after_cycles(1)  # the log tells ten lines a second at most
        self.reload(exporter, good=0)
        exporter.log_until(why)
        self.assertEqual(exporter.scrape().value(START, cgroup=self.path), self.born)
        self.reload(exporter, self.whole)

    def test_a_file_that_is_cut_empty_or_gone_never_replaces_a_good_one(self):
        exporter = self.start()
        file = exporter.directory / "pmu_exporter.yml"
        self.whole = "# of the test\n" + file.read_text()
        self.reload(exporter, self.whole)
        self.born = exporter.scrape().value(START, cgroup=self.path)
        for cut, why in ((0, "the file is empty"), (5, "has no end"), (14, "the file has no key"),
                         (17, "has no end"), (self.whole.index("groups:"), "no longer there"),
                         (self.whole.index("targets:"), "no longer there"),
                         (self.whole.index("  cgroups:"), "targets is")):
            with self.subTest(cut=cut):
                file.write_text(self.whole[:cut])
                self.refuse(exporter, why)
        file.unlink()
        self.refuse(exporter, "cannot read the configuration")
        file.chmod(0o666)
        self.reload(exporter)
        exporter.log_until("everybody may write")

    def test_a_file_that_is_being_written_is_read_when_it_is_complete(self):
        exporter = self.start()
        file = exporter.directory / "pmu_exporter.yml"
        whole = file.read_text()
        text = whole.replace("linger: 3s", "linger: 4s") + "expose: {rates: false}\n"
        for _ in range(MOST_TRIES):
            told = len(exporter.stderr())
            if self.write_slowly(exporter, file, text) < SURELY_WRITTEN:
                break
            self.reload(exporter, whole)
        else:
            self.skipTest("this machine takes too long to write a file")
        exporter.scrape_until(lambda m: not m.find("pmu_cgroup_page_faults_per_second"), 5, "the reload")
        self.assertNotIn("not valid", exporter.stderr()[told:])
        self.assertEqual(exporter.scrape().value(GOOD), 1)

    def write_slowly(self, exporter, file, text):
        """Asks for a reload while the file is empty, and then writes it; the seconds that it was
        not complete."""
        began = time.monotonic()
        with file.open("w") as stream:
            os.kill(exporter.pid, signal.SIGHUP)
            time.sleep(SURELY_WRITTEN / 4)
            stream.write(text)
        return time.monotonic() - began


if __name__ == "__main__":
    live.main()
