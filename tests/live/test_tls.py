#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""TLS of --web.config.file: versions, certificates of clients, other certificates under open
connections, garbage and half handshakes, with openssl s_client and curl as the clients."""
import os
import pathlib
import socket
import ssl
import subprocess
import time
import unittest

import live
from exporter import PATIENCE
from web_files import Files, ProtectedExporter

SERVER = "  cert_file: server.pem\n  key_file: server.key\n"
RELOADED = "pmu_exporter_web_config_last_reload_success_timestamp_seconds"


def web_config(more=""):
    return f"tls_server_config:\n{SERVER}{more}"


def ticks(pid):
    """CPU time of a process, in ticks of the clock."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def task_of(pid, name):
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().strip() == name:
            return int(task.name)
    raise AssertionError(f"no thread {name}")


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        live.need("openssl", "curl")
        cls.files = cls.enterClassContext(Files())
        cls.files.certificate("server", ["DNS:localhost", "IP:127.0.0.1"])
        cls.files.certificate("other", ["DNS:localhost", "IP:127.0.0.1"])
        cls.files.certificate("authority", [])
        cls.files.certificate("client", ["DNS:scraper.example.org", "URI:spiffe://example/x",
                                         "IP:10.1.2.3"], issuer="authority", usage="clientAuth")
        cls.files.certificate("no_client", [], issuer="authority", usage="serverAuth")
        cls.files.certificate("stranger", ["DNS:scraper.example.org"])
        cls.files.write("web.yml", web_config())
        cls.exporter = cls.enterClassContext(ProtectedExporter(cls.files.path("web.yml")))

    def change(self, text):
        """Another configuration, which is in force when this returns."""
        before = self.exporter.scrape().value(RELOADED)
        self.files.write("web.yml", text)
        self.exporter.scrape_until(lambda m: m.value(RELOADED) > before, PATIENCE, "the reload")

    def ask(self, *options, ca="server"):
        return self.files.curl(self.exporter.port, "/-/healthy", *options, ca=ca)[0]

    def with_client(self, name):
        return self.ask("--cert", self.files.path(f"{name}.pem"), "--key",
                        self.files.path(f"{name}.key"))

    def connect(self, ca="server"):
        context = ssl.create_default_context(cafile=self.files.path(f"{ca}.pem"))
        plain = socket.create_connection(("127.0.0.1", self.exporter.port), timeout=PATIENCE)
        return context.wrap_socket(plain, server_hostname="localhost")

    def test_it_is_the_certificate_of_the_file_and_nothing_is_in_the_clear(self):
        self.change(web_config())
        self.assertEqual(self.ask(), 200)
        self.assertEqual(self.ask(ca="other"), 0)
        answer = self.exporter.get("/metrics")
        self.assertEqual(answer.status, 400)
        self.assertIn(b"https://", answer.body)

    def test_only_the_versions_of_the_file_are_spoken(self):
        def speaks(version):
            done = subprocess.run(
                ["openssl", "s_client", "-connect", f"127.0.0.1:{self.exporter.port}", version,
                 "-cipher", "DEFAULT:@SECLEVEL=0"], input=b"", capture_output=True,
                timeout=PATIENCE)
            return b"BEGIN CERTIFICATE" in done.stdout and b"Cipher is (NONE)" not in done.stdout

        versions = ("-tls1", "-tls1_1", "-tls1_2", "-tls1_3")
        for more, spoken in (("", (False, False, True, True)),
                             ("  max_version: TLS12\n", (False, False, True, False)),
                             ("  min_version: TLS13\n", (False, False, False, True)),
                             ("  min_version: TLS10\n", (True, True, True, True))):
            self.change(web_config(more))
            with self.subTest(more=more):
                self.assertEqual(tuple(map(speaks, versions)), spoken)

    def test_only_the_cipher_suites_and_curves_of_the_file_are_spoken(self):
        self.change(web_config(
            "  max_version: TLS12\n  curve_preferences: [CurveP384]\n"
            "  cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384]\n"))
        self.assertEqual(self.ask("--ciphers", "ECDHE-ECDSA-AES256-GCM-SHA384"), 200)
        self.assertEqual(self.ask("--ciphers", "ECDHE-ECDSA-AES128-GCM-SHA256"), 0)
        self.assertEqual(self.ask("--curves", "P-384:P-256"), 200)
        self.assertEqual(self.ask("--curves", "P-256"), 0)
        self.change(web_config("  cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA]\n"))
        self.assertEqual(self.ask(), 200)  # TLS 1.3 has its own
        self.assertEqual(self.ask("--tls-max", "1.2", "--ciphers", "ECDHE-ECDSA-AES128-SHA"), 200)
        self.assertEqual(
            self.ask("--tls-max", "1.2", "--ciphers", "ECDHE-ECDSA-AES128-GCM-SHA256"), 0)

    def test_each_type_of_client_authentication_takes_whom_it_says(self):
        # none, signed, of a stranger, signed for servers only
        for kind, taken in (("NoClientCert", (200, 200, 200, 200)),
                            ("RequestClientCert", (200, 200, 200, 200)),
                            ("RequireAnyClientCert", (0, 200, 200, 200)),
                            ("VerifyClientCertIfGiven", (200, 200, 0, 0)),
                            ("RequireAndVerifyClientCert", (0, 200, 0, 0))):
            authority = "" if kind == "NoClientCert" else "  client_ca_file: authority.pem\n"
            self.change(web_config(f"  client_auth_type: {kind}\n{authority}"))
            with self.subTest(kind=kind):
                found = (self.ask(), *map(self.with_client, ("client", "stranger", "no_client")))
                self.assertEqual(found, taken)

    def test_a_client_needs_one_of_the_names(self):
        for name, taken in (("scraper.example.org", True), ("spiffe://example/x", True),
                            ("10.1.2.3", True), ("example.org", False), ("10.1.2.30", False)):
            self.change(web_config("  client_auth_type: RequireAndVerifyClientCert\n"
                                   "  client_ca_file: authority.pem\n"
                                   f'  client_allowed_sans: [nobody, "{name}"]\n'))
            with self.subTest(name=name):
                self.assertEqual(self.with_client("client") == 200, taken)

    def test_certificates_change_under_open_connections(self):
        self.change(web_config())
        with self.connect() as old:
            def ask():
                old.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return old.recv(4096)

            self.assertIn(b"200 OK", ask())
            self.change(web_config().replace("server.", "other."))
            self.assertIn(b"200 OK", ask())
            self.assertEqual(self.ask(ca="other"), 200)
            self.assertEqual(self.ask(), 0)
            self.change(web_config())
            self.assertEqual(self.ask(), 200)
            self.assertIn(b"200 OK", ask())

    def test_a_bad_file_never_replaces_a_good_one(self):
        self.change(web_config())
        good = "pmu_exporter_web_config_last_reload_successful"
        self.files.write("web.yml", web_config("  min_version: TLS9\n"))
        self.exporter.scrape_until(lambda m: m.value(good) == 0, PATIENCE, "the refusal")
        self.exporter.log_until("place=4:16")
        self.assertEqual(self.ask(), 200)
        self.files.write("web.yml", "{}\n")
        self.exporter.log_until("is no longer there")
        self.assertEqual(self.ask(), 200)
        self.change(web_config())
        self.exporter.scrape_until(lambda m: m.value(good) == 1, PATIENCE, "the good file")

    def test_half_handshakes_cost_nothing_count_as_connections_and_end(self):
        self.change(web_config())
        hello = bytes.fromhex("160301012c01000128")  # and the rest never comes
        connections = "pmu_exporter_http_connections"
        thread = task_of(self.exporter.pid, "http")
        clients = [socket.create_connection(("127.0.0.1", self.exporter.port), timeout=PATIENCE)
                   for _ in range(20)]
        try:
            for client in clients[:10]:
                client.sendall(hello)
            self.exporter.scrape_until(lambda m: m.value(connections) >= 20, PATIENCE, "20 clients")
            before = ticks(thread)
            time.sleep(2)  # not a limit: a time in which ticks are counted
            self.assertLess(ticks(thread) - before, os.sysconf("SC_CLK_TCK") // 4)
            for client in clients:
                self.assertEqual(client.recv(1 << 16), b"")
        finally:
            for client in clients:
                client.close()
        self.exporter.scrape_until(lambda m: m.value(connections) <= 1, PATIENCE, "their end")

    def test_garbage_ends_with_an_alert_and_others_are_served(self):
        self.change(web_config())
        for garbage in (b"\x16\x03\x01\x00\x05hello", b"\x00" * 100, b"\xff" * 5000,
                        b"\x80\x2e\x01\x00\x02"):
            with socket.create_connection(("127.0.0.1", self.exporter.port),
                                          timeout=PATIENCE) as client:
                try:
                    client.sendall(garbage)
                    client.shutdown(socket.SHUT_WR)
                    while client.recv(4096):
                        pass
                except OSError:
                    pass  # it was closed before the end
        self.assertEqual(self.ask(), 200)

    def test_a_long_head_and_a_long_answer_pass_in_any_pieces(self):
        self.change(web_config())
        with self.connect() as client:
            head = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 8000 + b"\r\n\r\n"
            for i in range(0, len(head), 700):
                client.sendall(head[i:i + 700])
            answer = b""
            while b"\r\n\r\n" not in answer:
                answer += client.recv(1000)
            self.assertTrue(answer.startswith(b"HTTP/1.1 200 OK"), answer[:200])
            length = int(answer.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
            body = answer.partition(b"\r\n\r\n")[2]
            while len(body) < length:
                body += client.recv(100)
            self.assertEqual(len(body), length)

    def test_descriptors_are_given_back(self):
        self.change(web_config())

        def descriptors():
            return len(list(pathlib.Path(f"/proc/{self.exporter.pid}/fd").iterdir()))

        self.ask()
        self.exporter.scrape_until(
            lambda m: m.value("pmu_exporter_http_connections") <= 1, PATIENCE, "rest")
        before = descriptors()
        for _ in range(20):
            self.ask()
        end = time.monotonic() + PATIENCE
        while descriptors() > before:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)


if __name__ == "__main__":
    live.main()
