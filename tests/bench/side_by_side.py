# SPDX-License-Identifier: Apache-2.0
"""What several ways to count add to the same work, taken in turns: the least of all rounds, since
what else the machine does only adds.

    least = side_by_side.measure({"none": nobody, "ours": ours, "perf": perf}, cost, rounds=5)
    side_by_side.show(least, "ns a switch", "perf")

A way is a function that gives a context, in which it counts; cost() tells what the work costs.
"""
import contextlib
import os
import signal
import subprocess


def nobody():
    return contextlib.nullcontext()


@contextlib.contextmanager
def peer(command):
    """A program that counts until it is interrupted. It prints a line "counts" when it does."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          start_new_session=True) as process:
        said = ""
        while not said.endswith("counts\n"):
            line = process.stdout.readline()
            said += line
            if not line:
                raise SystemExit(f"{' '.join(command)}: {said}")
        try:
            yield process
        finally:
            os.killpg(process.pid, signal.SIGINT)
            process.communicate(timeout=60)


def bpftrace(program):
    return peer(["bpftrace", "-B", "line", "-e", program])


def perf(*words):
    """perf with these words, before the command of its own that says when it counts."""
    return peer(["perf", *words, "--", "sh", "-c", "echo counts; exec sleep infinity"])


def measure(ways, cost, rounds):
    least = {}
    for _ in range(rounds):
        for name, way in ways.items():
            with way():
                figure = min(cost() for _ in range(5))
            least[name] = min(figure, least.get(name, figure))
    return least


def show(least, unit, beside):
    """Prints what each way adds to the one called none, and its ratio to what `beside` adds."""
    added = {name: figure - least["none"] for name, figure in least.items()}
    print(f"{'':24} {unit:>13} {'added':>8} {'of ' + beside:>20}")
    for name, figure in least.items():
        print(f"{name:24} {figure:13.0f} {added[name]:+8.0f} {added[name] / added[beside]:20.2f}")
