# SPDX-License-Identifier: Apache-2.0
"""The control socket: reload and pause of the running service, and who may ask."""
import os
import pathlib
import select
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time

import live
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, UnixConnection, http_get

FAULTS = "pmu_cgroup_page_faults_total"
GOOD = "pmu_exporter_config_last_reload_successful"
PAUSED = "pmu_exporter_paused"
PAUSE_END = "pmu_exporter_pause_end_timestamp_seconds"
CONFIG = live.config(system="all")

# this program connects as another user; its exit status is the errno
OTHER_USER = """
import os, socket, sys
os.setgid(65534)
os.setuid(65534)
try:
    socket.socket(socket.AF_UNIX).connect(sys.argv[1])
except OSError as error:
    sys.exit(error.errno)
"""


class Control(live.LiveTest):
    def start(self, config=CONFIG, **options):
        return self.enterContext(Exporter(config, **options))

    def check(self, done, status, out="", err=""):
        self.assertEqual(done.returncode, status, done)
        self.assertIn(out, done.stdout)
        self.assertIn(err, done.stderr)
        self.assertEqual(done.stdout == "", out == "")
        self.assertEqual(done.stderr == "", err == "")


class Reload(Control):
    def test_a_good_one_is_200_and_a_bad_one_500_with_its_place(self):
        exporter = self.start()
        file = exporter.directory / "pmu_exporter.yml"
        answer = exporter.ask_control("POST", "/-/reload")
        self.assertEqual((answer.status, answer.body), (200, b"configuration reloaded\n"))
        file.write_text(CONFIG + "intervall: 2s\n")
        line = CONFIG.count("\n") + 1
        answer = exporter.ask_control("PUT", "/-/reload")
        self.assertEqual(answer.status, 500)
        self.assertTrue(answer.body.startswith(f"{file}:{line}:1: unknown key".encode()),
                        answer.body)
        before = exporter.scrape_until(lambda m: m.value(GOOD) == 0, 5, "the bad reload")
        name = "pmu_machine_page_faults_total"  # the old configuration stays
        self.assertGreater(exporter.after_cycles(2).value(name), before.value(name))
        self.check(exporter.pmutool("reload"), 1, err=f"pmutool: {file}:{line}:1: unknown key")
        file.write_text(CONFIG)
        self.check(exporter.pmutool("reload"), 0, out="configuration reloaded\n")
        exporter.scrape_until(lambda m: m.value(GOOD) == 1, 5, "the good reload")

    def test_20_under_load_lose_no_count_and_no_scrape(self):
        cgroups = self.enterContext(Cgroups())
        path = cgroups.make("a")
        exporter = self.start(live.config(cgroups))
        first = exporter.scrape_until(lambda m: m.value(FAULTS, cgroup=path) is not None, 5,
                                      "birth")
        bad, stop = [], threading.Event()

        def scrape():
            while not stop.is_set():
                answer = exporter.get("/metrics")
                if answer.status != 200:
                    bad.append(answer.status)

        threads = [threading.Thread(target=scrape) for _ in range(2)]
        with live.Load(cgroups.directory("a"), faults=100000, burn_ms=1000) as load:
            for thread in threads:
                thread.start()
            load.go()
            for _ in range(20):
                self.assertEqual(exporter.ask_control("POST", "/-/reload").status, 200)
            load.wait()
            stop.set()
            for thread in threads:
                thread.join()
        last = exporter.after_cycles(2)
        counted = last.value(FAULTS, cgroup=path) - first.value(FAULTS, cgroup=path)
        self.assertGreaterEqual(counted, 100000)
        self.assertEqual(bad, [])

    def test_scrapes_go_on_while_it_is_carried_out(self):
        live.need("strace")
        exporter = self.start()
        connection = UnixConnection(exporter.control, PATIENCE)
        self.addCleanup(connection.close)
        # the collector's thread alone: each file that it opens takes it half a second
        with live.Stuck(exporter.pid, "openat", "500ms"):
            connection.request("POST", "/-/reload")
            for _ in range(2):  # turns of the server, which has the request then
                self.assertEqual(exporter.get("/-/healthy").status, 200)
            self.assertEqual(exporter.ask_control("POST", "/-/pause?duration=1m").status, 503)
            for _ in range(10):
                self.assertEqual(exporter.get("/-/healthy").status, 200)
            answered, _, _ = select.select([connection.sock], [], [], 0)
            self.assertEqual(answered, [], "it is still being carried out")
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.read()), (200, b"configuration reloaded\n"))

    def test_a_signal_still_reloads(self):
        exporter = self.start()
        os.kill(exporter.pid, signal.SIGHUP)
        exporter.log_until("configuration reloaded")
        file = exporter.directory / "pmu_exporter.yml"
        for message in ("configuration read", "configuration reloaded"):
            lines = [l for l in exporter.log_lines() if f'msg="{message}"' in l]
            self.assertEqual(len(lines), 1, exporter.stderr())
            self.assertTrue(lines[0].endswith(f" file={file} system=yes "
                                              "rules_of_cgroups=0 rules_of_processes=0 "
                                              "profiles=no"), lines[0])


