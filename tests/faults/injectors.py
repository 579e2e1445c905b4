# SPDX-License-Identifier: Apache-2.0
"""What a soak does to a running exporter. Each of these functions takes a Scene, goes on for a few
seconds, ends what it began, and draws all its random numbers from scene.random."""
import contextlib
import os
import signal
import socket
import struct
import subprocess
import sys
import time

LONGEST_NAME = 3000
PIECES = [b'"', b"\\", b"\\n", b"\x1b[31m", b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"}", b"{", b",",
          b"=", b"#", b" ", b"\t", b"\r", b"\x01", b"\x7f", b"%", b"%2f", "漢".encode(),
          "\u202e".encode(), "\u2028".encode(), "\ufffe".encode(), "👩".encode(), b"a", b"x2d",
          b".service", b".slice", b"docker-", b"0123456789abcdef"]

FAILING = (("openat", ("EMFILE", "ENOMEM", "EINTR")), ("perf_event_open", ("ENOMEM", "EINTR", "EBUSY")),
           ("epoll_ctl", ("ENOMEM", "ENOSPC")), ("write", ("ENOSPC", "EINTR")))
PAGES = (b"/", b"/-/healthy", b"/metrics", b"/api/v1/targets", b"/api/v1/status", b"/api/v1/marks",
         b"/api/v1/events?search=cycles", b"/api/v1/live", b"/no-such-page")

# Both read a port and seconds; the first is a Prometheus that keeps its connection.
SCRAPER = """
import http.client, sys, time
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=1)
while True:
    try:
        connection.request("GET", "/metrics")
        connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        connection.close()
    time.sleep(float(sys.argv[2]))
"""
STORM = """
import http.client, sys, threading, time
end = time.monotonic() + float(sys.argv[2])
answered, bad = [], []
def scrape():
    while time.monotonic() < end:
        connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=5)
        for _ in range(20):
            connection.request("GET", "/metrics")
            answer = connection.getresponse()
            answer.read()
            answered.append(answer.status)
            if answer.status != 200:
                bad.append(answer.status)
        connection.close()
threads = [threading.Thread(target=scrape) for _ in range(int(sys.argv[3]))]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(answered))
sys.exit(f"storm: {bad[:5]}" if bad else 0)
"""

# Processes of the names that a soak counts (live.own); they end with their process group.
PROCESSES = """
import ctypes, os, random, signal, sys, threading, time
chance, end = random.Random(int(sys.argv[2])), time.monotonic() + float(sys.argv[3])
libc = ctypes.CDLL(None)
def name(text):
    libc.prctl(15, f"{text}-{sys.argv[4]}".encode(), 0, 0, 0)
def start(what):
    pid = os.fork()
    if pid == 0:
        what()
        os._exit(0)
    return pid
def linger():
    time.sleep(chance.uniform(0, 3))
def births():  # killed at random, some before anybody looks at them
    living = []
    def one():
        name("birth")
        linger()
    while time.monotonic() < end:
        if living and (len(living) > 60 or chance.random() < 0.4):
            pid = living.pop(chance.randrange(len(living)))
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        else:
            living.append(start(one))
        time.sleep(chance.choice((0, 0, 0, 0.02)))
def threads():
    name("threads")
    def one():
        bytearray(100000)
        time.sleep(chance.uniform(0, 0.2))
    while time.monotonic() < end:
        some = [threading.Thread(target=one) for _ in range(chance.randint(1, 50))]
        for thread in some: thread.start()
        for thread in some: thread.join()
def family():  # whose first process ends before its descendants
    def descend(depth):
        while depth and chance.random() < 0.9:
            start(lambda: descend(depth - 1))
            chance.random()
        linger()
    def one():
        name("family")
        time.sleep(chance.uniform(0, 1.5))
        descend(2)
    while time.monotonic() < end:
        os.waitpid(start(one), 0)
def execs():  # names that change from one rule's to another's
    def one():
        name(chance.choice(("birth", "exec", "other")))
        time.sleep(chance.uniform(0, 0.3))
        os.execv("/bin/sh", ["sh", "-c", ":"])
    while time.monotonic() < end:
        for pid in [start(one) for _ in range(10)]: os.waitpid(pid, 0)
def renames():
    while time.monotonic() < end:
        name(chance.choice(("birth", "threads", "family", "other")))
        time.sleep(0.0005)
{"births": births, "threads": threads, "family": family, "execs": execs, "renames": renames}[sys.argv[1]]()
"""


