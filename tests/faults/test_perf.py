# SPDX-License-Identifier: Apache-2.0
"""What the kernel may refuse us: no PMU, no permission, no descriptors; opens and reads that fail or
are slow."""
import os
import pathlib
import shutil
import socket
import subprocess
import time

import live
import standing
import strict_exposition
from exporter import PATIENCE, Exporter, binary, run_once
from failing_calls import FailingCalls
from lateness import Lateness
from standing import FAULTS, SWITCHES

CYCLE = 1.0
READY_WITHIN = 15.0  # on a quiet machine it takes a tenth of that
SUPPORTED = "pmu_exporter_event_supported"
UNCOUNTED = "pmu_exporter_targets_uncounted"
START = "pmu_cgroup_start_time_seconds"
LINGER = 3.0
PERF_EVENT = "anon_inode:[perf_event]"

HARDWARE = """interval: 1s
counting: %s
linger: 3s
groups:
  - {name: core, events: [cycles, instructions]}
  - {name: software, events: [task-clock, context-switches, cpu-migrations, page-faults]}
targets:
  system: {groups: [%s], by: all}
  cgroups:
    - include: ["%s"]
      groups: [core, software]
"""


def by_bpf():
    return live.COUNTING != "direct"


def has_pmu():
    return os.path.exists("/sys/bus/event_source/devices/cpu")


class PerfTest(standing.FaultTest):
    def hardware(self, groups="core"):
        return HARDWARE % (live.COUNTING, groups, f"/{self.cgroups.top}/**")


class NoPmu(PerfTest):
    def setUp(self):
        super().setUp()
        if has_pmu():
            self.skipTest("this machine has a PMU")

    def test_ready_at_once_and_software_events_are_served(self):
        path = self.cgroups.make("a.service")
        with self.standing(self.hardware()) as exporter:
            self.assertLess(exporter.ready_after, READY_WITHIN)
            metrics = exporter.scrape()
            self.assertIsNotNone(metrics.value(FAULTS, cgroup=path))
            self.assertIsNone(metrics.value("pmu_cgroup_instructions_total", cgroup=path))

    def test_the_reason_stands_on_metrics_and_once_in_the_log(self):
        with self.standing(self.hardware()) as exporter:
            metrics = exporter.after_cycles(2)
            for event in ("cycles", "instructions"):
                for scope in ("system", "cgroup"):
                    found = metrics.find(SUPPORTED, scope=scope, event=event)
                    self.assertEqual([v for v in found.values()], [0], f"{scope} {event}")
                    self.assertEqual(metrics.labels(SUPPORTED, "reason", scope=scope, event=event),
                                     {"no_pmu"})
            self.assertEqual(metrics.labels(SUPPORTED, "reason", event="page-faults"), {""})
            lines = [line for line in exporter.log_lines() if "no_pmu" in line]
            self.assertGreaterEqual(len(lines), 1)
            self.assertEqual(len(lines), len({line.split("msg=", 1)[1] for line in lines}))

    def test_without_a_pmu_nothing_is_over_budget_or_looked_for(self):
        with self.standing(self.hardware()) as exporter:
            metrics = exporter.after_cycles(2)
            self.assertEqual(metrics.find(SUPPORTED, reason="over_budget"), {})
            self.assertEqual(metrics.find(UNCOUNTED, reason="over_budget"), {})
            self.assertEqual(metrics.find("pmu_exporter_pmu_counters"), {})
            self.assertEqual({int(v) for v in metrics.find(SUPPORTED, event="page-faults").values()},
                             {1})
            self.assertNotIn("counters of the PMU", exporter.stderr())

    def test_it_is_not_tried_again_in_each_cycle(self):
        calls = self.enterContext(FailingCalls("perf_event_open"))
        with self.standing(self.hardware(), wrapper=calls.wrapper()) as exporter:
            with calls.answered("perf_event_open", "EIO") as met:
                exporter.after_cycles(3)
            self.assertEqual(met.seen, 0)


