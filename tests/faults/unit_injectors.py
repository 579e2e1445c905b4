# SPDX-License-Identifier: Apache-2.0
"""What a soak does to an exporter that systemd runs (package/exporter_of_unit.py), as injectors.py has
what it does to any."""
import contextlib
import os
import signal
import time

from exporter import PATIENCE
from exporter_of_unit import UNIT

JOURNAL = "systemd-journald.service"
MIB = 1 << 20
# Of a limit of memory the exporter leaves a quarter for answers and the like (cycle/memory_share.c).
# It can give up targets, and no more: what has less than that of itself is ended by the kernel.
LEFT_FREE = 1 / 4


def with_cgroups(scene, most):
    """Some cgroups, which come and go while a fault lasts."""
    @contextlib.contextmanager
    def made():
        names = [b"beside%d" % i for i in range(scene.random.randint(0, most))]
        for name in names:
            scene.make(name)
        try:
            yield
        finally:
            for name in names:
                scene.remove(name)

    return made()


def daemon_reload(scene):
    """systemd reads its units anew, again and again."""
    with with_cgroups(scene, 50):
        for _ in range(scene.random.randint(1, 5)):
            scene.exporter.machine.run("systemctl", "daemon-reload")
            scene.pause(0, 0.5)


def daemon_reexec(scene):
    """systemd becomes itself anew, as when it is upgraded."""
    with with_cgroups(scene, 50):
        scene.exporter.machine.run("systemctl", "daemon-reexec")
        scene.pause(0, 1)


def unit_reloads(scene):
    """systemctl reload: it fails with a bad configuration, and else not."""
    file = scene.exporter.directory / "pmu_exporter.yml"
    good = file.read_bytes()
    with scene.witness.excused():  # as for injectors.reloads
        for _ in range(scene.random.randint(1, 5)):
            is_bad = scene.random.random() < 0.5
            file.write_bytes(good + (b"nonsense: [" if is_bad else b""))
            done = scene.exporter.machine.ask("systemctl", "reload", UNIT)
            if (done.returncode != 0) != is_bad:
                scene.witness.note(f"systemctl reload: {done.returncode} {done.stderr}")
            scene.pause(0, 0.5)
        file.write_bytes(good)
        scene.exporter.machine.run("systemctl", "reload", UNIT)


def freeze(scene, is_frozen):
    cgroup = scene.exporter.cgroup()
    (cgroup / "cgroup.freeze").write_text(f"{is_frozen:d}")
    end = time.monotonic() + PATIENCE
    while f"frozen {is_frozen:d}\n" not in (cgroup / "cgroup.events").read_text():
        if time.monotonic() > end:
            raise AssertionError(f"{cgroup} is not frozen or thawed")
        time.sleep(0.01)


def frozen(scene):
    """All processes of the unit are frozen for a while, in which cgroups come and go."""
    with scene.witness.excused():
        freeze(scene, True)
        try:
            with with_cgroups(scene, 50):
                scene.pause(0.1, 4)
        finally:
            freeze(scene, False)


@contextlib.contextmanager
def limited(scene, lowered, given_back):
    """Has settings of the unit, as systemctl takes them, and others afterwards."""
    def set_property(setting):
        scene.exporter.machine.run("systemctl", "set-property", "--runtime", UNIT, setting)

    set_property(lowered)
    try:
        yield
    finally:
        set_property(given_back)


def few_cpu(scene):
    """The unit has a part of a CPU."""
    percent = scene.random.choice((2, 5, 10, 20))
    with scene.witness.excused(), limited(scene, f"CPUQuota={percent}%", "CPUQuota="), \
            with_cgroups(scene, 50):
        scene.pause(0.5, 4)


def few_tasks(scene):
    """The unit may start no process and no thread more, or a few, while it reads its configuration
    anew and is asked."""
    before = scene.exporter.machine.property("TasksMax")
    most = scene.exporter.tasks() + scene.random.randint(-3, 2)
    with scene.witness.excused(), limited(scene, f"TasksMax={max(1, most)}", f"TasksMax={before}"), \
            with_cgroups(scene, 50):
        os.kill(scene.exporter.pid, signal.SIGHUP)
        scene.pause(0.5, 3)


def little_memory(scene):
    """The unit has hardly more memory than it needs, and cgroups come for which there is no room."""
    limit = int(scene.exporter.memory_used() / (1 - LEFT_FREE) + scene.random.uniform(0, 3 * MIB))
    name = scene.random.choice(scene.exporter.memory_settings())
    with scene.witness.excused(), limited(scene, f"{name}={limit}", f"{name}=infinity"), \
            with_cgroups(scene, 500):
        scene.pause(0.5, 4)


def wait_for_a_line(scene):
    """What the exporter logs from now on comes to the journal."""
    n = len(scene.exporter.log_stamps())
    os.kill(scene.exporter.pid, signal.SIGHUP)
    scene.exporter.machine.until(lambda: len(scene.exporter.log_stamps()) > n, "a line in the journal")


def journal_restarts(scene):
    """The journal is started anew, or killed, which systemd mends."""
    machine = scene.exporter.machine
    for _ in range(scene.random.randint(1, 2)):
        if scene.random.random() < 0.5:
            machine.run("systemctl", "restart", JOURNAL)
        else:
            machine.run("systemctl", "kill", "-s", "KILL", JOURNAL)
            machine.until(lambda: machine.property("ActiveState", JOURNAL) == "active", "the journal")
        machine.run("systemctl", "reset-failed", JOURNAL)  # five within ten seconds would be its end
        wait_for_a_line(scene)


def journal_stands_still(scene):
    """Nobody takes the lines of the log for a while, in which there are some."""
    machine = scene.exporter.machine
    machine.run("systemctl", "kill", "-s", "STOP", JOURNAL)
    try:
        for _ in range(scene.random.randint(1, 5)):
            os.kill(scene.exporter.pid, signal.SIGHUP)
            scene.pause(0, 1)
    finally:
        machine.run("systemctl", "kill", "-s", "CONT", JOURNAL)
    wait_for_a_line(scene)


def journal_stops(scene):
    """There is no journal for a while. The next one knows nothing of whose lines the last one took: it
    gets them from those who start later (systemd-journald.service(8))."""
    units = (JOURNAL, "systemd-journald.socket", "systemd-journald-dev-log.socket")
    scene.exporter.machine.run("systemctl", "stop", *units)
    for _ in range(3):
        os.kill(scene.exporter.pid, signal.SIGHUP)
        scene.pause(0.1, 1)
    scene.exporter.machine.run("systemctl", "start", *units)


# journal_stops is not in it: nobody can judge the log after it.
ALL = (daemon_reload, daemon_reexec, unit_reloads, frozen, few_cpu, few_tasks, little_memory,
       journal_restarts, journal_stands_still)