class Pause(Control):
    def test_it_is_shown_and_ends_when_asked(self):
        exporter = self.start()
        self.check(exporter.pmutool("pause", "10m"), 0, out="hardware events are not counted until")
        metrics = exporter.scrape_until(lambda m: m.value(PAUSED) == 1, 5, "the pause")
        self.assertAlmostEqual(float(metrics.value(PAUSE_END)), time.time() + 600, delta=10)
        self.check(exporter.pmutool("reload"), 0, out="configuration reloaded\n")
        later = exporter.after_cycles(2)
        self.assertEqual(later.value(PAUSED), 1)  # the pause outlives a reload
        self.assertEqual(later.value(PAUSE_END), metrics.value(PAUSE_END))
        for name in ("pmu_machine_page_faults_total", "pmu_machine_context_switches_total"):
            self.assertGreater(later.value(name), metrics.value(name))
        self.assertIsNotNone(later.value("pmu_machine_page_faults_per_second"))
        self.check(exporter.pmutool("pause", "off"), 0, out="hardware events are counted again\n")
        metrics = exporter.scrape_until(lambda m: m.value(PAUSED) == 0, 5, "the end")
        self.assertIsNone(metrics.value(PAUSE_END))

    def test_it_ends_by_itself(self):
        exporter = self.start()
        self.check(exporter.pmutool("pause", "5s"), 0, out="until")
        exporter.scrape_until(lambda m: m.value(PAUSED) == 1, 3, "the pause")
        exporter.scrape_until(lambda m: m.value(PAUSED) == 0, 8, "the end")
        self.assertIn("the pause is over", exporter.stderr())

    def test_a_wrong_duration_is_400_and_pauses_nothing(self):
        exporter = self.start()
        for target in ("/-/pause", "/-/pause?duration=10", "/-/pause?duration=8d"):
            self.assertEqual(exporter.ask_control("POST", target).status, 400)
        self.check(exporter.pmutool("pause", "10"), 2, err="pmutool: error: expected off, or a")
        self.assertEqual(exporter.scrape().value(PAUSED), 0)