class Descriptors(PerfTest):
    """Fifty cgroups want 400 descriptors and their directories; by bpf the directories, beside what
    bpf itself takes. Where there is no room for that, they are counted direct."""

    def setUp(self):
        super().setUp()
        live.need("prlimit")
        self.paths = self.make(49)
        self.all = 50  # with that of the control load

    def limited(self, limit, **options):
        return self.standing(wrapper=["prlimit", f"--nofile={limit}"], **options)

    def counted_now(self, metrics):
        """How many cgroups are counted now; those that rest and keep their totals are none of
        them."""
        return metrics.value("pmu_exporter_targets", kind="cgroup")

    def check_all_told(self, metrics):
        """Each cgroup is counted, or told as uncounted for lack of descriptors; how many are
        counted."""
        n = self.counted_now(metrics)
        self.assertEqual(metrics.value(UNCOUNTED, kind="cgroup", reason="no_descriptors"),
                         self.all - n)
        return n

    def few(self, limit):
        """So few descriptors that the control load may not be counted."""
        return self.limited(limit, control=None)

    def test_http_answers_when_they_are_used_up(self):
        self.all = 49
        with self.few("64:64") as exporter:
            self.check_all_told(exporter.after_cycles(1))
            sockets = [socket.create_connection(("127.0.0.1", exporter.port)) for _ in range(4)]
            exporter.answer_in_time()
            for s in sockets:
                s.close()

    def test_as_many_as_fit_are_counted_and_the_log_says_so_once(self):
        self.all = 49
        limit = 160 if by_bpf() else 256  # by bpf a cgroup takes its directory alone
        with self.few(f"{limit}:{limit}") as exporter:
            n = self.check_all_told(exporter.after_cycles(1))
            self.assertGreaterEqual(n, 10)
            self.assertLess(n, 49)
            self.assertEqual(self.check_all_told(exporter.after_cycles(2)), n, "they stay")
            lines = [line for line in exporter.log_lines() if "level=warn" in line]
            self.assertEqual(len(lines), 1, exporter.stderr())
            self.assertIn("no_descriptors", lines[0])

    def set_limit(self, exporter, limit):
        subprocess.run(["prlimit", f"--nofile={limit}", f"--pid={exporter.pid}"], check=True)

    def until_all(self, exporter):
        return exporter.scrape_until(lambda m: self.counted_now(m) == self.all, 10 * CYCLE,
                                     "all counted")

    def until_fewer(self, exporter):
        return exporter.scrape_until(lambda m: self.counted_now(m) < self.all, 5 * CYCLE,
                                     "fewer counted")

    def test_a_limit_that_changes_while_it_runs_is_followed(self):
        with self.limited("4096:4096", control="at most") as exporter:
            before = self.until_all(exporter)
            for limit in ("64:", "80:"):
                self.set_limit(exporter, limit)
                metrics = self.until_fewer(exporter)
                self.assertGreater(self.check_all_told(metrics), 0)
                self.assertLess(metrics.value("pmu_exporter_open_counters"), 64)
                for path in metrics.labels(FAULTS, "cgroup"):  # in the same birth, nothing is lost
                    self.assertGreaterEqual(metrics.value(FAULTS, cgroup=path),
                                            before.value(FAULTS, cgroup=path))
            sockets = [socket.create_connection(("127.0.0.1", exporter.port)) for _ in range(8)]
            exporter.answer_in_time()
            for s in sockets:
                s.close()
            self.set_limit(exporter, "4096:")
            self.until_all(exporter)
            self.set_limit(exporter, "64:")
            self.until_fewer(exporter)
            self.set_limit(exporter, "4096:")
            self.until_all(exporter)
            self.assertIn("the limit of open files has changed", exporter.stderr())

    def test_who_has_no_room_under_a_lower_limit_goes_on_later_in_the_same_birth(self):
        for path in self.paths[::7]:
            process = subprocess.Popen(["sh", "-c", "while sleep 0.05; do :; done"])
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            self.cgroups.enter(path.rpartition("/")[2], process.pid)
        with self.limited("4096:4096", control="at most", descriptors=False) as exporter:
            before = exporter.scrape_until(
                lambda m: all((m.value(SWITCHES, cgroup=p) or 0) > 5 for p in self.paths[::7]),
                PATIENCE, "the load is counted")
            births, totals = before.find(START), before.find(SWITCHES)
            self.assertEqual(len(totals), self.all)
            for limit in ("80:", "4096:", "64:", "80:", "4096:"):
                self.set_limit(exporter, limit)
                (self.until_all if limit == "4096:" else self.until_fewer)(exporter)
                end = time.monotonic() + LINGER + 2 * CYCLE
                while time.monotonic() < end:  # a cgroup that was taken for dead would be gone then
                    metrics = exporter.after_cycles(1)
                    self.assertEqual(metrics.find(START), births)
                    now = metrics.find(SWITCHES)
                    self.assertEqual({k for k, v in totals.items() if now.get(k, -1) < v}, set())
                    totals = now
                    self.assertEqual(
                        self.counted_now(metrics) + metrics.sum(UNCOUNTED, kind="cgroup"), self.all)
            for path in self.paths[::7]:
                self.assertGreater(metrics.value(SWITCHES, cgroup=path),
                                   before.value(SWITCHES, cgroup=path))
            self.set_limit(exporter, "64:")
            exporter.scrape_until(lambda m: self.counted_now(m) < 40, PATIENCE, "fewer counted")
            self.remove(self.paths[1:7] + self.paths[43:49])
            exporter.scrape_until(lambda m: len(m.find(START)) == self.all - 12, LINGER + PATIENCE,
                                  "those that ended while they rested are gone")

    def test_a_limit_below_what_is_open_is_outlived_and_not_told_as_another_hierarchy(self):
        with self.limited("4096:4096", control="at most", answers=False) as exporter:
            self.until_all(exporter)
            self.set_limit(exporter, "10:")
            exporter.log_until("the limit of open files has changed")
            time.sleep(2.5 * CYCLE)  # no connection is accepted now
            self.set_limit(exporter, "4096:")
            self.until_all(exporter)
            self.assertNotIn("another cgroup hierarchy", exporter.stderr())

    def test_a_limit_that_is_too_low_at_the_start_is_an_error(self):
        for limit in (24, 40, 63):
            done = run_once("--control.socket=none",
                            wrapper=["prlimit", f"--nofile={limit}:{limit}"])
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn('msg="the limit of open files is too low"', done.stderr)

    def test_no_group_is_counted_in_half(self):
        with self.few("256:256") as exporter:
            metrics = exporter.after_cycles(1)
            names = ("page_faults", "context_switches", "cpu_migrations")
            families = [metrics.labels(f"pmu_cgroup_{n}_total", "cgroup") for n in names]
            self.assertEqual(families[0], families[1])
            self.assertEqual(families[0], families[2])
            self.assertTrue(families[0])

    def test_newcomers_are_counted_when_there_is_room_again(self):
        with self.limited("64:64", control=None, descriptors=False) as exporter:
            self.remove(self.paths[:48])
            last = self.paths[48]
            exporter.scrape_until(lambda m: m.value(FAULTS, cgroup=last) is not None, 3.5 * CYCLE,
                                  "the last one counted")
            exporter.scrape_until(lambda m: m.sum(UNCOUNTED, kind="cgroup") == 0, 3.5 * CYCLE,
                                  "none uncounted")

    def test_the_soft_limit_is_raised(self):
        with self.limited("64:4096") as exporter:
            self.until_all(exporter)

    def test_more_than_2000_descriptors_and_100_scrapes(self):
        paths = self.make(260)
        with self.standing(self.config(more="limits: {cgroups: 10000}\n")) as exporter:
            metrics = exporter.scrape_until(lambda m: self.counted(m, paths) == 260, 5 * CYCLE,
                                            "all counted")
            if live.COUNTING == "direct":
                self.assertGreater(exporter.open_descriptors(), 2000)
                self.assertGreater(metrics.value("pmu_exporter_open_counters"), 2000)
            for _ in range(100):
                self.assertEqual(exporter.get("/metrics").status, 200)


