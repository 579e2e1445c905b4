// SPDX-License-Identifier: Apache-2.0

import { board, exporterStarts } from "./board";
import {
  Distribution, Over, Scope, machine, mean, onCpu, rankedServices, runQueue, series, services, time,
} from "./distributions";
import { graph, Line, number, rows, table } from "./panels";
import { increase, quotient, rate, selector, sum } from "./promql";
import { linkTo } from "./ranking";
import { Level, levels } from "./thresholds";
import { labelVariable } from "./variables";

const listed = 25;

/** Counted by kind of switch, or by distance of a migration. */
function tally(over: Over, scope: Scope, name: string, matcher?: string, ...by: string[]): string {
  return sum(over(series(scope, name, ...(matcher ? [matcher] : []))), ...by);
}

const switches = "switches_total";
const migrations = "migrations_total";
const forced = 'kind="involuntary"';
const far = 'distance=~"llc|node"';

function share(over: Over, scope: Scope, name: string, part: string, ...by: string[]): string {
  return quotient(tally(over, scope, name, part, ...by),
    tally(over, scope, name, undefined, ...by));
}

/** Seconds of waiting for each second of running: above 1 threads wait longer than they run. */
function pressure(over: Over, scope: Scope, ...by: string[]): string {
  return quotient(time(over, scope, runQueue, ...by), time(over, scope, onCpu, ...by));
}

const texts = {
  waiting: "Threads that wait for a CPU at a time, on average.",
  running:
    "Threads that have a CPU at a time, on average: the CPUs that are busy, with interrupts and " +
    "with what a hypervisor took.",
  pressure:
    "Seconds for which threads waited for a CPU, for each second for which they had one: above 1 " +
    "they waited longer than they ran.",
  slice: "For how long a thread keeps a CPU, on average.",
  switches:
    "Times that a thread left a CPU, in a second: voluntarily if it had to wait for something, " +
    "involuntarily if it was preempted.",
  forced:
    "Share of the switches at which a thread was preempted: many are threads that compete for " +
    "CPUs, or a CPU limit.",
  migrations:
    "Times that a thread ran on another CPU than before, in a second: smt is the same core, core " +
    "another with the same last-level cache, llc another such cache, node other memory.",
  share: "Share of each CPU's time that it had: 1 is a CPU that did nothing else.",
  spread:
    "Share of its own CPU time that it had on each CPU: in all 1. One bright row is a service " +
    "that stays where its caches are warm; rows that light up in turn are one that moves.",
  nodes:
    "CPUs that it used in each NUMA node. A service that is in several has its memory, for some of " +
    "its threads, in another one.",
  hops: "Context switches of its threads on each CPU, in a second.",
  busy: "Share of each CPU's time in which it was not idle.",
  far: "Share of the migrations to another last-level cache or memory node: the caches are lost.",
};

function glanceAt(title: string, unit: string, steps: Level[], description: string,
  expression: string) {
  return number({ title, unit, description, levels: steps }, expression);
}

const waits = levels.rising(0.5, 1);

const glance = [
  glanceAt("Threads waiting", "none", levels.none, texts.waiting, time(rate, machine, runQueue)),
  glanceAt("Threads running", "none", levels.none, texts.running, time(rate, machine, onCpu)),
  glanceAt("Waiting for each second of running", "none", waits, texts.pressure,
    pressure(rate, machine)),
  glanceAt("Switches", "cps", levels.none, texts.switches, tally(rate, machine, switches)),
  glanceAt("Preempted", "percentunit", levels.none, texts.forced,
    share(rate, machine, switches, forced)),
  glanceAt("Migrations", "cps", levels.none, texts.migrations, tally(rate, machine, migrations)),
];

function lines(title: string, unit: string, steps: Level[], description: string, line: Line) {
  return graph({ title, unit, description, levels: steps }, line);
}

/** The ten machines, or services, that stand out. */
function highest(scope: Scope, by: string) {
  return (title: string, unit: string, steps: Level[], description: string, of: string) =>
    lines(`${title}, ${scope.noun}`, unit, steps, `${description} The ten highest.`,
      { expression: `topk(10, ${of})`, legend: `{{${by}}}` });
}

function rowOf(scope: Scope, by: string) {
  const show = highest(scope, by);
  const timeOf = (one: Distribution) => time(rate, scope, one, by);
  return [
    show("Threads waiting", "none", levels.none, texts.waiting, timeOf(runQueue)),
    show("Threads running", "none", levels.none, texts.running, timeOf(onCpu)),
    show("Waiting for each second of running", "none", waits, texts.pressure,
      pressure(rate, scope, by)),
    show("Preempted", "percentunit", levels.none, texts.forced,
      share(rate, scope, switches, forced, by)),
    show("Migrations", "cps", levels.none, texts.migrations,
      tally(rate, scope, migrations, undefined, by)),
    show("Mean slice", "s", levels.none, texts.slice, mean(rate, scope, onCpu, by)),
  ];
}

