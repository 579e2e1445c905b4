# SPDX-License-Identifier: Apache-2.0
"""What may be done to the configuration: texts that are none, and more reloads than anybody needs."""
import os
import pathlib
import re
import signal
import tempfile
import threading
import time

import live
import standing
from exporter import (LOG_LINES_A_SECOND, PATIENCE, SLACK, Exporter, http_get, quote, run_once,
                      unit_environment, without_profiles)
from standing import FAULTS, SWITCHES

CORPUS = pathlib.Path(__file__).resolve().parents[1] / "fuzz/corpus/config"
GOOD = "pmu_exporter_config_last_reload_successful"
READ_AT = "pmu_exporter_config_last_reload_success_timestamp_seconds"
START = "pmu_cgroup_start_time_seconds"
HELD_BACK = re.compile(r'msg="log lines were held back" lines=(\d+)')
NO_LONGER = "no longer there, as if the file had been cut"  # which only a reload refuses
LONG_NAME = "x" * 65536
NESTED = "groups: " + "[" * 200000 + "\n"
NESTED_CPU_SECONDS = 0.05
N_BAD_RELOADS = 100
STORM_SECONDS = float(os.environ.get("PMU_TEST_SECONDS", "4"))
SCRAPERS = 16
RELOADS_A_SECOND = 100
IDLE = [f"idle{i}.service" for i in range(5)]


class ConfigurationTest(standing.FaultTest):
    def reload(self, exporter, text=None):
        """(status, answer) of a reload over the control socket."""
        file = exporter.directory / "pmu_exporter.yml"
        if text is not None:
            new = file.with_suffix(".new")  # in its place as a whole
            new.write_bytes(text if isinstance(text, bytes) else without_profiles(text).encode())
            new.replace(file)
        answer = exporter.ask_control("POST", "/-/reload", timeout=PATIENCE)
        return answer.status, answer.body.decode()

    def check_refused(self, exporter, text, place=r"\d+:\d+"):
        """It is refused, and the answer has the place; how the one that runs goes on is asserted by
        standing()."""
        status, answer = self.reload(exporter, text)
        self.assertEqual(status, 500, answer[:200])
        self.assertRegex(answer, rf"pmu_exporter\.yml:{place}: ")
        exporter.scrape_until(lambda m: m.value(GOOD) == 0, PATIENCE, "that it is told")

    def check_stays(self, exporter, begin):
        """The configuration that ran before runs on."""
        now = exporter.after_cycles(2)
        self.assertEqual(now.value(READ_AT), begin.value(READ_AT))
        self.assertEqual(now.find(START), begin.find(START))


class Texts(ConfigurationTest):
    def config_of(self, event):
        return self.config().replace("page-faults]", f"page-faults, {event}]")

    def test_an_event_of_64_kib_ends_the_start_with_its_place(self):
        path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "long.yml"
        path.write_text(self.config_of(LONG_NAME))
        done = run_once(f"--config.file={path}")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rf"{re.escape(str(path))}:6:\d+: ")
        self.assertLess(len(done.stderr), 4096)

    def test_an_event_of_64_kib_is_refused_by_a_reload(self):
        with self.standing() as exporter:
            begin = exporter.scrape()
            self.check_refused(exporter, self.config_of(LONG_NAME), r"6:\d+")
            self.check_stays(exporter, begin)

    def test_an_event_that_no_machine_has_is_told_and_the_others_are_counted(self):
        """Machines of a fleet share a configuration, so that this is no error: at the start, and by a
        reload."""
        supported = "pmu_exporter_event_supported"
        with self.standing(self.config_of("no-such-event")) as exporter:
            metrics = exporter.scrape()
            self.assertEqual(metrics.value(supported, event="no-such-event", reason="unknown_event"), 0)
            status, answer = self.reload(exporter, self.config_of("no-other-event"))
            self.assertEqual(status, 200, answer)
            exporter.scrape_until(lambda m: m.value(supported, event="no-other-event",
                                                    reason="unknown_event") == 0, PATIENCE, "the other")
            exporter.log_until("no-other-event")

    def test_what_is_wrong_in_the_corpus_is_refused_with_its_place(self):
        bad = sorted(CORPUS.glob("bad-*"))
        self.assertGreater(len(bad), 20)
        with self.standing() as exporter:
            begin = exporter.scrape()
            for file in bad:
                with self.subTest(file=file.name):
                    self.check_refused(exporter, file.read_bytes(), r"(\d+:\d+)")
            self.check_stays(exporter, begin)
            self.assertEqual(self.reload(exporter, self.config())[0], 200)

    def test_what_is_right_in_the_corpus_is_taken_and_left_again(self):
        path = self.cgroups.make("a.service")
        with Exporter(self.config()) as exporter:
            for file in sorted(CORPUS.glob("good-*")):
                with self.subTest(file=file.name):
                    status, answer = self.reload(exporter, file.read_bytes())
                    if NO_LONGER not in answer:
                        self.assertEqual(status, 200, answer)
            self.assertEqual(self.reload(exporter, self.config())[0], 200)
            exporter.scrape_until(lambda m: m.value(FAULTS, cgroup=path) is not None, PATIENCE,
                                  "the cgroup is counted again")

    def test_deep_nesting_costs_next_to_nothing(self):
        """By CPU time, which no other load of the machine adds to; less that of a short text."""
        def cost(exporter, text):
            before = exporter.cpu_seconds()
            self.check_refused(exporter, text)
            return exporter.cpu_seconds() - before

        with self.standing() as exporter:
            cost(exporter, "intervall: 1s\n")
            short = min(cost(exporter, f"intervall: {i}s\n") for i in range(3))
            nested = min(cost(exporter, NESTED + "#" * i + "\n") for i in range(3))
        print(f"{self.id()}: {nested * 1000:.1f} ms of CPU time, {short * 1000:.1f} ms for a short text")
        self.assertLess(nested - short, NESTED_CPU_SECONDS * SLACK)


