#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What systemd and the exporter tell each other, without systemd: states and the watchdog's
pings on a NOTIFY_SOCKET of the test's own, sockets from systemd-socket-activate, and the
system calls that the unit's filter lets through.
"""
import contextlib
import os
import pathlib
import re
import signal
import socket
import statistics
import subprocess
import tempfile
import threading
import time

import live
import unit_filter
from exporter import PATIENCE, Exporter, SANITIZER, binary, free_port, http_get, is_sanitized, run_once
from live import LiveTest

CONFIG = live.config(system="all")
READ_AT = "pmu_exporter_config_last_reload_success_timestamp_seconds"
# exec keeps the number of the process, which systemd would have known before
OWN_PID = ("sh", "-c", 'WATCHDOG_PID=$$ LISTEN_PID=$$ exec "$@"', "sh")


class Manager:
    """The other end of NOTIFY_SOCKET. It keeps what came, as (when, text), if it is to read."""

    def __init__(self, reads=True):
        self.reads = reads

    def __enter__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="pmu_exporter-notify-")
        self.path = os.path.join(self.directory.name, "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.messages = []
        self.thread = None
        if self.reads:
            self.begin()
        return self

    def begin(self):
        self.ending = False
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def stop_reading(self):
        self.ending = True
        if self.thread:
            self.thread.join()

    def fill(self):
        """Sends until the queue has no room."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    sender.sendto(b"X_FILL=1", self.path)

    def listen(self):
        self.socket.settimeout(0.1)
        while not self.ending:
            try:
                text = self.socket.recv(4096).decode()
            except TimeoutError:
                continue
            self.messages += [(time.monotonic(), line) for line in text.split("\n")]

    def __exit__(self, *_):
        self.stop_reading()
        self.socket.close()
        self.directory.cleanup()

    def times(self, begin):
        return [at for at, line in self.messages if line.startswith(begin)]

    def wait(self, begin, within=PATIENCE, after=0.0):
        """Waits for the first such line after that time; when it came."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            found = [at for at in self.times(begin) if at > after]
            if found:
                return found[0]
            time.sleep(0.02)
        raise AssertionError(f"no {begin} within {within} s: {self.messages}")

    def environment(self, watchdog_seconds=None):
        environment = {"NOTIFY_SOCKET": self.path}
        if watchdog_seconds:
            environment["WATCHDOG_USEC"] = str(int(watchdog_seconds * 1e6))
        return environment


class States(LiveTest):
    def test_ready_status_and_stopping_are_told_in_this_order(self):
        with Manager() as manager:
            with Exporter(CONFIG, env=manager.environment()) as exporter:
                manager.wait("READY=1")
                counters = exporter.scrape().value("pmu_exporter_open_counters")
                time.sleep(2.5)
            manager.wait("STOPPING=1")
            lines = [line for _, line in manager.messages]
        self.assertEqual(lines, [f"STATUS=cgroups: 0, processes: 0, open counters: {counters}, mechanism: direct",
                                 "READY=1", "STOPPING=1"])

    def test_ready_is_told_when_the_page_is(self):
        with Manager() as manager, Exporter(CONFIG, env=manager.environment(), wait=False) as e:
            manager.wait("READY=1")
            self.assertEqual(e.get("/-/ready").status, 200)

    def test_what_cannot_start_is_never_ready(self):
        with Manager() as manager, socket.create_server(("127.0.0.1", 0)) as taken:
            done = run_once(f"--web.listen-address=127.0.0.1:{taken.getsockname()[1]}",
                            env=manager.environment())
            time.sleep(0.2)
            self.assertEqual((done.returncode, manager.times("READY")), (1, []))

    def test_a_manager_that_does_not_read_holds_nothing_up_and_is_told_later(self):
        with Manager(reads=False) as manager:
            manager.fill()
            # leaving the block wants the end within 2 s
            with Exporter(CONFIG, env=manager.environment(4), wrapper=OWN_PID) as exporter:
                exporter.log_until("it does not read its socket")
                exporter.after_cycles(2)
                os.kill(exporter.pid, signal.SIGHUP)
                exporter.log_until("configuration reloaded")
                exporter.after_cycles(2)
                lines = [l for l in exporter.log_lines() if "cannot tell the service" in l]
                self.assertEqual(len(lines), 1, exporter.stderr())
                manager.begin()
                manager.wait("RELOADING=1")
                manager.wait("READY=1")
                manager.wait("WATCHDOG=1")
                manager.stop_reading()
                manager.fill()

    def test_a_manager_that_is_not_there_stands_in_the_log_once(self):
        with Exporter(CONFIG, env={"NOTIFY_SOCKET": "/nonexistent/notify"}) as exporter:
            exporter.log_until("cannot tell the service manager")
            exporter.after_cycles(2)
            lines = [l for l in exporter.log_lines() if "cannot tell the service manager" in l]
            self.assertEqual(len(lines), 1, exporter.stderr())


def thread_of(pid, name):
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().strip() == name:
            return int(task.name)
    raise AssertionError(f"no thread {name}")


class Watchdog(LiveTest):
    WATCHDOG = 4.0

    def exporter(self, manager):
        return Exporter(CONFIG, env=manager.environment(self.WATCHDOG), wrapper=OWN_PID)

    def test_it_is_told_at_least_twice_in_its_time_and_not_for_ever(self):
        with Manager() as manager, self.exporter(manager):
            ready = manager.wait("READY=1")
            time.sleep(2.5 * self.WATCHDOG)
            pings = [at for at in manager.times("WATCHDOG=1") if at > ready]
        gaps = [b - a for a, b in zip([ready] + pings, pings)]
        # one late ping may be the fault of a busy machine; several are ours
        self.assertLess(statistics.median(gaps), self.WATCHDOG / 2)
        self.assertLess(len(pings), (pings[-1] - ready) / self.WATCHDOG * 4 + 2)

    def test_that_of_another_process_is_not_told(self):
        environment = {"WATCHDOG_PID": str(os.getpid())}
        with Manager() as manager:
            environment.update(manager.environment(self.WATCHDOG))
            with Exporter(CONFIG, env=environment):
                manager.wait("READY=1")
                time.sleep(self.WATCHDOG)
            self.assertEqual(manager.times("WATCHDOG"), [])

    def stand_still(self, thread, call, limit):
        """The pings stop after `limit` seconds, or later where the machine is busy; when the thread
        goes on, they come."""
        live.need("strace")
        with Manager() as manager, self.exporter(manager) as exporter:
            manager.wait("WATCHDOG=1")
            with live.Stuck(thread_of(exporter.pid, thread), call):
                time.sleep(limit)
                end = time.monotonic() + PATIENCE
                while time.monotonic() < manager.times("WATCHDOG")[-1] + self.WATCHDOG * 1.5:
                    self.assertLess(time.monotonic(), end, "the pings go on")
                    time.sleep(0.1)
                stopped = time.monotonic()
                log = exporter.stderr()
            manager.wait("WATCHDOG=1", after=stopped)
        return log

    def test_a_collector_that_stands_still_is_not_told_alive(self):
        self.stand_still("pmu_exporter", "read", 1.5)

    def test_a_server_that_stands_still_is_not_told_alive_and_named(self):
        log = self.stand_still("http", "epoll_wait", 6)
        self.assertIn('msg="the watchdog of systemd is not told that pmu_exporter is alive" thread=server', log)


class Streams(LiveTest):
    """The place where the log goes may be closed, full or limited: the service goes on."""

    def test_closed_descriptors_are_opened_on_nothing_first(self):
        def close():
            for fd in range(3):
                os.close(fd)

        with Exporter(CONFIG, preexec=close) as exporter:
            for fd in range(3):
                self.assertEqual(os.readlink(f"/proc/{exporter.pid}/fd/{fd}"), "/dev/null")

    def test_a_log_that_must_not_grow_ends_nothing_and_has_whole_lines_again(self):
        with Exporter(CONFIG) as exporter:
            size = exporter.stderr_path.stat().st_size + 20
            subprocess.run(["prlimit", f"--fsize={size}:", f"--pid={exporter.pid}"], check=True)
            for _ in range(3):
                before = exporter.scrape().value(READ_AT)
                os.kill(exporter.pid, signal.SIGHUP)
                exporter.scrape_until(lambda m: m.value(READ_AT) > before, PATIENCE,
                                      "the reload")
            subprocess.run(["prlimit", "--fsize=unlimited:", f"--pid={exporter.pid}"], check=True)
            exporter.log_until("log lines were held back")
            lines = exporter.log_lines()
            self.assertEqual(sum("ts=" not in l or l.count("ts=") > 1 for l in lines), 0, lines)


class Activated(Exporter):
    """The exporter is started by the first connection to one of its sockets."""

    def __init__(self, n_sockets, args=("--web.systemd-socket",)):
        super().__init__(CONFIG, args=args)
        self.ports = [self.port] + [free_port() for _ in range(n_sockets - 1)]

    def command(self):
        words = super().command()
        listen = [f"--listen=127.0.0.1:{port}" for port in self.ports]
        return ["systemd-socket-activate", *listen, self.binary, *words[2:]]

    def wait_until_ready(self, within=PATIENCE):
        for port in self.ports:  # they are bound one after the other
            end = time.monotonic() + within
            while http_get_or_none(port) is None and time.monotonic() < end:
                time.sleep(0.02)
        return super().wait_until_ready(within)


def http_get_or_none(port):
    try:
        return http_get(port, "/-/healthy")
    except OSError:
        return None


class Sockets(LiveTest):
    def test_one_is_served_and_nothing_else(self):
        live.need("systemd-socket-activate")
        with Activated(1) as exporter:
            exporter.scrape()
            # the first answer may come before the line
            exporter.log_until(f'msg=listening socket=unknown port={exporter.port}')
            self.assertEqual(listening(exporter.pid), {exporter.port})

    def test_two_are_served(self):
        live.need("systemd-socket-activate")
        with Activated(2) as exporter:
            for port in exporter.ports:
                self.assertEqual(http_get(port, "/metrics").status, 200)
            self.assertEqual(listening(exporter.pid), set(exporter.ports))

    def test_without_one_it_says_so_and_ends_with_1(self):
        done = run_once("--web.systemd-socket")
        self.assertEqual(done.returncode, 1)
        self.assertIn('level=error msg="systemd has passed no socket"', done.stderr)
        self.assertIsNone(SANITIZER.search(done.stderr))

    def passed(self, fd):
        """The end of an exporter that has this descriptor for its first, and a socket second."""
        with socket.create_server(("127.0.0.1", 0)) as good:
            words = ["sh", "-c", f'LISTEN_FDS=2 LISTEN_PID=$$ exec "$@" 3<&{fd} 4<&{good.fileno()}',
                     "sh"]
            os.set_inheritable(fd, True)
            good.set_inheritable(True)
            return subprocess.run([*words, binary(), "--web.systemd-socket"], text=True, timeout=PATIENCE,
                                  capture_output=True, close_fds=False)

    def test_what_is_not_a_listening_stream_socket_is_named(self):
        idle = socket.socket()
        datagrams = socket.socket(type=socket.SOCK_DGRAM)
        for thing in (open(__file__), idle, datagrams):
            with self.subTest(thing=thing), thing:
                done = self.passed(thing.fileno())
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn('msg="systemd has passed what is not a listening stream socket" '
                              'descriptor=3', done.stderr)
                self.assertIsNone(SANITIZER.search(done.stderr))

    def test_sockets_that_nobody_wants_are_told(self):
        live.need("systemd-socket-activate")
        port = free_port()
        words = (f"--web.listen-address=127.0.0.1:{port}",)
        exporter = Activated(1, words)
        exporter.wait = False
        with exporter:
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end and "not used" not in exporter.stderr():
                try:  # the connection that starts it, which nobody answers
                    socket.create_connection(("127.0.0.1", exporter.port), timeout=0.2).close()
                except OSError:
                    pass
                time.sleep(0.05)
            self.assertIn("--web.systemd-socket is not given", exporter.stderr())


def listening(pid):
    """The TCP ports that a process listens on, by the numbers of its sockets."""
    inodes = set()
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            match = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(link))
        except FileNotFoundError:
            continue  # this connection has ended
        if match:
            inodes.add(match[1])
    ports = set()
    for table in ("tcp", "tcp6"):
        for line in pathlib.Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                ports.add(int(fields[1].rsplit(":", 1)[1], 16))
    return ports


class Filter(LiveTest):
    def complete(self, trace, within=PATIENCE):
        """Waits for strace, which ends after what it traces."""
        end = time.monotonic() + within
        while "+++ exited with 0 +++" not in trace.read_text():
            self.assertLess(time.monotonic(), end, "the trace has no end")
            time.sleep(0.05)
        return trace.read_text()

    def test_the_units_filter_lets_every_system_call_through(self):
        live.need("strace", "systemd-analyze")
        if is_sanitized():
            self.skipTest("the sanitizers make calls of their own")
        with tempfile.TemporaryDirectory() as directory, Manager() as manager:
            trace = pathlib.Path(directory, "trace")
            wrapper = ("strace", "-D", "-f", "-q", "-o", str(trace))
            environment = {**manager.environment(2), "MALLOC_ARENA_MAX": "1"}
            with Exporter(None, env=environment, wrapper=wrapper) as exporter:
                manager.wait("READY=1")
                exporter.after_cycles(2)
            made = set(re.findall(r"(?m)^\d+ +(\w+)\(", self.complete(trace)))
        self.assertIn("perf_event_open", made)
        self.assertEqual(made - unit_filter.allowed_calls() - unit_filter.OF_ROOT, set())


if __name__ == "__main__":
    live.main(at_once=3)
