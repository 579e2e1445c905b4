# SPDX-License-Identifier: Apache-2.0
"""Loads whose functions have known shares, for live tests that have an exporter, and the rows in
which pmutool shows them."""
import re
import subprocess
import time

import live
from profiles import NAMES_PATIENCE, ask_profile

KNOWN_SHARES = live.program("known_shares")
BOTH = ["burn_less", "burn_more"]

ROW = re.compile(r"(?m)^ *(?P<self>[\d.]+) +(?P<sigma>[\d.]+) +(?P<seconds>[\d.]+) +(?P<total>[\d.]+)"
                 r"  (?P<function>.*?)(?:  +(?P<owner>\S.*))?$")
CHANGE = re.compile(r"(?m)^(?P<mark>[+-]?) +(?P<before>[\d.]+) +(?P<after>[\d.]+) +"
                    r"(?P<change>[+-][\d.]+) +(?P<sigma>[\d.]+)  (?P<function>burn_\w+) +known_shares$")


class KnownLoads:
    def burn(self, percent):
        """Starts one, and waits until what it samples is named at once: its program has been read."""
        return self.start_load(["main", "burn_more"], KNOWN_SHARES, "-", str(percent))

    def start_load(self, functions, *words):
        """Starts a program in which one of these functions calls the other, and waits likewise."""
        load = subprocess.Popen(words)
        self.addCleanup(load.wait)
        self.addCleanup(load.kill)
        self.until_known(load, functions)
        return load

    def until_known(self, load, functions):
        def is_known():
            profile = ask_profile(self.exporter, target="machine", start=began)
            return profile and any(
                functions == [frame.name for frame in stack if frame.kind == "user"][-2:]
                for stack in profile.stacks)
        began, end = time.time(), time.monotonic() + NAMES_PATIENCE
        while not is_known():
            self.assertIsNone(load.poll())
            self.assertLess(time.monotonic(), end, "nothing was sampled of the load")
            time.sleep(0.1)
