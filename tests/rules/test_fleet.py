#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Our rules over twenty hosts with the same services: what a Prometheus records of the fleet is what
the fleet did, before a rolling release and after it, and a VictoriaMetrics takes the same pages.
"""
import bisect
import datetime
import functools
import itertools
import pathlib
import re
import tempfile
import time

import backtest
import fleet_page
import fleet_past
import live
import rules
import strict_exposition
from exporter import PATIENCE
from fleet import Fleet
from prometheus import Prometheus
from victoria_metrics import VictoriaMetrics, VMAlert, without_what_vmalert_lacks

N_HOSTS, N_SERVICES = 20, 5
BUSY_EVERY = 2
EVERY = 5  # seconds from scrape to scrape, and the longest that one may take
EVALUATED = "10s"
# Counters are told with whole events, and a p99 lies between those of two buckets.
ROUNDING, OF_BUCKETS = 1e-4, 1e-2
# A number is told after its time stamp, by a scrape at most, and rates are of five minutes.
LATE = EVERY / 300
RELEASED, NEW_NAME = range(6), "app-000-b.service"
REFUSED = ("exceeded_sample_limit", "sample_duplicate_timestamp", "sample_out_of_bounds",
           "sample_out_of_order")
RATE = "job_cgroup:pmu_cgroup_{}:rate5m"
RECORDED_RATES = ("cycles", "instructions", "branch_misses", "cache_misses", "context_switches",
                  "task_clock_seconds")


def cgroup_of(name):
    return f"/system.slice/{name}"


def rule_texts():
    return [fleet_past.with_interval(path.read_text(), EVALUATED)
            for path in (rules.SERVICES, rules.ALERTS)]


def make_blocks(fleet, directory):
    """Blocks of a quarter of an hour of scrapes with the rates of it, and of ratios of a week."""
    blocks, end = directory / "blocks", int(time.time())
    blocks.mkdir()
    with open(directory / "past", "w", encoding="ascii") as file:
        fleet_past.write_minutes(fleet, end, EVERY, file)
        fleet_past.write_week(fleet, end - fleet_past.SCRAPED, file)
        file.write("# EOF\n")
    backtest.promtool("openmetrics", directory / "past", blocks)
    for text in itertools.takewhile(is_below_ratios, backtest.levels()):
        backtest.record(text, blocks, end - fleet_past.REMEMBERED, end)
    return blocks


def is_below_ratios(text):
    return f"record: {fleet_past.RATIO}\n" not in text


def until(condition, what, within=2 * PATIENCE):
    """The first answer that is true."""
    for _ in live.tries(within, 0.5):
        if answer := condition():
            return answer
    raise AssertionError(f"{what} did not come true within {within} s")


def quantile(q, bounds, shares):
    """Where a histogram with these shares up to each bound has it, as straight lines between."""
    i = bisect.bisect_left(shares, q)
    low, before = (bounds[i - 1], shares[i - 1]) if i else (0.0, 0.0)
    return low + (bounds[i] - low) * (q - before) / (shares[i] - before)


@functools.cache
def recorded_page():
    return fleet_page.record()


class OfFleet(live.LiveTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rules.need("prometheus", "promtool")
        cls.body = recorded_page()

    @classmethod
    def make_fleet(cls):
        return cls.enterClassContext(Fleet(cls.body, N_HOSTS, N_SERVICES, BUSY_EVERY))


class ByPrometheus(OfFleet):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fleet = cls.make_fleet()
        with tempfile.TemporaryDirectory(prefix="fleet-") as directory:
            blocks = make_blocks(cls.fleet, pathlib.Path(directory))
            cls.prometheus = cls.enterClassContext(Prometheus(
                *cls.fleet.instances, blocks=blocks, rules=rule_texts(), every=f"{EVERY}s",
                more=cls.fleet.relabelling()))
        until(lambda: len(cls.prometheus.query("up")) == N_HOSTS, "a scrape of each host")
        began = time.time()
        until(lambda: cls.evaluated_since(began), "an evaluation of each rule")
        cls.rules = cls.prometheus.rules()
        cls.before = {(name, labels): value for name, labels, value in cls.recorded()}
        cls.series_before = cls.of_service(cls.fleet.services[0].name)
        cls.released_at = time.time()
        cls.fleet.release(RELEASED, 0, NEW_NAME)
        until(lambda: cls.instances(NEW_NAME) == cls.names(RELEASED) and
              cls.instances(cls.fleet.services[0].name) == cls.names(range(len(RELEASED), N_HOSTS)),
              "the release")
        settled = time.time()
        until(lambda: cls.evaluated_since(settled), "an evaluation of each rule after the release")

    @classmethod
    def evaluated_since(cls, at):
        """Whether each rule has been evaluated at a later time."""
        return all(datetime.datetime.fromisoformat(rule["lastEvaluation"]).timestamp() > at
                   for _, rule in cls.prometheus.rules())

    @classmethod
    def recorded(cls):
        for series in cls.prometheus.query('{__name__=~"job_.+:.+:.+"}'):
            labels = dict(series["metric"])
            yield labels.pop("__name__"), frozenset(labels.items()), float(series["value"][1])

    @classmethod
    def of_service(cls, name, what="cycles_total"):
        """{instance: value} of what there is now of that service."""
        found = cls.prometheus.query(f'pmu_cgroup_{what}{{cgroup="{cgroup_of(name)}"}}')
        return {series["metric"]["instance"]: float(series["value"][1]) for series in found}

    @classmethod
    def instances(cls, name):
        return set(cls.of_service(name))

    @classmethod
    def names(cls, hosts):
        return {cls.fleet.instances[host] for host in hosts}

    def told(self, service, name, hosts=range(N_HOSTS), rank=-1):
        return sum(self.fleet.per_second(host, service, name, rank) for host in hosts)

    def value(self, name, **labels):
        return self.before[name, frozenset({"job": "pmu", **labels}.items())]

    def assert_close(self, value, expected, relative):
        self.assertLessEqual(abs(value - expected), relative * expected, (value, expected))

    def test_every_host_is_up_and_no_sample_is_refused(self):
        up = self.prometheus.query("min_over_time(up[10m])")
        self.assertEqual({series["metric"]["instance"]: series["value"][1] for series in up},
                         {name: "1" for name in self.fleet.instances})
        own = self.prometheus.own_metrics()
        refused = {name: own[f"prometheus_target_scrapes_{name}_total"] for name in REFUSED}
        self.assertEqual(refused, {name: 0 for name in REFUSED})

    def test_every_rule_is_evaluated_without_an_error_and_none_is_missed(self):
        self.assertEqual(len(self.rules), len(rules.expressions(rules.SERVICES)) +
                         len(rules.expressions(rules.ALERTS)))
        self.assertEqual([rule for _, rule in self.rules if rule["health"] != "ok"], [])
        own = self.prometheus.own_metrics()
        for what in ("evaluation_failures", "group_iterations_missed"):
            found = {key: v for key, v in own.items() if key.startswith(f"prometheus_rule_{what}_")}
            self.assertTrue(found, what)
            self.assertEqual(set(found.values()), {0}, found)

    def test_rates_are_those_of_all_hosts(self):
        for service in self.fleet.services:
            for event in RECORDED_RATES:
                with self.subTest(event, service=service.name):
                    self.assert_close(self.value(RATE.format(event), cgroup=cgroup_of(service.name)),
                                      self.told(service.number, f"{event}_total"), LATE)

    def test_ratios_weigh_hosts_by_what_they_execute(self):
        for service in self.fleet.services:
            same_everywhere = service.number % 2 == 0
            for ratio in fleet_past.OF_COUNTERS:
                with self.subTest(ratio, service=service.name):
                    value = self.value(fleet_past.RATIO, cgroup=cgroup_of(service.name), ratio=ratio)
                    expected = fleet_past.value_now(self.fleet, service, ratio)
                    self.assert_close(value, expected, ROUNDING if same_everywhere else LATE)

    def test_a_ratio_is_not_the_mean_of_hosts(self):
        """Else the test above could not tell."""
        hosts = range(N_HOSTS)
        mean = sum(self.told(1, "instructions_total", [host]) / self.told(1, "cycles_total", [host])
                   for host in hosts) / N_HOSTS
        weighed = self.told(1, "instructions_total") / self.told(1, "cycles_total")
        self.assertGreater(abs(mean - weighed), 2 * LATE * weighed)

    def expected_p99(self, service, family):
        """By the bounds that the page has."""
        texts = re.findall(rf'(?m)^{family}_bucket{{.*app-busy.*le="(.*?)"', self.body.decode())
        bounds = sorted({float(text) for text in texts if text != "+Inf"})
        return quantile(0.99, bounds, [service.share(rank) for rank in range(len(bounds))])

    def test_quantiles_are_those_of_all_hosts_together(self):
        queue = "pmu_cgroup_run_queue_latency_seconds"
        for service in self.fleet.services:
            labels = {"cgroup": cgroup_of(service.name)}
            expected = self.expected_p99(service, queue)
            self.assert_close(self.value(f"job_cgroup:{queue}:p99_rate5m", **labels), expected,
                              OF_BUCKETS)
            self.assert_close(self.value(fleet_past.RATIO, ratio="run_queue_latency_p99_seconds",
                                         **labels), expected, OF_BUCKETS)

    def test_requests_are_told_of_services_that_make_them(self):
        disk = "pmu_cgroup_block_io_latency_seconds"
        busy = {service.number for service in self.fleet.services if service.number % BUSY_EVERY == 0}
        for op in ("read", "write"):
            found = {dict(labels)["cgroup"]: value for (name, labels), value in self.before.items()
                     if name == f"job_cgroup_op:{disk}:p99_rate5m" and ("op", op) in labels}
            self.assertEqual(set(found), {cgroup_of(self.fleet.services[i].name) for i in busy})
            for i in busy:
                cgroup, expected = cgroup_of(self.fleet.services[i].name), self.expected_p99(
                    self.fleet.services[i], disk)
                self.assert_close(found[cgroup], expected, OF_BUCKETS)
                self.assert_close(self.value(fleet_past.RATIO, cgroup=cgroup,
                                             ratio=f"block_io_{op}_latency_p99_seconds"),
                                  expected, OF_BUCKETS)

    def test_coverage_is_that_of_the_group(self):
        for service in self.fleet.services:
            for event in ("cycles", "branch_misses", "cache_misses"):
                name = f"job_cgroup:pmu_cgroup_{event}_coverage:ratio_rate5m"
                expected = (self.told(service.number, "group_running_seconds_total") /
                            self.told(service.number, "group_enabled_seconds_total"))
                self.assert_close(self.value(name, cgroup=cgroup_of(service.name)), expected, ROUNDING)

    def test_hosts_have_quantiles_of_their_own(self):
        name = "job_instance:pmu_machine_run_queue_latency_seconds:p99_rate5m"
        found = {dict(labels)["instance"] for recorded, labels in self.before if recorded == name}
        self.assertEqual(found, set(self.fleet.instances))

    def test_baselines_and_spreads_are_those_of_the_week(self):
        for service in self.fleet.services:
            for ratio in fleet_past.ratios():
                labels = {"cgroup": cgroup_of(service.name), "ratio": ratio}
                median = fleet_past.level(4) * fleet_past.value_now(self.fleet, service, ratio)
                for name in ("median7d", "baseline"):
                    self.assert_close(self.value(f"{fleet_past.RATIO}_{name}", **labels), median, 1e-5)
                spread = self.value(f"{fleet_past.RATIO}_spread7d", **labels)
                if ratio == "instructions_per_cycle":
                    self.assertGreater(spread, 1 - fleet_past.level(1) / fleet_past.level(2) - 0.005)
                    self.assertLess(spread, 1 - fleet_past.level(0) / fleet_past.level(1) + 1e-5)

    def test_nothing_else_is_recorded(self):
        names = {name for name, _ in rules.expressions(rules.SERVICES)}
        self.assertEqual({name for name, _ in self.before}, names)

    def test_the_released_service_ends_and_begins_where_it_was_released(self):
        old = self.fleet.services[0].name
        self.assertEqual(set(self.series_before), set(self.fleet.instances))
        self.assertEqual(self.instances(old), self.names(range(len(RELEASED), N_HOSTS)))
        self.assertEqual(self.instances(NEW_NAME), self.names(RELEASED))
        new, now = self.of_service(NEW_NAME), time.time()
        for host in RELEASED:
            most = self.told(0, "cycles_total", [host]) * (now - self.released_at)
            self.assertLessEqual(new[self.fleet.instances[host]], most)
        starts = self.of_service(NEW_NAME, "start_time_seconds")
        self.assertTrue(all(self.released_at <= start <= now for start in starts.values()), starts)

    def test_rates_are_those_of_the_hosts_that_still_have_it(self):
        """At once, also within the five minutes that rates look back; the new one is too young."""
        now = {dict(labels)["cgroup"]: value for name, labels, value in self.recorded()
               if name == RATE.format("cycles")}
        self.assertEqual(set(now), {cgroup_of(service.name) for service in self.fleet.services})
        self.assert_close(now[cgroup_of(self.fleet.services[0].name)],
                          self.told(0, "cycles_total", range(len(RELEASED), N_HOSTS)), LATE)

    def test_prometheus_complains_of_nothing(self):
        # blocks of the past overlap, as promtool makes them
        self.assertEqual([line for line in self.prometheus.complaints()
                          if "Overlapping blocks" not in line], [])


class ByVictoriaMetrics(OfFleet):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rules.need("victoria-metrics", "vmalert")
        cls.fleet = cls.make_fleet()
        cls.victoria = cls.enterClassContext(VictoriaMetrics(
            *cls.fleet.instances, every=f"{EVERY}s", more=cls.fleet.relabelling()))
        texts = [without_what_vmalert_lacks(text) for text in rule_texts()]
        cls.vmalert = cls.enterClassContext(VMAlert(cls.victoria.port, texts))
        until(lambda: all(len(values) > 2 for _, values in cls.victoria.samples("up")) and
              len(cls.victoria.samples("up")) == N_HOSTS, "three scrapes of each host")

    def test_it_has_every_series_of_every_host(self):
        for host in self.fleet.hosts:
            page = strict_exposition.parse(self.fleet.page(host, time.time()).encode())
            given = {(name, frozenset(pair for pair in labels if pair[1]))
                     for name, labels in page.series}
            stored = {(labels["__name__"], frozenset(
                pair for pair in labels.items() if pair[0] not in ("__name__", "instance", "job")))
                for labels, _ in self.victoria.samples(
                    f'{{instance="{host.instance}",__name__=~"pmu_.+|process_.+"}}')}
            self.assertEqual(stored, given)

    def test_its_counters_grow_as_the_fleet_does(self):
        for labels, values in self.victoria.samples("pmu_cgroup_cycles_total"):
            self.assertEqual(values, sorted(values), labels)
            self.assertGreater(values[-1], values[0], labels)

    def test_vmalert_evaluates_every_rule(self):
        n = len(rules.expressions(rules.SERVICES)) + len(rules.expressions(rules.ALERTS))
        found = until(lambda: self.all_evaluated(n), "an evaluation of each rule")
        self.assertEqual([rule for rule in found if rule["lastError"] or rule["health"] != "ok"], [])

    def test_what_vmalert_records_is_what_the_fleet_did(self):
        even = {cgroup_of(s.name): s.instructions_per_cycle for s in self.fleet.services[::2]}
        found = until(lambda: self.ratios("instructions_per_cycle", even), "a ratio of each service")
        for cgroup, values in found.items():
            for value in values:
                self.assertLessEqual(abs(value - even[cgroup]), ROUNDING * even[cgroup])

    def ratios(self, ratio, cgroups):
        found = {labels["cgroup"]: values for labels, values in self.victoria.samples(
            f'{fleet_past.RATIO}{{ratio="{ratio}"}}') if labels["cgroup"] in cgroups}
        return found if set(found) == set(cgroups) else None

    def all_evaluated(self, n):
        found = [rule for _, rule in self.vmalert.rules()]
        return found if len(found) == n and all(
            not rule["lastEvaluation"].startswith("0001") for rule in found) else None

    def test_it_complains_of_nothing(self):
        self.assertEqual(self.victoria.complaints() + self.vmalert.complaints(), [])


if __name__ == "__main__":
    live.main()
