// SPDX-License-Identifier: Apache-2.0

// What interrupts cost a machine, and how connections of TCP fare. Interrupts belong to no
// service: a softirq runs on whatever thread has the CPU.

import { board, exporterStarts } from "./board";
import {
  Distribution, Over, Scope, count, machine, quantile, rankedServices, series, services, time,
} from "./distributions";
import { longest, map, ofHundred, quantiles } from "./latency_panels";
import { rankingBy } from "./latency_ranking";
import { hostsWith, whereThere } from "./latency_support";
import { Line, graph, number } from "./panels";
import { increase, quotient, rate, selector, sum } from "./promql";
import { Ranked } from "./ranking";
import { Level, levels } from "./thresholds";
import { labelVariable } from "./variables";

const softirq: Distribution = {
  name: "softirq_seconds",
  title: "Softirqs",
  description:
    "Time that a softirq took, with the interrupts that came meanwhile: for so long the thread " +
    "that had the CPU did not go on.",
  levels: levels.rising(0.001, 0.01),
  label: "vector",
};

const hardirq: Distribution = {
  name: "hardirq_seconds",
  title: "Interrupts",
  description:
    "Time that the handler of a device's interrupt took; the CPU takes no other interrupt " +
    "meanwhile.",
  levels: levels.rising(0.0005, 0.005),
};

const connect: Distribution = {
  name: "tcp_connect_seconds",
  title: "Connects",
  description:
    "Time from when a connection of TCP was asked for until it was established: the network's " +
    "way there and back. A second more is a first segment that was lost.",
  levels: levels.rising(0.2, 1),
};

const connects = "tcp_connects_total";
const failures = "tcp_connect_errors_total";
const retransmits = "tcp_retransmits_total";

const service: Scope = { ...services, noun: "service", matchers: ['cgroup="$cgroup"'] };
const both = [service, machine];

/** CPUs of the hosts that tell of interrupts. */
function cpus(...by: string[]): string {
  const told = selector("pmu_exporter_latency_supported", 'kind="interrupts"');
  return sum(`${selector("pmu_machine_cpus")} and on (job, instance) (${told} > 0)`, ...by);
}

const ofEachSecond = "Of each second of each CPU, idle or not, so much went to";

function glanceAt(title: string, unit: string, steps: Level[], description: string,
  expression: string) {
  return number({ title, unit, description, levels: steps }, expression);
}

function total(over: Over, scope: Scope, name: string, ...by: string[]): string {
  return sum(over(series(scope, name)), ...by);
}

/** Of those that were asked for. */
function shareOfFailures(over: Over, scope: Scope, ...by: string[]): string {
  const failed = total(over, scope, failures, ...by);
  return quotient(failed, `${total(over, scope, connects, ...by)} + ${failed}`);
}

const texts = {
  failures: "Connections that were refused, timed out or were given up, in a second.",
  failed: "Share of the connections that were asked for and were refused, timed out or given up.",
  retransmits:
    "Segments of TCP that were sent again, in a second: they were lost, or their answers late.",
};
const failedLevels = levels.rising(0.01, 0.1);

const busy = levels.rising(0.1, 0.3);

const glance = [
  glanceAt("Time in softirqs", "percentunit", busy, `${ofEachSecond} softirqs.`,
    quotient(`${time(increase, machine, softirq)} / $__range_s`, cpus())),
  glanceAt("Time in interrupts", "percentunit", busy, `${ofEachSecond} handlers of devices.`,
    quotient(`${time(increase, machine, hardirq)} / $__range_s`, cpus())),
  glanceAt("Long connects", "s", connect.levels, `${connect.description} ${ofHundred}`,
    quantile(0.99, increase, machine, connect)),
  glanceAt("Failed connects", "percentunit", failedLevels, texts.failed,
    shareOfFailures(increase, machine)),
  glanceAt("Segments sent again", "cps", levels.none, texts.retransmits,
    `${total(increase, machine, retransmits)} / $__range_s`),
  hostsWith("Hosts that count these", "interrupts", "tcp"),
];

function lines(title: string, unit: string, steps: Level[], description: string, ...shown: Line[]) {
  return graph({ title, unit, description, levels: steps }, ...shown);
}

const busiest = quotient(time(rate, machine, softirq, "instance"), cpus("instance"));

