#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What pmutool check config, and pmu_exporter --config.check, say of a configuration.

    test_check_config.py PMU_EXPORTER PMUTOOL
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

EXPORTER, PMUTOOL = sys.argv[1:3]
SHIPPED = str(pathlib.Path(__file__).parents[2] / "config/pmu_exporter.yml")
DEFAULT_FILE = "/etc/pmu_exporter/pmu_exporter.yml"


def run(*words):
    """(exit status, stdout, stderr)"""
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


class Config(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def file(self, text):
        path = os.path.join(self.directory.name, "test.yml")
        pathlib.Path(path).write_text(text)
        return path

    def test_a_valid_file_is_summed_up(self):
        status, out, err = run(PMUTOOL, "check", "config", SHIPPED)
        self.assertEqual((status, err), (0, ""))
        self.assertIn(f"Checking {SHIPPED}\n  SUCCESS: groups: 2, events: 8 ", out)
        self.assertIn("system: by all, rules for cgroups: 1, for processes: 0", out)
        self.assertRegex(out, r"\n  page-faults +software: type=1 config=0x2\n")

    def test_system_wide_clocks_are_noted_with_their_place(self):
        path = self.file("targets:\n  system: {groups: [core, software]}\n")
        status, out, _ = run(PMUTOOL, "check", "config", path)
        self.assertEqual(status, 0)
        self.assertIn(f"{path}:2:27: note: system-wide, task-clock of group software is wall time",
                      out)

    def test_process_rules_that_are_mostly_slips_are_warned_of_with_their_place(self):
        path = self.file("targets:\n processes:\n"
                         " - {name: '{{.Comm}}', comm: [prometheus-node, ok], groups: [software]}\n"
                         " - {comm: [ok, prometheus-node-exporter], groups: [software]}\n"
                         " - {name: '{{.Comm}}-{{.PID}}', comm: [ok], groups: [software]}\n")
        status, out, err = run(PMUTOOL, "check", "config", path)
        self.assertEqual((status, err), (0, ""))
        self.assertIn("system: no, rules for cgroups: 0, for processes: 3\n", out)
        warnings = [line for line in out.splitlines()
                    if ": warning: " in line and "hidepid" not in line]  # as /proc is mounted here
        self.assertEqual(len(warnings), 2, out)
        self.assertIn(f'{path}:4:16: warning: a comm has at most 15 bytes, so '
                      '"prometheus-node-exporter" matches none but', warnings[0])
        self.assertTrue(warnings[0].endswith('did you mean "prometheus-node"?'), out)
        self.assertIn(f'{path}:5:11: warning: by name "{{{{.Comm}}}}-{{{{.PID}}}}" each process',
                      warnings[1])

    def test_paths_and_arguments_are_no_comm(self):
        path = self.file("targets:\n processes:\n"
                         " - {comm: [/usr/sbin/postgres-daemon, 'nginx: worker process'], "
                         "groups: [software]}\n")
        out = run(PMUTOOL, "check", "config", path)[1]
        for name in ("/usr/sbin/postgres-daemon", "nginx: worker process"):
            self.assertIn(f'so "{name}" matches none; expected exe for a path, or cmdline for '
                          'arguments\n', out)
        self.assertNotIn("did you mean", out)

    def test_a_pattern_that_is_none_is_told_with_its_place(self):
        path = self.file("targets:\n processes:\n"
                         " - {cmdline: ['-jar (\\S+'], groups: [software]}\n")
        status, out, err = run(PMUTOOL, "check", "config", path)
        self.assertEqual((status, out), (2, ""))
        self.assertTrue(err.startswith(f"{path}:3:25: cmdline pattern \"-jar (\\S+\": not a "), err)

    def test_what_direct_counting_costs_is_noted_where_both_scopes_count(self):
        groups = "groups:\n- {name: a, events: [page-faults, context-switches]}\n"
        both = ("counting: direct\ntargets:\n  system: {groups: [a]}\n"
                "  cgroups: [{include: [/x], groups: [a]}]\n")
        out = run(PMUTOOL, "check", "config", self.file(groups + both))[1]
        # 300 ns + 75 ns for 2 events of either cgroup and 2 of the system
        self.assertIn("about 0.8 us to each switch", out)
        self.assertIn("(2 events a cgroup, 2 system-wide)", out)
        self.assertIn("\ncounting: cgroups direct: configured\n", out)
        alone = "targets:\n  system: {groups: [a]}\n"
        out = run(PMUTOOL, "check", "config", self.file(groups + alone))[1]
        self.assertNotIn("switch between", out)

    def test_whether_latencies_are_counted_is_told_where_they_are_wanted(self):
        text = ("counting: {}\ngroups:\n- {{name: a, events: [page-faults]}}\n"
                "targets:\n  system: {{groups: [a]{}}}\n")
        for counting in ("auto", "direct"):
            out = run(PMUTOOL, "check", "config",
                      self.file(text.format(counting, ", latency: [scheduler]")))[1]
            self.assertRegex(out, r"\nlatency: (not counted: .|counted by bpf at each switch; "
                             r"(it counts no events; )?distributions of the scheduler "
                             r"take \d+\.\d MiB of the kernel's memory, threads that are away "
                             r"\d+\.\d MiB\n)")
            out = run(PMUTOOL, "check", "config", self.file(text.format(counting, "")))[1]
            self.assertNotIn("latency:", out)

    def test_latencies_are_told_to_be_counted_when_they_are(self):
        for wanted, moments in (
                ("scheduler, system_calls", "switch, at each system call"),
                ("spans", "event of a span, beside a program at each switch"),
                ("block_io, tcp", "request to a block device, at each connection of TCP, "
                                  "beside a program at each switch")):
            out = run(PMUTOOL, "check", "config", self.file(
                "groups:\n- {name: a, events: [page-faults]}\n"
                f"targets:\n  system: {{groups: [a], latency: [{wanted}]}}\n"))[1]
            self.assertRegex(out, rf"\nlatency: (not counted: |counted by bpf at each {moments};)")

    def test_what_by_cpu_of_a_rule_comes_to_is_told(self):
        path = self.file("counting: direct\ngroups:\n"
                         "- {name: a, events: [task-clock, context-switches]}\n"
                         "- {name: b, events: [page-faults]}\n"
                         "targets:\n cgroups:\n"
                         "  - {include: [/a], groups: [a], by: cpu}\n"
                         "  - {include: [/b], groups: [b], by: cpu}\n"
                         "  - {include: [/c], groups: [b, a]}\n"
                         "  - {include: [/d], groups: [a], by: node}\n"
                         " processes:\n  - {comm: [x], groups: [a], by: cpu}\n")
        status, out, err = run(PMUTOOL, "check", "config", path)
        self.assertEqual((status, err), (0, ""))
        nodes = {path.name for path in pathlib.Path("/sys/devices/system/cpu").glob("cpu*/node*")}
        domains = {"cpu": os.sysconf("SC_NPROCESSORS_ONLN"), "node": max(1, len(nodes))}
        self.assertEqual(re.findall(r"(?m)^by (?:cpu|node): .*", out),
                         [f"by {by}: rule {rule} of targets.cgroups: {2 * domains[by]} series more "
                          "for each target" for by, rule in (("cpu", 1), ("node", 4))])
        self.assertIn(f"{path}:8:30: note: by: cpu of rule 2 of targets.cgroups shows nothing: its "
                      "groups count neither task-clock ", out)
        self.assertIn(f"{path}:12:26: note: by: cpu of rule 1 of targets.processes shows nothing "
                      "here: processes are counted in threads", out)

    def test_what_is_wrong_with_the_users_file_of_names_is_told(self):
        names = os.path.join(self.directory.name, "names.csv")
        path = self.file(f"names:\n  file: {names}\n")

        def told():
            status, text, _ = run(PMUTOOL, "check", "config", path)
            self.assertEqual(status, 0)
            return [line.removeprefix(f"{path}:2:9: warning: ") for line in text.splitlines()
                    if names in line]

        self.assertEqual(told(), [f'cannot read the names in "{names}": No such file or directory'])
        with open(names, "w", encoding="ascii") as file:
            file.write("match,name\n/a,one\nb,two\n/c\n")
        self.assertEqual(told(), [f'lines of "{names}" that are left out: 2; line 3: no match; expected '
                                  "cgroup:/PATTERN or pid:N"])
        with open(names, "w", encoding="ascii") as file:
            file.write("/a,one\n")
        self.assertEqual(told(), [])

    def test_which_mechanism_this_machine_gets_is_told_and_why(self):
        text = ("counting: {}\ngroups:\n- {{name: a, events: [page-faults, context-switches]}}\n"
                "targets:\n  system: {{groups: [a]}}\n  processes: [{{comm: [x], groups: [a]}}]\n")
        for counting in ("auto", "bpf", "direct"):
            out = run(PMUTOOL, "check", "config", self.file(text.format(counting)))[1]
            told = re.findall(r"^counting: processes (by bpf|direct): (.+)$", out, re.MULTILINE)
            self.assertEqual(len(told), 1, out)
            mechanism, reason = told[0]
            self.assertNotIn("added to each switch between two counted cgroups", out)
            if mechanism == "by bpf":
                self.assertEqual(reason, "the self-test has passed")
                # 200 ns + 100 ns for each of 2 events; the machine's are the same
                self.assertIn("\n  that adds about 0.4 us to each switch between two of them "
                              "(events: 2)\n", out)
            else:
                self.assertEqual("although bpf is configured" in reason, counting == "bpf", out)
            if counting == "direct":
                self.assertEqual(told[0], ("direct", "configured"))

    def test_an_unknown_event_is_no_error_and_has_its_reason(self):
        path = self.file("groups:\n- {name: core, events: [page-fautls]}\n"
                         "targets: {system: {groups: [core]}}\n")
        status, out, err = run(PMUTOOL, "check", "config", path)
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"page-fautls +not counted here, unknown_event: ")
        self.assertRegex(out, r"(?m)^\S+:\d+:\d+: warning: no source of events knows "
                              r"\"page-fautls\"; did you mean page-faults\?$")

    def test_events_beyond_the_limit_of_a_name_are_told(self):
        sysfs = pathlib.Path(self.directory.name) / "sysfs"
        for n in range(1030):
            point = sysfs / f"kernel/tracing/events/many/e{n}"
            point.mkdir(parents=True)
            (point / "id").write_text(f"{n + 1}\n")
        path = self.file("groups:\n- {name: a, events: ['many:*']}\n"
                         "targets: {system: {groups: [a]}}\n")
        status, out, err = run(EXPORTER, "--config.check", f"--config.file={path}",
                               f"--path.sysfs={sysfs}")
        self.assertEqual((status, err), (0, ""))
        warnings = [line for line in out.splitlines() if "warning" in line]
        taken = out.count("\n  many:e")
        self.assertIn(taken, range(1, 1030))
        self.assertEqual(warnings, [f"{path}:2:22: warning: many:* stands for 1030 events, of which "
                                    f"the first {taken} are taken: write a name that stands for fewer"])

    def test_what_is_said_of_the_events_of_a_group_begins_in_one_column(self):
        path = self.file("groups:\n- name: core\n  events: [page-faults, "
                         "nosuch:a_tracepoint_with_quite_a_long_name]\n"
                         "targets: {system: {groups: [core]}}\n")
        out = run(PMUTOOL, "check", "config", path)[1]
        short, long = (re.search(rf"(?m)^  {name} +", out)[0]
                       for name in ("page-faults", r"nosuch:\w+"))
        self.assertEqual(len(short), len(long), out)

    def test_what_rules_take_now_is_listed_and_who_may_write_the_file_is_told(self):
        path = self.file("targets:\n cgroups: [{include: [/sys/fs/cgroup/a], groups: [core]}]\n"
                         " processes: [{pid: [%d], name: me, groups: [core]}]\n" % os.getpid())
        status, out, err = run(PMUTOOL, "check", "config", path)
        self.assertEqual((status, err), (0, ""))
        self.assertIn('  processes, rule 1: 1 now, "me"\n', out)
        self.assertNotIn("may write", out)
        os.chmod(path, 0o666)
        self.assertIn(f"{path}: warning: others than root and you may change what is counted: "
                      f"everybody may write {path}\n", run(PMUTOOL, "check", "config", path)[1])

    def test_what_perf_takes_and_this_machine_has_not_is_no_slip(self):
        path = self.file("groups:\n- {name: a, events: [nosuch/energy-pkg/]}\n"
                         "targets: {system: {groups: [a]}}\n")
        out = run(PMUTOOL, "check", "config", path)[1]
        self.assertRegex(out, r"(?m)^  nosuch/energy-pkg/ +not counted here, no_pmu: this machine shows no such PMU")

    @unittest.skipUnless(os.uname().machine == "x86_64", "libpfm4 has the tables of x86 only on x86")
    def test_the_code_of_an_event_of_another_cpu_is_said(self):
        path = self.file("groups:\n- {name: a, events: ['amd64_k7::RETIRED_INSTRUCTIONS', cycles]}\n"
                         "targets: {system: {groups: [a]}}\n")
        out = run(PMUTOOL, "check", "config", path)[1]
        self.assertRegex(out, r"(?m)^  amd64_k7::RETIRED_INSTRUCTIONS +not counted here, no_pmu; elsewhere "
                              r"type=4 config=0xc0: ")
        self.assertNotIn("elsewhere type=0", out)

    def test_what_is_wrong_with_the_name_of_an_event_of_a_pmu_is_said(self):
        path = self.file("groups:\n- {name: a, events: [software/page-fautls/, software/evnt=1/]}\n"
                         "targets: {system: {groups: [a]}}\n")
        out = run(PMUTOOL, "check", "config", path)[1]
        self.assertIn(f'{path}:2:22: warning: software/page-fautls/: the PMU software has no event and no '
                      'field "page-fautls"', out)
        self.assertRegex(out, r"(?m)^  software/evnt=1/ +not counted here, unknown_event: the PMU software has no")

    def test_a_modifier_that_takes_the_pmu_from_others_is_refused_with_the_reason(self):
        path = self.file("groups:\n- {name: a, events: ['page-faults:D']}\n"
                         "targets: {system: {groups: [a]}}\n")
        status, out, err = run(PMUTOOL, "check", "config", path)
        self.assertEqual(status, 2, out)
        self.assertIn(f'{path}:2:22: modifier "D" of event "page-faults:D" would pin the event', out + err)

    def test_a_filter_that_is_no_condition_is_told_with_its_place(self):
        path = self.file("groups:\n- {name: a, events: [{event: page-faults, filter: x == 1}]}\n"
                         "targets: {system: {groups: [a]}}\n")
        out = run(PMUTOOL, "check", "config", path)[1]
        self.assertRegex(out, r"(?m)^  page-faults +not counted here, bad_filter: only tracepoints")
        self.assertIn(f'{path}:2:51: warning: filter "x == 1" of page-faults: only tracepoints and '
                      'probes have fields for a filter\n', out)

    def test_what_is_no_modifier_is_told_as_such(self):
        path = self.file("groups:\n- {name: core, events: ['page-faults:x']}\n"
                         "targets: {system: {groups: [core]}}\n")
        out = run(PMUTOOL, "check", "config", path)[1]
        self.assertIn(f'{path}:2:25: warning: page-faults:x: "x" is no modifier; expected u, k, '
                      'h, G, H, I, S, each at most once\n', out)
        self.assertNotIn("did you mean", out)

    def test_what_a_reason_means_is_said_once(self):
        path = self.file("groups:\n- {name: core, events: [foo-bar, bar-foo]}\n"
                         "targets: {system: {groups: [core]}}\n")
        out = run(PMUTOOL, "check", "config", path)[1]
        self.assertRegex(out, r"(?m)^  foo-bar +not counted here, unknown_event: \w")
        self.assertRegex(out, r"(?m)^  bar-foo +not counted here, unknown_event$")

    def notes(self, text):
        path = self.file(text)
        status, out, err = run(PMUTOOL, "check", "config", path)
        self.assertEqual((status, err), (0, ""))
        return [line[len(path) + 1:] for line in out.splitlines() if ": note: " in line]

    def test_what_counts_nothing_is_noted(self):
        self.assertEqual(self.notes("targets: {}\n"), [
            " note: nothing is counted: targets has neither system nor cgroups nor processes"])
        self.assertEqual(self.notes("groups:\n- {name: a, events: [page-faults]}\n"
                                    "- {name: b, events: [cs]}\n"
                                    "targets: {processes: [{comm: [x], groups: [a]}]}\n"), [
            '3:10: note: group "b" is counted for nobody: no target names it'])
        # the other group of the built-in default is nobody's slip
        self.assertEqual(self.notes("targets: {processes: [{comm: [x], groups: [core]}]}\n"), [])

    def test_a_rule_that_is_one_before_it_once_more_is_noted(self):
        self.assertEqual(self.notes("targets:\n processes:\n"
                                    " - {comm: [x], pid: [1], groups: [core]}\n"
                                    " - {comm: [x], groups: [core]}\n"
                                    " - {comm: [x], name: other, groups: [software]}\n"
                                    " - {comm: [x], pid: [2], groups: [core]}\n"), [
            "5:38: note: rule 3 of targets.processes takes nothing: rule 2, which comes first, "
            "selects the same"])
        self.assertEqual(self.notes("targets:\n cgroups:\n"
                                    " - {include: [/a], groups: [core]}\n"
                                    " - {include: [/a], exclude: [/b], groups: [core]}\n"
                                    " - {include: [/a], groups: [software]}\n"), [
            "5:29: note: rule 3 of targets.cgroups takes nothing: rule 1, which comes first, "
            "selects the same"])

    def test_a_bad_file_ends_with_2_and_names_the_place(self):
        path = self.file("interval: 1s\nintervall: 2s\n")
        for words in ((PMUTOOL, "check", "config", path),
                      (EXPORTER, "--config.check", f"--config.file={path}"),
                      (EXPORTER, f"--config.file={path}")):
            status, out, err = run(*words)
            self.assertEqual(status, 2, words)
            self.assertEqual(out, "")
            self.assertTrue(err.startswith(f'{path}:2:1: unknown key "intervall"'), err)
            self.assertEqual(err.count("\n"), 1, err)

    def test_a_file_that_cannot_be_read_ends_with_2(self):
        for path, why in (("/nonexistent/file.yml", "No such file or directory"),
                          ("/", "this is a directory")):
            for words in ((PMUTOOL, "check", "config", path),
                          (EXPORTER, "--config.check", "--config.file", path)):
                status, _, err = run(*words)
                self.assertEqual(status, 2, words)
                self.assertTrue(err.startswith(f"{path}: {why}"), err)

    def test_exporter_and_tool_say_the_same(self):
        words = (EXPORTER, "--config.check", f"--config.file={SHIPPED}")
        self.assertEqual(run(*words), run(PMUTOOL, "check", "config", SHIPPED))

    @unittest.skipIf(os.path.exists(DEFAULT_FILE), f"this machine has {DEFAULT_FILE}")
    def test_without_a_file_the_built_in_default_is_checked(self):
        status, out, err = run(EXPORTER, "--config.check")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("Checking built-in default\n  SUCCESS", out)

    def test_cpus_that_are_not_there_are_told_with_what_helps(self):
        path = self.file("targets: {system: {groups: [software], cpus: 8191}}\n")
        status, out, _ = run(PMUTOOL, "check", "config", path)
        self.assertEqual(status, 0)
        self.assertIn("cpu_offline: none of the CPUs that targets.system.cpus names is online", out)

    def test_system_calls_that_are_timed_are_told_with_their_class(self):
        targets = "targets: {system: {groups: [software], latency: %s}}\n"
        calls = "system_calls: {timed: [read, futex], one_in: 17}\n"
        status, out, _ = run(PMUTOOL, "check", "config", self.file(
            calls + targets % "[system_calls]"))
        self.assertEqual(status, 0)
        self.assertIn("system call read: timed, working, one in 17\n", out)
        self.assertIn("system call futex: timed, waiting, one in 17\n", out)
        self.assertNotIn("no rule shows system calls", out)
        _, out, _ = run(PMUTOOL, "check", "config", self.file(calls + targets % "[]"))
        self.assertIn("1:24: note: no rule shows system calls", out)

    def test_where_sysfs_is_elsewhere_no_pmu_is_known(self):
        status, out, _ = run(EXPORTER, "--config.check", f"--config.file={SHIPPED}",
                             f"--path.sysfs={self.directory.name}")
        self.assertEqual(status, 0)
        self.assertIn("unknown PMU: type=1 config=0x2", out)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
