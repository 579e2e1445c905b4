# SPDX-License-Identifier: Apache-2.0
"""The system calls that the unit's filter lets through, as systemd expands its sets."""
import pathlib
import re
import subprocess

UNIT = pathlib.Path(__file__).resolve().parents[2] / "systemd/pmu_exporter.service.in"
# Only of root, who the unit's user is not: what reads programs becomes nobody, and SQLite gives new
# files to the owner of the database.
OF_ROOT = {"fchown", "setgroups", "setresgid", "setresuid"}


def members(name):
    """The system calls of a set such as @process; of a plain name, that call."""
    if not name.startswith("@"):
        return {name}
    text = subprocess.run(["systemd-analyze", "--no-pager", "syscall-filter", name], text=True,
                          capture_output=True, check=True, timeout=20).stdout
    found = set()
    for line in text.splitlines()[1:]:
        if line.strip() and not line.strip().startswith("#"):
            found |= members(line.strip())
    return found


def allowed_calls():
    """systemd adds @default to every list."""
    calls = members("@default")
    for line in re.findall(r"(?m)^SystemCallFilter=(.*)$", UNIT.read_text()):
        for name in line.lstrip("~").split():
            calls = calls - members(name) if line.startswith("~") else calls | members(name)
    return calls
