# SPDX-License-Identifier: Apache-2.0
"""Strangers take all connections that there are."""
import contextlib
import re
import socket
import time

import standing
from exporter import PATIENCE

NO_ROOM = "no room for all connections"


class Crowd(standing.FaultTest):
    """Strangers hold as many connections as they can get; who scrapes is answered."""
    MANY, SCRAPES = 128, 28
    ENDLESS = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 2000  # the answers fill every buffer

    @contextlib.contextmanager
    def crowded(self):
        """The exporter under a crowd, of which its log tells once a minute at most."""
        began, self.sockets = time.monotonic(), []
        with self.standing() as self.exporter:
            yield
            self.exporter.log_until(NO_ROOM)
            told = self.exporter.stderr().count(NO_ROOM)
            self.assertLessEqual(told, 1 + (time.monotonic() - began) / 60)
            for s in self.sockets:
                s.close()

    def connect(self, source):
        s = socket.create_connection(("127.0.0.1", self.exporter.port), timeout=PATIENCE,
                                     source_address=(source, 0))
        self.addCleanup(s.close)
        self.sockets.append(s)
        return s

    def ask(self, s):
        """Scrapes over a connection that stays open; the status line, or as much of it as came."""
        s.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        head, _, body = s.recv(65536).partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        while length and len(body) < int(length[1]):
            body += s.recv(65536)
        return head.split(b"\r\n")[0]

    def hold(self, addresses, each, first_bytes=b""):
        """Opens connections from each of these addresses, scrapes over each, and lets them rest."""
        held = []
        for address in addresses:
            for _ in range(each):
                s = self.connect(address)
                if first_bytes:
                    s.sendall(first_bytes)
                else:
                    self.assertEqual(self.ask(s), b"HTTP/1.1 200 OK")
                held.append(s)
        return held

    def check_scrapes(self, sources, times=SCRAPES):
        for i in range(times):
            with self.connect(sources[i % len(sources)]) as s:
                self.assertEqual(self.ask(s), b"HTTP/1.1 200 OK", f"scrape {i}")

    def test_idle_connections_of_one_address_keep_nobody_out(self):
        with self.crowded():
            before = self.exporter.after_cycles(2)
            scraper = self.connect("127.0.0.1")
            self.assertEqual(self.ask(scraper), b"HTTP/1.1 200 OK")
            held = self.hold(["127.0.0.2"], self.MANY)
            self.check_scrapes(["127.0.0.1", "127.0.0.2"])
            held += self.hold(["127.0.0.2"], self.MANY)
            # who comes back has its connection still, and the strangers' oldest have gone
            self.assertEqual(self.ask(scraper), b"HTTP/1.1 200 OK")
            self.assertEqual(held[0].recv(1), b"")
            closed = "pmu_exporter_http_connections_closed_total"
            after = self.exporter.scrape_until(
                lambda m: m.value(closed, reason="room") > before.value(closed, reason="room"),
                2.5, "that some were closed for others")

            def more(reason):
                return after.value(closed, reason=reason) - before.value(closed, reason=reason)

            # no more were closed for room than had to be; some may have rested for too long by now
            self.assertLessEqual(more("room"), 2 * self.MANY - self.MANY // 2)
            self.assertGreaterEqual(after.value("pmu_exporter_http_connections") + more("idle"),
                                    self.MANY // 2)

    def test_idle_connections_of_many_addresses_keep_nobody_out(self):
        with self.crowded():
            self.hold([f"127.0.{n // 100}.{n % 100 + 2}" for n in range(256)], 2)
            self.check_scrapes(["127.0.0.1", "127.0.0.2", "127.0.1.7"])
            self.assertEqual(self.exporter.ask_control("GET", "/-/healthy").status, 200)

    def test_requests_that_never_end_keep_nobody_out(self):
        with self.crowded():
            self.hold([f"127.1.0.{n + 2}" for n in range(8)], 64, b"GET /metrics HTTP/1.1\r\nX: ")
            self.check_scrapes(["127.0.0.1", "127.1.0.2"])

    def test_who_asks_and_never_reads_keeps_nobody_out(self):
        with self.crowded():
            for first in range(self.SCRAPES):
                for n in range(self.MANY // 2):
                    self.connect(f"127.2.{first}.{n + 2}").sendall(self.ENDLESS)
                self.check_scrapes(["127.0.0.1"], times=1)


if __name__ == "__main__":
    standing.main(at_once=2)