const kinds = [
  lines("Switches by kind", "cps", levels.none, `${texts.switches} All chosen machines.`,
    { expression: tally(rate, machine, switches, undefined, "kind"), legend: "{{kind}}" }),
  lines("Migrations by distance", "cps", levels.none, `${texts.migrations} All chosen machines.`,
    { expression: tally(rate, machine, migrations, undefined, "distance"), legend: "{{distance}}" }),
  lines("Far migrations", "percentunit", levels.none, `${texts.far} The ten highest machines.`,
    {
      expression: `topk(10, ${share(rate, machine, migrations, far, "instance")})`,
      legend: "{{instance}}",
    }),
];

const byTime = `topk(${listed}, ${time(increase, services, runQueue, "cgroup")})`;

function column(title: string, unit: string, expression: string) {
  return { title, unit, expression: `${expression} and on (cgroup) ${byTime}` };
}

function perSecond(title: string, name: string, matcher?: string) {
  const counted = tally(increase, services, name, matcher, "cgroup");
  return column(title, "cps", `${counted} / $__range_s`);
}

const ranking = table(
  {
    title: "Services by the time that they wait for CPUs",
    description:
      `The ${listed} of which most threads waited at a time, in the time shown, over all hosts. ` +
      "A click shows how long.",
    unit: "none",
    levels: levels.none,
    labels: { [rankedServices.label]: rankedServices.title },
    sortBy: ["Waiting"],
  },
  column("Waiting", "none", `${time(increase, services, runQueue, "cgroup")} / $__range_s`),
  column("Running", "none", `${time(increase, services, onCpu, "cgroup")} / $__range_s`),
  { ...column("Waiting / running", "none", pressure(increase, services, "cgroup")), levels: waits },
  perSecond("Left of itself", switches, 'kind="voluntary"'),
  perSecond("Preempted", switches, forced),
  perSecond("Migrations", migrations),
  perSecond("Far migrations", migrations, far),
).overrideByName(rankedServices.title, linkTo(rankedServices, "Show its latencies"));

const timeByNode = "cpu_time_by_node_seconds_total";
const timeByCpu = "cpu_time_by_cpu_seconds_total";
const switchesByCpu = "context_switches_by_cpu_total";
const chosen: Scope = { ...services, matchers: ['cgroup="$cgroup"'] };

/** A row for each CPU of one host, over time: a CPU of another host has the same number. */
function cpuMap(title: string, unit: string, description: string, expression: string) {
  return rows(
    {
      title: `${title}, $instance`,
      unit,
      description: `${description} A row a CPU; it needs \`by: cpu\` in the configuration.`,
      levels: levels.none,
    },
    { expression, legend: "CPU {{cpu}}" },
  ).repeat("instance").repeatDirection("v").span(24).height(7);
}

/** A row for each NUMA node of one host: a machine of hundreds of CPUs has a few. */
const nodeMap = rows(
  {
    title: "CPUs used in each NUMA node, $cgroup, $instance",
    unit: "none",
    description: `${texts.nodes} A row a node; it needs \`by: node\` in the configuration.`,
    levels: levels.none,
  },
  {
    expression: sum(rate(series(chosen, timeByNode)), "instance", "node"),
    legend: "Node {{node}}",
  },
).repeat("instance").repeatDirection("v").span(24).height(5);

function onEach(scope: Scope, name: string): string {
  return sum(rate(series(scope, name)), "instance", "cpu");
}

const spread = `${onEach(chosen, timeByCpu)} * on (instance) group_left () ` +
  `(${quotient("1", sum(rate(series(chosen, timeByCpu)), "instance"))})`;

const whereItRan = [
  cpuMap("Share of each CPU, $cgroup", "percentunit", texts.share, onEach(chosen, timeByCpu)),
  cpuMap("Spread over CPUs, $cgroup", "percentunit", texts.spread, spread),
  cpuMap("Switches on each CPU, $cgroup", "cps", texts.hops, onEach(chosen, switchesByCpu)),
  cpuMap("Busy CPUs, machine", "percentunit", texts.busy, onEach(machine, timeByCpu)),
  nodeMap,
];

export const scheduler = () =>
  board({
    uid: "pmu-scheduler",
    title: "Scheduler",
    description:
      "Whether there are enough CPUs: how many threads run and wait, who is preempted, and who " +
      "moves between CPUs, and on which of them a service runs. It needs bpf, and for the last " +
      "row `by: cpu` or `by: node`.",
    tags: ["latency"],
    from: "now-6h",
    variables: [labelVariable("cgroup", "Cgroup", selector(services.prefix + timeByCpu))],
    annotations: [exporterStarts],
    rows: [
      { title: "Now, all chosen machines", panels: glance },
      { title: "Switches and migrations", panels: kinds },
      { title: "Machines", panels: rowOf(machine, "instance") },
      { title: "Services, over the time shown", panels: [ranking] },
      { title: "Services", panels: rowOf(services, "cgroup") },
      { title: "Where $cgroup runs", panels: whereItRan },
    ],
  });
