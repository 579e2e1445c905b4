# SPDX-License-Identifier: Apache-2.0
"""The API against its own description: every answer has the form that openapi.json tells, and every
path and field that it tells is seen in an answer."""
import contextlib
import csv
import http.client
import io
import json
import subprocess
import time
import urllib.parse

import live
from api_description import API, Description, need_validator, stream_line
from api_runs import RunsOfApi
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, UnixConnection
from profiles import NAMES_PATIENCE
from web_files import USERS, Files, ProtectedExporter

# What not every machine or state has.
NOT_EVERYWHERE = {
    "Column.subsystem", "Column.tracepoint", "HistoryColumn.subsystem", "HistoryColumn.tracepoint",
    "Column.kind", "Column.distance", "HistoryColumn.kind", "HistoryColumn.distance",
    "Column.le", "Column.state", "HistoryColumn.le", "HistoryColumn.state",
    *(f"{column}.{key}" for column in ("Column", "HistoryColumn")
      for key in ("op", "vector", "irq", "device", "reason", "vcpu", "call", "class", "span")),
    "Status.pmu.counters_free", "Status.pmu.counters_budget", "Status.pmu.counters_used",
}

# Not every machine has guests, or a disk; what there is is held against the description.
OF_RECORDS = ("ScheduleDeviceRequests.", "ScheduleMapRequests.", "ScheduleVcpuExits.",
              "ScheduleMapExits.", "ScheduleLongest.")

# Answers that are there for what does not happen: no memory, a thread that stands still.
NEVER = {"Failed", "Late"}


