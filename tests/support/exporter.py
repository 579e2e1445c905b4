# SPDX-License-Identifier: Apache-2.0
"""Runs pmu_exporter for a test: on a free loopback port, with a config of the test's own.

    with Exporter(config="interval: 1s\n") as exporter:
        exporter.scrape().value("pmu_exporter_targets", kind="cgroup")

Leaving the block ends it with SIGTERM and wants status 0 and no sanitizer report.

Other work may share the machine, so no limit on time is near what a quiet machine takes. A limit
ends the waiting for what would never come; only what is broken reaches it.
"""
import contextlib
import datetime
import decimal
import errno
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.parse

import strict_exposition

READY_WITHIN = 180.0
# The seconds that a machine may take which is so busy that cycles come late.
PATIENCE = 180.0
FIRST_PORT = 11000
CYCLES = "pmu_exporter_cycles_total"
SANITIZER = re.compile(r"(Address|Leak|Thread|UndefinedBehavior)Sanitizer|runtime error:")
LOG_LINES_A_SECOND = 10
STAMPS = 0.01  # seconds: they end with milliseconds, of another clock than that of the limit


def binary():
    """The path of the exporter to test: PMU_EXPORTER names it, else it is that of build/release."""
    top = pathlib.Path(__file__).resolve().parents[2]
    return os.environ.get("PMU_EXPORTER") or str(top / "build/release/bin/pmu_exporter")


def is_sanitized():
    return os.environ.get("PMU_SANITIZED") == "1"


port_locks = []


