# SPDX-License-Identifier: Apache-2.0
"""System calls of the exporter that fail, or are slow: the N-th of a name, of one thread, on files of
one name. In place of a tracer, so that sanitizers look for leaks too.

    calls = FailingCalls("perf_event_open", "read")
    with Exporter(config, wrapper=calls.wrapper()) as exporter:
        with calls.answered("perf_event_open", "ENOMEM", first=3) as met:
            ...
        met.answered     # how many of them did

tests/faults/failing_calls.c has the words.
"""
import contextlib
import os
import socket
import tempfile
import time

import live
from exporter import PATIENCE


class Met:
    """How many calls an order was about, and how many of them were answered or delayed, so far or at
    its end."""

    seen = answered = 0


class FailingCalls:
    def __init__(self, *names, order="pass"):
        """order: what holds from the first call of the program on, as a line."""
        self.names, self.order = names, order
        self.directory = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.directory.name, "orders")
        self.connection = None

    def wrapper(self):
        """For one exporter, which is the one that gets the orders from now on."""
        self.hang_up()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)
        return [live.program("failing_calls"), self.path, ",".join(self.names), self.order]

    def ask(self, line):
        if not self.connection:
            self.connect()
        self.connection.sendall(line.encode() + b"\n")
        return self.connection.recv(256).decode().rstrip("\n")

    def connect(self):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.settimeout(PATIENCE)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self.connection.connect(self.path)
                return
            except (FileNotFoundError, ConnectionRefusedError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)

    def begin(self, line):
        answer = self.ask(line)
        if answer != "ok":
            raise AssertionError(f"{line!r}: {answer}")

    def count(self):
        """(how many calls the order has been about so far, how many of them were answered or delayed)"""
        return tuple(map(int, self.ask("count").split()))

    def end(self, met):
        met.seen, met.answered = map(int, self.ask("pass").split())

    @contextlib.contextmanager
    def ordered(self, line):
        met = Met()
        self.begin(line)
        yield met
        self.end(met)

    def answered(self, call, value, first=1, count=0, **which):
        """value: the name of an error, or what the call returns. count 0: all from the first on.
        which: thread=, on=, path=, every=, as failing_calls.c says."""
        return self.ordered(" ".join([f"answer {call} {value} {first} {count}",
                                      *(f"{key}={text}" for key, text in which.items())]))

    def delayed(self, call, milliseconds, **which):
        return self.ordered(" ".join([f"delay {call} {milliseconds}",
                                      *(f"{key}={text}" for key, text in which.items())]))

    def hang_up(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def close(self):
        self.hang_up()
        self.directory.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
