# SPDX-License-Identifier: Apache-2.0
"""A terminal for tests: a command runs in a window of a tmux of its own, and the test reads what is
on the screen.

    with Terminal(["pmutool", "top"], width=100, height=30) as terminal:
        terminal.wait_for(lambda screen: "CPUS" in screen.text)
        terminal.keys("q")
"""
import os
import pathlib
import secrets
import signal
import subprocess
import time

from exporter import PATIENCE


class Screen:
    """What is shown at one instant."""

    def __init__(self, text):
        self.text = text
        self.lines = text.removesuffix("\n").split("\n")

    def line_of(self, name):
        """The line that ends with this name; None if there is none."""
        found = [line for line in self.lines if line.rstrip().endswith(name)]
        return found[0] if found else None


class Terminal:
    """locale: for LC_ALL. shell: the command is a line for an interactive bash, so that it can be
    stopped and continued, and the terminal can be looked at afterwards."""

    def __init__(self, command, width=100, height=30, locale="C.UTF-8", shell=False):
        self.words = ["tmux", "-L", f"pmu-test-{os.getpid()}-{secrets.token_hex(3)}",
                      "-f", "/dev/null"]
        self.size = ["-x", str(width), "-y", str(height)]
        self.command = command if not shell else \
            ["bash", "--norc", "--noprofile", "-i", "-c", "PS1='$ '; bash --norc --noprofile -i"]
        self.line = command if shell else None
        # A sanitizer would tell of the memory that curses keeps until the program ends.
        self.environment = {**os.environ, "LC_ALL": locale, "TERM": "xterm-256color", "PS1": "$ ",
                            "ASAN_OPTIONS": "detect_leaks=0"}

    def tmux(self, *words):
        return subprocess.run(self.words + list(words), capture_output=True, check=True,
                              env=self.environment).stdout.decode(errors="surrogateescape")

    def screen(self):
        return Screen(self.tmux("capture-pane", "-p"))

    def ask(self, variable):
        """A variable of tmux, as pane_pid, alternate_on, cursor_flag."""
        return self.tmux("display-message", "-p", f"#{{{variable}}}").strip()

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def resize(self, width, height):
        self.tmux("resize-window", "-x", str(width), "-y", str(height))

    def wait_for(self, condition, what="the condition", within=PATIENCE):
        """The first screen for which the condition is true."""
        end = time.monotonic() + within
        while True:
            screen = self.screen()
            if condition(screen):
                return screen
            if time.monotonic() > end:
                raise AssertionError(f"{what}: not within {within} s; on the screen:\n{screen.text}")
            time.sleep(0.05)

    def ended(self):
        """Whether the command has ended: then tmux has, too."""
        return subprocess.run(self.words + ["has-session"], capture_output=True, check=False,
                              env=self.environment).returncode != 0

    def child(self, name):
        """The process of this comm among those that run in the window."""
        waiting = [int(self.ask("pane_pid"))]
        while waiting:
            pid = waiting.pop()
            try:
                if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == name:
                    return pid
                children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
            except OSError:
                continue
            waiting += [int(child) for child in children.split()]
        raise AssertionError(f"{name} does not run in the window")

    def __enter__(self):
        self.tmux("new-session", "-d", *self.size, *self.command)
        if self.line:
            self.wait_for(lambda screen: "$" in screen.text, "a shell")
            self.type(self.line)
            self.keys("Enter")
        return self

    def __exit__(self, *_):
        if self.ended():
            return
        server = int(self.ask("pid"))
        self.tmux("kill-server")
        end = time.monotonic() + PATIENCE
        while pathlib.Path(f"/proc/{server}").exists():
            if time.monotonic() > end:
                os.kill(server, signal.SIGKILL)
            time.sleep(0.01)