def python(source, *arguments, **options):
    return subprocess.Popen([sys.executable, "-c", source, *map(str, arguments)], **options)


def end_process(process):
    if process.poll() is None:
        process.kill()
    process.wait()


class Scene:
    """What an injector works on: the exporter, its cgroups, a scraper, the witness, random numbers,
    and `among_its_processes`: the exporter sees what is started in such a block."""

    def __init__(self, exporter, calls, cgroups, witness, random, among_its_processes):
        self.exporter, self.calls, self.cgroups = exporter, calls, cgroups
        self.witness, self.random = witness, random
        self.among_its_processes = among_its_processes
        self.scraper = python(SCRAPER, exporter.port, 1)

    def pause(self, least, most):
        time.sleep(self.random.uniform(least, most))

    def hostile_name(self):
        while True:
            pieces = [self.random.choice(PIECES) if self.random.random() < 0.7 else
                      self.random.randbytes(1) for _ in range(self.random.randint(1, 20))]
            name = b"".join(pieces)
            if self.random.random() < 0.05:
                name *= LONGEST_NAME // len(name)
            name = name.translate(None, b"/\n\0")
            # the kernel's own files, and what is no name
            if name.strip(b".") and not name.startswith(b"cgroup"):
                return name

    def make(self, name):
        """Makes a cgroup; False if there is one of that name."""
        try:
            os.mkdir(self.cgroups.directory(b"soak/") + b"/" + name)
            return True
        except FileExistsError:
            return False

    def remove(self, name):
        os.rmdir(self.cgroups.directory(b"soak/") + b"/" + name)

    def close(self):
        end_process(self.scraper)


def hostile_births(scene):
    """Makes, removes and makes again cgroups under names that nobody would choose."""
    living, dead = [], []
    for _ in range(scene.random.randint(50, 300)):
        chance = scene.random.random()
        if living and chance < 0.3:
            name = living.pop(scene.random.randrange(len(living)))
            scene.remove(name)
            dead.append(name)
        else:
            name = scene.random.choice(dead) if dead and chance < 0.5 else scene.hostile_name()
            if scene.make(name):
                living.append(name)
        if chance > 0.9:
            scene.pause(0, 0.2)
    scene.pause(0, 1.5)
    for name in living:
        scene.remove(name)


def burst(scene):
    """Makes 3,000 cgroups at once, and removes them at once."""
    names = [b"burst%d" % i for i in range(3000)]
    for name in names:
        scene.make(name)
    scene.pause(0, 2.5)
    for name in names:
        scene.remove(name)


def slow_connections(scene):
    """Opens connections that send nothing, or little, or do not read, and closes or resets them."""
    with contextlib.ExitStack() as stack:
        connections = []
        for _ in range(scene.random.randint(20, 120)):
            s = stack.enter_context(socket.socket())
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.bind(("127.0.0.2", 0))  # the limit of an address is not that of the scrapers
            s.connect(("127.0.0.1", scene.exporter.port))
            connections.append(s)
        end = time.monotonic() + scene.random.uniform(1, 4)
        for i, s in enumerate(connections):
            if i % 3 == 1:
                s.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
            if scene.random.random() < 0.3:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        request = b"GET /metrics HTTP/1.1\r\nHost: " + b"x" * 1000
        for byte in request:
            if time.monotonic() > end:
                break
            for s in connections[::3]:
                with contextlib.suppress(ConnectionError):
                    s.send(bytes([byte]))
            time.sleep(0.2)


def storm(scene):
    """Scrapes from sixteen threads without a pause."""
    process = python(STORM, scene.exporter.port, scene.random.uniform(1, 3), 16,
                     stdout=subprocess.DEVNULL)
    try:
        if process.wait(60) != 0:
            scene.witness.note(f"the storm ended with {process.returncode}")
    finally:
        end_process(process)


def stopped(scene):
    """Stops the exporter for a while, in which cgroups come and go."""
    with scene.witness.excused():
        scene.exporter.process.send_signal(signal.SIGSTOP)
        try:
            names = [b"unseen%d" % i for i in range(scene.random.randint(0, 50))]
            for name in names:
                scene.make(name)
            scene.pause(0.1, 3)
            for name in names:
                scene.remove(name)
        finally:
            scene.exporter.process.send_signal(signal.SIGCONT)


