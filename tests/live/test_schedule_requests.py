# SPDX-License-Identifier: Apache-2.0
"""Requests to block devices and exits of guests in runs that record the scheduler: known loads, in
the record as often as they were, and none of a neighbour's."""
import csv
import io
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

import live
import schedule_runs
from cgroups import Cgroups
from direct_io import BLOCK
from exporter import PATIENCE
from loop_device import MIB, LoopDevice
from schedule_runs import PMUTOOL

READS = 300
EXITS = 1000
# Its first thread sleeps, and the second one tells its number.
SECOND = """import sys, threading
def work():
    print(threading.get_native_id(), flush=True)
    sys.stdin.readline()
threading.Thread(target=work).start()
"""


class Requests(schedule_runs.ScheduleRuns):
    def setUp(self):
        self.begin()
        self.cgroups = self.enterContext(Cgroups())
        self.disk = self.enterContext(LoopDevice())
        self.path = self.cgroups.make("a.service")
        self.other = os.fsdecode(self.cgroups.directory("b.service")) \
            if self.cgroups.make("b.service") else None
        self.own = os.fsdecode(self.cgroups.directory("a.service"))

    def lines_of(self, report, of="requests"):
        """The lines of the disk, by operation."""
        if report[of]["refusal"]:
            self.skipTest(report[of]["refusal"])
        return {line["operation"]: line for line in report[of]["by_device"]
                if line["device"] == self.disk.name}

    def csv_of(self, run, event):
        status, text = self.ask("GET", f"/{run['id']}.csv")
        self.assertEqual(status, 200)
        return [line for line in csv.DictReader(io.StringIO(text)) if line["event"] == event]

    def test_each_direct_read_of_the_target_is_a_request_in_the_record(self):
        number = self.start(f"cgroup:{self.path}")
        began = time.monotonic()
        self.assertEqual(self.disk.use(self.own, "read", READS), 0)
        took = time.monotonic() - began
        self.assertEqual(self.disk.use(self.own, "write", READS // 3), 0)
        run = self.stop(number)
        report = run["schedule"]
        lines = self.lines_of(report)
        self.assertEqual(report["lost"], 0)
        self.assertEqual({operation: (line["count"], line["bytes"], line["errors"])
                          for operation, line in lines.items() if operation in ("read", "write")},
                         {"read": (READS, READS * BLOCK, 0),
                          "write": (READS // 3, READS // 3 * BLOCK, 0)})
        read = lines["read"]
        self.assertGreater(read["p50_seconds"], 0)
        self.assertLessEqual(read["p50_seconds"], read["p99_seconds"])
        self.assertLessEqual(read["p99_seconds"], read["longest"]["seconds"])
        # One is given to the device after the other.
        self.assertLess(read["seconds"], took)
        self.assertAlmostEqual(read["mean_seconds"] * READS, read["seconds"], 5)
        self.assertRegex(read["longest"]["thread"]["name"], "^python")
        self.assertGreaterEqual(read["queued_mean_seconds"], 0)
        # CSV has them one by one, in the order in which they ended.
        rows = [row for row in self.csv_of(run, "request")
                if (row["device"], row["operation"]) == (self.disk.name, "read")]
        self.assertEqual(len(rows), READS)
        self.assertEqual({(row["bytes"], row["error"], row["name"][:6]) for row in rows},
                         {(str(BLOCK), "0", "python")})
        self.assertAlmostEqual(sum(float(row["took_seconds"]) for row in rows), read["seconds"], 6)
        # So has the trace for Perfetto, as slices that begin and end.
        status, trace = self.ask("GET", f"/{run['id']}/trace")
        self.assertEqual(status, 200)
        pid, = (event["pid"] for event in trace["traceEvents"] if event["ph"] == "M" and
                event["args"]["name"] == self.disk.name)
        ends = {phase: {event["id"]: event["ts"] for event in trace["traceEvents"]
                        if event["ph"] == phase and event["pid"] == pid and event["name"] == "read"}
                for phase in "be"}
        self.assertEqual(len(ends["b"]), READS)
        self.assertEqual(ends["b"].keys(), ends["e"].keys())
        self.assertAlmostEqual(sum(ends["e"][each] - ends["b"][each] for each in ends["b"]),
                               read["seconds"] * 1e6, 0)
        # The map counts each once, and is as long with them.
        _, chart = self.ask("GET", f"/{run['id']}/map?columns=200")
        lane, = (lane for lane in chart["requests"]
                 if (lane["device"], lane["operation"]) == (self.disk.name, "read"))
        self.assertEqual((len(lane["counts"]), sum(lane["counts"])), (200, READS))
        self.assertAlmostEqual(sum(lane["shares"]) * report["seconds"] / 200, read["seconds"],
                               delta=0.02 * read["seconds"] + 1e-5)
        # Rows have how many there were.
        totals = {column["name"]: summary["total"]
                  for column, summary in zip(run["columns"], run["summary"])}
        self.assertEqual(totals["block-requests"], report["requests"]["count"])

    def test_those_of_a_neighbour_are_not_in_it(self):
        number = self.start(f"cgroup:{self.path}")
        self.assertEqual(self.disk.use(self.other, "read", READS), 0)
        self.assertEqual(self.disk.use(self.own, "read", 7), 0)
        lines = self.lines_of(self.stop(number)["schedule"])
        self.assertEqual(lines["read"]["count"], 7)

    def test_of_the_machine_both_are(self):
        number = self.start("machine")
        self.assertEqual(self.disk.use(self.other, "read", 50), 0)
        self.assertEqual(self.disk.use(self.own, "read", 7), 0)
        lines = self.lines_of(self.stop(number)["schedule"])
        self.assertEqual(lines["read"]["count"], 57)

    def test_those_of_a_process_are_its_own_and_those_of_what_it_starts(self):
        shell = subprocess.Popen(["/bin/sh", "-c", 'read line; "$@"; read line', "sh", sys.executable,
                                  str(pathlib.Path(schedule_runs.__file__).parent / "direct_io.py"),
                                  self.other, self.disk.path, "read", "40"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            number = self.start(f"pid:{shell.pid}")
            self.disk.use(self.own, "read", 60)
            shell.stdin.write("go\n")
            shell.stdin.flush()
            self.assertEqual(shell.stdout.readline(), "0\n")
            lines = self.lines_of(self.stop(number)["schedule"])
        finally:
            shell.kill()
            shell.communicate()
        self.assertEqual((lines["read"]["count"], lines["read"]["bytes"]), (40, 40 * BLOCK))

    def test_those_that_fail_are_errors_and_say_which(self):
        self.disk.truncate(MIB)
        number = self.start(f"cgroup:{self.path}")
        self.assertEqual(self.disk.use(self.own, "read", 20, MIB - 8 * BLOCK), 12)
        run = self.stop(number)
        line = self.lines_of(run["schedule"])["read"]
        self.assertEqual((line["count"], line["errors"]), (20, 12))
        errors = [int(row["error"]) for row in self.csv_of(run, "request")
                  if row["device"] == self.disk.name]
        self.assertEqual(sorted(errors), [0] * 8 + [5] * 12)  # EIO

    def test_a_run_that_is_kept_has_them_and_pmutool_shows_them(self):
        number = self.start(f"cgroup:{self.path}")
        self.disk.use(self.own, "read", 25)
        line = self.lines_of(self.stop(number)["schedule"])["read"]
        shown = self.pmutool("--run", str(number))
        title, row = (next(each.split() for each in shown.splitlines() if each.startswith(start))
                      for start in ("DEVICE ", self.disk.name + " "))
        self.assertEqual(title[:4], ["DEVICE", "OPERATION", "REQUESTS", "BYTES"])
        self.assertEqual(row[:5], [self.disk.name, "read", "25", str(25 * BLOCK), "0"])
        thread = line["longest"]["thread"]
        self.assertEqual(row[-1], f"{thread['name']}:{thread['tid']}")
        told = json.loads(self.pmutool("--json", "--run", str(number)))
        self.assertIsNone(told["schedule"]["requests"]["refusal"])

    def test_a_ring_that_is_too_small_loses_requests_and_tells_how_many(self):
        self.begin(schedule_runs.CONFIG + "limits: {schedule_ring: 64KiB}\n")
        number = self.start("machine")
        os.kill(self.exporter.pid, 19)  # SIGSTOP: nobody reads the ring
        try:
            self.disk.use(self.own, "read", 3000)
        finally:
            os.kill(self.exporter.pid, 18)
        report = self.stop(number)["schedule"]
        line = self.lines_of(report).get("read", {"count": 0})
        self.assertLess(line["count"], 3000)
        self.assertGreaterEqual(line["count"] + report["lost"], 3000)

    def test_the_number_of_a_thread_is_refused_with_that_of_its_process(self):
        process = subprocess.Popen([sys.executable, "-c", SECOND], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        try:
            thread = int(process.stdout.readline())
            done = subprocess.run([PMUTOOL, "schedule", f"--socket={self.exporter.control}", "-d",
                                   "1", f"pid:{thread}"], capture_output=True, text=True,
                                  timeout=PATIENCE, check=False)
        finally:
            process.kill()
            process.communicate()
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"{thread} is a thread of process {process.pid}: expected pid:{process.pid}",
                      done.stderr)

    def test_each_exit_of_a_guest_is_in_the_record(self):
        """Where this machine has KVM; vm/kvm has it."""
        guest = live.program("small_guest")
        with open(os.path.join(self.own, "cgroup.procs"), "w", encoding="ascii") as procs:
            shell = subprocess.Popen(["/bin/sh", "-c", f'read line; exec "{guest}" {EXITS}'],
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            procs.write(str(shell.pid))
        try:
            number = self.start(f"cgroup:{self.path}")
            out, _ = shell.communicate("go\n", PATIENCE)
        finally:
            shell.kill()
            shell.wait()
        run = self.stop(number)
        exits = run["schedule"]["exits"]
        if exits["refusal"] or shell.returncode == 77:
            self.skipTest(exits["refusal"] or out)
        if platform.machine() == "x86_64" and not any(
                os.path.exists(f"/sys/module/kvm_{name}") for name in ("intel", "amd")):
            self.skipTest("the KVM of this machine has tracepoints of its own")
        lines = [line for line in exits["by_vcpu"] if line["count"] >= EXITS]
        self.assertEqual([(line["count"], line["reason"] in ("io", "IO_INSTRUCTION", "DABT_LOW"),
                           line["guest"]["name"]) for line in lines], [(EXITS, True, "small_guest")])
        rows = [row for row in self.csv_of(run, "exit") if row["reason"] == lines[0]["reason"]]
        self.assertEqual(len(rows), EXITS)
        self.assertAlmostEqual(sum(float(row["took_seconds"]) for row in rows),
                               lines[0]["seconds"], 6)


if __name__ == "__main__":
    live.main()
