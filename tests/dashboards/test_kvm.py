# SPDX-License-Identifier: Apache-2.0
"""Every query of the dashboard of guests of KVM, on the numbers of three guests that are known: of
Intel, AMD and arm64, whose reasons have names of their own.

Guests run on few machines that run tests. So nothing has counted these numbers; but the families
and labels are those of the exporter's own tables.
"""
import pathlib
import re
import tempfile
import time
import unittest

import boards
import live
import recording
from prometheus import Prometheus
from viewer import Findings, Viewer

SCRAPES, EVERY = 8, 10
LIMITS = ("1.52587890625e-05", "0.00390625", "+Inf")
# Of each guest and second: {reason: (exits, seconds of each)}. One reason of each is a halt.
GUESTS = {
    "/machine/intel": {"EPT_MISCONFIG": (1000, 0.0001), "HLT": (50, 0.01),
                       "MWAIT_INSTRUCTION": (10, 0.02)},
    "/machine/amd": {"npf": (500, 0.0001), "hlt": (40, 0.02)},
    "/machine/arm": {"IABT_LOW": (200, 0.0001), "WFx": (20, 0.04)},
}
CPU_TIME = 0.5  # of each guest, in a second
VCPUS = 2
HALTS = re.compile(r"hlt|.*wait.*|wfx", re.IGNORECASE)


def family(name, kind, samples):
    return f"# HELP {name} It is known.\n# TYPE {name} {kind}\n" + "".join(
        f"{sample}\n" for sample in samples)


def histogram(name, labels, n, seconds):
    """Of n times that all took as long."""
    for limit in LIMITS:
        yield f'{name}_bucket{{{labels},le="{limit}"}} {n if seconds <= float(limit) else 0}'
    yield f"{name}_sum{{{labels}}} {n * seconds:.6f}"
    yield f"{name}_count{{{labels}}} {n}"


def merged():
    """The exits of all guests, which are the machine's."""
    return {"": {reason: what for exits in GUESTS.values() for reason, what in exits.items()}}


def exit_families(prefix, guests, second):
    def labelled(guest, label):
        return (f'cgroup="{guest}",' if guest else "") + label

    each = [(labelled(guest, f'reason="{reason}"'), n * second, seconds)
            for guest, exits in guests.items() for reason, (n, seconds) in exits.items()]
    yield family(f"{prefix}kvm_exits_total", "counter",
                 [f"{prefix}kvm_exits_total{{{labels}}} {n}" for labels, n, _ in each])
    yield family(f"{prefix}kvm_exit_seconds", "histogram",
                 [line for one in each for line in histogram(f"{prefix}kvm_exit_seconds", *one)])
    entries = [(labelled(guest, f'vcpu="{vcpu}"'), second * sum(n for n, _ in exits.values()))
               for guest, exits in guests.items() for vcpu in range(VCPUS)]
    yield family(f"{prefix}kvm_entries_total", "counter",
                 [f"{prefix}kvm_entries_total{{{labels}}} {n // VCPUS}" for labels, n in entries])


def page(second):
    return "".join((
        *exit_families("pmu_machine_", merged(), second),
        *exit_families("pmu_cgroup_", GUESTS, second),
        family("pmu_cgroup_task_clock_seconds_total", "counter",
               [f'pmu_cgroup_task_clock_seconds_total{{cgroup="{guest}"}} {CPU_TIME * second}'
                for guest in GUESTS]),
        family("pmu_exporter_latency_supported", "gauge",
               ['pmu_exporter_latency_supported{kind="kvm",reason=""} 1']),
        family("pmu_exporter_build_info", "gauge", ['pmu_exporter_build_info{version="1"} 1']),
        family("process_start_time_seconds", "gauge", ["process_start_time_seconds 1000"]),
    )).encode()


def names_of_the_exporter():
    """What its table calls the families of guests, without the scope."""
    text = (boards.TOP / "src/metric/plan_breakdowns.c").read_text()
    return set(re.findall(r'\{BREAKDOWN_KVM_\w+, [\w()]+, "(\w+)"', text))


def halts_of_the_exporter():
    text = (boards.TOP / "src/sys/kvm_exit_reasons.c").read_text()
    return {name for name in re.findall(r'"(\w+)"', text) if HALTS.fullmatch(name)}


class Guests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        live.need("prometheus", "promtool")
        cls.dashboard = boards.load()["kvm"]
        pages = [(second, page(second)) for second in range(EVERY, EVERY * (SCRAPES + 1), EVERY)]
        end = int(time.time()) - 600
        directory = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        blocks = recording.make_blocks({"a:10138": pages, "b:10138": pages}, end, directory)
        cls.prometheus = cls.enterClassContext(Prometheus(blocks=blocks))
        cls.span = (end - EVERY * (SCRAPES - 1), end)

    def viewer(self, guest="/machine/intel"):
        return Viewer(self.prometheus, *self.span, EVERY, 4 * EVERY, {"cgroup": guest})

    def answer(self, title, guest="/machine/intel", letter="A"):
        viewer = self.viewer(guest)
        values = viewer.open(self.dashboard)
        query = next(query for query in boards.queries_of("kvm", self.dashboard)
                     if query.where == f"kvm / {title} / {letter}")
        return viewer.ask(query, values)

    def value(self, *where):
        series, = self.answer(*where)
        return float(series["value"][1])

    def test_every_query_returns_data(self):
        for guest in GUESTS:
            findings = Findings(())
            findings.view(self.viewer(guest), {"kvm": self.dashboard})
            self.assertEqual(findings.unexplained, [], guest)

    def test_the_guests_are_offered(self):
        viewer = self.viewer()
        viewer.open(self.dashboard)
        self.assertEqual(set(viewer.offered["cgroup"]), set(GUESTS))

    def test_the_time_in_the_host_is_without_halts(self):
        for guest, exits in GUESTS.items():
            n, seconds = next(iter(exits.values()))
            self.assertAlmostEqual(self.value("Time in the host, guest", guest),
                                   n * seconds / CPU_TIME, delta=1e-3, msg=guest)

    def test_the_length_of_exits_is_without_halts_too(self):
        for guest in GUESTS:
            self.assertLess(self.value("Long exits, guest", guest), float(LIMITS[1]))

    def test_two_hosts_have_twice_the_exits_and_guests(self):
        self.assertEqual(self.value("Guests"), 2 * len(GUESTS))
        n = sum(n for n, _ in GUESTS["/machine/amd"].values())
        self.assertAlmostEqual(self.value("Exits, guest", "/machine/amd"), 2 * n, delta=n / 50)

    def test_the_ranking_is_by_the_time_in_the_host(self):
        series = self.answer("Guests by their time in the host")
        ranked = sorted(series, key=lambda one: -float(one["value"][1]))
        self.assertEqual([one["metric"]["cgroup"] for one in ranked], list(GUESTS))

    def test_all_reasons_that_are_halts_are_known_to_the_queries(self):
        text = next(query.text for query in boards.queries_of("kvm", self.dashboard)
                    if query.where == "kvm / Halts, guest / A")
        pattern = re.search(r'reason=~"([^"]+)"', text)[1]
        halts = halts_of_the_exporter()
        self.assertLessEqual({"HLT", "hlt", "WFx", "mwait", "MWAIT_INSTRUCTION"}, halts)
        for name in halts:
            self.assertRegex(name, rf"^(?:{pattern})$")

    def test_the_families_are_those_of_the_exporter(self):
        families = set(re.findall(r"# TYPE pmu_cgroup_(kvm_\w+)", page(1).decode()))
        self.assertEqual(families, names_of_the_exporter())


if __name__ == "__main__":
    live.main()
