# SPDX-License-Identifier: Apache-2.0
"""A limit of memory of its own cgroup: targets are shed first, and never those who ask."""
import concurrent.futures
import contextlib
import os
import pathlib

import live
import standing
from exporter import PATIENCE, Exporter, is_sanitized
from standing import FAULTS

MIB = 1 << 20
LIMIT, PLENTY = 20 * MIB, 96 * MIB
N = 2000
SHORT = 1.5 * MIB  # what is left by a limit that is lowered
ALL_FITS = "limits: {cgroups: 3000}\n"
UNCOUNTED = "pmu_exporter_targets_uncounted"
STEADY_CYCLES = 3
ASKERS = 8
PAGES = ("/metrics", "/metrics?name[]=pmu_cgroup_task_clock_seconds_total", "/api/v1/targets",
         "/api/v1/status", "/")
FORMS = ({}, {"Accept-Encoding": "gzip"}, {"Accept": "application/openmetrics-text"})


class OwnCgroup:
    """A cgroup with a limit of memory, in the hierarchy that has it."""

    def __init__(self, v2_mount):
        v1 = pathlib.Path("/sys/fs/cgroup/memory")
        self.is_v1 = (v1 / "memory.limit_in_bytes").exists() or (v1 / "cgroup.procs").exists()
        self.directory = (v1 if self.is_v1 else pathlib.Path(v2_mount)) / f"pmu-test-memory-{os.getpid()}"

    def __enter__(self):
        self.directory.mkdir()
        return self

    def __exit__(self, *_):
        for _ in live.tries(PATIENCE):
            with contextlib.suppress(OSError):
                self.directory.rmdir()
                break

    def limits(self):
        return (self.directory / ("memory.limit_in_bytes" if self.is_v1 else "memory.max")).exists()

    def set_limit(self, limit):
        name = "memory.limit_in_bytes" if self.is_v1 else "memory.max"
        (self.directory / name).write_text(str(int(limit)))

    def used(self):
        return int((self.directory / ("memory.usage_in_bytes" if self.is_v1 else "memory.current"))
                   .read_text())

    def killed(self):
        """How many processes the kernel has killed for it."""
        text = (self.directory / ("memory.oom_control" if self.is_v1 else "memory.events")).read_text()
        return int(text.split("oom_kill ")[1].split()[0])

    def enter(self):
        """What stands in front of a command."""
        return ["sh", "-c", f'echo $$ > {self.directory}/cgroup.procs && exec "$@"', "sh"]


class Limited(standing.FaultTest):
    def setUp(self):
        super().setUp()
        if is_sanitized():
            self.skipTest("sanitizers take more memory than any limit that means something")
        try:
            self.own = self.enterContext(OwnCgroup(self.cgroups.mount))
        except OSError as error:
            self.skipTest(f"no cgroup can be made: {error}")
        if not self.own.limits():
            self.skipTest("memory cannot be limited here")
        self.own.set_limit(LIMIT)

    def check_told(self, metrics):
        """Each cgroup is counted, or left out for a reason that is told. How many are counted."""
        n = int(metrics.value("pmu_exporter_targets", kind="cgroup"))
        self.assertEqual(n + metrics.sum(UNCOUNTED, kind="cgroup"), N + 1)  # with the control
        return n

    def until_steady(self, exporter, condition, what):
        """When no more are counted and no fewer."""
        metrics = exporter.scrape_until(
            lambda m: m.sum(UNCOUNTED, kind="cgroup") +
            (m.value("pmu_exporter_targets", kind="cgroup") or 0) == N + 1 and condition(m), PATIENCE, what)
        for _ in live.tries(PATIENCE):
            before, metrics = metrics, exporter.after_cycles(STEADY_CYCLES)
            if before.value("pmu_exporter_targets", kind="cgroup") == \
                    metrics.value("pmu_exporter_targets", kind="cgroup"):
                return metrics
        self.fail("the number of targets goes up and down")

    def ask(self, exporter):
        """All forms of all pages, by several at once."""
        def one(i):
            for path in PAGES:
                self.assertEqual(exporter.get(path, headers=FORMS[i % len(FORMS)]).status, 200)

        with concurrent.futures.ThreadPoolExecutor(ASKERS) as pool:
            list(pool.map(one, range(ASKERS)))

    def left_out(self, metrics):
        return int(metrics.value(UNCOUNTED, kind="cgroup", reason="no_memory") or 0)

    def test_what_fits_is_counted_and_the_rest_is_told_and_comes_back(self):
        config = self.config(more=ALL_FITS)
        # what so many have taken is kept for others (GLIBC_TUNABLES)
        with self.standing(config, memory=False, wrapper=self.own.enter()) as exporter:
            before, paths = self.own.used(), self.make(N)
            metrics = self.until_steady(exporter, self.left_out, "some are left out")
            counted = self.check_told(metrics)
            print(f"{self.id()}: {counted} of {N} are counted in {LIMIT} bytes, "
                  f"{(self.own.used() - before) / counted:.0f} bytes each")
            self.assertGreater(counted, 1)
            self.assertEqual(self.counted(metrics, paths), counted - 1)
            self.ask(exporter)
            self.assertEqual(self.check_told(exporter.after_cycles(STEADY_CYCLES)), counted, "they stay")

            self.own.set_limit(self.own.used() + SHORT)
            metrics = exporter.scrape_until(
                lambda m: m.value("pmu_exporter_targets", kind="cgroup") < counted, PATIENCE, "fewer")
            self.ask(exporter)
            fewer = self.check_told(metrics)
            self.assertGreater(self.left_out(metrics), N - counted)
            self.assertIsNotNone(metrics.value(FAULTS, cgroup=exporter.load.path), "the oldest stay")

            self.own.set_limit(PLENTY)
            metrics = self.until_steady(exporter, lambda m: not self.left_out(m), "memory is enough")
            print(f"{self.id()}: {fewer} in a lower limit, {self.check_told(metrics)} in a higher one")
            self.assertGreater(self.check_told(metrics), counted)
            self.assertEqual(self.own.killed(), 0)
            lines = [line for line in exporter.log_lines() if "reason=no_memory" in line]
            self.assertIn(len(lines), range(1, 5), exporter.stderr())
            self.remove(paths)
            exporter.scrape_until(lambda m: not self.counted(m, paths), PATIENCE, "they have ended")

    def test_profiles_wait_for_memory(self):
        config = self.config(more="profiles: {enabled: true}\n")
        with Exporter(config, wrapper=self.own.enter()) as exporter:
            exporter.log_until("the limit of memory has no room for what samples")
            self.own.set_limit(PLENTY)
            exporter.log_until("sampling for profiles has begun")
            self.check_same_process(exporter)


if __name__ == "__main__":
    live.main()
