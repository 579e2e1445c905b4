#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the CPUs that each cgroup uses, each time the exporter has counted.

    rates.py [SOCKET [TIMES]]

It needs nothing but Python, and reads the same stream as rates.c beside it.
"""
import http.client
import itertools
import json
import socket
import sys

SOCKET = "/run/pmu_exporter/control"
PATH = "/api/v1/live?column=pmu_cgroup_cpus_used"


class Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


def events(path):
    """The data of each event of the stream."""
    connection = Connection(path)
    try:
        connection.request("GET", PATH)
    except OSError as error:
        sys.exit(f"rates.py: {path}: {error.strerror}; is pmu_exporter running, with this "
                 "--control.socket?")
    answer = connection.getresponse()
    if answer.status != 200:
        sys.exit(f"rates.py: {answer.read().decode().strip()}")
    data = b""
    for line in answer:
        if line.startswith(b"data:"):
            data += line[len(b"data:"):]
        elif line == b"\n" and data:
            yield json.loads(data)
            data = b""


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else SOCKET
    times = int(sys.argv[2]) if len(sys.argv) > 2 else None
    for event in itertools.islice(events(path), times):
        print(f"{event['taken_realtime_seconds']:.3f}")
        for table in event["tables"]:
            if table["kind"] != "cgroup":
                continue
            for row in table["rows"]:
                for value in row["values"]:
                    if value is not None:
                        print(f"{value:8.3f} {row['labels']['cgroup']}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
