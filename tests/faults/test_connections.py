# SPDX-License-Identifier: Apache-2.0
"""Clients that send nothing, or slowly, or do not read, or too much, or end in the midst of it; and
descriptors that run out where they come in.

All of it is in a network of its own, whose addresses count as networks of their own for the server: it
shares its connections among those, and all of 127.0.0.0/8 is one of them."""
import contextlib
import os
import pathlib
import re
import resource
import select
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time

import live
import standing
import strict_exposition
from exporter import (ANSWER_WITHIN, CYCLES, PATIENCE, SLACK, Exporter, http_get, is_sanitized,
                      unit_environment)
from injectors import STORM, end_process, python
from lateness import Lateness
from web_files import Files, ProtectedExporter

IN_OWN_NETWORK = "PMU_TEST_OWN_NETWORK"  # in the environment of a program that was run anew
STRANGERS = [f"10.0.0.{n}" for n in range(1, 9)]
CLOSED_WITHIN, SLOW_CLOSED_WITHIN = 10.0, 12.0
BYTE_EVERY = 0.25  # seconds
READERS, MORE_BYTES = 100, 10 * 1024 * 1024
LARGE_NAMES = 150
RECEIVES = 4096  # bytes that a slow reader has room for
NO_ROOM_SECONDS, NO_ROOM_CPU = 3.0, 0.05
STORM_THREADS = 50
STORM_SECONDS = float(os.environ.get("PMU_TEST_SECONDS", "4"))
ENDS_WITHIN = 2.0
TLS = "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n"
MOST = 512  # connections
CROWD = 128  # at once
GET = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
RELOADED = "pmu_exporter_web_config_last_reload_successful"


def enter_own_network():
    """Runs this program anew, in a network where strangers have addresses."""
    if IN_OWN_NETWORK in os.environ or os.geteuid() != 0:
        return
    live.need("unshare", "ip")
    lines = " && ".join(["ip link set lo up", *(f"ip addr add {a}/32 dev lo" for a in STRANGERS)])
    os.execvpe("unshare", ["unshare", "--net", "sh", "-c", f'{lines} && exec "$@"', "sh", sys.executable,
                           "-B", *sys.argv], {**os.environ, IN_OWN_NETWORK: "1"})


