# SPDX-License-Identifier: Apache-2.0
"""The program with places for probes (tests/support/probed.c)."""
import subprocess


class Probed:
    def __init__(self, program, comm, procs="-", **options):
        self.process = subprocess.Popen([program, procs, comm], text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, **options)

    def run(self, here=0, in_thread=0):
        """How many calls in all found the semaphore raised, and the first byte of the function."""
        self.process.stdin.write(f"{here} {in_thread}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise AssertionError(f"probed ended with {self.process.wait()}")
        return tuple(int(word) for word in answer.split())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
