# SPDX-License-Identifier: Apache-2.0
"""A program of a test that says "ready", and then answers each line with one, until its input ends.

    with LineProgram([program("sleepers"), "-", "100"]) as sleepers:
        sleepers.ask("go")
"""
import subprocess

from exporter import PATIENCE


class NotReady(AssertionError):
    """It did not start; its errors."""


class LineProgram:
    def __init__(self, words):
        self.process = subprocess.Popen(words, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.expect_ready()

    @property
    def pid(self):
        return self.process.pid

    def expect_ready(self):
        if self.process.stdout.readline() != "ready\n":
            self.process.kill()
            raise NotReady(f"{self.process.args[0]} did not start: {self.process.stderr.read()}")

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self):
        return self.process.stdout.readline().rstrip("\n")

    def ask(self, line):
        self.say(line)
        return self.answer()

    def end(self):
        self.process.stdin.close()
        if self.process.wait(PATIENCE) != 0:
            raise AssertionError(f"{self.process.args[0]} ended with {self.process.returncode}: "
                                 f"{self.process.stderr.read()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()
        self.process.wait()
