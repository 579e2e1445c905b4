# SPDX-License-Identifier: Apache-2.0
"""Many hosts that never were, with the same services on each, served by one process on loopback.

    with Fleet(fleet_page.record(), hosts=20, services=5) as fleet:
        with Prometheus(*fleet.instances, more=fleet.relabelling(), every="5s") as prometheus:
            fleet.release(hosts=range(3), service=0, name="app-000-b.service")

Each page is that of a real exporter, once for each service, with counters that grow by known rates
(per_second()) and gauges that stay. A host is a path of the one server; relabelling makes it an
`instance`. A service that is released ends and begins anew under another name, with counters from 0;
what had ended does not linger on the page.
"""
import http.server
import operator
import re
import threading
import time
import zlib

import fleet_page

DAY = 86400
CLOCK = 3e9  # cycles of a second of CPU
COVERAGE = 0.75  # for how much of its time the group of hardware events has the PMU
# How many instructions kinds of hosts execute for the same work. Services with an even number do
# not mind on which host they are.
EFFICIENCIES = (1.0, 0.5, 1.5)
HISTOGRAM_EVENTS = 1000  # of each histogram, for each CPU in use
MEAN = 0.001  # what one of them takes, in seconds
FASTEST_GZIP = 1
HEAD = ("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
        "{more}Content-Length: {n}\r\n\r\n")


class Service:
    """What one of them does for each CPU that it uses, and how many CPUs it uses on a host of load 1."""

    def __init__(self, number):
        self.number = number
        self.name = f"app-{number:03d}.service"
        self.cpus = 0.1 + 0.05 * (number % 7)
        self.instructions_per_cycle = 0.7 + 0.1 * (number % 11)
        self.branch_misses = 2 + number % 5  # in 1000 instructions
        self.cache_misses = 1 + number % 6
        self.switches = 4000 + 1000 * (number % 9)
        self.tail = 0.2 + 0.05 * (number % 6)  # of what is in no bucket, what is not in the next

    def counters(self, kind):
        """{name without its scope: what it counts in a second of CPU} on a host of that kind."""
        efficiency = EFFICIENCIES[kind] if self.number % 2 else 1.0
        instructions = CLOCK * self.instructions_per_cycle * efficiency
        return {"cycles_total": CLOCK, "instructions_total": instructions,
                "branches_total": instructions / 5,
                "branch_misses_total": instructions * self.branch_misses / 1000,
                "cache_misses_total": instructions * self.cache_misses / 1000,
                "task_clock_seconds_total": 1.0, "context_switches_total": self.switches,
                "group_enabled_seconds_total": 1.0, "group_running_seconds_total": COVERAGE}

    def share(self, rank):
        """How much of a distribution is in its first buckets up to that one."""
        return 1 - self.tail ** (rank + 1)


class Host:
    def __init__(self, number, n_services, began):
        self.instance = f"host-{number:04d}"
        self.load = 0.5 + 0.25 * (number % 5)
        self.kind = min(number % 5, len(EFFICIENCIES) - 1)  # the last kind has most of the load
        self.since = [began] * (n_services + 1)  # the last is the host itself
        self.names = {}  # of services that were released

    def elapsed(self, at):
        """What each service, and the host, has had of the time: weighted by the load of the host;
        and behind these when each of them began."""
        return [self.load * (at - since) for since in self.since] + self.since


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512
    fleet = None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        body = self.server.fleet.answer(self.path)
        if body is None:
            self.send_error(404)
            return
        more = ""
        if self.server.fleet.compresses and "gzip" in self.headers.get("Accept-Encoding", ""):
            packer = zlib.compressobj(FASTEST_GZIP, wbits=31)
            body, more = packer.compress(body) + packer.flush(), "Content-Encoding: gzip\r\n"
        self.wfile.write(HEAD.format(more=more, n=len(body)).encode() + body)

    def log_message(self, *_):
        pass


