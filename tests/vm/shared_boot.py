#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the scenarios of several tests in one guest, one after the other: shared_boot.py NAME...

Each NAME is that of a test_NAME.py with a SCENARIO. What the scenario leaves is found where it
would be if the test had booted for itself, and the test judges it (guest.py). If a scenario fails,
its test fails and this program does not: it fails if the guest ends before all scenarios did.
"""
import importlib
import os
import shutil
import sys
import unittest

import guest

# clean_up removes what a scenario may leave: processes, cgroups, files, and controllers that it has
# enabled, since a cgroup can be counted only where one was.
RUN = """
clean_up() {
    for cgroup in $(find /sys/fs/cgroup -mindepth 1 -depth -type d); do
        [ "$cgroup" != /sys/fs/cgroup/rest ] || continue
        echo 1 >"$cgroup/cgroup.kill"
        until rmdir "$cgroup"; do sleep 0.01; done 2>/dev/null
    done
    echo "$controllers" | sed 's/[^ ][^ ]*/-&/g' >/sys/fs/cgroup/cgroup.subtree_control
    rm -rf /tmp/*
}
run_one() {
    mount -o bind "/t/$1" /t
    sh /t/run
    echo $? >/tmp/status
    cp -r /tmp/out/. /t/out
    umount -l /t
    controllers=$(cat /sys/fs/cgroup/cgroup.subtree_control)
    cp /tmp/status "/t/$1/status"
    clean_up
}
"""


class SharedGuest(guest.Guest):
    """While it runs, the directories of its scenarios are in its own."""

    def __init__(self, scenarios):
        slowness = {scenario.shift for scenario in scenarios}
        if len(slowness) != 1:
            raise ValueError(f"scenarios of one guest have one shift, not {slowness}")
        super().__init__("shared_" + scenarios[0].name, shift=slowness.pop())
        self.scenarios = scenarios

    def prepare(self, script, files):
        super().prepare(script, files)
        for scenario in self.scenarios:
            shutil.rmtree(scenario.directory, ignore_errors=True)
            own = self.directory / scenario.name
            (own / "out").mkdir(parents=True)
            (own / "run").write_text(super().beginning() + scenario.script)
            for name, text in scenario.files.items():
                guest.write_file(own / name, text)

    def beginning(self):
        return ""

    def run_all(self):
        wrong = None
        try:
            self.run(RUN + "".join(f"run_one {s.name}\n" for s in self.scenarios) + "exit 0\n")
        except AssertionError as error:
            wrong = error
        missing = [scenario.name for scenario in self.scenarios if not self.give(scenario)]
        if wrong or missing:
            raise AssertionError(f"not ended: {', '.join(missing) or 'none'}\n"
                                 f"{wrong or self.story()}")

    def give(self, scenario):
        """Moves what a scenario has left to where its test looks for it; whether the scenario has
        ended."""
        own = self.directory / scenario.name
        if not (own / "status").exists():
            return False
        shutil.copy(self.directory / "serial", own)
        own.rename(scenario.directory)
        (scenario.directory / guest.SHARED).touch()
        return True


def main(names):
    try:
        SharedGuest([importlib.import_module(f"test_{name}").SCENARIO for name in names]).run_all()
    except unittest.SkipTest as reason:
        print(f"skipped: {reason}")
        sys.exit(77)


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(__file__))
    main(sys.argv[1:])