def few_descriptors(scene):
    """Lowers the limit of descriptors to about what is open, while cgroups come."""
    names = [b"starved%d" % i for i in range(scene.random.randint(1, 60))]
    with scene.witness.excused():
        few = max(8, scene.exporter.open_descriptors() + scene.random.randint(-20, 60))
        before = scene.exporter.limit_descriptors(few)
        try:
            for name in names:
                scene.make(name)
            scene.pause(0.5, 3)
        finally:
            scene.exporter.limit_descriptors(before)
        scene.pause(0, 2)
        for name in names:
            scene.remove(name)


def scraper_dies(scene):
    """Kills the Prometheus that scrapes, whatever it is doing, and starts another one."""
    for _ in range(scene.random.randint(1, 5)):
        end_process(scene.scraper)
        scene.scraper = python(SCRAPER, scene.exporter.port, scene.random.choice((0, 0.2, 1)))
        scene.pause(0, 0.7)
    end_process(scene.scraper)
    scene.scraper = python(SCRAPER, scene.exporter.port, 1)


def processes(scene, kind, stopped_for=0):
    """Lets processes of that kind live for a while, in part of which the exporter may be
    stopped."""
    with scene.among_its_processes():
        process = python(PROCESSES, kind, scene.random.randrange(1 << 32),
                         scene.random.uniform(1, 4), os.getpid(), start_new_session=True)
    try:
        if stopped_for:
            scene.exporter.process.send_signal(signal.SIGSTOP)
            time.sleep(stopped_for)
            scene.exporter.process.send_signal(signal.SIGCONT)
        if process.wait(60) != 0:
            scene.witness.note(f"processes, {kind}: ended with {process.returncode}")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        end_process(process)


def process_births(scene):
    processes(scene, "births")


def process_births_unseen(scene):
    with scene.witness.excused():
        processes(scene, "births", stopped_for=scene.random.uniform(0.5, 2))


def process_threads(scene):
    processes(scene, "threads")


def process_families(scene):
    processes(scene, "family")


def process_execs(scene):
    processes(scene, "execs")


def process_renames(scene):
    processes(scene, "renames")


def reloads(scene):
    """Lets it read its configuration again and again; in between it has a bad one."""
    file = scene.exporter.directory / "pmu_exporter.yml"
    good = file.read_bytes()
    with scene.witness.excused():  # a successor takes its time where many cgroups are counted
        for _ in range(scene.random.randint(1, 30)):
            new = file.with_suffix(".new")
            new.write_bytes(good + (b"nonsense: [" if scene.random.random() < 0.5 else b""))
            new.replace(file)
            os.kill(scene.exporter.pid, signal.SIGHUP)
            scene.pause(0, 0.2)
        file.write_bytes(good)
        os.kill(scene.exporter.pid, signal.SIGHUP)


def failing_calls(scene):
    """Lets calls fail for a while, in which cgroups come and go."""
    call, errors = scene.random.choice(FAILING)
    names = [b"failed%d" % i for i in range(scene.random.randint(1, 30))]
    with scene.witness.excused(), \
            scene.calls.answered(call, scene.random.choice(errors), every=scene.random.randint(1, 5)):
        for name in names:
            scene.make(name)
        scene.pause(0.2, 2)
        for name in names:
            scene.remove(name)


def readers_of_the_page(scene):
    """Ask for what the page asks for; some end in the midst of it."""
    for _ in range(scene.random.randint(5, 40)):
        with socket.create_connection(("127.0.0.1", scene.exporter.port), timeout=5) as s:
            s.sendall(b"GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                      % scene.random.choice(PAGES))
            if scene.random.random() < 0.5:
                with contextlib.suppress(OSError):
                    s.recv(scene.random.randint(1, 100000))
        scene.pause(0, 0.1)


# An exporter of any start bears these; failing_calls needs a FailingCalls in front of it.
ANYWHERE = (hostile_births, burst, slow_connections, storm, stopped, few_descriptors, scraper_dies,
            reloads, readers_of_the_page, process_births, process_births_unseen, process_threads,
            process_families, process_execs, process_renames)
