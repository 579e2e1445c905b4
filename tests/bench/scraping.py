# SPDX-License-Identifier: Apache-2.0
"""What benchmarks of scrapes share: CPU time of threads, a client, and exporters of others."""
import http.client
import os
import pathlib
import shutil
import signal
import subprocess
import time

from exporter import free_port


def threads_ns(pid, only=None):
    """CPU time of a process's threads; of the main one, or of all others, by only='main', 'server'."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if only and (only == "main") != (task.name == str(pid)):
            continue
        total += int((task / "schedstat").read_text().split()[0])
    return total


class Client:
    """One connection that stays open; counts the lines that are samples."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)

    def get(self):
        self.connection.request("GET", "/metrics", headers={"Accept": "*/*"})
        body = self.connection.getresponse().read()
        return sum(1 for line in body.split(b"\n") if line and not line.startswith(b"#"))


class Sleepers:
    """A forked process for each of these, which lives as live() says and ends with the block."""

    def __init__(self, subjects):
        self.subjects = list(subjects)

    def live(self, i, subject):
        raise NotImplementedError

    def start(self, i, subject):
        child = os.fork()
        if child:
            return child
        try:
            self.live(i, subject)
        finally:
            os._exit(0)

    def __enter__(self):
        self.children = [self.start(i, subject) for i, subject in enumerate(self.subjects)]

    def __exit__(self, *_):
        for child in self.children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


class DebianExporter:
    """One of Debian's, on a loopback port; `port` is None, and it is said, where it is missing."""

    def __init__(self, name, *options):
        self.name, self.options = name, options

    def __enter__(self):
        binary = shutil.which(self.name)
        self.port = free_port() if binary else None
        if binary:
            self.process = subprocess.Popen(
                [binary, f"--web.listen-address=127.0.0.1:{self.port}", *self.options],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(1)
        else:
            print(f"skipped beside it: {self.name} is not installed")
        return self

    def __exit__(self, *_):
        if self.port:
            self.process.terminate()
            self.process.wait(10)


def cost(pid, client, only=None, times=1):
    """(CPU ns a scrape, series)."""
    before = threads_ns(pid, only)
    for _ in range(times):
        n_series = client.get()
    return (threads_ns(pid, only) - before) / times, n_series
