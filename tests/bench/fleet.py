#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What hosts with pmu_exporter cost a Prometheus that has our rules, and a VictoriaMetrics.

    sudo tests/bench/fleet.py [--hosts 10,100,1000] [--services 100] [--minutes 10] [--interval 60]
                              [--latency scheduler,block_io] [--no-gauges] [--busy-every 4]
                              [--release 5] [--replaced 10] [--own-names] [--no-past]
                              [--stores prometheus,victoria-metrics] [--dashboards fleet,overview]
                              [--drop REGEX] [--page FILE]

One process serves the pages of all hosts (tests/support/fleet.py), which are those of a real
exporter with the default configuration and cache-misses, or with these latencies, and without rates
and ratios (--no-gauges). Stores keep all of it but what --drop names, as a fleet's configuration may
(metric_relabel_configs). Every fourth service uses block devices. Each store scrapes for so many
minutes, and evaluates the rules as they are; but the spread, of which there is one in an hour, is
asked for once behind that. Its week, and that of the baselines, is made before. Then a release goes
over all hosts, in so many minutes: it replaces so many services of each, by the same new name on all
hosts, or by one of its own on each (as pods have). With --dashboards, Prometheus is asked what each
query of these dashboards wants to know ("all" is each of them).

Prints, for each store and number of hosts, what every rule took, beside the interval of its group;
series, memory and its peak, CPU time and what of it rules are, bytes on disk; and what of it came
by the release. A group whose longest evaluation took more than a tenth of its interval is marked. The
rules' own series are counted among the others. Asserts nothing.
"""
import argparse
import collections
import contextlib
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "rules")]

import backtest  # noqa: E402
import fleet_dashboards  # noqa: E402
import fleet_page  # noqa: E402
import fleet_past  # noqa: E402
import rules  # noqa: E402
from fleet import Fleet  # noqa: E402
from fleet_stores import STORES  # noqa: E402

MARKED = 0.1  # of an interval
POLLED = 5  # seconds
SPREAD_GROUP = "  - name: pmu_services_spread\n"
KINDS_OF_HOSTS = 5  # after which loads repeat
SETTLED = 330  # seconds, after which rates look back at all that they want


class Watch:
    """What each evaluation of each rule took."""

    def __init__(self, store):
        self.store = store
        self.begin = time.monotonic()
        self.rules = collections.defaultdict(dict)  # (group, its interval, place, name): {when: seconds}

    def look(self):
        places = collections.Counter()
        for group, rule in self.store.rules():
            places[group["name"]] += 1
            ratio = rule.get("labels", {}).get("ratio", "")
            name = rule["name"] + (f"{{{ratio}}}" if ratio else "")
            key = group["name"], float(group["interval"]), places[group["name"]], name
            if not rule["lastEvaluation"].startswith("0001"):
                self.rules[key].setdefault(rule["lastEvaluation"], rule["evaluationTime"])
        if time.monotonic() - self.begin < SETTLED:
            for seen in self.rules.values():
                for when in sorted(seen)[:-1]:
                    del seen[when]

    def for_minutes(self, minutes, each_minute=lambda: None):
        end, next_minute = time.monotonic() + 60 * minutes, time.monotonic()
        while time.monotonic() < end:
            if time.monotonic() >= next_minute:
                each_minute()
                next_minute += 60
            self.look()
            time.sleep(POLLED)

    def groups(self):
        """{(group, interval): [(name, [seconds of each evaluation])]}"""
        found = collections.defaultdict(list)
        for (group, interval, _, name), seen in sorted(self.rules.items()):
            found[group, interval].append((name, [seen[when] for when in sorted(seen)]))
        return found


def true_intervals():
    """{group: seconds} as the files have them."""
    units, found = {"s": 1, "m": 60, "h": 3600}, {}
    for path in (rules.SERVICES, rules.ALERTS):
        for part in path.read_text().split("  - name: ")[1:]:
            word = part.split("interval: ")[1].split()[0]
            found[part.split()[0]] = int(word[:-1]) * units[word[-1]]
    return found


def longest_evaluation(found):
    """Seconds of all rules of a group together, of which each has as many evaluations, or one less."""
    return max(map(sum, zip(*(reversed(seconds) for _, seconds in found))), default=0)


def show_rules(watch):
    print(f"  {'ms an evaluation':66} {'last':>8} {'mean':>8} {'most':>8}  n")
    per_second, intervals = 0.0, true_intervals()
    for (group, _), found in watch.groups().items():
        found = [(name, seconds) for name, seconds in found if seconds]
        for name, seconds in found:
            mean = sum(seconds) / len(seconds)
            print(f"    {name[:64]:64} {1e3 * seconds[-1]:8.1f} {1e3 * mean:8.1f} "
                  f"{1e3 * max(seconds):8.1f} {len(seconds):2}")
        mean = sum(sum(seconds) / len(seconds) for _, seconds in found)
        share = longest_evaluation(found) / intervals[group]
        per_second += mean / intervals[group]
        print(f"  {group:48} {'of its ' + str(intervals[group]) + ' s':>15}: "
              f"{100 * mean / intervals[group]:.2f} %, {100 * share:.2f} % at most"
              f"{'  MORE THAN A TENTH' if share > MARKED else ''}")
    print(f"  all rules: {per_second:.4f} of a CPU")


def show_spread(store):
    began = time.monotonic()
    n = store.ask_for(dict(rules.expressions(rules.SERVICES))[fleet_past.RATIO + "_spread7d"])
    print(f"  the spread, once an hour: {time.monotonic() - began:.2f} s for {n} series")


def show(store, fleet, before, after, watch, seconds):
    samples = (after.samples - before.samples) / seconds
    cpu = (after.cpu - before.cpu) / seconds
    print(f"  {fleet.template.n_samples} samples of a page; {after.series:,.0f} series; "
          f"{samples:,.0f} samples a second")
    print(f"  memory {after.resident / 1e9:.2f} GB (peak {after.peak / 1e9:.2f}), "
          f"{after.resident / after.series:,.0f} bytes a series; {cpu:.3f} of a CPU")
    print(f"  generator: {(after.own_cpu - before.own_cpu) / seconds:.3f} of a CPU")
    for line in (*store.disk(), *store.faults()):
        print(f"  {line}")
    show_rules(watch)
    show_spread(store)
    sys.stdout.flush()


def replace(fleet, hosts, options):
    for host in hosts:
        for number in range(options.replaced):
            name = f"h{host:04d}" if options.own_names else "b"
            fleet.release([host], number, f"app-{number:03d}-{name}.service")


def release(store, fleet, options):
    before, step = store.look(), -(-len(fleet.hosts) // options.release)
    waves = iter([range(i, min(i + step, len(fleet.hosts)))
                  for i in range(0, len(fleet.hosts), step)])
    watch = Watch(store)
    watch.for_minutes(options.release + 1, lambda: replace(fleet, next(waves, ()), options))
    after = store.look()
    print(f"  a release of {options.replaced} services over all hosts in {options.release} minutes: "
          f"{after.made - before.made:,.0f} series made, {after.series:,.0f} then; memory "
          f"{after.resident / 1e9:.2f} GB (peak {after.peak / 1e9:.2f})")
    for line in store.faults():
        print(f"  {line}")
    for (group, _), found in watch.groups().items():
        print(f"    {group:48} {1e3 * longest_evaluation(found):10.1f} ms at most")
    sys.stdout.flush()


def measure(name, body, n_hosts, options, past):
    with contextlib.ExitStack() as stack:
        fleet = stack.enter_context(Fleet(body, n_hosts, options.services, options.busy_every))
        texts = [rules.SERVICES.read_text().partition(SPREAD_GROUP)[0], rules.ALERTS.read_text()]
        store = STORES[name](fleet, texts, options, past)
        stack.enter_context(store)
        print(f"\n{store.title()}: {n_hosts} hosts x {options.services} services, scraped every "
              f"{options.interval} s, {options.minutes} minutes", flush=True)
        watch, began, before = Watch(store), time.monotonic(), store.look()
        watch.for_minutes(options.minutes)
        show(store, fleet, before, store.look(), watch, time.monotonic() - began)
        if options.dashboards and name == "prometheus":
            fleet_dashboards.show(store, options.dashboards.split(","), time.monotonic() - began,
                                  options.interval)
        if options.release:
            release(store, fleet, options)


@contextlib.contextmanager
def past_of(fleet, options):
    """The ratios of a week of such a fleet: (blocks for one store, a text for the other)."""
    if options.no_past:
        yield None, None
        return
    with tempfile.TemporaryDirectory(prefix="fleet-") as name:
        top, end = pathlib.Path(name), int(time.time())
        (top / "blocks").mkdir()
        if "prometheus" in options.stores:
            with open(top / "text", "w", encoding="ascii") as file:
                fleet_past.write_week(fleet, end, file)
                file.write("# EOF\n")
            backtest.promtool("openmetrics", top / "text", top / "blocks")
        if "victoria-metrics" in options.stores:
            with open(top / "text", "w", encoding="ascii") as file:
                fleet_past.write_week(fleet, end, file, second=1000)
        yield top / "blocks", top / "text"


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", default="10,100,1000")
    parser.add_argument("--services", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--interval", default=60, type=int, help="seconds from scrape to scrape")
    parser.add_argument("--latency", default=",".join(fleet_page.LATENCIES), help="or none")
    parser.add_argument("--no-gauges", action="store_true")
    parser.add_argument("--busy-every", type=int, default=4)
    parser.add_argument("--release", type=int, default=5, help="minutes, 0 for none")
    parser.add_argument("--replaced", type=int, default=10, help="services of each host")
    parser.add_argument("--own-names", action="store_true")
    parser.add_argument("--dashboards", help="names of files in dashboards/grafana, or all")
    parser.add_argument("--drop", help="names of series that are not stored: a regular expression")
    parser.add_argument("--no-past", action="store_true")
    parser.add_argument("--stores", default="prometheus,victoria-metrics")
    parser.add_argument("--page", help="a page that was recorded before")
    return parser.parse_args()


def main():
    options = parse()
    latency = () if options.latency == "none" else options.latency.split(",")
    body = (fleet_page.read(options.page) if options.page else
            fleet_page.record(latency, not options.no_gauges))
    with Fleet(body, KINDS_OF_HOSTS, options.services) as few, past_of(few, options) as past:
        for name in options.stores.split(","):
            for n_hosts in map(int, options.hosts.split(",")):
                measure(name, body, n_hosts, options, past)


if __name__ == "__main__":
    main()