class Api(RunsOfApi, live.LiveTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        need_validator()
        cls.cgroups = cls.enterClassContext(Cgroups())
        cls.cgroup = cls.cgroups.make("a")
        more = ("      by: cpu\n"
                "  processes:\n    - comm: [pmu-test-nobody]\n      groups: [software]\n"
                "limits: {cgroups: 1}\nprofiles: {enabled: true}\n")
        config = live.config(cls.cgroups, events=live.SOFTWARE + ("cycles", "no-such-event"),
                             system="all, latency: [interrupts, system_calls]", more=more)
        cls.exporter = cls.enterClassContext(Exporter(config))
        cls.cgroups.make("too-many")
        document = cls.exporter.get(API + "openapi.json")
        assert document.status == 200, document.body
        cls.description = Description(json.loads(document.body))
        cls.asked = set()

    def ask(self, method, path, query="", body=None, control=False, status=200, at=None,
            headers=None, sent=None):
        """Asks, and holds the answer against the description of the path (at, where it has a
        number in it) and method (sent is the one that is sent). The value of JSON, else the
        text."""
        connection = (UnixConnection(self.exporter.control, 30) if control else
                      http.client.HTTPConnection("127.0.0.1", self.exporter.port, timeout=30))
        at = at or path
        try:
            connection.request(sent or method, path + query, body=body, headers=headers or {})
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        self.assertEqual(answer.status, status, (method, path, query, text[:500]))
        self.assertIn(self.description.header(method, at, status), [None, *answer.headers])
        kind = answer.headers.get("Content-Type", "none").split(";")[0]
        described = self.description.answer(method, at, status)
        if kind == "none":
            self.assertEqual(described, {})
            return None
        self.assertIn(kind, described)
        is_binary = kind == "application/octet-stream"
        value = (json.loads(text) if kind == "application/json" else
                 text.decode("latin-1" if is_binary else "utf-8"))
        self.assertEqual(self.description.check(described[kind], value), [], (method, path, query))
        if status == 200:
            self.asked.add((method, at))
            if body:
                self.assertEqual(self.description.check(self.description.request(method, at),
                                                        json.loads(body)), [])
        return value

    def refused(self, method, path, query="", status=400, word="", **more):
        error = self.ask(method, path, query, status=status, **more)["error"]
        self.assertIn(word, error)
        self.assertEqual(error, error.strip())

    def event(self, query=""):
        """The first event of the stream: its fields."""
        connection = http.client.HTTPConnection("127.0.0.1", self.exporter.port, timeout=30)
        try:
            connection.request("GET", API + "live" + query)
            answer = connection.getresponse()
            self.assertEqual(answer.status, 200)
            self.assertEqual(answer.headers["Content-Type"].split(";")[0], "text/event-stream")
            lines = []
            while not (lines and lines[-1] == ""):
                lines.append(stream_line(answer))
                if lines == [""] or lines[-1].startswith(":"):
                    lines.pop()
            return [line.split(": ", 1) for line in lines[:-1]]
        finally:
            connection.close()

    def check_now(self):
        whole = self.ask("GET", API + "targets")
        self.assertFalse(whole["stale"])
        name = f"cgroup:{self.cgroup}"
        column = "pmu_cgroup_context_switches_total"
        query = f"?{urllib.parse.urlencode({'target': name, 'column': column})}"
        chosen = self.ask("GET", API + "targets", query)
        self.assertEqual([[c["name"] for c in t["columns"]] for t in chosen["tables"]], [[column]])
        self.assertEqual([r["labels"] for t in chosen["tables"] for r in t["rows"]],
                         [{"cgroup": self.cgroup}])
        each = self.ask("GET", API + "targets", "?column=pmu_cgroup_context_switches_by_cpu_total")
        self.assertIn("0", [c["cpu"] for t in each["tables"] for c in t["columns"]])
        fields = self.event(query)
        self.assertEqual(fields[0], ["event", "snapshot"])
        told = json.loads("\n".join(value for key, value in fields if key == "data"))
        self.assertEqual(self.description.check(self.description.answer(
            "GET", API + "targets")["application/json"], told), [])
        self.assertEqual(fields[1], ["id", str(told["sequence"])])
        self.assertEqual([t["columns"] for t in told["tables"]],
                         [t["columns"] for t in chosen["tables"]])
        self.asked.add(("GET", API + "live"))

    def check_status(self):
        status = self.ask("GET", API + "status")
        self.assertEqual(status["config"]["text"], self.exporter.config)
        self.assertFalse(status["control"]["allowed"])
        self.assertIn("--web.enable-lifecycle", status["control"]["how"])
        self.assertTrue(self.ask("GET", API + "status", control=True)["control"]["allowed"])
        self.assertIn("no-such-event", " ".join(left["what"] for left in status["left_out"]))
        self.assertIn("software", [group["group"] for group in status["groups"]])

    def check_events(self):
        found = self.ask("GET", API + "events", "?search=context+switch&limit=5")
        names = {event["name"]: event for event in found["events"]}
        self.assertTrue(names["context-switches"]["available"])
        self.assertIsNone(names["context-switches"]["reason"])
        self.assertEqual(self.ask("GET", API + "events", "?search=no-such-word")["total"], 0)
        self.assertEqual(len(self.ask("GET", API + "events", "?limit=3")["events"]), 3)
        pasted = names["context-switches"]["config"]
        file = self.exporter.directory / "pasted.yml"
        file.write_text(f"groups:\n  {pasted}\n")
        checked = self.exporter.pmutool("check", "config", file)
        self.assertNotIn("error", checked.stderr.lower())

    def past_of(self, name):
        """What /history/targets tells of a target, once it does."""
        end = time.monotonic() + PATIENCE
        while True:
            told = self.ask("GET", API + "history/targets")["targets"]
            found = [one for one in told if one["target"] == name]
            if found or time.monotonic() > end:
                self.assertTrue(found, f"no history of {name} in {told}")
                return found[0]
            time.sleep(0.2)

    def check_history(self):
        past = self.past_of("machine")
        # the second point is the first with numbers; a fixed end makes both answers the same
        self.exporter.after_cycles(3)
        query = f"?target=machine&start={past['first'] - 60}&end={time.time()}&points=10000"
        history = self.ask("GET", API + "history", query)
        machine, = history["targets"]
        self.assertLessEqual({column["name"] for column in machine["columns"]},
                             set(past["columns"]))
        for column in machine["columns"]:
            self.assertEqual(len(column["values"]), len(machine["times"]))
        rows = list(csv.reader(io.StringIO(self.ask("GET", API + "history.csv", query))))
        self.assertEqual(rows[0][:2], ["time", "target"])
        self.assertEqual([float(row[0]) for row in rows[1:]], machine["times"])
        self.assertEqual([[float(cell) if cell else None for cell in row[2:]] for row in rows[1:]],
                         [list(values) for values in zip(*(c["values"]
                                                           for c in machine["columns"]))])
        one = self.ask("GET", API + "history", query + "&column=pmu_machine_cpus_used")
        self.assertEqual([[c["name"] for c in t["columns"]] for t in one["targets"]],
                         [["pmu_machine_cpus_used"]])
        self.ask("GET", API + "history/cpus", "?target=machine")
        self.check_nothing_of_a_target_that_is_gone()

    def check_nothing_of_a_target_that_is_gone(self):
        """It may go, or be forgotten, between a list and the question: that is no error."""
        gone = "?target=process:nobody"
        one, = self.ask("GET", API + "history", gone)["targets"]
        self.assertEqual((one["target"], one["times"], one["columns"]), ("process:nobody", [], []))
        self.assertEqual(len(self.ask("GET", API + "history.csv", gone).splitlines()), 1)
        cpus = self.ask("GET", API + "history/cpus", gone)
        self.assertEqual((cpus["cpus"], cpus["times"], cpus["values"]), ([], [], []))

    def check_keys(self):
        """What is counted by key is described, and answered where it can be counted."""
        parts = self.ask("GET", API + "status")["latency"]["parts"]
        if any(parts[part]["reason"] for part in ("interrupts", "system_calls")):
            return
        names = "softirq_seconds", "hardirq_seconds", "system_calls_total"
        self.ask("GET", API + "targets",
                 "?target=machine" + "".join(f"&column=pmu_machine_{name}" for name in names))
        names = "softirq_seconds", "hardirq_seconds", "system_calls_per_second"
        query = "?target=machine" + "".join(f"&column=pmu_machine_{name}" for name in names)
        self.exporter.scrape_until(
            lambda _: len({column["name"] for column in
                           self.ask("GET", API + "history", query)["targets"][0]["columns"]}) == 3,
            60, "keys in the history")
        self.assertLessEqual(
            {f"{column}.{key}" for column in ("Column", "HistoryColumn")
             for key in ("le", "vector", "irq", "device", "call")}, self.description.seen)

    def check_marks(self):
        text = "release <b>\"1.2\"\n\u202e\U0001f600"
        body = json.dumps({"text": text, "time": 1700000000.5})
        mark = self.ask("POST", API + "marks", body=body, control=True)
        self.assertEqual((mark["text"], mark["time"]), (text, 1700000000.5))
        self.assertIn(mark, self.ask("GET", API + "marks")["marks"])
        self.assertEqual(self.ask("GET", API + "marks", "?start=1700000001")["marks"], [])
        self.assertEqual(self.exporter.pmutool("mark", "now").stdout, "the mark is set\n")
        self.assertEqual([m["text"] for m in self.ask("GET", API + "marks")["marks"]],
                         [text, "now"])
        self.refused("POST", API + "marks", body=body, status=403)
        self.refused("POST", API + "marks", body="{}", control=True, word="expected an object")
        self.refused("DELETE", f"{API}marks/{mark['id']}", at=API + "marks/{id}", status=403)
        for status in (200, 404):
            self.ask("DELETE", f"{API}marks/{mark['id']}", at=API + "marks/{id}", control=True,
                     status=status)

    def one_run(self, number, end="", method="GET", **more):
        return self.ask(method, f"{API}runs/{number}{end}", at=f"{API}runs/{{id}}{end}", **more)

    def check_stream(self, number):
        connection = http.client.HTTPConnection("127.0.0.1", self.exporter.port, timeout=30)
        try:
            connection.request("GET", f"{API}runs/{number}/live")
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.headers["Content-Type"].split(";")[0]),
                             (200, "text/event-stream"))
        finally:
            connection.close()
        self.asked.add(("GET", API + "runs/{id}/live"))

    def check_runs(self):
        wanted = json.dumps({"title": "a", "notes": "b", "target": "machine", "counters": "budget",
                             "events": ["page-faults", ["context-switches"]],
                             "interval_seconds": 0.02, "duration_seconds": 600})
        given = json.dumps({
            "title": "a", "notes": "b", "target": "command", "command": "make", "start": 1.5,
            "interval_seconds": 1, "times": [1, 2], "values": [[3, None]],
            "columns": [{"name": "a", "unit": "", "kind": "total", "factor": 1}],
            "events": [{"name": "a", "reason": None, "why": None, "coverage": 1}]})
        run = self.ask("POST", API + "runs", body=wanted, control=True)["id"]
        self.check_stream(run)
        self.one_run(run, "/stop", "POST", control=True)
        other = self.ask("POST", API + "runs/given", body=given, control=True)["id"]
        self.one_run(run, method="POST", body=json.dumps({"title": "c", "notes": ""}), control=True)
        self.assertEqual([r["id"] for r in self.ask("GET", API + "runs")["runs"]][:2], [other, run])
        for end in "", ".json", ".csv":
            self.one_run(other, end)
        self.check_schedule()
        self.ask("GET", API + "runs/compare", f"?a={other}&b={other}")
        self.refused("POST", API + "runs", body=wanted, status=403)
        nowhere = wanted.replace("machine", "cgroup:/no/such")
        self.refused("POST", API + "runs", body=nowhere, control=True, status=404, word="/no/such")
        self.refused("GET", API + "runs/compare", "?a=1", word="expected the number of a run")
        for status in 200, 404:
            self.one_run(other, method="DELETE", control=True, status=status)

    def check_profiles(self):
        """What was sampled, in each form; where nothing may be sampled the reason is told."""
        path = API + "profile"
        supported = "pmu_exporter_profile_supported"
        metrics = self.exporter.scrape_until(lambda m: m.find(supported), PATIENCE, "the status of profiles")
        if metrics.sum(supported) == 0:
            self.refused("GET", path, status=503, word="there are no profiles: ")
            self.asked |= {one for one in self.description.operations() if "profile" in one[1]}
            return {field for field in self.description.fields()
                    if field.startswith(("Profile", "Annotation", "RunSampled"))}
        self.exporter.scrape_until(
            lambda _: self.ask("GET", path + "/targets")["targets"][0]["samples"] > 100, 60, "samples")
        machine = self.ask("GET", path + "/targets")["targets"][0]
        at = f"?target=machine&start={machine['first']}&end={machine['last']}"
        whole = self.ask("GET", path, at + "&nodes=100000")
        self.assertFalse(whole["pruned"])
        self.assertEqual(sum(whole["nodes"]["self"]), whole["samples"])
        self.assertTrue(self.ask("GET", path, at + "&nodes=10&inverted=1")["pruned"])
        table = self.ask("GET", path + "/table", at + "&rows=5")
        self.assertEqual(len(table["table"]["self"]), 5)
        one = {"owner": table["table"]["owner"][0], "name": table["table"]["name"][0]}
        for part in "callers", "callees":
            self.ask("GET", path, f"{at}&of={part}&{urllib.parse.urlencode(one)}")
        stacks = self.ask("GET", path, at + "&format=collapsed").splitlines()
        # samples of files that are being read come late
        self.assertGreaterEqual(sum(int(line.rsplit(" ", 1)[1]) for line in stacks),
                                whole["samples"])
        self.ask("GET", path, at + "&format=speedscope")
        self.ask("GET", path, at + "&format=pprof")
        for measure in "shares", "time":
            self.ask("GET", path + "/difference", f"{at}&measure={measure}&before_target=machine")
        seconds = self.ask("GET", path + "/seconds", at)
        self.assertEqual(len(seconds["samples"]), seconds["seconds"] * seconds["parts"])
        self.check_annotation(path + "/annotation")
        self.check_recorded(path)
        self.check_refusals_of_profiles(path)
        return set()

    def check_annotation(self, path):
        """Of a function with as many samples as that takes, and with lines of source code."""
        query = "?name=two_loops&owner=known_loops"  # other tests run it by other names
        with subprocess.Popen([live.program("known_loops"), "-", "70"]) as loops:
            try:
                self.exporter.scrape_until(
                    lambda _: self.exporter.get(path + query).status == 200, NAMES_PATIENCE,
                    "enough samples of a function")
                self.ask("GET", path, query)
            finally:
                loops.kill()
        self.refused("GET", path, "?name=no_such", status=404, word="at instructions of a function no_such")

    def check_refusals_of_profiles(self, path):
        for form in "", "&format=collapsed", "&format=speedscope", "&format=pprof":
            self.ask("GET", "/debug/pprof/profile", f"?seconds=60{form}")
        for status, query in ((400, "?seconds=0"), (400, "?format=svg"), (404, "?cgroup=/no/such"),
                              (400, "?target=cgroup:/a")):
            self.ask("GET", "/debug/pprof/profile", query, status=status)
        self.refused("GET", path, "?target=cgroup:/no/such", status=404, word="there are no samples")
        self.refused("GET", path, "?target=cpu:0", word="expected machine, cgroup:PATH")
        self.refused("GET", path, "?format=svg", word="expected one of json, collapsed")
        self.refused("GET", path, "?of=callers", word="takes a function")
        self.refused("GET", path + "/difference", "?before_start=1", word="belong together")

    def check_refusals(self):
        self.refused("GET", API + "history", word="expected ?target=")
        self.refused("GET", API + "history", "?target=machine&points=10001", word="to 10000")
        self.refused("GET", API + "history.csv", "?target=machine&start=2&end=1", word="not before")
        self.refused("GET", API + "history/cpus", "?target=machine&target=cpu:0", word="one ?target")
        self.refused("GET", API + "history/targets", "?end=soon", word="seconds since 1970")
        self.refused("GET", API + "marks", "?id=1", word="unknown argument")
        self.refused("GET", API + "targets", "?target=nginx", word="expected machine, cgroup:PATH")
        self.refused("GET", API + "targets", "?colour=red", word='unknown argument "colour"')
        self.refused("GET", API + "live", "?target=nginx", word="expected machine")
        for path in "targets", "live":
            self.refused("GET", API + path, "?column=pmu_machine_cpu_used",
                         word="did you mean pmu_machine_cpus_used?")
        self.refused("GET", API + "events", "?limit=0", word="from 1 to 1000")

    def check_statuses(self):
        path = API + "openapi.json"
        self.ask("GET", path, status=304, headers={"If-None-Match": "*"})
        self.ask("GET", path, status=405, sent="PUT")
        # refused by their heads: a body that is on its way then would break the pipe
        self.ask("GET", path, status=413, headers={"Content-Length": "3"})
        self.ask("POST", API + "marks", status=413, control=True,
                 headers={"Content-Length": "1000000"})
        self.ask("GET", path, "?" + "x" * 20000, status=414)
        self.ask("GET", path, status=431, headers={"X-Long": "x" * 20000})

    def check_too_many_streams(self):
        standing = []
        try:
            status = 200
            while status == 200:
                connection = http.client.HTTPConnection("127.0.0.1", self.exporter.port, timeout=30)
                standing.append(connection)
                connection.request("GET", API + "live")
                status = connection.getresponse().status
            self.assertGreater(len(standing), 1)
            self.refused("GET", API + "live", status=503, word="too many clients")
        finally:
            for connection in standing:
                connection.close()

    def check_gate(self):
        """Who is not let in: by the users and the rate of a web configuration."""
        self.refused("GET", API + "status", status=401, word="a user and a password")
        self.refused("GET", API + "status", status=429, word="too many requests")

    @contextlib.contextmanager
    def another(self, exporter):
        """What is asked in the block is asked of an exporter of its own."""
        before = self.exporter
        with exporter as self.exporter:
            try:
                yield
            finally:
                self.exporter = before

    def test_every_answer_is_as_described_and_all_that_is_described_is_answered(self):
        live.Load(self.cgroups.directory("a"), switches=100, faults=100, burn_ms=100).run()
        self.exporter.after_cycles(2)
        self.ask("GET", API + "openapi.json")
        self.check_now()
        self.check_status()
        self.check_events()
        self.check_history()
        self.check_keys()
        self.check_marks()
        self.check_runs()
        not_here = NOT_EVERYWHERE | self.check_profiles()
        self.check_refusals()
        self.check_statuses()
        with self.another(Exporter(live.config(self.cgroups))):
            self.check_too_many_streams()
        with Files() as files:
            web = files.write("web.yml", "rate_limit: {interval: 1h, burst: 1}\n" + USERS)
            with self.another(ProtectedExporter(web)):
                self.check_gate()
        self.assertEqual(self.asked, self.description.operations())
        unseen = {field for field in self.description.fields() - self.description.seen
                  if not field.startswith(OF_RECORDS)}
        self.assertEqual(unseen - not_here, set())
        self.assertEqual(set(self.description.document["components"]["responses"]) -
                         self.description.refusals_seen, NEVER)


if __name__ == "__main__":
    live.main()