class Permission(PerfTest):
    def setUp(self):
        super().setUp()
        live.need("setpriv")
        paranoid = pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text()
        if int(paranoid) < 1:
            self.skipTest(f"perf_event_paranoid is {paranoid.strip()}: everyone may count")

    def test_without_the_capability_it_says_so_once_and_stays_up(self):
        paths = self.make(3)
        exporter = Exporter(self.hardware("core, software"), wait=False)
        # the user nobody has to be able to read it
        exporter.directory.chmod(0o755)
        copy = exporter.directory / "pmu_exporter"
        shutil.copy(binary(), copy)
        exporter.binary = str(copy)
        exporter.wrapper = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                            "--inh-caps=-all", "--bounding-set=-all"]
        self.enterContext(exporter)
        exporter.log_until("grant CAP_PERFMON")
        exporter.log_until("msg=listening")
        exporter.answer_in_time()  # the line is in the log before there is a page
        metrics = exporter.after_cycles(2)
        self.assertEqual(self.counted(metrics, paths), 0)
        self.assertEqual(metrics.labels(SUPPORTED, "reason", event="page-faults"),
                         {"not_permitted"})
        for kind in ("system", "cgroup"):  # and not that there is no PMU, which nobody can cure
            self.assertEqual(metrics.labels(UNCOUNTED, "reason", kind=kind), {"not_permitted"})
        answer = exporter.get("/-/ready")
        self.assertEqual(answer.status, 503)
        for word in (b"nothing is counted", b"not_permitted", b"CAP_PERFMON"):
            self.assertIn(word, answer.body)
        lines = [line for line in exporter.log_lines() if "grant CAP_PERFMON" in line]
        self.assertEqual(len(lines), 1, exporter.stderr())
        self.check_same_process(exporter)
        exporter.check_log_rate()