class Fleet:
    def __init__(self, body, hosts, services, busy_every=1, compresses=True):
        """Every `busy_every`-th service does what the busy one of the recorded page does."""
        self.body, self.busy_every, self.compresses = body, busy_every, compresses
        self.services = [Service(i) for i in range(services)]
        self.began = time.time() - DAY
        self.age = float(re.search(rb"(?m)^pmu_exporter_cycles_total (\d+)", body)[1]) + 1
        self.hosts = [Host(i, services, self.began) for i in range(hosts)]
        self.template = self.make_template()
        self.numbers = Numbers(self.template.places, self.services, self.age)
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.fleet = self
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever)

    def make_template(self, **options):
        return fleet_page.Template(self.body, [service.name for service in self.services],
                                   self.busy_every, **options)

    @property
    def instances(self):
        return [host.instance for host in self.hosts]

    def relabelling(self):
        """Lines of a scrape configuration: the address of a target is its instance, and its path."""
        return ("    relabel_configs:\n"
                "      - {source_labels: [__address__], target_label: instance}\n"
                "      - {source_labels: [__address__], regex: 'host-0*(.+)', replacement: '/$1',\n"
                "         target_label: __metrics_path__}\n"
                f"      - {{target_label: __address__, replacement: '127.0.0.1:{self.port}'}}\n")

    def answer(self, path):
        number = path[1:]
        if not number.isdecimal() or int(number) >= len(self.hosts):
            return None
        return self.page(self.hosts[int(number)], time.time()).encode()

    def page(self, host, at):
        text = self.template.text % self.numbers.at(host, at)
        for number, name in list(host.names.items()):
            text = text.replace(self.services[number].name, name)
        return text

    def release(self, hosts, service, name):
        """That service begins anew on these hosts, under that name."""
        now = time.time()
        for number in hosts:
            self.hosts[number].names[service] = name
            self.hosts[number].since[service] = now

    def per_second(self, host, service, name, rank=-1):
        """By how much that series of pmu_cgroup_ grows: host and service are numbers."""
        one = self.hosts[host]
        line = fleet_page.Line("", "pmu_cgroup_" + name, "1", service, rank)
        return one.load * rate(self.services[service], one.kind, line, None)

    def write_past(self, names, begin, end, step, file):
        """The samples of these names that a Prometheus would have, as OpenMetrics without its end."""
        for host in self.hosts:
            template = self.make_template(only=names, end=" @",
                                          more_labels=f'instance="{host.instance}",job="pmu"')
            numbers = Numbers(template.places, self.services, self.age)
            for at in range(begin, end, step):
                text = template.text % numbers.at(host, at)
                file.write(text.replace(" @\n", f" {at}\n"))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def rate(service, kind, line, age):
    """What is added to a number in a second, on a host of that kind whose load is 1. What the fleet
    knows nothing of grows as fast as it did on the page that was recorded."""
    for part in fleet_page.PARTS:
        if line.name.endswith("_seconds" + part):
            events = service.cpus * HISTOGRAM_EVENTS
            share = service.share(line.rank) if line.rank >= 0 else 1
            return events * (MEAN if part == "_sum" else share)
    known = service.counters(kind).get(re.sub(r"^pmu_(cgroup|machine)_", "", line.name))
    return float(line.value) / age if known is None else service.cpus * known


class Numbers:
    """What stands in the places of a template. Each is a rate, by the kind of the host, times what
    has gone by for whose it is; the time of a start is 1 times that."""

    def __init__(self, places, services, age):
        n = len(services)
        host = Service(0)
        host.cpus = sum(service.cpus for service in services)
        starts = [fleet_page.is_start(line.name) for line in places]
        owners = [line.owner % (n + 1) for line in places]
        self.pick = operator.itemgetter(*(owner + (n + 1) * start
                                          for owner, start in zip(owners, starts)))
        every = [*services, host]
        self.rates = [[1 if start else rate(every[owner], kind, line, age)
                       for line, owner, start in zip(places, owners, starts)]
                      for kind in range(len(EFFICIENCIES))]

    def at(self, host, at):
        return tuple(map(operator.mul, self.rates[host.kind], self.pick(host.elapsed(at))))
