# SPDX-License-Identifier: Apache-2.0
"""The command line and the pages, from outside."""
import gzip
import pathlib
import re
import signal
import socket
import tempfile
import threading
import time

import live
from exporter import CYCLES, PATIENCE, Exporter, free_port, http_get, run_once

END_WITHIN = 6.0  # a server that waits for a client waits for 8 s and more
CONFIG = live.config(system="all", events=("context-switches", "page-faults"))
TEXT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def has_ipv6():
    try:
        free_port("::1")
        return True
    except OSError:
        return False


class Pages(live.LiveTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.exporter = cls.enterClassContext(Exporter(CONFIG))

    def get(self, path, **options):
        return self.exporter.get(path, **options)

    def test_metrics_have_the_type_of_the_text_format(self):
        answer = self.get("/metrics")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.headers["Content-Type"], TEXT_TYPE)
        self.assertEqual(int(answer.headers["Content-Length"]), len(answer.body))

    def test_the_front_page_links_to_the_others(self):
        answer = self.get("/")
        self.assertEqual(answer.status, 200)
        self.assertTrue(answer.headers["Content-Type"].startswith("text/html"))
        for path in (b"/metrics", b"-/healthy", b"-/ready"):  # A proxy may add a prefix.
            self.assertIn(b'href="' + path + b'"', answer.body)

    def test_healthy_and_ready(self):
        self.assertEqual(self.get("/-/healthy").status, 200)
        self.assertEqual(self.get("/-/ready").status, 200)

    def test_what_is_not_there_is_404(self):
        for path in ("/x", "/metrics/", "/metricsx", "/-/restart", "/../etc/passwd", "//metrics",
                     "/debug/pprof/"):
            self.assertEqual(self.get(path).status, 404, path)

    def test_a_query_string_is_let_pass(self):
        self.assertEqual(self.get("/metrics?x=1").status, 200)

    def test_only_get_and_head(self):
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"):
            answer = self.get("/metrics", method=method)
            self.assertEqual(answer.status, 405, method)
            self.assertEqual(answer.headers["Allow"].replace(" ", ""), "GET,HEAD")

    def test_head_has_the_headers_and_no_body(self):
        answer = self.get("/metrics", method="HEAD")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.body, b"")
        self.assertGreater(int(answer.headers["Content-Length"]), 0)

    def test_gzip_is_for_who_asks_for_it_and_shows_the_same(self):
        plain = self.get("/page/main.js")
        packed = self.get("/page/main.js", headers={"Accept-Encoding": "gzip"})
        self.assertNotIn("Content-Encoding", plain.headers)
        self.assertEqual(packed.headers["Content-Encoding"], "gzip")
        self.assertEqual(gzip.decompress(packed.body), plain.body)
        known = self.get("/page/main.js", headers={"If-None-Match": plain.headers["ETag"]})
        self.assertEqual((known.status, known.body), (304, b""))
        self.assertIn("pmu_exporter_build_info", gzip.decompress(
            self.get("/metrics", headers={"Accept-Encoding": "gzip"}).body).decode())

    def test_any_number_of_scrapers_see_one_snapshot(self):
        first, bodies = self.exporter.scrape(), set()
        deadline = time.monotonic() + 0.5
        while time.monotonic() < deadline:
            bodies.add(self.get("/metrics").body)
        last = self.exporter.scrape()
        self.assertLessEqual(len(bodies), last.value(CYCLES) - first.value(CYCLES) + 1)

    def test_a_connection_carries_many_requests(self):
        with socket.create_connection(("127.0.0.1", self.exporter.port), timeout=25) as s:
            for _ in range(3):
                s.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n")
                self.assertTrue(s.recv(4096).startswith(b"HTTP/1.1 200"))

    def test_garbage_ends_the_connection_and_nothing_else(self):
        for raw in (b"\0\0\0\0\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\r\n\r\n",
                    b"GET / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"):
            # at once, or at the deadline for headers
            with socket.create_connection(("127.0.0.1", self.exporter.port), timeout=25) as s:
                s.sendall(raw)
                s.shutdown(socket.SHUT_WR)
                try:
                    while s.recv(4096):
                        pass
                except ConnectionResetError:
                    pass
        self.assertEqual(self.get("/metrics").status, 200)

    def test_a_body_is_not_run_as_a_second_request(self):
        request = (b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 34\r\n\r\n"
                   b"GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n")
        with socket.create_connection(("127.0.0.1", self.exporter.port), timeout=25) as s:
            s.sendall(request)
            answer = b""
            try:
                while chunk := s.recv(4096):
                    answer += chunk
            except (ConnectionResetError, TimeoutError):
                pass
        self.assertEqual(answer.count(b"HTTP/1.1 "), 1)
        self.assertIn(b" 405 ", answer)

    def test_malformed_requests_get_one_answer_and_the_end(self):
        end = b" HTTP/1.1\r\nHost: x\r\n"
        for request in (b"GET /metrics%00" + end, b"GET /-/ready%00abc" + end,
                        b"GET /%2fmetrics" + end, b"GET metrics" + end,
                        b"GET\0x /metrics" + end, b"GET /metrics" + end + b"X: a\0b\r\n",
                        b"GET /metrics" + end + b"X: a\rb\r\n",
                        b"GET /metrics" + end + b"Content-Length: +1\r\n"):
            with socket.create_connection(("127.0.0.1", self.exporter.port), timeout=25) as s:
                s.sendall(request + b"\r\n")
                answer = b""
                while chunk := s.recv(4096):
                    answer += chunk
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1, request)
            self.assertIn(b"HTTP/1.1 400 ", answer, request)
            self.assertIn(b"\r\nConnection: close\r\n", answer, request)

    def test_any_number_of_arguments_is_let_pass(self):
        self.assertEqual(self.get("/metrics?" + "&".join(["a=1"] * 250)).status, 200)


