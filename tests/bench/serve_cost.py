#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What serving costs: CPU time of the server for the second and every further scrape
of one snapshot, over that of nginx for a static file of the same bytes.

Both servers run at the same time and are asked in turns, over connections that stay
open, so that what disturbs the machine disturbs both. The CPU time is that of all
threads of the process (/proc/PID/task/*/schedstat, nanoseconds); what is printed are
medians over the rounds.

    serve_cost.py --serve-static build/release/bin/serve_static
"""

import argparse
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

SIZES = {"50 kB": 50_000, "900 kB": 900_000}
WANTED = 2.0

NGINX_CONFIG = """
daemon off; worker_processes 1; pid {directory}/pid; error_log {directory}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off; sendfile on; tcp_nopush on; keepalive_requests 10000000;
    default_type text/plain;
    client_body_temp_path {directory}/t1; proxy_temp_path {directory}/t2;
    fastcgi_temp_path {directory}/t3; uwsgi_temp_path {directory}/t4;
    scgi_temp_path {directory}/t5;
    server {{ listen 127.0.0.1:{port}; root {directory}; }}
}}
"""


def cpu_ns(pid):
    """CPU time of a process, all threads."""
    total = 0
    for schedstat in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat"):
        total += int(schedstat.read_text().split()[0])
    return total


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def body_text(size):
    """Lines as /metrics has them."""
    lines = []
    length = 0
    while length < size:
        n = len(lines)
        line = f'pmu_cgroup_instructions_total{{cgroup="/system.slice/unit{n % 500}.service"}} {n * 7919}\n'
        lines.append(line)
        length += len(line)
    return "".join(lines)[:size].encode()


class Scraper:
    """One connection that stays open."""

    def __init__(self, port, path):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        self.buffer = bytearray(1 << 20)

    def scrape(self):
        """Asks once; the length of the body."""
        self.socket.sendall(self.request)
        head = b""
        while b"\r\n\r\n" not in head:
            head += self.socket.recv(65536)
        head, body = head.split(b"\r\n\r\n", 1)
        if not head.startswith(b"HTTP/1.1 200"):
            sys.exit(f"unexpected answer: {head.decode()}")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        left = length - len(body)
        while left > 0:
            n = self.socket.recv_into(self.buffer, left)
            if n == 0:
                sys.exit("the connection was closed")
            left -= n
        return length


class Server:
    """A process that serves, and what a scrape costs it."""

    def __init__(self, process, pid, port, path):
        self.process = process
        self.pid = pid
        self.scraper = Scraper(port, path)
        self.costs_us = []

    def round(self, scrapes):
        before = cpu_ns(self.pid)
        for _ in range(scrapes):
            self.scraper.scrape()
        self.costs_us.append((cpu_ns(self.pid) - before) / scrapes / 1000)

    def stop(self):
        self.scraper.socket.close()
        self.process.terminate()
        self.process.wait(10)


def pin(cpu):
    """A function for a child that keeps it on one CPU, where there is more than one."""
    def run_in_child():
        cpus = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cpus[cpu % len(cpus)]})
    return run_in_child


def start_ours(program, file):
    process = subprocess.Popen([program, "127.0.0.1:0", file], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True, preexec_fn=pin(1))
    port = int(process.stdout.readline())
    return Server(process, process.pid, port, "/metrics")


def worker_of(pid):
    """The process that serves: the only child of the master."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if children:
            return int(children[0])
        time.sleep(0.05)
    sys.exit("nginx does not start")


def start_nginx(program, directory, file):
    port = free_port()
    config = directory / "nginx.conf"
    config.write_text(NGINX_CONFIG.format(directory=directory, port=port))
    process = subprocess.Popen([program, "-e", str(directory / "error.log"), "-c", str(config)],
                               preexec_fn=pin(1))
    worker = worker_of(process.pid)
    time.sleep(0.2)
    return Server(process, worker, port, "/" + file.name)


def measure(options, directory, name, size):
    """Prints one line; the ratio."""
    file = directory / "metrics.txt"
    file.write_bytes(body_text(size))
    file.chmod(0o644)
    ours = start_ours(options.serve_static, file)
    nginx = start_nginx(options.nginx, directory, file)
    try:
        for _ in range(options.rounds + 1):
            ours.round(options.scrapes)
            nginx.round(options.scrapes)
    finally:
        ours.stop()
        nginx.stop()
    # the first round warmed up
    ours_us = statistics.median(ours.costs_us[1:])
    nginx_us = statistics.median(nginx.costs_us[1:])
    print(f"{name:>8}  ours {ours_us:8.1f} us  nginx {nginx_us:8.1f} us  "
          f"ratio {ours_us / nginx_us:5.2f}  (wanted: at most {WANTED})", flush=True)
    return ours_us / nginx_us


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--serve-static", required=True, help="the program of that name")
    parser.add_argument("--nginx", default=shutil.which("nginx") or "/usr/sbin/nginx")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--scrapes", type=int, default=50, help="of each server a round")
    options = parser.parse_args()
    if not os.access(options.nginx, os.X_OK):
        print("skipped: nginx is not installed")
        return 77
    pin(0)()
    worst = 0.0
    for name, size in SIZES.items():
        with tempfile.TemporaryDirectory() as directory:
            os.chmod(directory, 0o755)  # nginx's worker is another user
            worst = max(worst, measure(options, pathlib.Path(directory), name, size))
    return 0 if worst <= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
