#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What `pmutool check` and the commands that the service carries out say with --json, compared with
what they say as text.

    test_json_output.py PMUTOOL
"""
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

PMUTOOL = sys.argv[1]


def run(*words):
    """(exit status, stdout, stderr)"""
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


class Check(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def file(self, text):
        path = os.path.join(self.directory.name, "test.yml")
        pathlib.Path(path).write_text(text)
        return path

    CONFIG = ("groups:\n- {name: a, events: [page-faults, cycels]}\n- {name: b, events: [cs]}\n"
              "targets: {processes: [{pid: [%d], name: me, groups: [a]}]}\n" % os.getpid())

    def test_json_holds_what_the_text_says(self):
        path = self.file(self.CONFIG)
        text = run(PMUTOOL, "check", "config", path)[1]
        status, out, err = run(PMUTOOL, "check", "config", "--json", path)
        self.assertEqual((status, err), (0, ""))
        told = json.loads(out)
        self.assertEqual((told["file"], told["valid"]), (path, True))
        self.assertEqual([(group["name"], [(event["name"], event["absence"])
                                           for event in group["events"]])
                          for group in told["groups"]],
                         [("a", [("page-faults", None), ("cycels", "unknown_event")]),
                          ("b", [("cs", None)])])
        problems = [f"{path}:{p['line']}:{p['column']}: {p['severity']}: {p['message']}"
                    for p in told["problems"]]
        self.assertIn(f'{path}:2:35: warning: no source of events knows "cycels"; did you mean '
                      'cycles?', problems)
        self.assertEqual(problems, re.findall(rf"(?m)^{path}:.*$", text))
        self.assertEqual([(m["targets"], m["rule"], m["taken"]) for m in told["matches"]],
                         [("processes", 1, 1)])
        [mechanism] = told["mechanisms"]
        self.assertIn(f"counting: processes {'by ' * (mechanism['mechanism'] == 'bpf')}"
                      f"{mechanism['mechanism']}: {mechanism['reason']}", text)
        self.assertEqual((told["left_out"], told["budget"]), ([], None))
        self.assertEqual(told["latency"], {"wanted": False, "counted": False, "reason": None})
        self.check_profiles(told["profiles"], text)

    def check_profiles(self, told, text):
        self.assertEqual((told["enabled"], told["rate_hertz"], told["memory_bytes"]), (True, 49, 16 << 20))
        self.assertEqual(told["reason"] is None, told["sampled"], told)
        line = ("49 stacks a second are sampled of each CPU that is not idle; tables, names and counts take 16.0 MiB at most\n"
                if told["sampled"] else f"nothing is sampled: {told['reason']}")
        self.assertIn("profiles: " + line, text)

    def test_who_may_not_sample_is_told_that_the_service_may(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give its rights away")
        path = self.file(self.CONFIG)
        os.chmod(self.directory.name, 0o755)
        without = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--", PMUTOOL, "check", "config"]
        status, text, _ = run(*without, path)
        self.assertEqual(status, 0)
        self.assertRegex(text, "(?m)^profiles: nothing is sampled: .* for this user; as root, this shows "
                               "what the service gets$")
        self.assertFalse(json.loads(run(*without, "--json", path)[1])["profiles"]["sampled"])

    def check_series(self, series, text):
        [row] = series["targets"]
        self.assertEqual((row["targets"], row["rule"], row["n"]), ("processes", 1, 10))
        each = row["series_each"]
        self.assertRegex(text, rf"\n  processes, rule 1 +10 +{each} +{10 * each}\n")
        self.assertRegex(text, rf"\n  all +{series['series']}\n")
        self.assertEqual(series["series"], series["own"] + 10 * each)
        self.assertEqual(series["scrape_interval_seconds"], 60)
        self.assertAlmostEqual(series["samples_per_second"], series["series"] / 60)
        self.assertIn(f"\nscraped every 60 s: {series['samples_per_second']:.0f} samples a second, some "
                      f"{series['bytes_per_day'] / 1e6:.1f} MB a day", text)

    def test_what_budgets_are_asked_with_is_checked(self):
        path = self.file(self.CONFIG)
        for words, expected in ((["-n", "x"], "expected a number from 0 to 100000"),
                                (["-i", "0"], "expected seconds from 0.1 to 3600")):
            status, out, err = run(PMUTOOL, "check", "budget", *words, path)
            self.assertEqual((status, out), (2, ""))
            self.assertIn(expected, err)

    def test_json_tells_of_a_bad_file_too(self):
        path = self.file("interval: 1s\nintervall: 2s\n")
        for command in ("config", "budget"):
            status, out, err = run(PMUTOOL, "check", command, "--json", path)
            self.assertEqual((status, err), (2, ""))
            told = json.loads(out)
            self.assertEqual((told["valid"], told["error"]["line"], told["error"]["column"]),
                             (False, 2, 1))
            self.assertTrue(told["error"]["message"].startswith('unknown key "intervall"'), told)

    def test_the_budget_alone_is_told(self):
        path = self.file(self.CONFIG)
        status, text, err = run(PMUTOOL, "check", "budget", "-n", "10", "-i", "1m", path)
        self.assertEqual((status, err), (0, ""))
        self.assertTrue(text.startswith("no event that can be counted here takes a hardware counter\n"), text)
        status, out, _ = run(PMUTOOL, "check", "budget", "--json", "-n", "10", "-i", "1m", path)
        told = json.loads(out)
        self.assertEqual((status, told["file"], told["valid"], told["budget"], told["uncore"]),
                         (0, path, True, None, []))
        self.check_series(told["series"], text)
        self.assertIn("\ngroups of processes that have ended are not in it: ", text)
        self.assertEqual(run(PMUTOOL, "check", "budget", path + ".none")[0], 2)


class Service(unittest.TestCase):
    def answered(self, answer, *words):
        """What a command says when this is what the service answers."""
        with tempfile.TemporaryDirectory() as name, socket.socket(socket.AF_UNIX) as listener:
            path = os.path.join(name, "control")
            listener.bind(path)
            listener.listen()

            def serve():
                connection = listener.accept()[0]
                connection.recv(4096)
                connection.sendall(answer.encode())
                connection.close()

            server = threading.Thread(target=serve)
            server.start()
            said = run(PMUTOOL, *words, "--socket", path)
            server.join()
            return said

    def test_what_the_service_answers_is_told_as_text_and_as_json(self):
        good, bad = ("HTTP/1.1 200 OK\r\n\r\nreloaded\n",
                     "HTTP/1.1 400 Bad Request\r\n\r\nline 3 is \"wrong\"\n")
        for words in (["reload"], ["pause", "off"]):
            self.assertEqual(self.answered(good, *words), (0, "reloaded\n", ""))
            self.assertEqual(self.answered(bad, *words),
                             (1, "", 'pmutool: line 3 is "wrong"\n'))
            status, out, err = self.answered(good, *words, "--json")
            self.assertEqual((status, json.loads(out), err),
                             (0, {"done": True, "message": "reloaded"}, ""))
            status, out, err = self.answered(bad, *words, "--json")
            self.assertEqual((status, json.loads(out), err),
                             (1, {"done": False, "message": 'line 3 is "wrong"'}, ""))
        head = "Content-Type: application/json\r\n\r\n"
        good, bad = ("HTTP/1.1 200 OK\r\n" + head + "{\"id\":1}\n", "HTTP/1.1 400 Bad Request\r\n" +
                     head + "{\"error\": \"the text is \\\"bad\\\"\"}\n")
        self.assertIn('--time is "now"; expected sec', run(PMUTOOL, "mark", "a", "--time=now")[2])
        self.assertEqual(self.answered(good, "mark", "a"), (0, "the mark is set\n", ""))
        self.assertEqual(self.answered(bad, "mark", "a"), (1, "", 'pmutool: the text is "bad"\n'))
        marks = '{"marks": [{"id": 7, "time": 1700000000.5, "text": "a \\u001b b"}]}'
        good = f"HTTP/1.1 200 OK\r\n{head}{marks}"
        status, out, err = self.answered(good, "marks")
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"^ID +TIME +TEXT\n +7  2023-11-1\d \d\d:\d\d:20  a \\x1b b\n$")
        status, out, err = self.answered(good, "marks", "--json")
        self.assertEqual((status, json.loads(out), err), (0, json.loads(marks), ""))
        self.assertEqual(self.answered(bad, "marks"), (1, "", 'pmutool: the text is "bad"\n'))
        status, out, err = run(PMUTOOL, "reload", "--json", "--socket=/dev/null/x")
        self.assertEqual((status, json.loads(out), err), (
            1, {"done": False, "message": "/dev/null/x: Not a directory"}, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
