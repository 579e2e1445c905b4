#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The units are valid, with and without their drop-ins, and the service is well confined.

    units.py SERVICE SYSTEMD_FOLDER PMU_EXPORTER

SERVICE is the unit as configured, SYSTEMD_FOLDER has the other files. `systemd-analyze verify`
and `systemd-analyze security` judge them, which need no running systemd.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MOST_EXPOSED = 2.0  # of the service without drop-ins


def analyze(folder, *words):
    done = subprocess.run(["systemd-analyze", "--no-pager", *words], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    return done.returncode, done.stdout


def lay_out(folder, service, source, program, drop_ins):
    """Lays out the units as they would be installed, with programs that exist."""
    text, n = re.subn(r"(?m)^Exec(Start|Reload)=\S+", rf"Exec\1={program}", service.read_text())
    assert n == 2, "one ExecStart and one ExecReload"
    (folder / service.name).write_text(text)
    shutil.copy(source / "pmu_exporter.socket", folder)
    (folder / f"{service.name}.d").mkdir()
    for path in drop_ins:
        shutil.copy(path, folder / f"{service.name}.d")


def exposure(folder, name):
    status, text = analyze(folder, "security", "--offline=true", f"./{name}")
    match = re.search(r"Overall exposure level for \S+: ([\d.]+)", text)
    return (float(match[1]) if match and status == 0 else None), text


def check(service, source, program, drop_ins, most):
    """What is wrong with this combination, as printed lines."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        lay_out(folder, service, source, program, drop_ins)
        status, text = analyze(folder, "verify", "--man=no", "--recursive-errors=no",
                               f"./{service.name}", "./pmu_exporter.socket")
        level, report = exposure(folder, service.name)
    names = "+".join(path.stem for path in drop_ins) or "no drop-in"
    print(f"{names}: exposure {level}")
    wrong = [f"{names}: verify: {line}" for line in text.splitlines()]
    if status != 0 and not wrong:
        wrong.append(f"{names}: verify ended with {status}")
    if level is None or level > most:
        wrong.append(f"{names}: exposure {level}, more than {most}\n{report}")
    return wrong


def main():
    service, source = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    program = pathlib.Path(sys.argv[3]).resolve()
    drop_ins = sorted((source / "pmu_exporter.service.d").glob("*.conf"))
    wrong = [] if drop_ins else ["no drop-ins"]
    for chosen in [[]] + [[path] for path in drop_ins] + [drop_ins]:
        # a capability more is its drop-in's purpose; that of probes is CAP_SYS_ADMIN
        has_probes = any(path.stem == "probes" for path in chosen)
        most = MOST_EXPOSED + (0.7 if has_probes else 0.5 if chosen else 0)
        wrong += check(service, source, program, chosen, most)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