class Addresses(live.LiveTest):
    def test_several_addresses_of_both_families(self):
        if not has_ipv6():
            self.skipTest("no IPv6 on loopback")
        port6, second = free_port("::1"), free_port()
        args = [f"--web.listen-address=[::1]:{port6}", f"--web.listen-address=127.0.0.1:{second}"]
        with Exporter(CONFIG, args) as exporter:
            self.assertEqual(exporter.get("/metrics").status, 200)
            self.assertEqual(http_get(port6, "/metrics", host="::1").status, 200)
            self.assertEqual(http_get(second, "/metrics").status, 200)

    def test_another_telemetry_path(self):
        with Exporter(CONFIG, ["--web.telemetry-path=/counters"]) as exporter:
            self.assertEqual(exporter.get("/counters").status, 200)
            self.assertEqual(exporter.get("/metrics").status, 404)
            self.assertIn(b'href="/counters"', exporter.get("/").body)

    def test_what_is_no_address_is_a_usage_error(self):
        for address in ("", "x", ":99999", "1.2.3.4", "[::1]", "localhost"):
            done = run_once(f"--web.listen-address={address}", "--config.check")
            self.assertEqual(done.returncode, 2, address)


class CommandLine(live.LiveTest):
    def test_version(self):
        done = run_once("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^pmu_exporter[, ].*\d+\.\d+\.\d+")
        self.assertEqual(done.stderr, "")

    def test_help_names_every_option(self):
        done = run_once("--help")
        self.assertEqual(done.returncode, 0)
        for option in ("web.listen-address", "web.telemetry-path", "log.level", "log.format",
                       "config.file", "config.check", "path.procfs", "path.sysfs",
                       "path.cgroupfs", "version", "help"):
            self.assertIn("--" + option, done.stdout)

    def test_unknown_options_and_words_are_usage_errors(self):
        for words in (["--nonsense"], ["word"], ["--log.level=loud"], ["--log.format=xml"]):
            done = run_once(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(words[0].split("=")[0], done.stderr)

    def test_log_formats(self):
        for option, pattern in (("logfmt", r"^ts=\S+ level=\w+ msg="), ("json", r"^\{.*\}$")):
            with Exporter(CONFIG, [f"--log.format={option}"]) as exporter:
                lines = exporter.log_lines()
            self.assertTrue(lines, "it says at least what it listens on")
            for line in lines:
                self.assertRegex(line, pattern)

    def test_the_end_by_each_signal(self):
        for sign in (signal.SIGTERM, signal.SIGINT):
            with Exporter(CONFIG) as exporter:
                self.assertLess(exporter.stop(sign), END_WITHIN)

    def test_the_end_before_it_was_ready(self):
        with Exporter(CONFIG, wait=False) as exporter:
            # as soon as signals wait for their handler: before that they would simply kill
            while exporter.process.poll() is None and not self.blocks(exporter, signal.SIGTERM):
                time.sleep(0.001)
            exporter.stop()

    def blocks(self, exporter, sign):
        status = pathlib.Path(f"/proc/{exporter.pid}/status").read_text()
        blocked = int(re.search(r"(?m)^SigBlk:\s*(\w+)", status)[1], 16)
        return bool(blocked >> (sign - 1) & 1)


class Configs(live.LiveTest):
    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.path = self.directory / "pmu.yml"

    def check(self, text, *args):
        self.path.write_text(text)
        return run_once(f"--config.file={self.path}", *args)

    def test_a_good_config_is_checked_and_done(self):
        done = self.check(CONFIG, "--config.check")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_place_of_a_fault_is_told(self):
        cases = (("interval: 1s\nintervall: 2s\n", "2:1:"),
                 ("interval: 1s\ninterval: 2s\n", "2:1:"),
                 ("interval: 61s\n", "1:11:"),
                 ("interval: [1s]\n", "1:11:"),
                 ("linger: !!str 60s\n", "1:9:"),
                 ("groups: &g []\n", "1:9:"),
                 ("groups:\n  - name: a\n    events: [page-faults\n", None),
                 ("targets:\n  system: {groups: [nosuch]}\n", "2:21:"),
                 ("\tinterval: 1s\n", "1:"))
        for text, place in cases:
            for args in (["--config.check"], []):
                done = self.check(text, *args)
                self.assertEqual(done.returncode, 2, f"{text!r}: {done.stderr}")
                wanted = f"{self.path}:{place}" if place else rf"{self.path}:\d+:\d+:"
                self.assertRegex(done.stderr, wanted if not place else re.escape(wanted))

    def test_the_nearest_valid_word_is_told(self):
        self.assertIn("interval", self.check("intervall: 2s\n").stderr)
        self.assertIn("core", self.check("groups:\n  - {name: core, events: [page-faults]}\n"
                                         "targets:\n  system: {groups: [cor]}\n").stderr)

    def test_deep_nesting_is_refused_at_once(self):
        done = self.check("groups: " + "[" * 200000)
        self.assertEqual(done.returncode, 2)
        self.assertLess(done.seconds, 10)  # libyaml by itself accepts more than 30

    def test_too_large_a_file_is_refused(self):
        self.assertEqual(self.check("# " + "x" * (1 << 20) + "\ninterval: 1s\n").returncode, 2)

    def test_a_file_that_is_not_there_is_refused(self):
        done = run_once(f"--config.file={self.directory}/none.yml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("none.yml", done.stderr)

    def test_directories_and_devices_are_refused(self):
        for path in (self.directory, "/dev/zero"):
            self.assertEqual(run_once(f"--config.file={path}").returncode, 2, path)


class Ready(live.LiveTest):
    def test_not_ready_before_the_first_cycle_and_ready_after(self):
        """Every answer on the way up is 503 with a reason, then 200 and never 503 again."""
        statuses = []

        def ask(exporter):
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end and statuses[-3:] != [200] * 3:
                try:
                    answer = exporter.get("/-/ready")
                    statuses.append(answer.status)
                    if answer.status == 503:
                        self.assertTrue(answer.body.strip(), "the reason")
                except OSError:
                    pass

        with Exporter(CONFIG, wait=False) as exporter:
            thread = threading.Thread(target=ask, args=(exporter,))
            thread.start()
            thread.join()
        self.assertEqual(statuses[-3:], [200] * 3)
        self.assertLessEqual(set(statuses), {503, 200})
        self.assertEqual(statuses, sorted(statuses, reverse=True))


if __name__ == "__main__":
    live.main()
