#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the commands of pmutool about events print: `events`, `encode`, `check event`.

    test_events.py PMUTOOL
"""
import fcntl
import json
import os
import pathlib
import pty
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

PMUTOOL = sys.argv[1]


FORMAT = """name: sched_switch
ID: 1
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;

	field:char prev_comm[16];	offset:8;	size:16;	signed:0;
	field:int prev_prio;	offset:28;	size:4;	signed:1;

print fmt: "prev_comm=%s", REC->prev_comm
"""


def run(*words, **options):
    """(exit status, stdout, stderr)"""
    done = subprocess.run([PMUTOOL, *words], capture_output=True, text=True, timeout=60, **options)
    return done.returncode, done.stdout, done.stderr


def in_terminal(columns, *words, **environment):
    """What a terminal of so many columns gets."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    inherited = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    process = subprocess.Popen([PMUTOOL, *words], stdout=theirs, stdin=subprocess.DEVNULL,
                               env=inherited | {"TERM": "xterm"} | environment)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the last one who wrote has closed the terminal
            part = b""
        if not part:
            break
        shown += part
    os.close(ours)
    process.wait(timeout=60)
    return shown.decode()


class Machine(unittest.TestCase):
    """A directory that is the sysfs of a machine."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.sysfs = directory.name
        self.write("bus/event_source/devices/software/type", "1\n")
        self.write("bus/event_source/devices/tracepoint/type", "2\n")
        self.write("kernel/tracing/events/header_page", "")

    def write(self, path, text):
        file = pathlib.Path(self.sysfs, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)

    def add_tracepoint(self, name, number=1):
        self.write(f"kernel/tracing/events/{name.replace(':', '/')}/id", f"{number}\n")

    def run_here(self, command, *words):
        return run(*command.split(), f"--path.sysfs={self.sysfs}", *words)


class Events(Machine):
    def names(self, *words):
        status, out, err = self.run_here("events", "--json", *words)
        self.assertEqual(err, "" if status == 0 else err)
        return [event["name"] for event in json.loads(out)["events"]]

    def test_the_list_has_each_kind_in_order_with_its_description(self):
        self.add_tracepoint("sched:sched_switch")
        status, out, err = self.run_here("events")
        self.assertEqual((status, err), (0, ""))
        lines = out.splitlines()
        self.assertEqual(lines[0].split(), ["EVENT", "KIND", "PMU", "DESCRIPTION"])
        self.assertRegex(out, r"\ncycles OR cpu-cycles +hardware +Cycles of ")
        self.assertRegex(out, r"\ncontext-switches OR cs +software +software +Switches from ")
        self.assertTrue(lines[-1].startswith("sched:sched_switch"), lines[-1])
        self.assertEqual(self.run_here("events"), (status, out, err))

    def test_patterns_search_names_and_descriptions(self):
        self.assertEqual(self.names("page-faults"), ["page-faults"])
        self.assertEqual(self.names("PAGE-F*"), ["page-faults"])
        self.assertIn("major-faults", self.names("waited for a disk"))
        software = "--kind=software"  # descriptions of this machine's own PMU may have "cs" too
        self.assertEqual(self.names(software, "cs"), ["context-switches"])
        self.assertEqual(self.names(software, "page-faults", "cs"),
                         ["context-switches", "page-faults"])

    def test_kind_and_pmu_narrow_the_search(self):
        self.add_tracepoint("sched:sched_switch")
        self.add_tracepoint("kmem:kfree")
        self.assertEqual(self.names("--kind=tracepoint"), ["kmem:kfree", "sched:sched_switch"])
        self.assertEqual(self.names("--pmu=sched"), ["sched:sched_switch"])
        self.assertEqual(self.names("--kind=tracepoint,hardware", "switch"), ["sched:sched_switch"])
        status, out, err = self.run_here("events", "--kind=tracepiont")
        self.assertEqual((status, out), (2, ""))
        self.assertIn('unknown kind of events "tracepiont"; expected some of hardware, ', err)

    def test_missing_tracepoints_are_told_of(self):
        shutil.rmtree(pathlib.Path(self.sysfs, "kernel"))
        status, out, err = self.run_here("events", "page-faults")
        self.assertEqual((status, err), (
            0, "pmutool: tracepoints are not listed: tracefs is not mounted below sysfs\n"))
        for words in (("--kind=software",), ("--json",), ("--names",)):
            self.assertEqual(self.run_here("events", "page-faults", *words)[2], "")

    def test_names_alone_are_for_scripts(self):
        self.assertEqual(self.run_here("events", "--names", "--kind=software", "page-faults",
                                       "cs"),
                         (0, "context-switches\ncs\npage-faults\nfaults\n", ""))

    def test_nothing_that_fits_ends_with_1_and_the_nearest(self):
        self.assertEqual(self.run_here("events", "cycels"), (
            1, "", "pmutool: no event here fits; did you mean cycles?\n"))
        self.assertEqual(self.run_here("events", "zzzzzz"), (
            1, "", 'pmutool: no event here fits; "pmutool events" lists all\n'))
        status, out, err = self.run_here("events", "cycels", "--json")
        self.assertEqual((status, json.loads(out)), (1, {"events": []}))

    def test_what_can_be_counted_is_found_by_counting(self):
        """sysfs shows no core PMU, and a tracepoint whose number the kernel does not know."""
        self.add_tracepoint("none:nothing", 4000000)
        status, out, err = self.run_here("events", "--try", "cycles", "page-faults", "nothing")
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"\ncycles OR \S+ +hardware +no, no_pmu +Cycles")
        self.assertRegex(out, r"\npage-faults OR faults +software +software +(yes|no, not_permit)")
        self.assertRegex(out, r"\nnone:nothing +tracepoint +none +no, not_")
        self.assertIn("\nno_pmu: this machine shows no such PMU", out)
        rows = {row["name"]: row for row in json.loads(self.run_here(
            "events", "--try", "--json", "cycles", "page-faults")[1])["events"]}
        self.assertEqual((rows["cycles"]["counted"], rows["cycles"]["absence"]), (False, "no_pmu"))
        if rows["page-faults"]["counted"]:
            self.assertEqual(rows["page-faults"]["scope"], "process")
        self.assertNotIn("cycles", self.names("--available", "cycles", "page-faults"))

    def test_hostile_names_do_not_steer_a_terminal(self):
        self.add_tracepoint("ev:a\x1b[31m")
        self.write(b"kernel/tracing/events/ev/b\xff/id".decode("utf-8", "surrogateescape"), "2\n")
        for out in (self.run_here("events", "--pmu=ev")[1],
                    in_terminal(300, "events", f"--path.sysfs={self.sysfs}", "--pmu=ev",
                                NO_COLOR="1")):
            self.assertNotIn("\x1b", out)
            self.assertIn("ev:a\\x1b[31m", out)
            self.assertIn("ev:b\\xff", out)
        self.assertEqual(self.names("--pmu=ev"), ["ev:a\x1b[31m", "ev:b\ufffd"])

    def test_a_terminal_gets_colour_and_lines_that_fit(self):
        self.add_tracepoint("sched:sched_switch")
        words = ("events", f"--path.sysfs={self.sysfs}")
        longest = max(map(len, self.run_here("events")[1].splitlines()))
        width = longest - 5  # which events there are, and their descriptions, is the processor's
        self.assertIn("\x1b[1mEVENT\x1b[0m", in_terminal(width, *words))
        plain = in_terminal(width, *words, TERM="dumb")
        self.assertNotIn("\x1b", plain)
        self.assertEqual(plain, in_terminal(width, *words, NO_COLOR="1"))
        self.assertTrue(all(len(line) <= width for line in plain.splitlines()), plain)
        self.assertIn("…", plain)


class Encode(Machine):
    def codes(self, *words):
        status, out, err = self.run_here("encode", "--json", *words)
        self.assertEqual((status, err), (0, ""))
        return json.loads(out)["events"]

    def test_what_the_kernel_is_told_is_shown_with_perfs_line_and_the_metric(self):
        self.assertEqual(self.run_here("encode", "cycles:u"), (0, """cycles:u
  kind            hardware
  description     Cycles of the CPU's clock, which follows its frequency
  type            0 (PERF_TYPE_HARDWARE)
  config          0x0
  exclude_kernel  1
  exclude_hv      1
  metric          pmu_*_cycles_user_total
  perf            perf stat -e cycles:u
