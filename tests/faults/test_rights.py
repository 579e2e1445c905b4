# SPDX-License-Identifier: Apache-2.0
"""What the program may do, thread by thread, and what it never does: it starts no program, connects
to nobody, and writes to nothing but its state directory. What reads files of others is a process
without rights, and a file that harms it costs nothing but its own names. INPUTS.md has all inputs."""
import os
import pathlib
import re
import signal
import tempfile
import time

import live
import standing
from exporter import PATIENCE, is_sanitized
from failing_calls import FailingCalls

FILES = sum(1 << capability for capability in (0, 1, 2, 3))  # CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER
ALL = None  # what the process has
RIGHTS = {"pmu_exporter": ALL, "profiler": ALL, "runs": ALL, "events": ALL,
          "historian": FILES, "target-names": FILES, "web-config": FILES, "config": FILES,
          "http": 0, "passwords": 0, "names": 0, "closer": 0, "end": 0}
NEEDED = {"pmu_exporter", "profiler", "runs", "events", "historian", "target-names", "http"}
READERS = {"config_reader", "object_reader", "probe_reader", "state_reader", "web_reader"}
INFO = "pmu_cgroup_info"
SUPPORTED = "pmu_exporter_event_supported"
BOMB = "[" + ",".join(["{}"] * 300000) + "]"  # below the limit of bytes, and some 100 MiB of tables
BOMBS = ("targets: [" + "{}," * 300000 + "]\n", "groups: " + "- " * 100000 + "\n",
         "a: &a\n" + "b: *a\n" * 100000)
EVERYTHING = """history: {{bytes: 64MiB}}
profiles: {{enabled: true}}
names: {{file: {file}}}
"""


def capabilities(status):
    return {key: int(value, 16) for key, value in
            re.findall(r"(?m)^(CapPrm|CapEff|CapInh|CapAmb):\t([0-9a-f]+)$", status)}


