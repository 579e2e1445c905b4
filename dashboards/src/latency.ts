// SPDX-License-Identifier: Apache-2.0

import { board, exporterStarts, marks } from "./board";
import { blockIoRows } from "./block_io";
import { callsAndSpansRows } from "./calls_and_spans";
import {
  Distribution, Scope, count, machine, mean, offCpu, onCpu, quantile, runQueue, services, time,
} from "./distributions";
import { longest, map, ofHundred, quantiles } from "./latency_panels";
import { rankingBy } from "./latency_ranking";
import { hostsWith, whereThere } from "./latency_support";
import { graph, number } from "./panels";
import { increase, rate, selector } from "./promql";
import { levels } from "./thresholds";
import { labelVariable } from "./variables";

const births = "pmu_cgroup_start_time_seconds";
const ofService = 'cgroup="$cgroup"';
const service: Scope = { noun: "service", prefix: "pmu_cgroup_", matchers: [ofService] };

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
  hostsWith("Hosts with distributions"),
];

/** The service, and the machine beside it. */
function maps(one: Distribution, kind?: string) {
  return [service, machine].map((scope) => map(scope, one, kind));
}

function lines(one: Distribution) {
  return [service, machine].map((scope) => quantiles(scope, one));
}

const ranking = rankingBy(
  runQueue,
  { title: "Services by their longest waits for a CPU", nouns: "waits" },
  {
    title: "Waits a second",
    unit: "cps",
    of: (by) => `${count(increase, services, runQueue, by)} / $__range_s`,
  },
  {
    title: "Threads waiting",
    unit: "none",
    of: (by) => `${time(increase, services, runQueue, by)} / $__range_s`,
  },
);

const support = whereThere("Where there are distributions");

const unknown = graph(
  {
    title: "Waits of unknown length",
    description:
      "Waits, blocks and requests that ended in a second and are in no distribution, because nobody can " +
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
      "How long the threads of a service waited for a CPU, kept it and were blocked, and its " +
      "requests to block devices, system calls and spans took, with the machine beside it, and " +
      "which services wait longest. It needs bpf, and what is shown in `latency` of the " +
      "configuration.",
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
          longest("Services with the longest waits", services, runQueue, "cgroup"),
          longest("Hosts on which $cgroup waits longest", service, runQueue, "instance"),
          longest("Machines with the longest waits", machine, runQueue, "instance"),
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
      ...blockIoRows(service),
      ...callsAndSpansRows(service),
      { title: "How it is counted", panels: [support, unknown] },
    ],
  });
