# SPDX-License-Identifier: Apache-2.0
"""A program of others that a test runs on a free loopback port, with a directory that goes with it.

A class for each program says its NAME, the path READY that answers 200 when it is ready, and marks
of COMPLAINTS in lines of its log. It calls begin() with its command when its files are written.
"""
import pathlib
import signal
import subprocess
import tempfile
import time

from exporter import free_port, http_get


class RealProgram:
    NAME = READY = ""
    COMPLAINTS = ()

    def __init__(self):
        self.port = free_port()
        self.directory = tempfile.TemporaryDirectory(prefix=f"{self.NAME}-test-")
        self.top = pathlib.Path(self.directory.name)
        self.log = self.top / "log"
        self.process = None

    def begin(self, *command):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.top)

    def wait_until_ready(self, within=60.0):
        end = time.monotonic() + within
        while time.monotonic() < end:
            try:
                if http_get(self.port, self.READY).status == 200:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise AssertionError(f"{self.NAME} is not ready:\n" + self.log.read_text())

    def own_metrics(self):
        """{series as it is written: value} of what the program tells of itself."""
        lines = http_get(self.port, "/metrics").body.decode().splitlines()
        return {series: float(value) for series, _, value in
                (line.rpartition(" ") for line in lines if line and not line.startswith("#"))}

    def complaints(self):
        return [line for line in self.log.read_text().splitlines()
                if any(mark in line for mark in self.COMPLAINTS)]

    def __enter__(self):
        try:
            self.wait_until_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.directory.cleanup()


def targets_of(ports):
    """These ports of loopback, or addresses, as a list of a scrape configuration has them."""
    return ", ".join(f'"{port}"' if isinstance(port, str) else f'"127.0.0.1:{port}"' for port in ports)