""", ""))

    def test_json_has_each_field(self):
        self.add_tracepoint("sched:sched_switch", 1234)
        raw, clock, point = self.codes("r01c0:k", "task-clock", "sched:sched_switch")
        self.assertEqual(raw["attr"], {
            "type": 4, "config": "0x1c0", "config1": "0x0", "config2": "0x0", "filter": None,
            "exclude_user": True, "exclude_kernel": False, "exclude_hv": True,
            "exclude_host": False, "exclude_guest": False, "exclude_idle": False})
        self.assertEqual((raw["kind"], raw["perf"]), ("raw", "-e r01c0:k"))
        self.assertEqual((clock["unit"], clock["scale"]), ("seconds", 1e-9))
        self.assertEqual(clock["metric"], "pmu_*_task_clock_seconds_total")
        self.assertEqual((point["attr"]["type"], point["attr"]["config"]), (2, "0x4d2"))
        self.assertEqual(point["perf"], "-e sched:sched_switch")

    def test_a_name_that_stands_for_several_shows_each(self):
        for number, name in enumerate(("kmem:b", "kmem:a", "other:c")):
            self.add_tracepoint(name, number + 10)
        self.assertEqual([(event["name"], event["attr"]["config"]) for event in
                          self.codes("kmem:*", "cs")],
                         [("kmem:a", "0xb"), ("kmem:b", "0xa"), ("cs", "0x3")])

    def test_a_filter_is_a_part_of_the_code(self):
        self.add_tracepoint("sched:sched_switch")
        self.write("kernel/tracing/events/sched/sched_switch/format", FORMAT)
        filter = "prev_prio < 100 && prev_comm != 'x'"
        [event] = self.codes("sched:sched_switch", "--filter=" + filter)
        self.assertEqual(event["attr"]["filter"], filter)
        self.assertEqual(shlex.split(event["perf"]),
                         ["-e", "sched:sched_switch", "--filter", filter])
        for command in ("encode", "check event"):
            status, out, err = self.run_here(command, "sched:sched_switch",
                                             "--filter=prev_pri < 100")
            self.assertEqual(status, 1)
            self.assertIn("prev_prio", out + err)

    def test_a_filter_makes_no_event_of_what_has_no_fields_or_no_name(self):
        self.assertEqual(self.run_here("encode", "cycles", "--filter=x < 1"), (
            1, "", 'pmutool: the filter of "cycles": only tracepoints and probes have fields for a '
                   'filter\n'))
        status, out, err = self.run_here("encode", "nosuch", "--filter=x < 1")
        self.assertEqual((status, out), (2, ""))
        self.assertIn('knows "nosuch"', err)

    def test_tracepoints_of_a_wildcard_have_the_metric_that_the_exporter_gives_them(self):
        self.add_tracepoint("sched:sched_switch")
        self.assertRegex(self.run_here("encode", "sched:*")[1],
                         r"^sched:sched_switch\n(.*\n)* +metric +pmu_\*_tracepoint_hits_total\n")
        self.assertRegex(self.run_here("check event", "sched:*")[1],
                         r"\nsched:sched_switch .* pmu_\*_tracepoint_hits_total\n")

    def test_what_has_no_code_is_told_and_ends_with_1_or_2(self):
        status, out, err = self.run_here("encode", "cpu/event=0xc0/")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("this machine has no such PMU, but ", err)
        self.assertIn("--path.sysfs", err)
        self.assertEqual(self.run_here("encode", "cycels"), (
            2, "", 'pmutool: no source of events knows "cycels"; did you mean cycles?\n'))
        status, out, err = self.run_here("encode", "cs", "nosuch", "--json")
        self.assertEqual((status, err), (2, ""))
        known, unknown = json.loads(out)["events"]
        self.assertEqual((known["name"], unknown), ("cs", {
            "name": "nosuch", "absence": "unknown_event",
            "reason": 'no source of events knows "nosuch"; "pmutool events" lists what is known '
                      'here'}))
        status, out, err = self.run_here("encode")
        self.assertEqual((status, out, err), (
            2, "", "pmutool: error: missing argument; expected encode EVENT... (try --help)\n"))

    def test_hostile_names_do_not_steer_a_terminal(self):
        for command in ("encode", "check event"):
            status, out, err = self.run_here(command, "a\x1b[31m")
            self.assertEqual(status, 2)
            self.assertNotIn("\x1b", out + err)
            self.assertIn('knows "a\\x1b[31m"', out + err)


class CheckEvent(Machine):
    def test_what_can_be_counted_is_found_by_counting(self):
        status, out, err = self.run_here("check event", "page-faults")
        self.assertEqual(err, "")
        if status == 0:
            self.assertRegex(out, r"\npage-faults +software +yes +type=1 config=0x2 +"
                                  r"pmu_\*_page_faults_total\n$")
        else:
            self.assertEqual(status, 1)
            self.assertRegex(out, r"\npage-faults +software +no, not_permitted")
        status, out, err = self.run_here("check event", "page-faults", "cycles", "instructions")
        self.assertEqual((status, err), (1, ""))
        self.assertRegex(out, r"\ncycles +hardware +no, no_pmu +type=0 config=0x0 +pmu_\*_cycles_")
        self.assertEqual(out.count("no_pmu: this machine shows no such PMU"), 1)

    def test_unknown_names_end_with_2_and_the_nearest(self):
        status, out, err = self.run_here("check event", "cycels", "cycles:x", "page-faults")
        self.assertEqual((status, err), (2, ""))
        self.assertRegex(out, r"\ncycels +unknown +no, unknown_event +- +-\n")
        self.assertIn('no source of events knows "cycels"; did you mean cycles?\n', out)
        self.assertIn('cycles:x: "x" is no modifier', out)

    def test_json_tells_the_same(self):
        status, out, err = self.run_here("check event", "--json", "cycles:u", "cycels")
        self.assertEqual((status, err), (2, ""))
        known, unknown = json.loads(out)["events"]
        self.assertEqual((known["known"], known["counted"], known["absence"], known["metric"]),
                         (True, False, "no_pmu", "pmu_*_cycles_user_total"))
        self.assertEqual((unknown["known"], unknown["counted"], unknown["metric"]),
                         (False, False, None))
        self.assertTrue(unknown["advice"].endswith("did you mean cycles?"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
