#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Users, headers and limits of --web.config.file, and what promtool makes of such files."""
import base64
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import time
import unittest

import live
from exporter import PATIENCE, binary
from prometheus import Prometheus
from web_files import ALICE, BOB, USERS, Files, ProtectedExporter

RELOADED = "pmu_exporter_web_config_last_reload_success_timestamp_seconds"
HASHES = "pmu_exporter_web_password_hashes_total"
ROOT = pathlib.Path(__file__).resolve().parents[2]
NOBODY, GROUP = 65534, 65533


def basic(name, password):
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}


def in_memory(pid, text):
    """Whether the memory of a process holds these bytes."""
    found = []
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            begin, end = (int(word, 16) for word in line.split()[0].split("-"))
            if "rw" not in line.split()[1] or "perf_event" in line or "[vvar" in line:
                continue
            if end - begin > 1 << 30:
                continue  # the shadow of AddressSanitizer
            try:
                memory.seek(begin)
                if text in memory.read(end - begin):
                    found.append(line.strip())
            except OSError:
                pass
    return found


class Users(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = cls.enterClassContext(Files())
        cls.files.write("web.yml", USERS)
        cls.exporter = cls.enterClassContext(ProtectedExporter(
            cls.files.path("web.yml"), args=["--web.enable-lifecycle"]))

    def change(self, text):
        before = self.exporter.scrape().value(RELOADED)
        self.files.write("web.yml", text)
        self.exporter.scrape_until(lambda m: m.value(RELOADED) > before, PATIENCE, "the reload")

    def ask(self, *user, path="/metrics", **options):
        return self.exporter.get(path, headers=basic(*user) if user else None, **options)

    def hashes(self):
        return self.exporter.after_cycles().value(HASHES)  # a page is written once a cycle

    def test_everything_on_tcp_needs_a_user_and_the_control_socket_none(self):
        for path in ("/", "/metrics", "/-/healthy", "/-/ready", "/api/v1/targets", "/nothing"):
            with self.subTest(path=path):
                answer = self.ask(path=path)
                self.assertEqual(answer.status, 401)
                self.assertEqual(answer.headers["WWW-Authenticate"], "Basic")
                self.assertIn(self.ask("alice", ALICE, path=path).status, (200, 404))
        self.assertEqual(self.ask(path="/-/reload", method="POST").status, 401)
        self.assertEqual(self.ask("bob", BOB, path="/-/reload", method="POST").status, 200)
        self.assertEqual(self.exporter.ask_control("GET", "/-/healthy").status, 200)

    def test_right_wrong_and_unknown_cost_one_hash_each_and_a_right_one_no_second(self):
        self.change(USERS.replace("basic_auth_users:\n", "basic_auth_users:\n  carol: "
                                  "$2b$04$pmuexporterpmuexporteuPqAi/wsWXG0XeD6zRUVaMOu.BgtaUXi\n"))
        before = self.hashes()
        for status, *user in ((200, "carol", BOB), (401, "carol", "wrong"),
                              (401, "nobody", "wrong"), (401, "", ""),
                              (401, "alice", "x" * 300)):
            with self.subTest(user=user):
                self.assertEqual(self.ask(*user).status, status)
                after = self.hashes()
                self.assertEqual(after - before, 1)
                before = after
        for _ in range(3):
            self.assertEqual(self.ask("carol", BOB).status, 200)
        self.assertEqual(self.hashes(), before)

    def test_an_unknown_name_takes_the_time_of_a_hash(self):
        """By the CPU time of the thread that hashes, with hashes of cost 10."""
        dear = "$2y$10$Jk7gXyhyFS4JqlTY.SEHhO3m7I9G1n5qk4Wv0p1JY0a0dV7cZ8x0a"
        self.change(f"basic_auth_users:\n  alice: {dear}\n")

        def cost(name):
            before = self.ticks()
            for _ in range(4):
                self.assertEqual(self.ask(name, "wrong").status, 401)
            return self.ticks() - before

        known, unknown = cost("alice"), cost("nobody")
        self.assertGreater(unknown, known / 2)
        self.assertLess(unknown, known * 2)
        self.change(USERS)

    def ticks(self):
        for task in pathlib.Path(f"/proc/{self.exporter.pid}/task").iterdir():
            if (task / "comm").read_text().strip() == "passwords":
                return int((task / "schedstat").read_text().split()[0])
        return 0

    def test_a_changed_password_holds_from_the_reload_on(self):
        self.change(USERS)
        self.assertEqual(self.ask("alice", ALICE).status, 200)
        alice, bob = re.findall(r"\$2[^\s\"]+", USERS)
        self.change(f"basic_auth_users: {{alice: {bob}}}\n")
        self.assertEqual(self.ask("alice", ALICE).status, 401)
        self.assertEqual(self.ask("alice", BOB).status, 200)
        self.change("basic_auth_users: {}\n")
        self.assertEqual(self.ask().status, 200)
        self.change(USERS)
        self.assertEqual(self.ask().status, 401)

    def test_guests_at_the_gate_keep_nobody_waiting_who_is_known(self):
        self.change(USERS)
        self.assertEqual(self.ask("alice", ALICE).status, 200)
        with concurrent.futures.ThreadPoolExecutor(40) as pool:
            guesses = [pool.submit(self.ask, "alice", f"guess {i}") for i in range(80)]
            known = [pool.submit(self.ask, "alice", ALICE) for i in range(5)]
            self.assertEqual({f.result().status for f in known}, {200})
            self.assertLessEqual({f.result().status for f in guesses}, {401, 503})
        self.assertEqual(self.ask("bob", BOB).status, 200)

    def test_a_body_follows_after_the_password_was_looked_at(self):
        self.change(USERS.replace("alice", "dora"))
        answer = self.ask("dora", ALICE, path="/-/pause?duration=off", method="POST")
        self.assertEqual(answer.status, 200)

    def test_headers_are_on_every_answer_and_follow_the_file(self):
        self.change("http_server_config:\n  headers:\n    X-Frame-Options: deny\n"
                    "    Content-Security-Policy: default-src 'none'\n" + USERS)
        for path, status in (("/", 200), ("/metrics", 200), ("/nothing", 404), ("/-/ready", 200)):
            headers = self.ask("alice", ALICE, path=path).headers
            with self.subTest(path=path):
                self.assertEqual(headers["X-Frame-Options"], "deny")
                self.assertEqual(headers["Content-Security-Policy"], "default-src 'none'")
        self.assertEqual(self.ask().headers["X-Frame-Options"], "deny")
        self.change(USERS)
        for path in ("/", "/metrics", "/nothing"):
            headers = self.ask("alice", ALICE, path=path).headers
            self.assertNotEqual(headers.get("Content-Security-Policy"), "default-src 'none'")

    def test_requests_beyond_the_rate_get_429(self):
        self.change("rate_limit: {interval: 1h, burst: 5}\n" + USERS)
        statuses = [self.ask("alice", ALICE).status for _ in range(8)]
        self.assertEqual(statuses, [200] * 5 + [429] * 3)
        self.assertGreaterEqual(
            self.exporter.after_cycles().value("pmu_exporter_web_rate_limited_total"), 3)
        self.change(USERS)
        self.assertEqual(self.ask("alice", ALICE).status, 200)


class Passwords(unittest.TestCase):
    def test_they_are_nowhere_in_memory_after_the_answer(self):
        live.need("openssl", "curl")
        secret = "Xylophon-7731-Quastenflosser"
        with Files() as files:
            files.certificate("server")
            files.write("web.yml", "tls_server_config: {cert_file: server.pem, "
                                   "key_file: server.key}\n" + USERS)
            with ProtectedExporter(files.path("web.yml")) as exporter:
                encoded = base64.b64encode(f"alice:{secret}".encode())
                self.assertEqual(
                    files.curl(exporter.port, "/metrics", "-u", f"alice:{secret}")[0], 401)
                self.assertEqual(
                    files.curl(exporter.port, "/metrics", "-u", f"alice:{ALICE}")[0], 200)
                for text in (secret.encode(), encoded, ALICE.encode(),
                             base64.b64encode(f"alice:{ALICE}".encode())):
                    self.assertEqual(in_memory(exporter.pid, text), [], text)
                self.assertNotEqual(in_memory(exporter.pid, b"alice"), [])


class Start(unittest.TestCase):
    def refused(self, text):
        with Files() as files:
            path = files.write("web.yml", text)
            done = subprocess.run([binary(), f"--web.config.file={path}"], capture_output=True,
                                  text=True, timeout=PATIENCE)
            return done.returncode, done.stderr.replace(str(path), "FILE")

    def test_a_bad_file_is_refused_with_its_place(self):
        status, error = self.refused("basic_auth_users:\n  alice: secret\n")
        self.assertEqual(status, 2)
        self.assertIn("FILE:2:10: ", error)
        self.assertNotIn("secret", error)

    def test_max_requests_is_a_number(self):
        done = subprocess.run([binary(), "--web.max-requests=many"], capture_output=True,
                              text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--web.max-requests", done.stderr)


def wait_for_up(test, prometheus):
    prometheus.wait_for_first_scrape()
    end = time.monotonic() + PATIENCE
    while not any(row["value"][1] == "1" for row in prometheus.query("up")):
        test.assertLess(time.monotonic(), end, prometheus.log.read_text())
        time.sleep(0.2)


class RealPrometheus(unittest.TestCase):
    def test_it_scrapes_with_tls_and_a_user(self):
        live.need("prometheus", "openssl")
        with Files() as files:
            files.certificate("server")
            files.write("web.yml", "tls_server_config: {cert_file: server.pem, "
                                   "key_file: server.key}\n" + USERS)
            with ProtectedExporter(files.path("web.yml")) as exporter:
                more = ("    scheme: https\n    tls_config: {ca_file: %s, server_name: localhost}\n"
                        "    basic_auth: {username: alice, password: %s}\n"
                        % (files.path("server.pem"), ALICE))
                with Prometheus(exporter.port, more=more) as prometheus:
                    wait_for_up(self, prometheus)
                    self.assertEqual(exporter.after_cycles().value(HASHES), 1)


def fenced(section, kind=""):
    """The blocks of this kind in a section of the README."""
    return [block for k, block in re.findall(r"(?ms)^```(\w*)\n(.*?)^```$", section) if k == kind]


class Readme(unittest.TestCase):
    """What the README has one do for TLS and users, done as it stands there."""

    PASSWORD = "a try of this"

    @classmethod
    def setUpClass(cls):
        live.need("openssl", "htpasswd", "mkpasswd", "promtool", "prometheus", "curl", "setpriv")
        text = (ROOT / "README.md").read_text()
        section = text.split("### TLS and passwords", 1)[1].split("\n### ", 1)[0]
        cls.makes, cls.checks, cls.group, cls.asks = [
            block.splitlines() for block in fenced(section)]
        cls.web, cls.scrape = fenced(section, "yaml")
        cls.files = cls.enterClassContext(Files())
        os.chmod(cls.files.name, 0o755)  # as /etc/pmu_exporter is

    def as_nobody_in(self, group, *command):
        """The command as nobody, who is in this group alone, or in none."""
        if os.geteuid() != 0:
            return command
        groups = ["--clear-groups"] if group is None else [f"--groups={group}"]
        return ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", *groups, *command)

    def run_line(self, line, said=""):
        """A line of the README, in the folder of the test; without sudo not as root."""
        command = ("sh", "-c", line.removeprefix("sudo "))
        if not line.startswith("sudo "):
            command = self.as_nobody_in(None, *command)
        tools = pathlib.Path(binary()).parent
        done = subprocess.run(command, cwd=self.files.name, input=said, capture_output=True,
                              text=True, timeout=PATIENCE,
                              env=os.environ | {"PATH": f"{tools}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 0, line + done.stdout + done.stderr)
        return done.stdout

    def make_hashes(self):
        """By each command, told to take the password from its input and not from a terminal."""
        certificate, htpasswd, mkpasswd = self.makes
        self.run_line(certificate)
        line = self.run_line(htpasswd.replace("-nBC", "-niBC"), self.PASSWORD + "\n").strip()
        name, first = line.split(":")
        self.assertEqual(name, "prometheus")
        second = self.run_line(mkpasswd.replace("mkpasswd", "mkpasswd -s"), self.PASSWORD + "\n")
        return first, second.strip()

    def scrape_job(self):
        """The lines of the job that a Prometheus of a test does not have by itself."""
        self.files.write("pmu_password", self.PASSWORD)
        self.files.write("prometheus.yml", self.scrape.replace("/etc/prometheus/", ""))
        self.run_line("promtool check config prometheus.yml")
        job = self.scrape.replace("/etc/prometheus", self.files.name)
        return job.split("static_configs", 1)[1].split("\n", 1)[1]

    def check_asks(self, exporter):
        curl, = self.asks
        for check in self.checks:
            self.run_line(check)
        curl = curl.replace("10138", str(exporter.port)).replace(
            "-u prometheus", f"-u 'prometheus:{self.PASSWORD}'")
        self.assertIn("\npmu_exporter_build_info{", self.run_line(curl))

    def test_its_lines_make_an_exporter_that_its_prometheus_scrapes(self):
        for number, one in enumerate(self.make_hashes()):
            with self.subTest(hash=one):
                web = self.files.write("web.yml", self.web.replace("$2y$10$...", one))
                self.assertIn(one, web.read_text())
                with ProtectedExporter(web) as exporter:
                    self.check_asks(exporter)
                    if number == 0:
                        self.check_scrape(exporter)

    def can_read(self, group, name):
        return subprocess.run(self.as_nobody_in(group, "cat", self.files.path(name)),
                              capture_output=True, timeout=PATIENCE).returncode == 0

    def test_the_user_of_the_unit_may_read_the_key_and_the_hashes_and_others_may_not(self):
        if os.geteuid() != 0:
            self.skipTest("only root gives files to any group")
        name = re.search(r"^User=(\S+)$", (ROOT / "systemd/pmu_exporter.service.in").read_text(),
                         re.M)[1]
        self.assertEqual(self.group[0].split()[:3], ["sudo", "chgrp", name])
        drop_in = (ROOT / "systemd/pmu_exporter.service.d/web.conf").read_text()
        for line in self.group:
            self.assertIn(f"#   {line}\n", drop_in)
        self.run_line(self.makes[0])
        self.files.write("web.yml", self.web)
        for line in self.group:
            self.run_line(line.replace(name, str(GROUP)))  # no group of the machine is made
        for file in ("exporter.key", "web.yml"):
            with self.subTest(file=file):
                self.assertTrue(self.can_read(GROUP, file))
                self.assertFalse(self.can_read(None, file))
        self.assertTrue(self.can_read(None, "exporter.pem"))

    def check_scrape(self, exporter):
        with Prometheus(exporter.port, more=self.scrape_job()) as prometheus:
            wait_for_up(self, prometheus)


# What both take, and what both refuse.
GOOD = (
    "",
    "{}\n",
    "tls_server_config: {cert_file: server.pem, key_file: server.key}\n",
    "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n  min_version: TLS13\n",
    "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n"
    "  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: server.pem\n",
    "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n"
    "  client_auth_type: RequireClientCert\n",
    "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n"
    "  cipher_suites: [TLS_AES_128_GCM_SHA256, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]\n"
    "  curve_preferences: [X25519, CurveP521]\n  prefer_server_cipher_suites: false\n",
    USERS,
    "basic_auth_users:\n",
    "http_server_config:\n  http2: false\n  headers:\n    X-XSS-Protection: 1; mode=block\n"
    "    X-Content-Type-Options: nosniff\n    X-Frame-Options: sameorigin\n",
)
BAD = (
    "tls_server_config: {cert_file: server.pem}\n",
    "tls_server_config: {key_file: server.key}\n",
    "tls_server_config: {cert_file: server.pem, key_file: other.key}\n",
    "tls_server_config: {cert_file: nothing.pem, key_file: server.key}\n",
    "tls_server_config: {cert_file: server.key, key_file: server.key}\n",
    "tls_server_config: {cert_file: server.pem, key_file: server.key, min_version: TLS14}\n",
    "tls_server_config: {cert_file: server.pem, key_file: server.key, "
    "client_auth_type: Whoever}\n",
    "tls_server_config: {cert_file: server.pem, key_file: server.key, client_ca_file: "
    "server.pem}\n",
    "tls_server_config: {cert_file: server.pem, key_file: server.key, cipher_suites: [RC4]}\n",
    "tls_server_config: {cert_file: server.pem, key_file: server.key, "
    "curve_preferences: [CurveP1]}\n",
    "tls_config: {}\n",
    "basic_auth_users: {alice: secret}\n",
    "basic_auth_users: [alice]\n",
    "http_server_config: {headers: {X-Other: a}}\n",
    "http_server_config: {headers: {X-Frame-Options: maybe}}\n",
    "a: b: c\n",
)


class Promtool(unittest.TestCase):
    def test_it_and_pmutool_take_and_refuse_the_same_files(self):
        live.need("promtool", "openssl")
        pmutool = pathlib.Path(binary()).parent / "pmutool"
        with Files() as files:
            files.certificate("server")
            files.certificate("other")
            for text in GOOD + BAD:
                path = files.write("web.yml", text)
                statuses = [subprocess.run([program, "check", "web-config", path],
                                           capture_output=True, timeout=PATIENCE).returncode == 0
                            for program in ("promtool", pmutool)]
                with self.subTest(text=text):
                    self.assertEqual(statuses, [text in GOOD] * 2)

    def test_pmutool_says_what_a_file_comes_to_also_in_json(self):
        live.need("openssl")
        with Files() as files:
            files.certificate("server")
            path = files.write("web.yml", GOOD[2] + USERS)
            said = json.loads(self.pmutool("--json", path).stdout)
            self.assertEqual(said["users"], ["alice", "bob"])
            self.assertEqual(said["certificate"]["subject"], "CN=server")
            self.assertTrue(said["certificate"]["valid_now"])
            self.assertIn("CN=server", self.pmutool(path).stdout)
            path = files.write("web.yml", "basic_auth_users: {alice: secret}\n")
            refused = self.pmutool("--json", path)
            self.assertEqual(refused.returncode, 2)
            error = json.loads(refused.stdout)["error"]
            self.assertEqual((error["line"], error["column"]), (1, 27))

    def pmutool(self, *words):
        return subprocess.run([pathlib.Path(binary()).parent / "pmutool", "check", "web-config",
                               *words], capture_output=True, text=True, timeout=PATIENCE)


if __name__ == "__main__":
    live.main()
