# SPDX-License-Identifier: Apache-2.0
"""The API as those use it who read the README: its examples, its stream, a path that is wrong."""
import http.client
import json
import pathlib
import re
import subprocess
import time

import live
from api_description import API, stream_line
from exporter import PATIENCE, Exporter


class Examples(live.LiveTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.exporter = cls.enterClassContext(Exporter(live.config(system="all")))

    def wait_for_history(self):
        end = time.monotonic() + PATIENCE
        while not json.loads(self.exporter.get(API + "history/targets").body)["targets"]:
            self.assertLess(time.monotonic(), end, "no history of the machine")
            time.sleep(0.2)

    def test_an_unknown_path_of_the_api_is_an_error_in_json(self):
        answer = self.exporter.get(API + "nothing")
        self.assertEqual(answer.status, 404)
        self.assertEqual(list(json.loads(answer.body)), ["error"])

    def test_the_stream_tells_each_interval_once(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.exporter.port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request("GET", API + "live?target=machine&column=pmu_machine_cpus")
        answer = connection.getresponse()
        numbers = []
        while len(numbers) < 4:
            match = re.fullmatch(r"id: (\d+)", stream_line(answer))
            if match:
                numbers.append(int(match[1]))
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + 4)))

    def test_the_examples_of_the_readme_answer(self):
        text = (pathlib.Path(__file__).resolve().parents[2] / "README.md").read_text()
        section = text[text.index("### The API"):]
        examples = re.findall(r"(?m)^(?:sudo )?(curl .*)$", section[:section.index("\n## ")])
        self.wait_for_history()
        self.assertGreaterEqual(len(examples), 7)
        for line in examples:
            with self.subTest(line=line):
                command = line.replace("localhost:10138", f"localhost:{self.exporter.port}").replace(
                    "/run/pmu_exporter/control", str(self.exporter.control))
                if "/live" in command:
                    command += " | head -1"
                done = subprocess.run(["sh", "-c", command], capture_output=True, text=True,
                                      timeout=PATIENCE)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, r"^(\{(?!\"error\")|event: |time,target,|[:\n])")


if __name__ == "__main__":
    live.main()
