# SPDX-License-Identifier: Apache-2.0
"""pmutool top: the screen, in a real terminal; text and JSON; from an exporter, and by itself."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

import live
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, binary, is_sanitized
from tmux import Terminal

PMUTOOL = str(pathlib.Path(binary()).parent / "pmutool")
HOSTILE = (b"esc\x1b[2J\x1b[31mred", b"bytes\xff\xfe", "turn\u202eder".encode(),
           b"quote\"back\\slash", "wide\u6f22\u5b57".encode())


class Reader:
    """Runs `pmutool top --json`; its objects come one by one."""

    def __init__(self, *words):
        self.words = [PMUTOOL, "top", "--json", *words]

    def __enter__(self):
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE, text=True,
                                        stdin=subprocess.DEVNULL)
        return self

    def next(self):
        return json.loads(self.process.stdout.readline())

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def target(table, name):
    """The target of that name, of one table of --json; None if it has none."""
    found = [t for t in table["targets"] if t["name"] == name]
    return found[0] if found else None


class Sums:
    """What the tables of --json tell of one cgroup, added up: rates times seconds."""

    def __init__(self, name):
        self.name, self.sums = name, {"cpus": 0.0, "switches": 0.0, "faults": 0.0}

    def take(self, table):
        row = target(table, self.name)
        for column in self.sums if row else ():
            self.sums[column] += (row[column] or 0.0) * table["seconds"]

    def near(self, cpu, switches, faults, share=0.0):
        """Whether they are these numbers, but for what rounding and this share make."""
        return (abs(self.sums["cpus"] - cpu) < 1e-6 + share * cpu and
                abs(self.sums["switches"] - switches) < 1e-3 + share * switches and
                abs(self.sums["faults"] - faults) < 1e-3 + share * faults)


def counted(exporter, name):
    """What the exporter has counted of a cgroup: CPU seconds, switches, faults."""
    metrics = exporter.scrape()
    return [float(metrics.value(f"pmu_cgroup_{counter}_total", cgroup=name) or 0)
            for counter in ("task_clock_seconds", "context_switches", "page_faults")]


class Numbers(live.LiveTest):
    def test_the_tables_add_up_to_what_the_exporter_has_counted(self):
        with Cgroups() as cgroups:
            name = cgroups.make("a.service")
            with live.Load(cgroups.directory("a.service"), switches=300, faults=2000,
                           burn_ms=300) as load, \
                    Exporter(live.config(cgroups, linger="60s")) as exporter, \
                    Reader(f"--socket={exporter.control}") as reader:
                sums = Sums(name)
                first = reader.next()
                self.assertEqual(first["source"], "exporter")
                self.assertEqual(target(first, name)["faults"], 0)
                self.assertIsNone(target(first, name)["ipc"])
                load.run()
                end = time.monotonic() + PATIENCE
                while not (sums.sums["switches"] >= 300 and sums.near(*counted(exporter, name))):
                    self.assertLess(time.monotonic(), end, (sums.sums, counted(exporter, name)))
                    sums.take(reader.next())
                self.assertGreater(sums.sums["cpus"], 0)
                self.assertGreaterEqual(sums.sums["faults"], 2000)

    def test_own_counters_count_what_an_exporter_beside_them_counts(self):
        with Cgroups() as cgroups:
            name = cgroups.make("own.service")
            with live.Load(cgroups.directory("own.service"), switches=300, faults=2000,
                           burn_ms=300) as load, \
                    Exporter(live.config(cgroups, linger="60s")) as exporter, \
                    Reader("--standalone", "--delay=0.5") as reader:
                sums = Sums(name)
                first = reader.next()
                self.assertEqual(first["source"], "own counters")
                self.assertIn(first["mechanism"], ("bpf", "direct"))
                self.assertGreaterEqual(first["machine"]["cpus_online"], 1)
                load.run()
                # The two begin and end at other times, but the load is whole within both. A bpf of
                # a kernel that hides switches gives what is in doubt to nobody.
                end = time.monotonic() + PATIENCE
                while not (sums.sums["switches"] >= 250 and # which are the last that the load makes
                           sums.near(*counted(exporter, name), share=0.01)):
                    self.assertLess(time.monotonic(), end, (sums.sums, counted(exporter, name)))
                    sums.take(reader.next())

    def test_a_process_has_a_row_of_its_own_counters(self):
        with live.Load(None, burn_ms=60000) as load, \
                Reader("--standalone", "--show=processes", "load") as reader:
            load.go()
            name = f"load {load.process.pid}"
            end = time.monotonic() + PATIENCE
            while not (target(table := reader.next(), name) or {}).get("cpus"):
                self.assertLess(time.monotonic(), end, table)
            self.assertEqual({t["kind"] for t in table["targets"]}, {"process"})
            self.assertTrue(all("load" in t["name"].lower() for t in table["targets"]), table)

    @unittest.skipIf(is_sanitized(), "sanitizers keep memory that was freed")
    def test_memory_is_flat(self):
        """What leaks grows all the time; what other tests add to the machine does not."""
        with Reader("--standalone", "--delay=0.1", "--show=all") as reader:
            for _ in range(25):
                reader.next()
            grown = []
            while not grown or (min(grown) >= 2048 and len(grown) < 10):
                before = anonymous_kib(reader.process.pid)
                for _ in range(75):
                    reader.next()
                grown.append(anonymous_kib(reader.process.pid) - before)
        self.assertLess(min(grown), 2048, f"{grown} KiB in 75 tables each")


def anonymous_kib(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"RssAnon:\s+(\d+) kB", text)[1])


def run_top(*words, env=None, wrapper=(), **options):
    return subprocess.run([*wrapper, PMUTOOL, "top", *words], capture_output=True, text=True, timeout=120,
                          check=False, stdin=subprocess.DEVNULL,
                          env={**os.environ, "LC_ALL": "C.UTF-8", **(env or {})}, **options)


class Text(live.LiveTest):
    def test_a_pipe_gets_plain_text_sorted_and_filtered(self):
        with Cgroups() as cgroups:
            for name in ("b.service", "a.service", "other.scope"):
                cgroups.make(name)
            with Exporter(live.config(cgroups, system="all")) as exporter:
                socket = f"--socket={exporter.control}"
                done = run_top("-n", "2", "-s", "name", socket, "SERVICE")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertNotIn("\x1b", done.stdout)
                tables = done.stdout.strip().split("\n\n")
                self.assertEqual(len(tables), 2, done.stdout)
                about, titles, *rows = tables[1].splitlines()
                self.assertRegex(about, r"^pmutool top - [-0-9]+ [:0-9]+, exporter \((direct|bpf)\), "
                                        r"[\d.]+ of \d+ CPUs used, over [\d.]+ s$")
                self.assertEqual(titles.split(), ["CPUS", "SWITCH/s", "MIGR/s", "FAULT/s", "NAME"])
                self.assertEqual([row.split()[-1] for row in rows],
                                 [cgroups.path("a.service"), cgroups.path("b.service")])
                done = run_top("-n1", "-tr", "-s", "name", socket)
                rows = [line.split("  ")[-2:] for line in done.stdout.splitlines()[2:] if line]
                self.assertEqual([row[-1].strip() for row in rows],
                                 ["/" + cgroups.top, "other.scope", "b.service", "a.service"])

    def test_names_that_would_steer_a_terminal_are_written_out(self):
        with Cgroups() as cgroups:
            for name in HOSTILE:
                cgroups.make(name)
            deep = b"/".join([b"\xff" * 250] * 15)
            cgroups.make(deep)
            with Exporter(live.config(cgroups)) as exporter:
                done = run_top("-n1", f"--socket={exporter.control}")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                for shown in (r"esc\x1b[2J\x1b[31mred", r"bytes\xff\xfe", r"turn\u202eder",
                              'quote"back\\slash', "wide漢字"):
                    self.assertIn(f"/{cgroups.top}/{shown}\n", done.stdout)
                self.assertIn(r"\xff" * 250, done.stdout)
                for bad in ("\x1b", "\u202e"):
                    self.assertNotIn(bad, done.stdout)
                done = run_top("-n1", f"--socket={exporter.control}", env={"LC_ALL": "C"})
                self.assertTrue(done.stdout.isascii())
                self.assertIn(r"wide\u6f22\u5b57", done.stdout)

    def test_it_says_what_is_not_counted(self):
        with Cgroups() as cgroups:
            for i in range(6):
                cgroups.make(f"{i}.service")
            config = live.config(cgroups, more="limits: {cgroups: 4}\n")
            with Exporter(config) as exporter:
                done = run_top("-n1", f"--socket={exporter.control}")
                self.assertRegex(done.stdout.splitlines()[0],
                                 r", not counted: \d cgroup \(over_limit\), over ")

    def test_wrong_words_say_what_was_expected(self):
        for words, expected in (
                (["-s", "cpu"], '--sort is "cpu", did you mean cpus?'),
                (["-s", "heat"], "expected cpus, ipc,"),
                (["-d", "0.01"], '-d "0.01": expected seconds from 0.1 to 3600'),
                (["-d", "1e"], '-d "1e": expected seconds'),
                (["-n", "0"], '--iterations is "0"; expected a number from 1 on'),
                (["-w", "cpus"], '--show is "cpus"; expected cgroups, processes or all'),
                (["--standalone", "--socket=/x"], "--standalone and --socket exclude each other"),
                (["a", "b"], 'unexpected argument "b"')):
            done = run_top("-b", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(expected, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_without_rights_it_says_what_is_missing(self):
        live.need("setpriv")
        if int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text()) < 1:
            self.skipTest("everybody may count cgroups: kernel.perf_event_paranoid is below 1")
        done = run_top("-b", "-n1", "--standalone", wrapper=[
            "setpriv", "--bounding-set=-all", "--inh-caps=-all", "--reuid=65534", "--regid=65534",
            "--clear-groups"])
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "pmutool: nothing is counted, it is not permitted "
                         "(not_permitted): grant CAP_PERFMON, or lower "
                         "kernel.perf_event_paranoid\n")

    def test_an_exporter_that_is_not_there_is_told_and_ends_a_script(self):
        done = run_top("-b", "-n1", "--socket=/nowhere/control")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "pmutool: there is no such socket; is pmu_exporter running, "
                         "with this --control.socket?\n")


class OnScreen(live.LiveTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        live.need("tmux")

    def start(self, names, system="all"):
        cgroups = self.enterContext(Cgroups())
        for name in names:
            cgroups.make(name)
        exporter = self.enterContext(Exporter(live.config(cgroups, system=system)))
        return cgroups, exporter

    def top(self, exporter, *words, **options):
        return self.enterContext(
            Terminal([PMUTOOL, "top", f"--socket={exporter.control}", *words], **options))

    def names(self, screen):
        """The names of the rows, from the top down."""
        rows = [line for line in screen.lines[4:-1] if line.strip()]
        return [re.split(r"\s{2,}|─ ", row.strip())[-1] for row in rows]

    def test_rows_sparklines_order_filter_and_tree(self):
        cgroups, exporter = self.start(["x.slice/b.service", "x.slice/a.service", "c.scope"])
        a, b = (cgroups.path(f"x.slice/{name}.service") for name in "ab")
        with live.Load(cgroups.directory("x.slice/b.service"), burn_ms=600000) as load:
            load.go()
            terminal = self.top(exporter)
            screen = terminal.wait_for(
                lambda s: re.match(r" +\d+\.\d*[1-9]", s.line_of(b) or ""), "CPUs of the load")
            self.assertIn("pmutool top", screen.lines[0])
            self.assertIn("from exporter, counted by", screen.lines[0])
            self.assertRegex(screen.lines[1], r"^CPUs \[\|+ *[\d.]+ of \d+\]  SWITCH/s ")
            self.assertEqual(screen.lines[3].split(),
                             ["CPUS", "SWITCH/s", "MIGR/s", "FAULT/s", "HISTORY", "CGROUP"])
            self.assertIn("q", screen.lines[29])
            # Both the slice, which contains it, and the service stand above those that are idle.
            self.assertEqual(set(self.names(screen)[:2]), {cgroups.path("x.slice"), b})
            terminal.wait_for(lambda s: re.search("[▁-█]{3}", s.line_of(b)), "a sparkline")
            terminal.keys("N")
            screen = terminal.wait_for(lambda s: self.names(s) == sorted(self.names(s)), "by name")
            terminal.keys("r")
            terminal.wait_for(
                lambda s: self.names(s) == sorted(self.names(s), reverse=True), "backwards")
            terminal.keys("r", "t")
            screen = terminal.wait_for(lambda s: "├─ a.service" in s.text, "the tree")
            self.assertIn("└─ b.service", screen.text)
            self.assertIn(f" /{cgroups.top}", screen.text)
            terminal.keys("t", "/")
            terminal.type("A.SERV")
            screen = terminal.wait_for(lambda s: self.names(s) == [a], "the filter")
            self.assertIn("Filter: A.SERV", screen.lines[2])
            terminal.keys("Enter", "Escape")
            terminal.wait_for(lambda s: len(self.names(s)) == 4, "all rows again")
            terminal.keys("h")
            terminal.wait_for(lambda s: "sort by SWITCH/s: context switches a second" in s.text)
            terminal.keys("h")
            terminal.wait_for(lambda s: b in s.text)
            terminal.keys("Space")
            screen = terminal.wait_for(lambda s: "Paused" in s.lines[2])
            terminal.keys("q")
            self.wait_until(terminal.ended)

    def wait_until(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def test_the_screen_follows_its_size(self):
        cgroups, exporter = self.start([f"n{i:02}.service" for i in range(30)])
        terminal = self.top(exporter, "-s", "name", width=120, height=24)
        terminal.wait_for(lambda s: "n18.service" in s.text and "n19.service" not in s.text)
        terminal.keys("End")
        terminal.wait_for(lambda s: "n29.service" in s.text and "n00.service" not in s.text)
        terminal.resize(60, 12)
        screen = terminal.wait_for(lambda s: "Quit" not in s.text and "hHelp" in s.lines[11]
                                   and "n11.service" in s.text, "12 lines")
        self.assertNotIn("HISTORY", screen.text)
        terminal.keys("PPage")
        terminal.wait_for(lambda s: "n10.service" in s.text and "n11.service" not in s.text)
        terminal.resize(26, 6)
        # The column of the order goes last.
        terminal.wait_for(lambda s: "hHelp" in s.lines[5] and s.lines[3].split() == ["CGROUP"],
                          "6 lines")
        terminal.keys("Home", "a")
        terminal.wait_for(lambda s: "CGROUP OR PROCESS" in s.lines[3], "the names' column")
        terminal.resize(1, 1)
        terminal.resize(100, 40)
        terminal.keys("Home")
        terminal.wait_for(lambda s: "n00.service" in s.text and "n29.service" in s.text)
        self.assertTrue(cgroups.top)

    def test_a_terminal_of_ascii_gets_ascii(self):
        cgroups, exporter = self.start(["p.slice/a", "p.slice/b", "wide\u6f22"])
        terminal = self.top(exporter, "-t", locale="C")
        screen = terminal.wait_for(lambda s: "|- a" in s.text and "`- b" in s.text, "the tree")
        self.assertTrue(screen.text.isascii(), screen.text)
        self.assertIn(r"wide\u6f22", screen.text)
        terminal.wait_for(lambda s: re.search(r"\d  +_{2,}", s.line_of("`- b")), "a sparkline")
        self.assertTrue(cgroups.top)

    def test_hostile_names_stay_in_their_line(self):
        cgroups, exporter = self.start([*HOSTILE, b"/".join([b"\xff" * 250] * 15)], system=None)
        terminal = self.top(exporter, "-s", "name", width=140, height=40)
        screen = terminal.wait_for(lambda s: r"esc\x1b[2J\x1b[31mred" in s.text, "a name")
        for shown in (r"bytes\xff\xfe", r"turn\u202eder", "wide漢字"):
            self.assertIn(f"/{cgroups.top}/{shown}", screen.text)
        self.assertIn("…", screen.text)
        self.assertNotIn("\u202e", screen.text)
        self.assertTrue(all(len(line) <= 140 for line in screen.lines))
        self.assertIn("CGROUP", screen.lines[3])
        terminal.keys("t")
        terminal.wait_for(lambda s: "─ bytes\\xff\\xfe" in s.text, "the tree")

    def test_an_exporter_that_ends_and_comes_back(self):
        with Cgroups() as cgroups:
            name = cgroups.make("a.service")
            config = live.config(cgroups)
            with Exporter(config) as exporter:
                with live.Load(cgroups.directory("a.service"), burn_ms=600000) as load:
                    load.go()
                    terminal = self.top(exporter)
                    busy = lambda s: re.match(r" +\d+\.\d*[1-9]", s.line_of(name) or "")
                    terminal.wait_for(busy, "a rate")
                    exporter.kill()
                    screen = terminal.wait_for(lambda s: "nobody listens" in s.lines[2])
                    self.assertIn(name, screen.text)  # what was known last is still there
                    exporter.start()
                    screen = terminal.wait_for(lambda s: "listens" not in s.text and busy(s),
                                               "rates of the new exporter")
                    self.assertNotRegex("\n".join(screen.lines[3:]), r"\s-\d")
                    terminal.keys("q")
                    self.wait_until(terminal.ended)

    def test_an_exporter_that_hangs_does_not_stop_the_keys(self):
        cgroups, exporter = self.start(["a.service"])
        terminal = self.top(exporter)
        terminal.wait_for(lambda s: cgroups.path("a.service") in s.text)
        os.kill(exporter.pid, signal.SIGSTOP)
        try:
            terminal.wait_for(lambda s: "pmu_exporter does not answer" in s.lines[2])
            terminal.keys("t")
            terminal.wait_for(lambda s: f"/{cgroups.top}/a.service" in s.text)
            terminal.keys("h")
            terminal.wait_for(lambda s: "this help" in s.text)
            terminal.keys("h")
        finally:
            os.kill(exporter.pid, signal.SIGCONT)
        terminal.wait_for(lambda s: "does not answer" not in s.text and "CPUS" in s.text)

    def in_shell(self, *words):
        """A shell in which top runs, and has drawn its table. What stood there before is hidden."""
        line = " ".join(["echo before-$((6*7));", PMUTOOL, "top", "--standalone", *words])
        terminal = self.enterContext(Terminal(line, shell=True))
        terminal.wait_for(lambda s: "from own counters, counted by" in s.text and
                          "before-42" not in s.text, "the table")
        return terminal

    def check_restored(self, terminal):
        """The screen of before is back, with its cursor, and the shell edits lines."""
        terminal.wait_for(lambda s: "before-42" in s.text and "CPUS" not in s.text, "the shell")
        self.assertEqual(terminal.ask("alternate_on"), "0")
        self.assertEqual(terminal.ask("cursor_flag"), "1")
        terminal.type("echo status-$?; stty -a </dev/tty | tr ' ' '\\n' | grep -xE -- '-?(icanon|echo|icrnl)'")
        terminal.keys("Enter")
        screen = terminal.wait_for(lambda s: "\necho\n" in s.text + "\n")
        self.assertIn("\nstatus-", screen.text)
        return screen

    def test_quitting_restores_the_terminal(self):
        terminal = self.in_shell("-w", "processes")
        terminal.keys("q")
        self.assertIn("\nstatus-0\n", self.check_restored(terminal).text)

    def test_sigterm_and_interrupt_restore_the_terminal(self):
        terminal = self.in_shell()
        os.kill(terminal.child("pmutool"), signal.SIGTERM)
        self.assertIn("\nstatus-0\n", self.check_restored(terminal).text)
        terminal = self.in_shell()
        terminal.keys("C-c")
        self.assertIn("\nstatus-0\n", self.check_restored(terminal).text)

    def test_it_can_be_stopped_and_continued(self):
        terminal = self.in_shell("-w", "processes")
        terminal.keys("C-z")
        terminal.wait_for(lambda s: "Stopped" in s.text and "CPUS" not in s.text, "the shell")
        self.assertEqual(terminal.ask("alternate_on"), "0")
        terminal.type("fg")
        terminal.keys("Enter")
        terminal.wait_for(lambda s: "from own counters" in s.text and "CPUS" in s.text, "the table")
        self.assertEqual(terminal.ask("alternate_on"), "1")
        terminal.keys("q")
        self.check_restored(terminal)

    def test_a_terminal_that_is_not_known_is_told(self):
        with Terminal(["sh", "-c", f"TERM=nothing {PMUTOOL} top --standalone; echo status-$?; sleep 60"],
                      width=150) as terminal:
            screen = terminal.wait_for(lambda s: "status-1" in s.text)
            self.assertIn('this type of terminal is not known here (TERM is "nothing"); -b prints '
                          'plain text', screen.text)


if __name__ == "__main__":
    live.main(at_once=3)