const softirqs = [
  lines("CPU time in softirqs by vector", "percentunit", busy,
    `${ofEachSecond} softirqs of this vector, on all chosen machines.`,
    {
      expression: `${time(rate, machine, softirq, "vector")} * on () group_left () ` +
        `(${quotient("1", cpus())})`,
      legend: "{{vector}}",
    }),
  lines("Softirqs, 99 of 100, by vector", "s", softirq.levels,
    `${softirq.description} ${ofHundred}`,
    { expression: quantile(0.99, rate, machine, softirq, "vector"), legend: "{{vector}}" }),
  lines("Machines with most time in softirqs", "percentunit", busy,
    `${ofEachSecond} softirqs. The ten highest.`,
    { expression: `topk(10, ${busiest})`, legend: "{{instance}}" }),
  map(machine, softirq),
  map(machine, hardirq),
];

const handlers = ["instance", "irq", "device"];
const handler = handlers.map((label) => `{{${label}}}`).join(" ");

const interrupts = [
  lines("Dearest interrupts", "percentunit", levels.none,
    "Share of one CPU that the handlers of a device's interrupt took. The ten highest.",
    { expression: `topk(10, ${time(rate, machine, hardirq, ...handlers)})`, legend: handler }),
  lines("Most frequent interrupts", "cps", levels.none,
    "Runs of the handlers of a device's interrupt, in a second. The ten highest.",
    { expression: `topk(10, ${count(rate, machine, hardirq, ...handlers)})`, legend: handler }),
  longest("Interrupts with the longest handlers", machine, hardirq, ...handlers),
];

/** What became of the connections, and what was sent again. */
function outcomes(scope: Scope) {
  return graph(
    {
      title: `Connections and segments sent again, ${scope.noun}`,
      description: `Connections that were established. ${texts.failures} ${texts.retransmits}`,
      unit: "cps",
      levels: levels.none,
      width: 12,
    },
    { expression: total(rate, scope, connects), legend: "established" },
    { expression: total(rate, scope, failures), legend: "failed" },
    { expression: total(rate, scope, retransmits), legend: "segments sent again" },
  );
}

/** The ten services that stand out. */
function highest(title: string, unit: string, steps: Level[], description: string, of: string) {
  return lines(title, unit, steps, `${description} The ten highest.`,
    { expression: `topk(10, ${of})`, legend: "{{cgroup}}" });
}

const ranked: Ranked = { ...rankedServices, board: "pmu-interrupts" };

const ranking = rankingBy(
  connect,
  { title: "Services by their longest connects", nouns: "connects", ranked },
  {
    title: "Connects a second",
    unit: "cps",
    of: (by) => `${total(increase, services, connects, by)} / $__range_s`,
  },
  { title: "Failed", unit: "percentunit", of: (by) => shareOfFailures(increase, services, by) },
  {
    title: "Sent again a second",
    unit: "cps",
    of: (by) => `${total(increase, services, retransmits, by)} / $__range_s`,
  },
);

const whoseConnections = [
  longest("Services with the longest connects", services, connect, "cgroup"),
  highest("Services with most failed connects", "percentunit", failedLevels, texts.failed,
    shareOfFailures(rate, services, "cgroup")),
  highest("Services that send most again", "cps", levels.none, texts.retransmits,
    total(rate, services, retransmits, "cgroup")),
  ranking,
];

export const interruptsAndNetwork = () =>
  board({
    uid: "pmu-interrupts",
    title: "Interrupts and network",
    description:
      "How much of the CPUs softirqs and handlers of devices take, and for how long; how long " +
      "connections of TCP take, which fail, and what is sent again, by service. It needs bpf, and " +
      "`latency: [interrupts, tcp]` in the configuration.",
    tags: ["latency"],
    from: "now-6h",
    variables: [labelVariable("cgroup", "Cgroup", selector(services.prefix + connects))],
    annotations: [exporterStarts],
    rows: [
      { title: "At a glance, over the time shown, all chosen machines", panels: glance },
      { title: "Softirqs", panels: softirqs },
      { title: "Interrupts of devices", panels: interrupts },
      {
        title: "Connections of TCP",
        panels: [
          ...both.map((scope) => map(scope, connect)),
          ...both.map((scope) => quantiles(scope, connect)),
          ...both.map(outcomes),
        ],
      },
      { title: "Whose connections", panels: whoseConnections },
      {
        title: "How it is counted",
        panels: [whereThere("Where they are counted", "interrupts", "tcp")],
      },
    ],
  });
