#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The example for Prometheus is valid, and quickstart prometheus runs it beside the exporter."""
import http.client
import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import live
import rules
from exporter import PATIENCE, binary, free_port, http_get

WITHIN = 2 * PATIENCE  # Prometheus scrapes every 15 s, and takes its time before the first


class Config(live.LiveTest):
    def test_the_example_is_valid(self):
        rules.need("promtool")
        self.assertIsNone(rules.promtool("check", "config", rules.TOP / "config/prometheus.yml"))


class Quickstart(live.LiveTest):
    def setUp(self):
        rules.need("prometheus", "setpriv")
        self.top = rules.TOP
        self.directory = self.enterContext(tempfile.TemporaryDirectory())
        self.give(self.directory, os.stat(self.top).st_uid)
        self.ports = {"EXPORTER_PORT": free_port(), "PROMETHEUS_PORT": free_port()}

    def give(self, directory, owner):
        """What a directory has becomes another user's."""
        for path in [pathlib.Path(directory), *pathlib.Path(directory).rglob("*")]:
            os.chown(path, owner, -1)

    def take_checkout_of(self, owner):
        """What quickstart prometheus needs of the checkout, in a place that this user owns."""
        place = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("config", "dashboards/rules"):
            shutil.copytree(rules.TOP / name, place / name)
        shutil.copy2(rules.TOP / "quickstart", place)
        self.give(place, owner)
        self.top = place

    def start(self):
        environment = {**os.environ, "PMU_EXPORTER": binary(), "PROMETHEUS_DATA": self.directory,
                       **{name: str(port) for name, port in self.ports.items()}}
        process = subprocess.Popen(
            [self.top / "quickstart", "prometheus", "--", "--log.level=error",
             f"--control.socket={self.directory}/control"], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()

    def ask(self, path):
        """What Prometheus' API answers; None as long as it does not."""
        try:
            answer = http_get(self.ports["PROMETHEUS_PORT"], f"/api/v1/{path}")
            return json.loads(answer.body).get("data") if answer.status == 200 else None
        except (OSError, http.client.HTTPException):
            return None

    def until(self, condition, process):
        end = time.monotonic() + WITHIN
        while not (found := condition()):
            if time.monotonic() > end or process.poll() is not None:
                self.fail(f"did not come true; status {process.poll()}")
            time.sleep(0.1)
        return found

    def is_open(self, name):
        try:
            return http_get(self.ports[name], "/-/healthy").status == 200
        except OSError:
            return False

    def said_until(self, word, process):
        """What it says, with the first line that has that word."""
        said = ""
        for line in process.stdout:
            said += line
            if word in line:
                return said
        self.fail(said)

    def test_it_scrapes_knows_the_rules_and_ends_both(self):
        process = self.start()
        said = self.said_until("prometheus: ", process)
        page = re.search(rf"prometheus: +http://localhost:{self.ports['PROMETHEUS_PORT']}(/\S*)", said)
        self.assertEqual(http_get(self.ports["PROMETHEUS_PORT"], page[1]).status, 200)
        up = self.until(lambda: (self.ask("query?query=up==1") or {}).get("result"), process)
        self.assertEqual([series["metric"]["job"] for series in up], ["pmu"])
        groups = self.ask("rules")["groups"]
        loaded = sorted(rule["name"] for group in groups for rule in group["rules"])
        self.assertEqual(loaded, sorted(name for path in (rules.SERVICES, rules.ALERTS)
                                        for name, _ in rules.expressions(path)))
        self.assertTrue(self.is_open("EXPORTER_PORT"))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(WITHIN), 0)
        said += process.stdout.read()
        for port in self.ports.values():
            self.assertIn(f"http://localhost:{port}/", said)
        self.assertFalse(self.is_open("EXPORTER_PORT") or self.is_open("PROMETHEUS_PORT"))

    def test_its_data_are_the_owners_where_a_user_owns_the_checkout(self):
        owner = pwd.getpwnam("nobody").pw_uid
        self.take_checkout_of(owner)
        self.give(self.directory, owner)
        process = self.start()
        self.said_until("prometheus: ", process)
        for name in ("prometheus.yml", "data"):
            self.assertEqual(os.stat(f"{self.directory}/{name}").st_uid, owner)

    def test_data_where_the_owner_cannot_write_are_told(self):
        self.take_checkout_of(pwd.getpwnam("nobody").pw_uid)
        self.give(self.directory, 0)
        process = self.start()
        self.assertEqual(process.wait(WITHIN), 1)
        self.assertIn(f"nobody cannot write to {self.directory}", process.stdout.read())

    def test_both_end_when_it_is_killed(self):
        process = self.start()
        self.until(lambda: self.is_open("PROMETHEUS_PORT"), process)
        process.kill()
        process.wait()
        end = time.monotonic() + WITHIN
        while self.is_open("EXPORTER_PORT") or self.is_open("PROMETHEUS_PORT"):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)

    def test_a_port_that_is_taken_is_told(self):
        self.ports["PROMETHEUS_PORT"] = self.ports["EXPORTER_PORT"] = free_port()
        with socket.create_server(("127.0.0.1", self.ports["EXPORTER_PORT"])):
            process = self.start()
            self.assertEqual(process.wait(WITHIN), 1)
        self.assertIn(f"port {self.ports['EXPORTER_PORT']} is taken", process.stdout.read())


if __name__ == "__main__":
    live.main()