class Socket(Control):
    def test_it_is_for_its_user_alone_and_gone_at_the_end(self):
        exporter = self.start(preexec=lambda: os.umask(0))
        mode = os.lstat(exporter.control).st_mode
        self.assertEqual((stat.S_ISSOCK(mode), stat.S_IMODE(mode)), (True, 0o600))
        exporter.directory.chmod(0o755)  # only the mode of the socket keeps others out
        done = subprocess.run([sys.executable, "-c", OTHER_USER, exporter.control])
        self.assertEqual(done.returncode, 13, "EACCES")
        exporter.stop()
        self.assertFalse(os.path.lexists(exporter.control))

    def test_everything_is_answered_there(self):
        exporter = self.start()
        for path, status in (("/metrics", 200), ("/-/ready", 200), ("/nothing", 404),
                             ("/-/reload", 405), ("/-/pause?duration=1m", 405)):
            answer = exporter.ask_control("GET", path)
            self.assertEqual(answer.status, status, path)
        self.assertEqual(answer.headers["Allow"], "POST, PUT")

    def test_over_tcp_it_is_403_unless_it_is_enabled(self):
        exporter = self.start()
        for path in ("/-/reload", "/-/pause?duration=1m"):
            answer = exporter.get(path, method="POST")
            self.assertEqual(answer.status, 403)
            self.assertIn(b"--web.enable-lifecycle", answer.body)
        self.assertEqual(exporter.scrape().value(PAUSED), 0)
        enabled = self.start(args=["--web.enable-lifecycle"])
        self.assertEqual(enabled.get("/-/reload", method="POST").status, 200)
        self.assertEqual(enabled.get("/-/reload").status, 405)
        for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"},
                        {"Sec-Fetch-Site": "cross-site"},
                        {"Origin": "http://evil.example", "Host": "evil.example"}):
            for path in ("/-/reload", "/-/pause?duration=1m"):
                answer = enabled.get(path, method="POST", headers=headers)
                self.assertEqual(answer.status, 403, headers)
                self.assertIn(b"web page", answer.body)
        self.assertEqual(enabled.scrape().value(PAUSED), 0)
        own = {"Origin": f"http://127.0.0.1:{enabled.port}", "Sec-Fetch-Site": "same-origin"}
        self.assertEqual(enabled.get("/-/reload", method="POST", headers=own).status, 200)
        self.assertEqual(enabled.get("/-/pause?duration=1m", method="POST").status, 200)
        enabled.scrape_until(lambda m: m.value(PAUSED) == 1, 5, "the pause")

    def test_a_second_instance_leaves_it_alone_and_goes_on_without(self):
        first = self.start()
        second = Exporter(CONFIG)
        second.control = first.control
        with second:
            lines = [l for l in second.log_lines() if "no control socket" in l]
            self.assertEqual(len(lines), 1, second.stderr())
            self.assertIn("another process listens there", lines[0])
            self.assertEqual(second.get("/metrics").status, 200)
        self.assertEqual(first.ask_control("POST", "/-/reload").status, 200)

    def test_what_a_killed_one_has_left_is_replaced(self):
        directory = self.enterContext(
            tempfile.TemporaryDirectory(prefix="pmu_exporter-test-"))
        exporter = Exporter(CONFIG, directory=directory).start()
        exporter.kill()
        self.assertTrue(os.path.lexists(exporter.control))
        self.check(exporter.pmutool("reload"), 1, err="nobody listens")
        with Exporter(CONFIG, directory=directory) as again:
            self.assertEqual(again.ask_control("POST", "/-/reload").status, 200)

    def test_without_a_place_for_it_the_service_goes_on(self):
        exporter = Exporter(CONFIG)
        exporter.control = pathlib.Path("/nonexistent/directory/control")
        with exporter:
            lines = [l for l in exporter.log_lines() if "no control socket" in l]
            self.assertEqual(len(lines), 1, exporter.stderr())
            self.assertIn("No such file or directory", lines[0])
            self.check(exporter.pmutool("reload"), 1, err="there is no such socket")
            self.assertEqual(http_get(exporter.port, "/metrics").status, 200)

    def test_pmutool_says_what_it_may_not(self):
        exporter = self.start()
        exporter.directory.chmod(0o755)
        done = exporter.pmutool("reload", user=65534, group=65534)
        self.check(done, 1, err="permission denied")

    def test_connections_that_say_nothing_do_not_keep_it(self):
        exporter = self.start()
        silent = [socket.socket(socket.AF_UNIX) for _ in range(50)]
        for connection in silent:
            connection.connect(str(exporter.control))
        self.assertEqual(exporter.ask_control("POST", "/-/reload").status, 200)
        for connection in silent:
            connection.close()


if __name__ == "__main__":
    live.main(at_once=3)
