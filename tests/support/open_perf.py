# SPDX-License-Identifier: Apache-2.0
"""perf, which counts from the begin of a block to its end.

    with OpenPerf("stat", "-x;", "-e", "page-faults", "-p", str(pid)) as perf:
        ...
    perf.text       # what it has written to standard error
"""
import subprocess

from exporter import PATIENCE


class OpenPerf:
    def __init__(self, *words):
        self.process = subprocess.Popen(
            ["perf", *words, "--", "sh", "-c", "echo open; read -r _"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "open\n":
            raise AssertionError(self.process.communicate()[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.text = self.process.communicate("\n", timeout=PATIENCE)[1]
