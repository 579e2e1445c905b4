# SPDX-License-Identifier: Apache-2.0
"""The dashboard of many hosts on what a Prometheus with our rules would know of twelve, whose numbers
are known.

What services do on them is that of tests/support/fleet.py, on the page of a real exporter. What
exporters tell of themselves, and the machine's cycles and instructions, is written here, so that hosts
differ; so are alerts. promtool records what the rules make of it.
"""
import pathlib
import tempfile
import time

import backtest
import boards
import fleet_page
import fleet_past
import live
import promql
from fleet import COVERAGE, Fleet
from prometheus import Prometheus
from viewer import Findings, Viewer

N_HOSTS, N_SERVICES, BUSY_EVERY = 12, 5, 2
EVERY, SHOWN = 15, 900
STANDS_STILL, LATE, NEARLY_LATE, UNCOUNTED, COVERED_LESS = (f"host-{n:04d}" for n in range(5))
# (age of the numbers, interval): too old are those of ten seconds and of five intervals.
AGES = {STANDS_STILL: (60, 1), NEARLY_LATE: (7, 1), UNCOUNTED: (60, 20)}
GONE_AFTER = fleet_past.SCRAPED - 600  # a host of which nothing but up = 0 is told since
ROUNDING = 1e-3  # counters are told with whole events, time stamps with whole seconds
SWITCHES = "context_switches_per_cpu_second"
# That ratio of that service was a quarter of what it is now, a week long; others were level().
WORSE, BEFORE = 3, 0.25
STARVED, RUNNING = "/system.slice/starved.service", 0.3  # of each second in which it wanted the PMU


def cgroup_of(number):
    return f"/system.slice/app-{number:03d}.service"


def machine(number):
    """(cycles, instructions) in a second: the more cycles, the more instructions in each."""
    cycles = 1e9 * (number + 1)
    return cycles, cycles * (0.5 + 0.1 * number)


def labels_of(**labels):
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels.items()) + "}"


def of_host(number, instance):
    """{series: (at first, more in each second)} of what is not that of the page."""
    def one(name, first, each=0.0, **labels):
        return f"{name}{labels_of(job='pmu', instance=instance, **labels)}", (first, each)

    cycles, instructions = machine(number)
    late = {LATE: 0.1, NEARLY_LATE: 0.04}.get(instance, 0)
    uncounted = 2 if instance == UNCOUNTED else 0
    age, interval = AGES.get(instance, (0.5, 1))
    found = [one("up", 1), one("pmu_exporter_snapshot_age_seconds", age),
             one("pmu_exporter_interval_seconds", interval),
             one("pmu_exporter_cycles_total", 0, 1), one("pmu_exporter_cycles_late_total", 0, late),
             one("pmu_machine_cycles_total", 0, cycles),
             one("pmu_machine_instructions_total", 0, instructions),
             one("pmu_machine_cpus", 4), one("pmu_machine_cpu_seconds_total", 0, 0.25 * number)]
    found += [one("pmu_exporter_targets_uncounted", uncounted, kind="cgroup", reason=reason)
              for reason in ("over_limit", "no_descriptors")]
    if instance == COVERED_LESS:
        found += [one(f"pmu_cgroup_group_{what}_seconds_total", 0, share, cgroup=STARVED, group="core")
                  for what, share in (("enabled", 1), ("running", RUNNING))]
    return dict(found)


def alert(name, state="firing", **labels):
    return f"ALERTS{labels_of(alertname=name, alertstate=state, job='pmu', **labels)}", (1, 0)


def of_others():
    """Alerts, and a target that is no exporter."""
    return dict([alert("PMUContextSwitchStorm", severity="warning", cgroup=cgroup_of(WORSE)),
                 alert("PMUIPCRegression", "pending", severity="warning", cgroup=cgroup_of(0)),
                 alert("PMUCyclesLate", severity="warning", instance=LATE),
                 (f"up{labels_of(job='node', instance='other')}", (0, 0))])


def write_known(instances, end, file):
    known = of_others()
    for number, instance in enumerate(instances):
        known |= of_host(number, instance)
    begin = end - fleet_past.SCRAPED
    for series, (first, each) in known.items():
        file.writelines(f"{series} {first + each * (at - begin):.6f} {at}\n"
                        for at in range(begin, end, EVERY))
    gone = labels_of(job="pmu", instance="gone")
    for at in range(begin, end, EVERY):
        is_there = at < begin + GONE_AFTER
        file.write(f"up{gone} {int(is_there)} {at}\n")
        if is_there:
            file.write(f"pmu_exporter_build_info{gone} 1 {at}\n")