def free_port(host="127.0.0.1"):
    """A port that nobody else uses until this process ends. It is below the ports that the
    kernel gives to connections, and the name of an abstract socket locks it against tests beside
    this one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    given = pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
    last = int(given[0]) if int(given[0]) > FIRST_PORT + 1000 else 32768
    while True:
        port = random.randrange(FIRST_PORT, last)
        lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            lock.bind(f"\0pmu_exporter-test-port-{port}")
            with socket.socket(family) as s:
                s.bind((host, port))
        except OSError as error:
            lock.close()
            if error.errno != errno.EADDRINUSE:
                raise
            continue
        port_locks.append(lock)
        return port


ANSWER_WITHIN = 1.0  # seconds; one of several answers has to be as quick as that
SLACK = 3 if is_sanitized() else 1


class Metrics:
    """One scrape. Its `families` are {name: {frozenset of label pairs: Decimal}}."""

    def __init__(self, body, at):
        self.body = body
        self.at = at
        self.exposition = strict_exposition.parse(body)
        self.families = {}
        for (name, labels), sample in self.exposition.series.items():
            self.families.setdefault(name, {})[labels] = decimal.Decimal(sample.value)

    def find(self, name, **labels):
        """{all labels: value} of the series of that name that have these labels."""
        wanted = set(labels.items())
        return {l: v for l, v in self.families.get(name, {}).items() if wanted <= l}

    def value(self, name, **labels):
        """The one series of that name with these labels; None if there is none."""
        found = self.find(name, **labels)
        if len(found) > 1:
            raise AssertionError(f"{len(found)} series of {name} have {labels}")
        return next(iter(found.values()), None)

    def sum(self, name, **labels):
        return sum(self.find(name, **labels).values())

    def labels(self, name, label, **labels):
        """The set of values that a label has among those series."""
        return {dict(l).get(label) for l in self.find(name, **labels)}


class Response:
    def __init__(self, status, headers, body, seconds):
        self.status, self.headers, self.body, self.seconds = status, headers, body, seconds


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def ask_runs(exporter, method, path, body=None):
    """(status, answer) of /api/v1/runs and the path behind it; the answer is text if it is no JSON."""
    connection = UnixConnection(exporter.control, 60.0)
    try:
        connection.request(method, "/api/v1/runs" + path,
                           body=None if body is None else json.dumps(body),
                           headers={"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode()
        is_json = answer.getheader("Content-Type") == "application/json"
        return answer.status, json.loads(text) if is_json else text
    finally:
        connection.close()


def http_get(port, path, method="GET", host="127.0.0.1", timeout=30.0, headers=None):
    """Asks on a connection of its own; the Response has the seconds that it took."""
    return http_ask(http.client.HTTPConnection(host, port, timeout=timeout), method, path, headers)


def http_ask(connection, method, path, headers=None):
    began = time.monotonic()
    try:
        connection.request(method, path, headers=headers or {})
        answer = connection.getresponse()
        body = answer.read()
        return Response(answer.status, dict(answer.getheaders()), body, time.monotonic() - began)
    finally:
        connection.close()


def unit_environment():
    """The variables that the unit gives the service: settings of its heap."""
    text = (pathlib.Path(__file__).resolve().parents[2] /
            "systemd/pmu_exporter.service.in").read_text()
    return dict(re.findall(r"(?m)^Environment=(GLIBC_TUNABLES)=(\S+)$", text))


def without_profiles(config):
    """The configuration without a sampler of stacks, unless it says itself what it wants of one:
    its descriptors, memory and log would be in what others measure."""
    return config if "profiles:" in config else config.rstrip("\n") + "\nprofiles: {enabled: false}\n"


def in_front():
    """The words in front of each exporter where whole families run under the unit's filter of system
    calls (faults/test_under_filter.py)."""
    return json.loads(os.environ.get("PMU_TEST_IN_FRONT", "[]"))


def cpu_seconds(pid):
    """To the nanosecond, by the clock of the process (clock_getcpuclockid(3))."""
    return time.clock_gettime(~pid << 3 | 2)


class RunningExporter:
    """What is asked of an exporter that runs, whoever has started it. It has a `port`, a `pid`, a
    `process` with poll() and send_signal(), a `directory` with its configuration, a socket `control`,
    and what it has logged, stderr()."""

    def wait_until_ready(self, within=READY_WITHIN):
        """The seconds until /-/ready is 200."""
        began = time.monotonic()
        while time.monotonic() - began < within:
            if self.process.poll() is not None:
                raise AssertionError(f"ended with {self.process.returncode}:\n{self.stderr()}")
            try:
                if http_get(self.port, "/-/ready").status == 200:
                    return time.monotonic() - began
            except OSError:
                pass
            time.sleep(0.01)
        raise AssertionError(f"not ready within {within} s:\n{self.stderr()}")

    def get(self, path, **options):
        return http_get(self.port, path, **options)

    def ask_control(self, method, path, timeout=30.0):
        """Asks over the control socket."""
        return http_ask(UnixConnection(self.control, timeout), method, path)

    def pmutool(self, *words, socket_path=None, **options):
        """Runs pmutool over the control socket; a CompletedProcess with text."""
        program = pathlib.Path(binary()).parent / "pmutool"
        return subprocess.run([program, *words, f"--socket={socket_path or self.control}"],
                              capture_output=True, text=True, timeout=60, **options)

    def scrape(self, timeout=30.0):
        at = time.monotonic()
        response = self.get("/metrics", timeout=timeout)
        if response.status != 200:
            raise AssertionError(f"/metrics answered {response.status}: {response.body[:200]!r}")
        return Metrics(response.body, at)

    def answer_in_time(self):
        """An answer to /metrics that took less than a second: the first, or a later one once the
        exporter has recovered."""
        end = time.monotonic() + PATIENCE
        while True:
            answer = self.get("/metrics")
            if answer.status == 200 and answer.seconds < ANSWER_WITHIN * SLACK:
                return answer
            if time.monotonic() > end:
                raise AssertionError(f"status {answer.status} after {answer.seconds:.2f} s")

    def scrape_until(self, condition, within, what="the condition"):
        """The first scrape for which the condition holds. It has to come within so many seconds,
        or, if a busy machine makes cycles late, within the number of cycles that these seconds
        have."""
        began, first = time.monotonic(), None
        while True:
            metrics = self.scrape(timeout=PATIENCE)
            if condition(metrics):
                return metrics
            n = metrics.value(CYCLES)
            first = n if first is None or n < first else first
            seconds = time.monotonic() - began
            done = (n - first) * metrics.value("pmu_exporter_interval_seconds") >= within
            if (seconds > within and done) or seconds > within + PATIENCE:
                raise AssertionError(f"{what} did not come true within {within} s, {n - first} "
                                     f"cycles\n{self.stderr()}")
            time.sleep(0.05)

    def after_cycles(self, n=2):
        """A scrape of the n-th cycle from now. The second one surely begins after this call."""
        begin = self.scrape(timeout=PATIENCE).value(CYCLES)
        return self.scrape_until(lambda m: m.value(CYCLES) >= begin + n, PATIENCE, f"{n} cycles")

    def log_until(self, text, within=PATIENCE):
        """Waits until the log has this text."""
        end = time.monotonic() + within
        while text not in self.stderr():
            if time.monotonic() > end:
                raise AssertionError(f"{text!r} does not come to the log:\n{self.stderr()}")
            time.sleep(0.02)

    def log_lines(self):
        return self.stderr().splitlines()

    def open_descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def links(self):
        """What its descriptors lead to, but for those that are closed meanwhile."""
        for link in pathlib.Path(f"/proc/{self.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                yield os.readlink(link)

    def limit_descriptors(self, most):
        """Sets the soft limit of its descriptors, and returns the one of before. Its own user does it: to
        do it to others takes a capability that root may lack, as in a container."""
        text = pathlib.Path(f"/proc/{self.pid}/limits").read_text()
        before = int(re.search(r"(?m)^Max open files +(\d+)", text)[1])
        user = os.stat(f"/proc/{self.pid}")
        subprocess.run(["setpriv", f"--reuid={user.st_uid}", f"--regid={user.st_gid}", "--clear-groups",
                        "prlimit", f"--pid={self.pid}", f"--nofile={most}:"], check=True)
        return before

    def memory(self, key="RssAnon"):
        """A number of bytes from /proc/PID/status."""
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1]) * 1024
        raise KeyError(key)

    def cpu_seconds(self):
        return cpu_seconds(self.pid)

    def log_stamps(self):
        """The seconds of each line of the log, by their own time stamps."""
        return [datetime.datetime.fromisoformat(stamp).timestamp()
                for stamp in re.findall(r"(?m)^ts=(\S+)", self.stderr())]

    def check_log_rate(self, seconds=1):
        """Wants at most 10 lines of the log a second in any such time, by their time stamps, whatever
        fails."""
        stamps = self.log_stamps()
        for first, later in zip(stamps, stamps[LOG_LINES_A_SECOND * seconds:]):
            if later - first < seconds - STAMPS:
                raise AssertionError(f"{LOG_LINES_A_SECOND * seconds + 1} log lines in "
                                     f"{later - first:.3f} s")


class Exporter(RunningExporter):
    """`with` starts it. `wrapper` is a command in front of it that becomes the exporter by exec."""

    def __init__(self, config=None, args=(), wrapper=(), env=None, wait=True, preexec=None,
                 directory=None):
        self.config = None if config is None else without_profiles(config)
        self.args, self.wrapper, self.env = list(args), list(wrapper), env
        self.wait, self.preexec = wait, preexec
        self.binary = binary()
        self.port = free_port()
        self.process = None
        self.ready_after = None
        self._own_directory = directory is None
        self.directory = pathlib.Path(directory or tempfile.mkdtemp(prefix="pmu_exporter-test-"))
        self.stderr_path = self.directory / "stderr"
        self.control = self.directory / "control"

    @property
    def pid(self):
        return self.process.pid

    def command(self):
        words = self.wrapper + in_front() + [self.binary, f"--web.listen-address=127.0.0.1:{self.port}",
                                f"--control.socket={self.control}"]
        path = self.directory / "pmu_exporter.yml"
        if self.config is not None:
            path.write_text(self.config)
            words.append(f"--config.file={path}")
        return words + self.args

    def start(self):
        environment = {**os.environ, **(self.env or {})}
        with open(self.stderr_path, "wb") as stderr:
            self.process = subprocess.Popen(
                self.command(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr,
                env=environment, preexec_fn=self.preexec, cwd=self.directory)
        if self.wait:
            self.ready_after = self.wait_until_ready()
        return self

    def stderr(self):
        return self.stderr_path.read_text(errors="replace")

    def stop(self, sign=signal.SIGTERM, within=PATIENCE):
        """Ends it, wants status 0 and no report of a sanitizer, and returns the seconds that it
        took."""
        began = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(sign)
        try:
            status = self.process.wait(within)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still there {within} s after {sign!r}\n{self.stderr()}") from None
        seconds = time.monotonic() - began
        if SANITIZER.search(self.stderr()):
            raise AssertionError(f"sanitizer report:\n{self.stderr()}")
        if status != 0:
            raise AssertionError(f"ended with status {status}\n{self.stderr()}")
        return seconds

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def clean(self):
        if self._own_directory:
            shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.kill()
            self.clean()
            raise

    def __exit__(self, kind, value, traceback):
        try:
            if kind is None and self.process.returncode is None:
                self.stop()
        finally:
            self.kill()
            self.clean()


def run_once(*args, timeout=60, env=None, wrapper=()):
    """Runs the exporter to its end; a CompletedProcess with text, and `seconds`."""
    began = time.monotonic()
    done = subprocess.run([*wrapper, binary(), *args], capture_output=True, text=True,
                          timeout=timeout, stdin=subprocess.DEVNULL, env={**os.environ,
                                                                          **(env or {})})
    done.seconds = time.monotonic() - began
    return done


def quote(text):
    """A text as a double-quoted YAML scalar."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def url_of(port, path="/metrics"):
    return f"http://127.0.0.1:{port}{urllib.parse.quote(path)}"