class Calls(PerfTest):
    """Calls that fail, are cut short or take long."""

    def setUp(self):
        super().setUp()
        self.calls = self.enterContext(FailingCalls("perf_event_open", "read", "bpf"))

    def failing(self, **options):
        return self.standing(wrapper=self.calls.wrapper(), **options)

    def readings_answered(self, value, **which):
        """Those of counters, by the mechanism that counts."""
        if by_bpf():
            return self.calls.answered("bpf", value, **which)
        return self.calls.answered("read", value, on=PERF_EVENT, **which)

    def readings(self):
        """What they may return: errors, and by direct nothing or a part."""
        return ("EINTR", "EIO", "ENOMEM") if by_bpf() else ("EINTR", "EIO", "ENOMEM", "0", "8")

    def opens_for_each_cgroup(self):
        if by_bpf():
            self.skipTest("bpf opens nothing for a cgroup")

    def test_no_memory_for_a_moment(self):
        self.opens_for_each_cgroup()
        with self.failing() as exporter:
            with self.calls.answered("perf_event_open", "ENOMEM", first=3) as met:
                paths = self.make(10)
                self.assertLess(self.counted(exporter.after_cycles(2), paths), 10)
            self.assertGreater(met.answered, 0)
            exporter.scrape_until(lambda m: self.counted(m, paths) == 10, 2 * CYCLE, "all counted")
            self.remove(paths)

    def test_interrupted_opens_lose_no_event(self):
        self.opens_for_each_cgroup()
        with self.failing() as exporter:
            with self.calls.answered("perf_event_open", "EINTR", first=2, every=2) as met:
                paths = self.make(5)
                metrics = exporter.scrape_until(lambda m: self.counted(m, paths) == 5, 3.5 * CYCLE,
                                                "all counted")
            self.assertGreater(met.answered, 5)
            for name in ("context_switches", "cpu_migrations", "task_clock_seconds"):
                self.assertEqual(metrics.labels(f"pmu_cgroup_{name}_total", "cgroup"),
                                 {*paths, exporter.load.path})
            self.remove(paths)

    def test_readings_that_fail_now_and_then_lose_nothing(self):
        with self.failing() as exporter:
            for value in self.readings():
                with self.subTest(value):
                    for _ in range(2):
                        with self.readings_answered(value, first=2, count=2) as met:
                            exporter.scrape_until(lambda _: self.calls.count()[1] == 2, PATIENCE,
                                                  "one of each CPU has failed")
                        self.assertEqual(met.answered, 2)
                        exporter.after_cycles(2)

    def test_a_group_that_fails_to_read_is_opened_again_and_keeps_its_total(self):
        with self.failing(control="at most") as exporter:
            path = exporter.load.path
            for value in self.readings()[1:]:  # which is interrupted is begun again
                with self.subTest(value):
                    before = exporter.scrape_until(lambda m: m.value(FAULTS, cgroup=path) is not None,
                                                   PATIENCE, "it is counted")
                    with self.readings_answered(value) as met:
                        exporter.after_cycles(4)
                    self.assertGreater(met.answered, 0)
                    after = exporter.scrape_until(
                        lambda m: (m.value(FAULTS, cgroup=path) or 0)
                        > before.value(FAULTS, cgroup=path),
                        PATIENCE, "it counts again")
                    self.assertEqual(strict_exposition.compare(before.exposition, after.exposition),
                                     [])

    def test_slow_opens_delay_no_scrape(self):
        self.opens_for_each_cgroup()
        with self.failing() as exporter:
            with self.calls.delayed("perf_event_open", 200) as met, Lateness() as late:
                paths = self.make(500)
                slow, end = [], time.monotonic() + 8
                while time.monotonic() < end:
                    response = exporter.get("/metrics")
                    self.assertEqual(response.status, 200)
                    slow.append(response.seconds)
                    time.sleep(0.02)
            self.assertGreater(met.answered, 0)
            slow.sort()
            print(f"{len(slow)} scrapes beside slow opens: p99 {slow[int(0.99 * len(slow))]:.3f} s")
            self.assertLess(slow[int(0.99 * len(slow))], late.limit(0.1))
            self.remove(paths)

    def test_not_ready_while_the_first_cycle_takes_its_time(self):
        self.make(2)
        calls = self.enterContext(FailingCalls("perf_event_open", order="delay perf_event_open 300"))
        exporter = self.enterContext(
            Exporter(self.config(), wrapper=calls.wrapper(), wait=False))
        statuses, end = [], time.monotonic() + PATIENCE
        while time.monotonic() < end and 200 not in statuses:
            try:
                response = exporter.get("/-/ready")
                statuses.append(response.status)
                if response.status == 503:
                    self.assertTrue(response.body.strip(), "the reason")
                    self.assertEqual(exporter.get("/-/healthy").status, 200)
            except ConnectionError:
                pass
            time.sleep(0.02)
        self.assertEqual(statuses[-1], 200)
        self.assertEqual(statuses[0], 503, "the server is there before the first cycle is over")


class Killed(PerfTest):
    def test_ready_again_at_once_after_kill_9(self):
        path, = self.make(1)
        for _ in range(3):
            with Exporter(self.config()) as exporter:
                self.assertLess(exporter.ready_after, READY_WITHIN)
                self.assertEqual(exporter.scrape().value(FAULTS, cgroup=path), 0)
                exporter.kill()


if __name__ == "__main__":
    standing.main(at_once=2)