class Storms(ConfigurationTest):
    def test_each_line_of_bad_reloads_is_written_or_counted(self):
        """standing() asserts the rate."""
        with self.standing() as exporter:
            exporter.after_cycles(2)
            began = time.monotonic()
            for _ in range(N_BAD_RELOADS):
                status, _ = self.reload(exporter, "intervall: 1s\n")
                self.assertEqual(status, 500)
            seconds = time.monotonic() - began
            for _ in live.tries(PATIENCE):
                text = exporter.stderr()
                written = text.count("configuration is not valid")
                held_back = sum(map(int, HELD_BACK.findall(text)))
                if written + held_back >= N_BAD_RELOADS:
                    break
            print(f"{self.id()}: {written} lines are written, {held_back} held back")
            if N_BAD_RELOADS > 2 * LOG_LINES_A_SECOND * (seconds + 1):
                self.assertGreater(held_back, 0)
            self.assertGreaterEqual(written + held_back, N_BAD_RELOADS)
            self.assertLess(written + held_back, N_BAD_RELOADS + 5, "a few lines of others")

    def alternatives(self):
        """Two configurations, by which the idle cgroups are counted by one event or by the other."""
        def text(group):
            idle = ", ".join(quote(f"/{self.cgroups.top}/{name}") for name in IDLE)
            return self.config().replace(
                "groups:\n",
                "groups:\n  - {name: faults, events: [page-faults]}\n"
                "  - {name: switches, events: [context-switches]}\n", 1).replace(
                "  cgroups:\n", f"  cgroups:\n    - {{include: [{idle}], groups: [{group}]}}\n")

        return text("faults"), text("switches")

    def scrape(self, exporter, seen, stop):
        """Notes of each answer its status, and how many idle cgroups have the one and the other."""
        patterns = [re.compile(rf'(?m)^{name}{{cgroup="/[^"]*/idle[^"]*"}}'.encode())
                    for name in (FAULTS, SWITCHES)]
        while not stop.is_set():
            answer = http_get(exporter.port, "/metrics", timeout=PATIENCE)
            n = tuple(len(pattern.findall(answer.body)) for pattern in patterns)
            seen.append((answer.status, *n))

    def storm(self, exporter, texts):
        """Two files in turns, and far more reloads than turns."""
        file, end = exporter.directory / "pmu_exporter.yml", time.monotonic() + STORM_SECONDS
        new, n = file.with_suffix(".new"), 0
        while time.monotonic() < end:
            if n % (RELOADS_A_SECOND // 2) == 0:
                new.write_text(without_profiles(texts[n // (RELOADS_A_SECOND // 2) % 2]))
                new.replace(file)
            os.kill(exporter.pid, signal.SIGHUP)
            n += 1
            time.sleep(1 / RELOADS_A_SECOND)
        return n

    def test_reloads_under_load_mix_nothing_and_lose_no_count(self):
        for name in IDLE:
            self.cgroups.make(name)
        texts, seen, stop = self.alternatives(), [], threading.Event()
        with self.standing(texts[0], env=unit_environment()) as exporter:
            threads = [threading.Thread(target=self.scrape, args=(exporter, seen, stop))
                       for _ in range(SCRAPERS)]
            for thread in threads:
                thread.start()
            n = self.storm(exporter, texts)
            stop.set()
            for thread in threads:
                thread.join()
            self.assertEqual(self.reload(exporter, texts[0])[0], 200)
            exporter.after_cycles(2)
        answers = {answer: seen.count(answer) for answer in set(seen)}
        print(f"{self.id()}: {n} reloads, answers by status and what is counted: {answers}")
        self.assertEqual(set(answers), {(200, len(IDLE), 0), (200, 0, len(IDLE))})


if __name__ == "__main__":
    standing.main()
