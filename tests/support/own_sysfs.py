# SPDX-License-Identifier: Apache-2.0
"""A sysfs for `--path.sysfs` that is the machine's, with more PMUs beside its own.

A PMU of a test has the type of one that the kernel has, so that the kernel really counts: events of
an "uncore_imc_0" of type 2 are tracepoints, opened where its cpumask says.
"""
import os
import pathlib
import socket
import unittest

DEVICES = "bus/event_source/devices"
TRACEPOINT = 2
# System calls that hardly any program makes, and how Python makes them.
RARE_CALLS = {
    "sched_rr_get_interval": "os.sched_rr_get_interval(0)",
    "sched_get_priority_min": "os.sched_get_priority_min(os.SCHED_FIFO)",
    "sched_get_priority_max": "os.sched_get_priority_max(os.SCHED_FIFO)",
    "sched_getparam": "os.sched_getparam(0)",
    "sched_getscheduler": "os.sched_getscheduler(0)",
    "getresgid": "os.getresgid()",
}
call_locks = []


def make(directory, pmus, sysfs="/sys"):
    """pmus: {name: {path of a file: its text}}. Returns the directory."""
    root, real = pathlib.Path(directory), pathlib.Path(sysfs)
    for entry in os.listdir(real):
        if entry != "bus":
            (root / entry).symlink_to(real / entry)
    (root / DEVICES).mkdir(parents=True)
    for entry in os.listdir(real / DEVICES):
        if entry not in pmus:
            (root / DEVICES / entry).symlink_to((real / DEVICES / entry).resolve())
    for pmu, files in pmus.items():
        for path, text in files.items():
            write(root, pmu, path, text)
    return root


def write(root, pmu, path, text):
    file = pathlib.Path(root) / DEVICES / pmu / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{text}\n")


def pmu_of_tracepoints(cpus, events, more=()):
    """The files of a PMU whose events are tracepoints. events: {its name here: "subsystem:name"};
    cpus: where it is opened."""
    files = {"type": TRACEPOINT, "cpumask": cpus, "format/event": "config:0-63", **dict(more)}
    for name, tracepoint in events.items():
        files[f"events/{name}"] = f"event={tracepoint_id(tracepoint):#x}"
    return files


def own_calls(n):
    """[(tracepoint, statement)] of n system calls that no other test makes until this process
    ends: the name of an abstract socket locks each. Skips where tracefs shows none."""
    calls = []
    for name, statement in RARE_CALLS.items():
        lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            lock.bind(f"\0pmu_exporter-test-call-{name}")
        except OSError:
            lock.close()
            continue
        call_locks.append(lock)
        calls.append((f"syscalls:sys_enter_{name}", statement))
        if len(calls) == n:
            break
    if len(calls) < n or not tracepoint_id(calls[0][0]):
        raise unittest.SkipTest("tracefs shows no tracepoints of system calls, or all are in use")
    return calls


def tracepoint_id(tracepoint):
    """None where the kernel has no such tracepoint, or does not show it."""
    path = pathlib.Path("/sys/kernel/tracing/events", *tracepoint.split(":"), "id")
    return int(path.read_text()) if path.exists() else None
