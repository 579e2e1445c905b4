# SPDX-License-Identifier: Apache-2.0
"""All threads of the exporter at work at once, in a build with ThreadSanitizer, which ends the
program with a report where two threads meet without an order. Of each kind of asking there is a
thread here, which asks a number of times; the others go on until the last has done so."""
import concurrent.futures
import http.client
import itertools
import os
import pathlib
import signal
import tempfile

import live
import standing
from exporter import PATIENCE, ask_runs

ROUNDS = 8
EVERYTHING = """history: {{bytes: 64MiB}}
profiles: {{enabled: true}}
names: {{file: {file}}}
"""
PAGES = ("/", "/-/ready", "/-/healthy", "/api/v1/status", "/api/v1/targets", "/api/v1/events",
         "/api/v1/openapi.json", "/api/v1/runs", "/api/v1/marks", "/api/v1/history/targets",
         "/api/v1/history?target=machine&start=1&end=2000000000&points=50",
         "/api/v1/profile/targets", "/debug/pprof/profile?seconds=60")
FORMS = ({}, {"Accept-Encoding": "gzip"},
         {"Accept": "application/openmetrics-text;version=1.0.0", "Accept-Encoding": "gzip"})


class Threads(standing.FaultTest):
    def everything(self):
        names = pathlib.Path(self.state, "names.csv")
        names.write_text("/**,somebody\n")
        return self.config(system="all", more=EVERYTHING.format(file=names))

    def scrape(self):
        for form in FORMS:
            self.assertEqual(self.exporter.get("/metrics", headers=form).status, 200)

    def pages(self):
        for page in PAGES:
            self.assertIn(self.exporter.get(page, timeout=PATIENCE).status, (200, 404, 503), page)

    def stream(self):
        """An event of the stream of view Now."""
        connection = http.client.HTTPConnection("127.0.0.1", self.exporter.port, timeout=PATIENCE)
        try:
            connection.request("GET", "/api/v1/live")
            answer = connection.getresponse()
            self.assertIn(answer.status, (200, 503))  # connections are few for a moment
            self.streamed += answer.status == 200 and answer.readline() != b""
        finally:
            connection.close()

    def reload(self):
        os.kill(self.exporter.pid, signal.SIGHUP)
        self.exporter.after_cycles(1)

    def run_and_look(self):
        status, run = ask_runs(self.exporter, "POST", "", {
            "title": "a run", "target": "machine", "events": ["page-faults"],
            "interval_seconds": 0.02, "duration_seconds": 600})
        self.assertEqual(status, 200, run)
        self.exporter.after_cycles(1)
        for method, path in (("GET", f"/{run['id']}"), ("POST", f"/{run['id']}/stop"),
                             ("GET", f"/{run['id']}.json"), ("DELETE", f"/{run['id']}")):
            status, answer = ask_runs(self.exporter, method, path)
            self.assertIn(status, (200, 409), answer)

    def births(self):
        name = f"born{next(self.number)}.service"
        self.cgroups.make(name)
        self.exporter.after_cycles(1)
        self.cgroups.remove(name)

    def together(self, *works):
        """Each of these ROUNDS times, and on until each has had them; then what went wrong."""
        had = dict.fromkeys(works, 0)

        def go_on(work):
            try:
                while min(had.values()) < ROUNDS:
                    work()
                    had[work] += 1
            finally:
                had[work] = max(had[work], ROUNDS)  # nobody waits for one that has failed

        with concurrent.futures.ThreadPoolExecutor(len(works)) as pool:
            for done in [pool.submit(go_on, work) for work in works]:
                done.result()
        print({work.__name__: n for work, n in had.items()})

    def test_all_threads_at_work_have_an_order(self):
        self.state, self.number = self.enterContext(tempfile.TemporaryDirectory()), itertools.count()
        self.streamed = 0
        # memory the other families judge, of programs without a sanitizer
        with self.standing(self.everything(), memory=False,
                           env={"STATE_DIRECTORY": self.state}) as self.exporter:
            try:
                self.together(self.scrape, self.pages, self.stream, self.reload, self.run_and_look,
                              self.births)
            finally:  # the report, and not that nobody answers any more
                self.assertNotIn("ThreadSanitizer", self.exporter.stderr())
            self.assertGreater(self.streamed, 0)


if __name__ == "__main__":
    live.main()