def names_on_pages(dashboard):
    """What rules and the dashboard read of what is scraped, but for what is written here."""
    written = {series.partition("{")[0] for series in of_host(0, LATE)}
    asked = {selector.metric for query in boards.queries_of("fleet", dashboard)
             for selector in promql.selectors(query.text)}
    return (asked | fleet_past.scraped_names()) - written


def make_blocks(fleet, dashboard, end, directory):
    blocks = directory / "blocks"
    blocks.mkdir()
    with open(directory / "past", "w", encoding="ascii") as file:
        fleet.write_past(names_on_pages(dashboard), end - fleet_past.SCRAPED, end, EVERY, file)
        write_known(fleet.instances, end, file)
        fleet_past.write_week(fleet, end - fleet_past.SCRAPED, file, before={(WORSE, SWITCHES): BEFORE})
        file.write("# EOF\n")
    backtest.promtool("openmetrics", directory / "past", blocks)
    for text in backtest.levels():
        backtest.record(fleet_past.with_interval(text, "1m"), blocks, end - fleet_past.REMEMBERED, end)
    return blocks


class OnKnownHosts(live.LiveTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        live.need("prometheus", "promtool")
        cls.dashboard = boards.load()["fleet"]
        cls.fleet = Fleet(fleet_page.record(), N_HOSTS, N_SERVICES, BUSY_EVERY)
        cls.addClassCleanup(cls.fleet.server.server_close)  # nobody asks it
        cls.end = int(time.time())
        directory = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        blocks = make_blocks(cls.fleet, cls.dashboard, cls.end, directory)
        cls.prometheus = cls.enterClassContext(Prometheus(blocks=blocks))

    def viewer(self):
        return Viewer(self.prometheus, self.end - SHOWN, self.end - EVERY, EVERY, 4 * EVERY)

    def answer(self, title, letter="A", instant=True):
        viewer = self.viewer()
        values = viewer.open(self.dashboard)
        query, = [query for query in boards.queries_of("fleet", self.dashboard)
                  if query.where == f"fleet / {title} / {letter}" and query.is_instant == instant]
        return viewer.ask(query, values)

    def value(self, title):
        series, = self.answer(title)
        return float(series["value"][1])

    def by(self, title, *labels, letter="A"):
        """{value of the labels: value}, in the order of the answer."""
        return {tuple(series["metric"][label] for label in labels): float(series["value"][1])
                for series in self.answer(title, letter)}

    def used(self, host, service):
        return self.fleet.per_second(host, service, "task_clock_seconds_total")

    def all_used(self):
        return sum(self.used(host, service) for host in range(N_HOSTS) for service in range(N_SERVICES))

    def assert_close(self, value, expected, relative=ROUNDING):
        self.assertLessEqual(abs(value - expected), relative * expected, (value, expected))

    def test_every_query_returns_data(self):
        findings = Findings(())
        findings.view(self.viewer(), {"fleet": self.dashboard})
        self.assertEqual(findings.unexplained, [])

    def test_hosts_are_exporters_that_are_up_or_were(self):
        self.assertEqual(self.value("Hosts up"), N_HOSTS)
        self.assertEqual(self.value("Hosts down"), 1)

    def test_each_kind_of_trouble_is_that_of_one_host(self):
        for title in ("Hosts that stand still", "Hosts with late cycles",
                      "Hosts with uncounted targets"):
            self.assertEqual(self.value(title), 1, title)

    def test_alerts_are_those_that_fire(self):
        self.assertEqual(self.value("Alerts"), 2)
        self.assertEqual(self.value("Services that got worse"), 1)
        found = {series["metric"]["alertname"] for series in self.answer("Alerts that fire")}
        self.assertEqual(found, {"PMUContextSwitchStorm", "PMUCyclesLate"})

    def test_cpus_are_those_of_all_hosts(self):
        self.assert_close(self.value("CPUs used by services"), self.all_used())
        self.assertEqual(self.value("Services"), N_SERVICES)
        self.assert_close(self.value("Busy CPUs"), 0.25 * sum(range(N_HOSTS)) / (4 * N_HOSTS))

    def test_hosts_weigh_by_their_cycles(self):
        machines = [machine(number) for number in range(N_HOSTS)]
        cycles, instructions = map(sum, zip(*machines))
        self.assert_close(self.value("Instructions per cycle"), instructions / cycles)
        mean = sum(instructions / cycles for cycles, instructions in machines) / N_HOSTS
        self.assertGreater(abs(mean - instructions / cycles), 0.1)

    def test_services_stand_by_their_cpus(self):
        title = "Services by the CPUs that they use"
        found, shares = self.by(title, "cgroup"), self.by(title, "cgroup", letter="B")
        self.assertEqual(list(found), [(cgroup_of(n),) for n in reversed(range(N_SERVICES))])
        self.assertEqual(set(shares), set(found))
        for number in range(N_SERVICES):
            cpus = sum(self.used(host, number) for host in range(N_HOSTS))
            self.assert_close(found[cgroup_of(number),], cpus)
            self.assert_close(shares[cgroup_of(number),], cpus / self.all_used())

    def test_changes_are_against_the_baseline(self):
        title, was = "Services by the CPUs that they use", fleet_past.level(4)
        efficiency, switches = (self.by(title, "cgroup", letter=letter) for letter in "DG")
        for number in range(N_SERVICES):
            self.assertAlmostEqual(efficiency[cgroup_of(number),], 1 / was - 1, delta=0.01)
            before = BEFORE if number == WORSE else 1
            self.assertAlmostEqual(switches[cgroup_of(number),], 1 / (was * before) - 1, delta=0.02)

    def test_what_is_worse_stands_by_its_spread(self):
        """Each has lost instructions per cycle day by day; one is switched far more often."""
        title = "Worse than their baseline by more than their spread"
        times, worse = (self.by(title, "cgroup", "ratio", letter=letter) for letter in "AB")
        self.assertEqual(list(times)[0], (cgroup_of(WORSE), SWITCHES))
        self.assertEqual(set(times), {(cgroup_of(n), "instructions_per_cycle")
                                      for n in range(N_SERVICES)} | {(cgroup_of(WORSE), SWITCHES)})
        was = fleet_past.level(4)
        for row, value in worse.items():
            more = 1 / (was * BEFORE) - 1 if row[1] == SWITCHES else 1 - 1 / was
            self.assertAlmostEqual(value, more, delta=0.02)

    def test_the_longest_waits_and_requests_stand_first(self):
        waits = self.by("Services by their longest waits for a CPU", "cgroup")
        self.assertEqual(list(waits), [(cgroup_of(n),) for n in reversed(range(N_SERVICES))])
        for letter in "AB":
            found = self.by("Services by their longest requests to block devices", "cgroup",
                            letter=letter)
            busy = [n for n in range(N_SERVICES) if n % BUSY_EVERY == 0]
            self.assertEqual(list(found), [(cgroup_of(n),) for n in reversed(busy)])

    def test_the_lowest_coverage_is_that_of_the_host_and_service_that_had_less(self):
        number = self.fleet.instances.index(COVERED_LESS)
        page = fleet_page.Template(self.fleet.body, [cgroup_of(n) for n in range(N_SERVICES)])
        groups = {line.text for line in page.places if line.owner == 0 and
                  line.name == "pmu_cgroup_group_enabled_seconds_total"}
        enabled = len(groups) * sum(self.used(number, service) for service in range(N_SERVICES))
        self.assert_close(self.value("Lowest coverage of a host"),
                          (COVERAGE * enabled + RUNNING) / (enabled + 1))
        services = self.by("Services by their lowest coverage", "cgroup", "group")
        self.assertEqual(next(iter(services)), (STARVED, "core"))
        self.assert_close(services.pop((STARVED, "core")), RUNNING)
        for value in services.values():
            self.assert_close(value, COVERAGE)

    def test_ten_hosts_are_shown_that_use_most(self):
        most = max(host.load for host in self.fleet.hosts)
        last = {series["metric"]["instance"]: float(series["values"][-1][1])
                for series in self.answer("CPUs used by services", instant=False)}
        self.assertEqual(len(last), 10)
        left_out = [host for host in self.fleet.hosts if host.instance not in last]
        self.assertEqual({host.load for host in left_out}, {min(h.load for h in self.fleet.hosts)})
        self.assert_close(max(last.values()),
                          most * sum(service.cpus for service in self.fleet.services))

    def test_a_choice_of_an_instance_is_not_offered(self):
        viewer = self.viewer()
        viewer.open(self.dashboard)
        self.assertEqual(viewer.offered, {"job": ["pmu"]})


if __name__ == "__main__":
    live.main()
