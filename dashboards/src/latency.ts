// SPDX-License-Identifier: Apache-2.0

import { board, exporterStarts, marks } from "./board";
import {
  Distribution, Scope, buckets, count, machine, mean, offCpu, onCpu, quantile,
  rankedServices, runQueue, services, time,
} from "./distributions";
import { bucketRows, graph, number, table } from "./panels";
import { increase, rate, selector, sum } from "./promql";
import { linkTo } from "./ranking";
import { levels } from "./thresholds";
import { labelVariable } from "./variables";

const births = "pmu_cgroup_start_time_seconds";
const ofService = 'cgroup="$cgroup"';
const service: Scope = { noun: "service", prefix: "pmu_cgroup_", matchers: [ofService] };

/** Of fewer waits the hundredth part is no wait at all. */
const enough = 100;
const listed = 25;

const ofHundred = "99 of 100 took at most so long, to within a factor of four.";

function glanceAt(title: string, unit: string, description: string, expression: string) {
  return number({ title, unit, description, levels: levels.none }, expression);
}

function slowest(scope: Scope) {
  return number(
    {
      title: `Long waits, ${scope.noun}`,
      description: `${runQueue.description} ${ofHundred}`,
      unit: "s",
      levels: runQueue.levels,
    },
    quantile(0.99, increase, scope, runQueue),
  );
}

const glance = [
  slowest(service),
  slowest(machine),
  glanceAt("Mean wait, service", "s", "Time that all waits for a CPU took, by their number.",
    mean(increase, service, runQueue)),
  glanceAt("Waits, service", "none", "How often a thread of it waited for a CPU.",
    count(increase, service, runQueue)),
  glanceAt("Threads that waited, service", "none",
    "How many of its threads waited for a CPU at a time, on average.",
    `${time(increase, service, runQueue)} / $__range_s`),
  number(
    {
      title: "Hosts with distributions",
      description: "Chosen exporters that have them. The table below has the reason of others.",
      unit: "none",
      levels: levels.oneIsGood,
    },
    `sum(${selector("pmu_exporter_latency_supported")})`,
  ),
];

/** How many of a kind took how long, over time. */
function map(scope: Scope, one: Distribution, kind?: string) {
  const matchers = one.label && kind ? [`${one.label}="${kind}"`] : [];
  const title = [one.title, ...(kind ? [kind] : []), scope.noun].join(", ");
  return bucketRows(
    {
      title,
      description: `${one.description} As colour how many of each length ended in a second.`,
      unit: "s",
      levels: levels.none,
    },
    { expression: sum(buckets(rate, scope, one, ...matchers), "le"), legend: "{{le}}" },
  );
}

function quantiles(scope: Scope, one: Distribution) {
  const kinds = one.label ? [one.label] : [];
  const kind = kinds.map((label) => `, {{${label}}}`).join("");
  const line = (share: number, legend: string) =>
    ({ expression: quantile(share, rate, scope, one, ...kinds), legend: legend + kind });
  return graph(
    {
      title: `${one.title}, 99 of 100 and half, ${scope.noun}`,
      description: `${one.description} So many took at most so long, to within a factor of four.`,
      unit: "s",
      levels: one.levels,
      width: 12,
    },
    line(0.99, "99 of 100"),
    line(0.5, "half"),
    { expression: mean(rate, scope, one, ...kinds), legend: `mean${kind}` },
  );
}

/** The service, and the machine beside it. */
function maps(one: Distribution, kind?: string) {
  return [service, machine].map((scope) => map(scope, one, kind));
}

function lines(one: Distribution) {
  return [service, machine].map((scope) => quantiles(scope, one));
}

const byWait = `${quantile(0.99, increase, services, runQueue, "cgroup")} ` +
  `and on (cgroup) (${count(increase, services, runQueue, "cgroup")} >= ${enough})`;

function ofTheSlowest(expression: string): string {
  return `${expression} and on (cgroup) topk(${listed}, ${byWait})`;
}

