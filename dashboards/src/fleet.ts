// SPDX-License-Identifier: Apache-2.0

// Any number of hosts. It reads what rules have recorded of services and hosts, and of what was
// scraped only what has one or few series for each host: no series of cgroups, processes or CPUs, and
// no buckets.

import { alertsNow, alertsThatFire, firing } from "./alerts";
import { board, startsOf } from "./board";
import { blockIo, runQueue } from "./distributions";
import {
  allCpus, busiest, cpus, longestRequests, longestWaits, lowestCoverage as ofServices, worstRatios,
} from "./fleet_services";
import { allAndTen, coverageByHost, hostsUp, lowestCoverage } from "./hosts";
import { links } from "./links";
import * as measures from "./measures";
import { Count } from "./measures";
import { Face, graph, number } from "./panels";
import { ofAllHosts, ofExportersSeen, quotient, rate, sum } from "./promql";
import { services } from "./ranking";
import { levels } from "./thresholds";

/** The least time between two points of a graph of hosts: more of them would not show more, since rules
 * record most of what hosts do less often. */
const leastStep = "2m";

const own = (name: string) => ofAllHosts(`pmu_exporter_${name}`);
const keep = ["datasource", "job"];

/** What becomes of a series of each host: it stays, or all are one. */
type Together = (series: string) => string;
const each: Together = (series) => series;
const all: Together = (series) => sum(series);
const byHost: Together = (series) => sum(series, "job", "instance");

/** Counts of machines, of which each has one series, unless it counts by CPU. */
function machines(together: Together): Count {
  return (event) => together(rate(ofAllHosts(`pmu_machine_${event}`)));
}

function coverage(together: Together): string {
  const counted = (what: string) =>
    together(ofAllHosts(`job_instance_group:pmu_cgroup_group_${what}_seconds:rate5m`));
  return quotient(counted("running"), counted("enabled"));
}

function busy(together: Together): string {
  const inUse = rate(ofAllHosts("pmu_machine_cpu_seconds_total"));
  return quotient(together(inUse), together(ofAllHosts("pmu_machine_cpus")));
}

const cpusUsed = { ...measures.cpusUsed, title: "CPUs used by services" };
const instructionsPerCycle = {
  ...measures.instructionsPerCycle,
  description:
    "Instructions executed in a cycle, of whole machines, without those that are counted by CPU. " +
    "Each host weighs as much as it has cycles.",
};
const busyCpus: Face = {
  title: "Busy CPUs",
  description: "Share of the time of all CPUs in which they were not idle, whatever ran.",
  unit: "percentunit",
  levels: levels.rising(0.8, 0.95),
};

function hostsThat(title: string, description: string, expression: string) {
  return number({ title, description, unit: "none", levels: levels.zeroIsGood }, `sum(${expression})`);
}

const age = own("snapshot_age_seconds");
const lateShare = quotient(rate(own("cycles_late_total")), rate(own("cycles_total")));

const now = [
  hostsUp(ofAllHosts),
  hostsThat("Hosts down",
    "Exporters that Prometheus could not scrape the last time, and could at some time of the time shown.",
    ofExportersSeen(`(1 - ${ofAllHosts("up")})`, ofAllHosts)),
  number(cpusUsed, allCpus),
  number(instructionsPerCycle, instructionsPerCycle.of(machines(all))),
  lowestCoverage(coverage(byHost)),
  alertsNow(),
  hostsThat("Hosts that stand still",
    "Their exporter answers, but its numbers are older than ten seconds and five intervals.",
    `(${age} > bool 10) * (${age} > bool 5 * ${own("interval_seconds")})`),
  hostsThat("Hosts with late cycles",
    "Of their readings one in twenty or more came an interval or more after its time.",
    `${lateShare} > bool 0.05`),
  hostsThat("Hosts with uncounted targets",
    "They do not count all targets that their configuration wants, or not as a whole.",
    `${sum(own("targets_uncounted"), "job", "instance")} > bool 0`),
  number(busyCpus, busy(all)),
  number(
    {
      title: "Services",
      description: "Paths of cgroups, each over all hosts, that have been counted for ten minutes.",
      unit: "none",
      levels: levels.none,
    },
    `count(${cpus})`,
  ),
  number(
    {
      title: "Services that got worse",
      description: "Alerts fire that tell of a service that is worse than its baseline.",
      unit: "none",
      levels: levels.zeroIsGood,
    },
    `count(count by (job, cgroup) (${firing("PMU.+Regression|PMUContextSwitchStorm")}))`,
  ),
];

const toService = [
  links({ board: services.board, variable: services.label, title: "Show this service", keep }),
];

/** A click on what is of one host offers dashboards of it. */
function toHost(value: string, ...boards: string[]) {
  return [links(...boards.map((name) => ({
    board: `pmu-${name}`, variable: "instance", title: `Show this host in ${name}`, keep, value,
  })))];
}

const alerts = alertsThatFire()
  .overrideByName("Instance", toHost("__value.raw", "exporter", "overview"));
const ofService = [busiest, worstRatios, longestWaits, longestRequests, ofServices, alerts]
  .map((panel) => panel.overrideByName(services.title, toService));

function tenHighest(face: Face, series: string, legend: string) {
  return graph({ ...face, description: `${face.description} The ten highest.` },
    { expression: `topk(10, ${series})`, legend });
}

const ofHundred = "99 of 100 took at most so long in five minutes.";

const ofLoad = [
  tenHighest(cpusUsed, ofAllHosts("job_instance:pmu_cgroup_task_clock_seconds:rate5m"), "{{instance}}"),
  allAndTen(busyCpus, "topk", busy(all), busy(each)),
  allAndTen(instructionsPerCycle, "bottomk", instructionsPerCycle.of(machines(all)),
    instructionsPerCycle.of(machines(each))),
];

const ofWaits = [
  tenHighest(
    { ...runQueue, unit: "s", description: `${runQueue.description} ${ofHundred}` },
    ofAllHosts("job_instance:pmu_machine_run_queue_latency_seconds:p99_rate5m"), "{{instance}}"),
  tenHighest(
    { ...blockIo, unit: "s", description: `${blockIo.description} ${ofHundred}` },
    ofAllHosts("job_instance_device_op:pmu_machine_block_io_latency_seconds:p99_rate5m"),
    "{{instance}} {{device}} {{op}}"),
];

const ofHosts = [
  { panels: ofLoad, boards: ["overview", "exporter"] },
  { panels: [coverageByHost(coverage(each))], boards: ["exporter", "overview"] },
  { panels: ofWaits, boards: ["latency", "scheduler"] },
].flatMap(({ panels, boards }) => panels.map((panel) => panel
  .interval(leastStep)
  .overrideByFieldType("number", toHost("__field.labels.instance", ...boards))));

export const fleet = () =>
  board({
    uid: "pmu-fleet",
    title: "Fleet",
    description:
      "Many hosts, up to a thousand and more: what they do now, which services and hosts to look at. It " +
      "needs the rules of dashboards/rules, whose series of services and hosts it reads, and not those of " +
      "each service on each host. All hosts of the chosen jobs are in it.",
    tags: ["fleet"],
    from: "now-6h",
    allHosts: true,
    variables: [],
    annotations: [startsOf(ofAllHosts).enable(false)],
    rows: [
      { title: "Now", panels: now },
      { title: "Services over all hosts, now", panels: ofService },
      { title: "Hosts", panels: ofHosts },
    ],
  });