def ticks(pid, name):
    """CPU time of the thread of this name, in seconds."""
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().strip() == name:
            fields = (task / "stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    raise AssertionError(f"no thread {name}")


def reads_of(pid):
    """How many times its first thread, which counts, has read a file."""
    text = pathlib.Path(f"/proc/{pid}/task/{pid}/io").read_text()
    return int(re.search(r"syscr: (\d+)", text)[1])


class ConnectionTest(standing.FaultTest):
    def connect(self, port, source, room=None):
        s = socket.socket()
        self.addCleanup(s.close)
        s.settimeout(PATIENCE)
        if room:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        s.bind((source, 0))
        s.connect(("127.0.0.1", port))
        return s

    def crowd(self, port, n, sources, **options):
        """So many connections, of these addresses in turn."""
        return [self.connect(port, sources[i % len(sources)], **options) for i in range(n)]

    def until_closed(self, sockets, within, each_turn=lambda living: None):
        """The seconds after which the server has closed each of them."""
        began, living = time.monotonic(), set(sockets)
        while living and time.monotonic() - began < within + PATIENCE:
            for s in select.select(list(living), [], [], BYTE_EVERY)[0]:
                with contextlib.suppress(ConnectionError):
                    if s.recv(65536):
                        continue  # it says why first
                living.discard(s)
            each_turn(living)
        self.assertEqual(len(living), 0, "some are never closed")
        return time.monotonic() - began

    def check_median(self, seconds, what):
        seconds = sorted(seconds)
        print(f"{self.id()}: {what}: {len(seconds)} scrapes, half of them within "
              f"{seconds[len(seconds) // 2] * 1000:.0f} ms, all within {seconds[-1] * 1000:.0f} ms")
        self.assertLess(seconds[len(seconds) // 2], ANSWER_WITHIN * SLACK)

    def scrape_beside(self, port, stop, seconds):
        while not stop.wait(0.1):
            seconds.append(http_get(port, "/metrics", timeout=PATIENCE).seconds)

    @contextlib.contextmanager
    def scraped(self, exporter):
        """Someone from another address scrapes meanwhile, and is answered."""
        stop, seconds = threading.Event(), []
        thread = threading.Thread(target=self.scrape_beside, args=(exporter.port, stop, seconds))
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()
        self.check_median(seconds, "beside them")


class Slow(ConnectionTest):
    def test_who_sends_nothing_is_closed_and_delays_nobody(self):
        with self.standing() as exporter, Lateness() as late, self.scraped(exporter):
            crowd = self.crowd(exporter.port, 200, STRANGERS[:4])
            seconds = self.until_closed(crowd, CLOSED_WITHIN)
            print(f"{self.id()}: 200 are closed after {seconds:.1f} s")
            self.assertLess(seconds, late.limit(CLOSED_WITHIN))

    def test_who_sends_a_byte_now_and_then_is_closed_and_delays_nobody(self):
        def send_one(living):
            for s in living:
                with contextlib.suppress(OSError):
                    s.send(b"x")

        with self.standing() as exporter, Lateness() as late, self.scraped(exporter):
            crowd = self.crowd(exporter.port, 100, STRANGERS[:2])
            for s in crowd:
                s.sendall(b"GET /metrics HTTP/1.1\r\nX: ")
            seconds = self.until_closed(crowd, SLOW_CLOSED_WITHIN, send_one)
            print(f"{self.id()}: 100 are closed after {seconds:.1f} s")
            self.assertLess(seconds, late.limit(SLOW_CLOSED_WITHIN))


class Readers(ConnectionTest):
    """A hundred ask for a large page and do not read it. Without a history, which grows meanwhile."""

    def config(self, **more):
        return super().config(**more) + "history: {enabled: false}\n"

    def make_large(self):
        for i in range(LARGE_NAMES):
            self.cgroups.make(f"{i:04d}" + "x" * 200 + ".service")

    def large(self, exporter):
        body = exporter.scrape_until(
            lambda m: len(m.labels(standing.FAULTS, "cgroup")) >= LARGE_NAMES, PATIENCE, "all").body
        self.assertGreater(len(body) * READERS, 4 * MORE_BYTES, "a body for each would not pass unseen")
        return body

    def check_growth(self, exporter, before, what):
        most = max(exporter.memory() for _ in range(20) if not time.sleep(0.05))
        print(f"{self.id()}: {what}: {(most - before) / 1024:.0f} KiB more for {READERS} readers")
        if not is_sanitized():  # sanitizers keep what was freed
            self.assertLess(most - before, MORE_BYTES)

    def read_slowly(self, exporter, what, header=b""):
        before = exporter.memory()
        crowd = self.crowd(exporter.port, READERS, STRANGERS[:2], room=RECEIVES)
        for s in crowd:
            s.sendall(GET[:-2] + header + b"\r\n")
        with self.scraped(exporter):
            exporter.after_cycles(2)
            self.check_growth(exporter, before, what)
        for s in crowd:
            s.close()
        exporter.after_cycles(2)

    def test_they_share_what_they_read(self):
        """Holes that the first crowd leaves in the heap are those that the others take."""
        self.make_large()
        with self.standing(env=unit_environment()) as exporter:
            body = self.large(exporter)
            self.read_slowly(exporter, "plain, at first")
            self.read_slowly(exporter, "gzip, at first", b"Accept-Encoding: gzip\r\n")
            exporter.bytes = exporter.memory() + 2 * len(body)  # of other forms, if they are kept just then
            self.read_slowly(exporter, "plain")
            self.read_slowly(exporter, "gzip", b"Accept-Encoding: gzip\r\n")

    def test_they_share_it_by_tls_too(self):
        """Without a Prometheus, which does not know the certificate."""
        live.need("openssl", "curl")
        self.make_large()
        files = self.enterContext(Files())
        files.certificate("server", ["DNS:localhost"])
        files.write("web.yml", TLS)
        context = ssl.create_default_context(cafile=files.path("server.pem"))
        with ProtectedExporter(files.path("web.yml"), self.config()) as exporter:
            self.large(exporter)
            exporter.descriptors, exporter.bytes = exporter.open_descriptors(), exporter.memory()
            with contextlib.ExitStack() as stack:
                for i in range(READERS):
                    plain = self.connect(exporter.port, STRANGERS[i % 2], room=RECEIVES)
                    stack.enter_context(context.wrap_socket(plain, server_hostname="localhost")).sendall(GET)
                exporter.after_cycles(2)
                self.check_growth(exporter, exporter.bytes, "TLS")
            self.check_recovered(exporter)

    def check_recovered(self, exporter):
        exporter.least_descriptors = exporter.open_descriptors
        self.check_same_process(exporter)
        self.check_descriptors(exporter)
        exporter.check_log_rate()
        strict_exposition.parse(exporter.scrape().body)


class Certificates(ConnectionTest):
    def test_one_that_goes_bad_on_disk_never_replaces_a_good_one(self):
        live.need("openssl", "curl")
        files = self.enterContext(Files())
        for name in ("server", "other"):
            files.certificate(name, ["DNS:localhost"])
        good, key = (files.path(f"server.{end}").read_text() for end in ("pem", "key"))
        files.write("good.pem", good)
        files.write("web.yml", TLS)
        with ProtectedExporter(files.path("web.yml"), self.config()) as exporter:
            for certificate, its_key in ((good[:len(good) // 2], key), ("", key), ("\0" * 1000, key),
                                         (good, key[:100]), (good, files.path("other.key").read_text())):
                files.write("server.key", its_key)
                files.write("server.pem", certificate)
                exporter.scrape_until(lambda m: m.value(RELOADED) == 0, PATIENCE, "that it is told")
                self.assertEqual(files.curl(exporter.port, "/-/healthy", ca="good")[0], 200)
                files.write("server.key", key)
                files.write("server.pem", good)
                exporter.scrape_until(lambda m: m.value(RELOADED) == 1, PATIENCE, "the good one")
            self.check_same_process(exporter)
            exporter.check_log_rate()


class Resets(ConnectionTest):
    def test_streams_that_are_reset_while_they_wait_are_let_go(self):
        """More of them than there are places."""
        with self.standing() as exporter:
            for _ in range(0, 2 * MOST, CROWD):
                crowd = self.crowd(exporter.port, CROWD, STRANGERS)
                for s in crowd:
                    s.sendall(GET.replace(b"/metrics", b"/api/v1/live"))
                for s in crowd:
                    self.assertIn(s.recv(12)[9:], (b"200", b"503"))  # there are places for some
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                exporter.after_cycles(1)  # they have had what was new
                for s in crowd:
                    s.close()
            exporter.scrape_until(lambda m: m.value("pmu_exporter_http_connections") < CROWD / 10,
                                  PATIENCE, "that all are gone")


class Refused(ConnectionTest):
    def answer(self, exporter, request):
        """The status line of the only answer, if it is not lost by a reset; the connection is closed."""
        s, text = self.connect(exporter.port, STRANGERS[0]), b""
        try:
            s.sendall(request)
            while chunk := s.recv(65536):
                text += chunk
        except ConnectionError:
            pass
        self.assertLessEqual(text.count(b"HTTP/1.1 "), 1, request[:60])
        return text.split(b"\r\n")[0].decode()

    def test_long_heads_and_other_methods(self):
        end = b" HTTP/1.1\r\nHost: x\r\n"
        many = b"".join(b"X-%d: a\r\n" % i for i in range(1000))
        with self.standing() as exporter:
            for request, statuses in (
                    (b"GET /" + b"a" * 65536 + end, "414"), (b"GET /" + end + b"X: " + b"a" * 65536, "431"),
                    (b"GET /" + end + many, "431"),
                    *((method + b" /metrics" + end + b"Content-Length: 36\r\n\r\n" + GET, "405|501|400")
                      for method in (b"POST", b"TRACE", b"X" * 64)),
                    (b"CONNECT x:80" + end, "405|501|400")):
                with self.subTest(request=request[:60]):
                    self.assertRegex(self.answer(exporter, request + b"\r\n\r\n"),
                                     rf"^(|HTTP/1\.1 ({statuses}) .*)$")

    def test_resets_in_the_midst_of_a_body(self):
        for i in range(50):
            self.cgroups.make(f"{i:04d}" + "x" * 200 + ".service")
        with self.standing() as exporter:
            for round_ in range(4):
                for s in self.crowd(exporter.port, 50, STRANGERS, room=RECEIVES):
                    s.sendall(GET)
                    if round_ % 2:
                        self.assertTrue(s.recv(100).startswith(b"HTTP/1.1 200"))
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    s.close()


class Many(ConnectionTest):
    def lowest_free(self, exporter):
        """A descriptor of this number would be the next."""
        taken = set(map(int, os.listdir(f"/proc/{exporter.pid}/fd")))
        return next(n for n in range(len(taken) + 1) if n not in taken)

    def test_no_descriptors_where_they_come_in_cost_no_cpu_time(self):
        with self.standing(answers=False) as exporter:
            before = resource.prlimit(exporter.pid, resource.RLIMIT_NOFILE)
            lines = len(exporter.log_lines())
            resource.prlimit(exporter.pid, resource.RLIMIT_NOFILE, (self.lowest_free(exporter), before[1]))
            try:
                crowd = self.crowd(exporter.port, 50, STRANGERS)
                began, used = time.monotonic(), ticks(exporter.pid, "http")
                time.sleep(NO_ROOM_SECONDS)  # not a limit: a time in which ticks are counted
                share = (ticks(exporter.pid, "http") - used) / (time.monotonic() - began)
            finally:
                resource.prlimit(exporter.pid, resource.RLIMIT_NOFILE, before)
            print(f"{self.id()}: {share * 100:.1f} % of a CPU without descriptors, "
                  f"{len(exporter.log_lines()) - lines} lines")
            self.assertLess(share, NO_ROOM_CPU * SLACK)
            self.assertLess(len(exporter.log_lines()) - lines, 10)
            for s in crowd:
                s.close()

    def test_a_storm_makes_nobody_count_more_often(self):
        """Collections are as many as intervals have passed, and each reads as much as before."""
        def over(seconds):
            first, reads, began = exporter.scrape(), reads_of(exporter.pid), time.monotonic()
            yield
            last = exporter.after_cycles(1)
            cycles = int(last.value(CYCLES) - first.value(CYCLES))
            self.assertLessEqual(cycles, time.monotonic() - began + 1)
            yield (reads_of(exporter.pid) - reads) / cycles

        with self.standing() as exporter:
            measure = over(exporter)
            next(measure)
            exporter.after_cycles(3)
            calm = next(measure)
            measure = over(exporter)
            next(measure)
            process = python(STORM, exporter.port, STORM_SECONDS, STORM_THREADS, stdout=subprocess.PIPE)
            answers = int(process.communicate(timeout=PATIENCE)[0])
            end_process(process)
            stormy = next(measure)
            print(f"{self.id()}: {answers} answers, {calm:.0f} reads in a cycle before and {stormy:.0f} then")
            self.assertEqual(process.returncode, 0)
            self.assertGreater(answers, STORM_THREADS)
            self.assertLess(stormy, 1.5 * calm + 10)


class End(ConnectionTest):
    def test_with_as_many_connections_as_are_accepted(self):
        """Some hold event streams, some wait for answers that others make, some read nothing."""
        with Exporter(self.config()) as exporter:
            crowd = self.crowd(exporter.port, MOST, STRANGERS)
            for i, s in enumerate(crowd):
                if i % 8 in (0, 1, 2):
                    s.sendall(GET.replace(b"/metrics", b"/api/v1/live") if i % 8 == 0 else GET)
                elif i % 8 == 3:
                    s.sendall(b"GET /metr")
            n = exporter.scrape_until(
                lambda m: m.value("pmu_exporter_http_connections") >= MOST - 10, PATIENCE,
                "that all are in").value("pmu_exporter_http_connections")
            for s in crowd[4::8]:
                s.sendall(GET.replace(b"/metrics", b"/api/v1/history"))
            with Lateness() as late:
                seconds = exporter.stop(signal.SIGTERM)
            print(f"{self.id()}: the end of {n} connections took {seconds:.2f} s")
            self.assertLess(seconds, late.limit(ENDS_WITHIN))


if __name__ == "__main__":
    enter_own_network()
    standing.main(at_once=2)