function column(title: string, unit: string, expression: string) {
  return { title, unit, expression: ofTheSlowest(expression) };
}

const ranking = table(
  {
    title: "Services by their longest waits for a CPU",
    description:
      `The ${listed} of which 99 of 100 waits took longest, in the time shown, over all hosts; ` +
      `without those that waited less than ${enough} times. A click shows one.`,
    unit: "none",
    levels: levels.none,
    labels: { [rankedServices.label]: rankedServices.title },
    sortBy: ["99 of 100"],
  },
  {
    title: "99 of 100",
    unit: "s",
    levels: runQueue.levels,
    expression: `topk(${listed}, ${byWait})`,
  },
  column("Half", "s", quantile(0.5, increase, services, runQueue, "cgroup")),
  column("Mean", "s", mean(increase, services, runQueue, "cgroup")),
  column("Waits a second", "cps",
    `${count(increase, services, runQueue, "cgroup")} / $__range_s`),
  column("Threads waiting", "none",
    `${time(increase, services, runQueue, "cgroup")} / $__range_s`),
).overrideByName(rankedServices.title, linkTo(rankedServices, "Show this service"));

/** The ten of which 99 of 100 waits are longest. */
function longest(title: string, scope: Scope, by: string) {
  return graph(
    {
      title,
      description: `${runQueue.description} ${ofHundred} The ten highest.`,
      unit: "s",
      levels: runQueue.levels,
    },
    { expression: `topk(10, ${quantile(0.99, rate, scope, runQueue, by)})`, legend: `{{${by}}}` },
  );
}

const support = table(
  {
    title: "Where there are distributions",
    description:
      "Hosts whose configuration wants them: 1 where they are, 0 with the reason where they cannot " +
      "be. They take bpf.",
    unit: "none",
    levels: levels.oneIsGood,
    width: 12,
    height: 8,
    labels: { instance: "Instance", kind: "Kind", reason: "Reason" },
    sortBy: ["-There"],
  },
  {
    title: "There",
    unit: "none",
    levels: levels.oneIsGood,
    expression:
      `min by (instance, kind, reason) (${selector("pmu_exporter_latency_supported")})`,
  },
);

const unknown = graph(
  {
    title: "Waits of unknown length",
    description:
      "Waits and blocks that ended in a second and are in no distribution, because nobody can " +
      "tell how long they took.",
    unit: "cps",
    levels: levels.none,
    width: 12,
  },
  { expression: rate(selector("pmu_exporter_latency_unknown_total")), legend: "{{instance}}" },
);

export const latency = () =>
  board({
    uid: "pmu-latency",
    title: "Latency",
    description:
      "How long the threads of a service waited for a CPU, kept it and were blocked, with the " +
      "machine beside it, and which services wait longest. It needs bpf.",
    tags: ["latency"],
    from: "now-6h",
    variables: [labelVariable("cgroup", "Cgroup", selector(births))],
    annotations: [
      marks("Restart or deploy", "orange", selector(births, ofService), "{{cgroup}} on {{instance}}"),
      exporterStarts,
    ],
    rows: [
      { title: "At a glance, over the time shown", panels: glance },
      { title: "Waits for a CPU", panels: [...maps(runQueue), ...lines(runQueue)] },
      {
        title: "Who waits",
        panels: [
          longest("Services with the longest waits", services, "cgroup"),
          longest("Hosts on which $cgroup waits longest", service, "instance"),
          longest("Machines with the longest waits", machine, "instance"),
          ranking,
        ],
      },
      { title: "Slices", panels: [...maps(onCpu), ...lines(onCpu)] },
      {
        title: "Blocked",
        panels: [
          ...maps(offCpu, "interruptible"),
          ...maps(offCpu, "uninterruptible"),
          ...lines(offCpu),
        ],
      },
      { title: "How it is counted", panels: [support, unknown] },
    ],
  });