class Rights(standing.FaultTest):
    def setUp(self):
        super().setUp()
        self.state = self.enterContext(tempfile.TemporaryDirectory())
        self.names = os.path.join(self.state, "names.csv")
        pathlib.Path(self.names).write_text("/**,somebody\n")

    def everything(self):
        return self.config(system="all", more=EVERYTHING.format(file=self.names))

    def standing_with_everything(self, **options):
        return self.standing(self.everything(), **options)

    def web_config(self):
        """The option that names one, in which nothing is asked for."""
        file = pathlib.Path(self.state, "web.yml")
        file.write_text("basic_auth_users: {}\n")
        return f"--web.config.file={file}"

    def threads(self, exporter):
        """{name: its status}, once all are there; one that has just begun has the first one's name"""
        for _ in live.tries(PATIENCE):
            tasks = list(pathlib.Path(f"/proc/{exporter.pid}/task").iterdir())
            found = {(task / "comm").read_text().strip(): (task / "status").read_text() for task in tasks}
            if NEEDED <= set(found) and len(found) == len(tasks):
                break
        self.assertLessEqual(NEEDED, set(found))
        self.assertLessEqual(set(found), set(RIGHTS))
        return found

    def test_each_thread_has_what_it_needs(self):
        with self.standing_with_everything(env={"STATE_DIRECTORY": self.state}) as exporter:
            own = capabilities(pathlib.Path("/proc/self/status").read_text())
            for name, status in self.threads(exporter).items():
                with self.subTest(name):
                    has = capabilities(status)
                    wanted = own["CapPrm"] & (RIGHTS[name] if RIGHTS[name] is not ALL else ~0)
                    self.assertEqual((has["CapEff"], has["CapPrm"]), (wanted, wanted))

    def test_each_thread_but_the_first_has_a_filter_of_calls(self):
        """What it refuses, and which files are refused, tells tests/sys/test_thread.c."""
        with self.standing_with_everything(args=["--log.level=debug"],
                                           env={"STATE_DIRECTORY": self.state}) as exporter:
            before = int(re.search(r"Seccomp:\t(\d)", pathlib.Path("/proc/self/status").read_text())[1])
            for name, status in self.threads(exporter).items():
                with self.subTest(name):
                    filtered = before if name == "pmu_exporter" else 2
                    self.assertIn(f"Seccomp:\t{filtered}\n", status)
                    self.assertIn(f"NoNewPrivs:\t{int(name != 'pmu_exporter')}\n", status)
            self.assertNotIn("do without walls", exporter.stderr())

    def test_without_landlock_it_goes_on_and_says_so_once(self):
        calls = self.enterContext(FailingCalls("landlock_create_ruleset",
                                               order="answer landlock_create_ruleset ENOSYS 1 0"))
        with self.standing_with_everything(args=["--log.level=debug"], wrapper=calls.wrapper(),
                                           env={"STATE_DIRECTORY": self.state}) as exporter:
            exporter.log_until("do without walls")
            exporter.after_cycles(2)
            self.assertEqual(exporter.stderr().count("do without walls"), 1)

    def test_what_reads_files_of_others_has_no_rights(self):
        with self.standing_with_everything(args=[self.web_config()]) as exporter:
            readers = self.readers(exporter)
            self.assertEqual(set(readers), READERS)
            for status in [(process / "status").read_text() for process in readers.values()]:
                self.assertEqual(set(capabilities(status).values()), {0}, status)
                self.assertIn("NoNewPrivs:\t1", status)

    def docker(self, digit, text):
        """A container of Docker whose state file has this text; the path of its cgroup."""
        file = pathlib.Path(self.state, "var/lib/docker/containers", digit * 64, "config.v2.json")
        file.parent.mkdir(parents=True)
        file.write_text(text)
        return self.cgroups.make(f"docker-{digit * 64}.scope")

    def test_a_state_file_that_harms_its_reader_costs_its_own_names_alone(self):
        hostile, good = self.docker("a", BOMB), self.docker("b", '{"Name":"/front"}')
        with self.standing(self.config(), args=[f"--path.rootfs={self.state}"]) as exporter:
            found = exporter.scrape_until(lambda m: m.find(INFO, cgroup=good, container="front"), PATIENCE,
                                          "the other container has its name")
            self.assertTrue(found.find(INFO, cgroup=hostile))
            self.assertFalse(found.find(INFO, cgroup=hostile, runtime="docker"))
            if not is_sanitized():  # which takes terabytes of addresses, so that nothing bounds them
                exporter.log_until("names nobody")
                self.assertRegex(exporter.stderr(), "names nobody.*" + "a" * 64 + ".*more memory")

    def readers(self, exporter):
        """{name of a process that reads files of others: its directory in /proc}"""
        children = pathlib.Path(f"/proc/{exporter.pid}/task/{exporter.pid}/children").read_text()
        processes = [pathlib.Path("/proc", child) for child in children.split()]
        return {(process / "comm").read_text().strip(): process for process in processes}

    def test_without_what_reads_state_files_it_goes_on(self):
        self.docker("a", '{"Name":"/early"}')
        with self.standing(self.config(), args=[f"--path.rootfs={self.state}"]) as exporter:
            exporter.scrape_until(lambda m: m.find(INFO, container="early"), PATIENCE, "it has its name")
            os.kill(int(self.readers(exporter)["state_reader"].name), signal.SIGKILL)
            late = self.docker("b", '{"Name":"/late"}')
            exporter.log_until("names nobody")
            self.assertIn("has ended", exporter.stderr())
            found = exporter.after_cycles(2)
            self.assertTrue(found.find(INFO, cgroup=late))
            self.assertTrue(found.find(INFO, container="early"))
            self.remove([late])

    def test_without_what_reads_programs_of_probes_it_goes_on(self):
        if not os.path.exists("/sys/bus/event_source/devices/uprobe"):
            self.skipTest("this kernel has no uprobes")
        program = live.program("probed")
        config = self.config(more=f'probes: [{{name: calls, user: "{program}:probed_call"}}]\n').replace(
            "targets:", "  - {name: probed, events: ['probe:calls']}\ntargets:").replace(
            "groups: [software]", "groups: [software, probed]")  # a group that changes is opened afresh
        with self.standing(config) as exporter:
            exporter.scrape_until(lambda m: m.value(SUPPORTED, event="probe:calls") == 1, PATIENCE,
                                  "it is found")
            os.kill(int(self.readers(exporter)["probe_reader"].name), signal.SIGKILL)
            os.kill(exporter.pid, signal.SIGHUP)
            exporter.scrape_until(lambda m: m.value(SUPPORTED, event="probe:calls") == 0, PATIENCE,
                                  "nobody looks for it")
            self.assertIn("has ended", exporter.stderr())

    def test_without_what_reads_configurations_the_running_ones_stay(self):
        with self.standing(self.config(), args=[self.web_config()]) as exporter:
            readers = self.readers(exporter)
            for name in ("config_reader", "web_reader"):
                os.kill(int(readers[name].name), signal.SIGKILL)
            os.kill(exporter.pid, signal.SIGHUP)
            exporter.log_until("configuration is not valid, the running one stays")
            pathlib.Path(self.state, "web.yml").write_text("basic_auth_users: {}  # changed\n")
            exporter.log_until("web configuration is not valid, the one in force stays")
            lines = [line for line in exporter.log_lines() if "is not valid" in line]
            self.assertEqual(len(lines), 2, lines)
            for line in lines:
                self.assertIn("has ended; expected a restart", line)

    def test_a_configuration_that_harms_its_reader_changes_nothing(self):
        with self.standing(self.config()) as exporter:
            for text in BOMBS:
                (exporter.directory / "pmu_exporter.yml").write_text(text)
                with self.subTest(text[:10]):
                    before = exporter.stderr().count("the running one stays")
                    os.kill(exporter.pid, signal.SIGHUP)
                    for _ in live.tries(PATIENCE):
                        if exporter.stderr().count("the running one stays") > before:
                            break
                    else:
                        self.fail("nobody refuses it")
            self.assertIn("config_reader", self.readers(exporter))

    def test_it_starts_no_program_and_connects_to_nobody(self):
        names = ("execve", "execveat", "connect")
        calls = self.enterContext(FailingCalls(*names))
        with self.standing_with_everything(env={"STATE_DIRECTORY": self.state},
                                           wrapper=calls.wrapper()) as exporter:
            for name in names:
                with calls.answered(name, "EPERM") as met:
                    os.kill(exporter.pid, signal.SIGHUP)
                    for path in ("/", "/metrics", "/api/v1/status", "/-/ready"):
                        self.assertEqual(exporter.get(path).status, 200)
                    exporter.after_cycles(2)
                self.assertEqual(met.seen, 0, name)

    def test_it_writes_to_nothing_but_its_state(self):
        with self.standing_with_everything(env={"STATE_DIRECTORY": self.state}) as exporter:
            end = time.monotonic() + 5
            while time.monotonic() < end:
                for entry in os.listdir(f"/proc/{exporter.pid}/fd"):
                    self.check_descriptor(exporter, entry)
                time.sleep(0.05)

    def check_descriptor(self, exporter, entry):
        """A regular file that is open for writing is its own, or its log."""
        try:
            path = os.readlink(f"/proc/{exporter.pid}/fd/{entry}")
            flags = int(re.search(r"flags:\t(\d+)", pathlib.Path(
                f"/proc/{exporter.pid}/fdinfo/{entry}").read_text())[1], 8)
        except FileNotFoundError:
            return
        if not path.startswith("/") or not flags & os.O_ACCMODE or path.startswith(("/dev/", "/memfd:")):
            return
        self.assertTrue(path.startswith(self.state) or path == str(exporter.stderr_path), path)


if __name__ == "__main__":
    standing.main()
