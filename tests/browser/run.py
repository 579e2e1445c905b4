#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a scenario of the page in a real browser.

    run.py NAME

NAME.mjs drives Chromium by playwright-core (stage.mjs is what scenarios share). This starts an
exporter that counts cgroups of the test's own, and tells the scenario where both are. The npm
packages are those of package-lock.json, installed once into the build directory. Without node, npm
or Chromium the scenario is skipped; PMU_TEST_NODE=required makes that a failure.
"""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import by_key_load
import cgroups
import direct_io
import exporter
import live
import npm
from loop_device import LoopDevice
from own_mounts import enter_own_tracefs

FOLDER = pathlib.Path(__file__).resolve().parent
WORK = pathlib.Path(os.environ.get("PMU_TEST_BROWSER",
                                   FOLDER.parents[1] / "build/release/browser"))
SECONDS = 1750  # in which a machine that is four times slower passes too

# What a scenario has that others do not: cgroups at the start, more of the configuration, flags of
# the exporter, whether it has a state directory, how many seconds have passed since an exporter
# recorded some seconds of the past there, what a second exporter beside it has in its configuration,
# whether it has a block device, how the system is counted, whether it needs tracefs, and the file of
# names that it reads.
SCENARIOS = {
    "shell": {},
    "now": {"names": "match,name,group,role\n/{top}/idle.service,<b>night</b> shift,,\n"},
    "many": {"cgroups": 1000, "more": "limits: {cgroups: 2000}\n"},
    "events": {},
    "status": {"state": True},
    "reader": {"state": True, "beside": "history: {enabled: false}\n"},
    "runs": {"state": True, "flags": ["--web.enable-lifecycle"]},
    "schedule": {"state": True, "flags": ["--web.enable-lifecycle"]},
    "profile": {"state": True},
    "record": {"state": True, "flags": ["--web.enable-lifecycle"]},
    "past": {"state": True, "ago": 3600},
    # What follows the rule of cgroups goes on with it.
    "latency": {"more": "      latency: [scheduler]\n"},
    "block_io": {"disk": True, "system": "all, latency: [block_io]",
                 "more": "      latency: [block_io]\n"},
    "by_key": {"tracefs": True,
               "system": "all, latency: [interrupts, tcp, spans, system_calls]",
               "more": "      latency: [tcp, spans, system_calls]\n"
                       "spans: [{name: nap, begin: 'syscalls:sys_enter_nanosleep', "
                       "end: 'syscalls:sys_exit_nanosleep'}]\n"
                       "system_calls: {timed: [nanosleep], one_in: 17}\n"},
    "time": {"state": True, "ago": 86400, "flags": ["--web.enable-lifecycle"],
             "more": "history: {full: 2d, ten_seconds: 3d}\n"},
}


def chromium():
    return shutil.which("chromium") or shutil.which("chromium-browser")


def configuration(own, more, system="all"):
    """With profiles, as the page has them without a word of the configuration: several views ask."""
    return live.config(own, system=system, linger="1s",
                       more=f"{more}profiles: {{enabled: true}}\n")


def record_past(own, config, environment, ago):
    """An exporter whose clock is behind counts a load, and leaves its history. Returns its time at
    the end."""
    clock = {"LD_PRELOAD": live.program("shifted_clock"), "PMU_TEST_SHIFT": f"-{ago}"}
    own.make("busy.service")
    with exporter.Exporter(config, env={**environment, **clock}) as shown:
        shown.after_cycles(2)
        live.Load(own.directory("busy.service"), switches=300, faults=1000, burn_ms=500).run()
        shown.after_cycles(10)
        return time.time() - ago


def run(name, options, stack):
    own = stack.enter_context(cgroups.Cgroups())
    for i in range(options.get("cgroups", 0)):
        own.make(f"crowd/service-{i:04}.service")
    arguments = list(options.get("flags", []))
    environment = {}
    if options.get("state"):
        environment["STATE_DIRECTORY"] = stack.enter_context(tempfile.TemporaryDirectory())
    more = options.get("more", "")
    if options.get("names"):
        file = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory())) / "names.csv"
        file.write_text(options["names"].format(top=own.top))
        more += f"names: {{file: {file}}}\n"
    config = configuration(own, more, options.get("system", "all"))
    told = {}
    if options.get("disk"):
        told["PMU_DISK"] = stack.enter_context(LoopDevice()).path
    if "ago" in options:
        told["PMU_PAST"] = str(record_past(own, config, environment, options["ago"]))
    shown = stack.enter_context(exporter.Exporter(config, args=arguments, env=environment))
    if options.get("beside"):
        beside = stack.enter_context(exporter.Exporter(configuration(own, options["beside"])))
        told["PMU_PAGE_BARE"] = f"http://127.0.0.1:{beside.port}"
    return subprocess.run(
        ["node", "--test-reporter=spec", str(FOLDER / f"{name}.mjs")], timeout=SECONDS, check=False,
        stdin=subprocess.DEVNULL, env={
            **os.environ, **told, "PMU_PAGE": f"http://127.0.0.1:{shown.port}",
            "PMU_CGROUPS": os.fsdecode(own.directory()), "PMU_CGROUPS_TOP": own.top,
            "PMU_CHROMIUM": chromium(), "PMU_BROWSER_WORK": str(WORK),
            "PMU_LOAD": live.program("load"),
            "PMU_KNOWN_STACKS": live.program("known_stacks"),
            "PMU_KNOWN_TOUCHES": live.program("known_touches"), "PMU_PYTHON": sys.executable,
            "PMU_DIRECT_IO": direct_io.__file__, "PMU_BY_KEY_LOAD": by_key_load.__file__,
            "PMU_CONTROL": str(shown.control),
            "PMU_EXPORTER_PID": str(shown.pid)}).returncode


def main():
    name = sys.argv[1]
    if os.geteuid() != 0:
        print("skipped: live tests need root")
        sys.exit(77)
    try:
        if not chromium():
            npm.missing("chromium is not installed")
        npm.install(FOLDER, WORK)
        if SCENARIOS[name].get("tracefs"):
            enter_own_tracefs()
        with contextlib.ExitStack() as stack:
            sys.exit(run(name, SCENARIOS[name], stack))
    except unittest.SkipTest as reason:
        print(f"skipped: {reason}")
        sys.exit(77)


if __name__ == "__main__":
    main()
