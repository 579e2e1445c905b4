# SPDX-License-Identifier: Apache-2.0
"""Programs whose names are not where the program is: in a debug file that is installed, in a
container, in a file that was deleted.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import live
from exporter import PATIENCE, Exporter
from own_mounts import UNSHARE, own_mounts
from profiles import NAMES_PATIENCE, ask_profile
from test_profile import ProfileTest

PROGRAM = live.program("known_shares")
NAMES = {"burn_more", "burn_less", "main"}
DEBUG = "/usr/lib/debug"
FILES = "pmu_exporter_profile_files"
READS = "pmu_exporter_profile_reads_total"
N_SLOW = 12  # each takes ten seconds; names of a program, on a slow machine, a minute


def build_id(program):
    notes = subprocess.run(["readelf", "-nW", program], capture_output=True, text=True, check=True).stdout
    return re.search(r"Build ID: ([0-9a-f]+)", notes)[1]


class Files(ProfileTest):
    def setUp(self):
        super().setUp()
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.target = f"cgroup:{self.cgroups.make('a')}"
        self.procs = os.fsdecode(self.cgroups.directory("a")) + "/cgroup.procs"

    def run_load(self, *words):
        load = self.enterContext(subprocess.Popen([*words, self.procs, "70"]))
        self.addCleanup(load.kill)
        return load

    def names(self, exporter, owner, start=None):
        """Of the functions of the program that have samples, since then."""
        profile = ask_profile(exporter, target=self.target, **({"start": start} if start else {}))
        return {frame.name for stack in (profile.stacks if profile else ()) for frame in stack
                if frame.owner == owner and frame.kind == "user"}

    def assert_named(self, exporter, owner):
        self.until(lambda: NAMES <= self.names(exporter, owner), f"names of {owner}")

    def test_a_debug_file_that_is_installed_names_the_functions_of_a_stripped_program(self):
        live.need("objcopy", "readelf")
        stripped = self.directory / "stripped_shares"
        of_id = build_id(PROGRAM)
        debug = self.directory / "debug/.build-id" / of_id[:2] / f"{of_id[2:]}.debug"
        debug.parent.mkdir(parents=True)
        subprocess.run(["objcopy", "--only-keep-debug", PROGRAM, debug], check=True)
        subprocess.run(["objcopy", "--strip-all", PROGRAM, stripped], check=True)
        pathlib.Path(DEBUG).mkdir(exist_ok=True)
        wrapper = own_mounts(DEBUG, f"mount --bind {self.directory / 'debug'} {DEBUG}")
        exporter = self.enterContext(Exporter(self.config(), wrapper=wrapper))
        self.need_profiles(exporter)
        self.run_load(stripped)
        self.assert_named(exporter, "stripped_shares")

    def test_programs_that_take_long_to_read_are_refused_and_hold_up_no_others(self):
        exporter = self.start()
        names = [f"slow_{i}" for i in range(N_SLOW)]
        self.cgroups.make("slow")
        enter = os.fsdecode(self.cgroups.directory("slow")) + "/cgroup.procs"
        slow = []
        for name in names:
            program = self.directory / name
            shutil.copy(live.program("slow_frames"), program)
            slow.append(self.enterContext(subprocess.Popen(
                ["sh", "-c", 'echo $$ > "$0"; exec "$1"', enter, program])))
            self.addCleanup(slow[-1].kill)
        exporter.scrape_until(lambda m: m.value(FILES, state="awaited") >= N_SLOW - 1, NAMES_PATIENCE,
                              "programs that wait to be read")
        for process in slow:
            process.send_signal(signal.SIGSTOP)
        quick = self.directory / "quick_shares"
        shutil.copy(PROGRAM, quick)
        self.run_load(quick)
        self.assert_named(exporter, "quick_shares")
        self.assertLess(exporter.scrape().value(READS, outcome="too_slow"), N_SLOW)
        self.until(lambda: re.search(r"are not used.* file=\S+/slow_\d+ reason=too_slow", exporter.stderr()),
                   "the log's line of one of them")

    def test_functions_of_a_stripped_program_are_called_by_where_they_begin(self):
        live.need("objcopy")
        stripped = self.directory / "stripped_shares"
        subprocess.run(["objcopy", "--strip-all", PROGRAM, stripped], check=True)
        exporter = self.start()
        self.run_load(stripped)
        self.until(lambda: len(self.names(exporter, "stripped_shares")) >= len(NAMES), "functions")
        # What was sampled before the file was read may have no functions.
        start, found = time.time(), set()

        def has_all():
            nonlocal found
            found = self.names(exporter, "stripped_shares", start)
            return len(found) >= len(NAMES)
        self.until(has_all, "functions that are known at once")
        for name in found:
            self.assertRegex(name, "^(0x[0-9a-f]+|_start)$")

    def test_functions_of_other_languages_are_called_as_in_their_sources(self):
        live.need("objcopy")
        program = self.directory / "foreign_shares"
        subprocess.run(["objcopy", "--redefine-sym", "burn_more=_ZNSt6vectorIiSaIiEE9push_backERKi",
                        "--redefine-sym", "burn_less=_RNvC6_123foo3bar",
                        "--redefine-sym", "main=_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
                        PROGRAM, program], check=True)
        exporter = self.start()
        self.run_load(program)
        names = {"std::vector<int, std::allocator<int> >::push_back", "123foo::bar",
                 "core::fmt::Write::write_fmt"}
        self.until(lambda: names <= self.names(exporter, "foreign_shares"), "demangled names")

    def test_a_program_that_only_a_container_sees_has_its_names(self):
        exporter = self.start()
        inside = self.directory / "inside"
        inside.mkdir()
        self.run_load(*UNSHARE, "sh", "-c", f'mount -t tmpfs tmpfs {inside} && '
                      f'cp "$0" {inside}/contained && exec {inside}/contained "$@"', PROGRAM)
        self.assert_named(exporter, "contained")
        self.assertEqual(list(inside.iterdir()), [])

    def assert_never_opened(self, exporter, owner):
        """It has samples and no names, where a program that came after it has its names."""
        self.until(lambda: self.names(exporter, owner), f"samples of {owner}")
        quick = self.directory.with_name(f"{self.directory.name}_quick_shares")
        shutil.copy(PROGRAM, quick)
        self.addCleanup(quick.unlink)
        self.run_load(quick)
        self.assert_named(exporter, quick.name)
        exporter.scrape_until(lambda m: m.value(FILES, state="missing") > 0, PATIENCE, "a file that is not opened")
        self.assertEqual({name for name in self.names(exporter, owner)
                          if not name.startswith(("0x", "["))}, set())

    def test_programs_of_what_somebody_without_rights_has_mounted_are_never_opened(self):
        """Its server, if it has one, may let us wait for ever."""
        words = ["unshare", "--user", "--map-root-user", "--mount"]
        if subprocess.run([*words, "true"], capture_output=True).returncode != 0:
            self.skipTest("there are no user namespaces here")
        exporter = self.start()
        self.run_load(*words, "sh", "-c", 'mount -t tmpfs none "$0" && cp "$1" "$0/foreign_shares" && '
                      'exec "$0/foreign_shares" "$2" "$3"', self.directory, PROGRAM)
        self.assert_never_opened(exporter, "foreign_shares")

    def serve(self, file):
        """A copy of a file in a file system that a process serves, and that process."""
        live.need("bindfs")
        if not os.path.exists("/dev/fuse"):
            self.skipTest("this kernel has no FUSE")
        source, served = self.directory / "source", self.directory / "served"
        source.mkdir()
        served.mkdir()
        shutil.copy(file, source / "served_shares")
        server = self.enterContext(subprocess.Popen(["bindfs", "-f", source, served]))
        self.addCleanup(server.kill)
        self.addCleanup(subprocess.run, ["umount", "--lazy", served], check=True)
        self.until((served / "served_shares").exists, "what bindfs serves")
        return served / "served_shares", server

    def test_programs_of_what_a_process_serves_are_never_opened(self):
        program, _ = self.serve(PROGRAM)
        exporter = self.start()
        self.run_load(program)
        self.assert_never_opened(exporter, "served_shares")

    def test_a_process_that_holds_the_lock_of_its_mappings_holds_up_nobody(self):
        """Its program was deleted: the file can be found only by a link among its mappings."""
        served, server = self.serve(PROGRAM)
        exporter = self.start()
        self.cgroups.make("holder")
        program = shutil.copy(live.program("lock_holder"), self.directory / "deleted_holder")
        holder = self.enterContext(subprocess.Popen(
            [program, os.fsdecode(self.cgroups.directory("holder")) + "/cgroup.procs", served],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        self.addCleanup(holder.kill)
        self.assertEqual(holder.stdout.readline(), b"written\n")
        os.remove(program)
        server.send_signal(signal.SIGSTOP)
        self.addCleanup(server.send_signal, signal.SIGCONT)
        time.sleep(2)  # enough, as a rule, that the exporter knows by then what it has mapped
        holder.stdin.close()
        self.until(lambda: any(") D " in (task / "stat").read_text()
                               for task in pathlib.Path(f"/proc/{holder.pid}/task").iterdir()),
                   "a thread that holds the lock and waits")
        self.run_load(shutil.copy(PROGRAM, self.directory / "quick_shares"))
        self.assert_named(exporter, "quick_shares")
        exporter.stop()

    def test_a_program_that_was_deleted_while_it_runs_has_its_names(self):
        exporter = self.start()
        program = shutil.copy(PROGRAM, self.directory / "deleted_shares")
        load = self.run_load(program)
        self.until(lambda: pathlib.Path(f"/proc/{load.pid}/comm").read_text() == "deleted_shares\n", "it runs")
        os.remove(program)
        self.until(lambda: any(NAMES <= self.names(exporter, owner)
                               for owner in ("deleted_shares", "deleted_shares (deleted)")), "its names")


if __name__ == "__main__":
    live.main()
