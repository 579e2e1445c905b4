// SPDX-License-Identifier: Apache-2.0

// Tables of services by what rules have recorded of them over all hosts, each by job and cgroup.

import { blockIo, Distribution, runQueue } from "./distributions";
import * as measures from "./measures";
import { Column, table } from "./panels";
import { change, ofAllHosts, quotient, sum } from "./promql";
import { services } from "./ranking";
import { Level, levels } from "./thresholds";

const listed = 25;
const by = ["job", services.label];
const labels = { [services.label]: services.title, job: "Job" };

const ofServices = "job_cgroup:pmu_cgroup";
const ratios = "job_cgroup_ratio:pmu_cgroup_ratio:rate15m";
const efficiency = "instructions_per_cycle";

export const cpus = ofAllHosts(`${ofServices}_task_clock_seconds:rate5m`);

/** Of all services of all hosts, of which none counts twice. */
export const allCpus = sum(ofAllHosts("job_instance:pmu_cgroup_task_clock_seconds:rate5m"));

/** Ratios as they are now, or what is recorded of them beside that. */
function ratio(matcher: string, what = ""): string {
  return ofAllHosts(`${ratios}${what}`, `ratio${matcher}`);
}

function ofTheBusiest(expression: string): string {
  return `${expression} and on (${by.join(", ")}) topk(${listed}, ${cpus})`;
}

function changeOf(name: string, title: string, steps: Level[]): Column {
  const matcher = `="${name}"`;
  const expression = sum(change(ratio(matcher), ratio(matcher, "_baseline")), ...by);
  return { title, unit: "percentunit", levels: steps, expression: ofTheBusiest(expression) };
}

export const busiest = table(
  {
    title: "Services by the CPUs that they use",
    description:
      `The ${listed} that use most CPUs, in the last five minutes: how many, which share of what the ` +
      "services of all hosts use, and by how much each ratio has changed against its baseline of this " +
      "time of the day. That needs a week of history, and a ratio that means something: the PMU for half " +
      "of the time, and enough cycles, waits or requests. A click shows one.",
    unit: "percentunit",
    levels: levels.none,
    labels,
    sortBy: ["CPUs"],
  },
  { title: "CPUs", unit: "none", expression: `topk(${listed}, ${cpus})` },
  {
    title: "Share of all",
    unit: "percentunit",
    expression: ofTheBusiest(`${cpus} / on () group_left () (${allCpus} > 0)`),
  },
  {
    title: "IPC",
    unit: "none",
    levels: measures.instructionsPerCycle.levels,
    expression: ofTheBusiest(sum(ratio(`="${efficiency}"`), ...by)),
  },
  changeOf(efficiency, "IPC, change", levels.falling(-0.1, -0.2)),
  changeOf("branch_misses_per_kilo_instruction", "Branch misses", levels.rising(0.25, 0.5)),
  changeOf("cache_misses_per_kilo_instruction", "Cache misses", levels.rising(0.25, 0.5)),
  changeOf("context_switches_per_cpu_second", "Switches", levels.rising(1, 2)),
  changeOf("run_queue_latency_p99_seconds", "Waits", levels.rising(1, 2)),
  changeOf("block_io_read_latency_p99_seconds", "Reads", levels.rising(1, 2)),
  changeOf("block_io_write_latency_p99_seconds", "Writes", levels.rising(1, 2)),
);

/** By how much each ratio is worse than its baseline: of instructions per cycle that is less. */
const ofBaseline = (matcher: string) => quotient(ratio(matcher), ratio(matcher, "_baseline"));
const worse = `(1 - ${ofBaseline(`="${efficiency}"`)} or ${ofBaseline(`!="${efficiency}"`)} - 1)`;

/** Rules record it once an hour. */
const spread = `last_over_time(${ofAllHosts(`${ratios}_spread7d`)}[3h])`;
const timesTheSpread = quotient(worse, `clamp_min(${spread}, 0.01)`);
const worst = `topk(${listed}, ${timesTheSpread} > 1 and ${worse} > 0.05)`;

function ofTheWorst(expression: string): string {
  return `${expression} and on (${by.join(", ")}, ratio) ${worst}`;
}

export const worstRatios = table(
  {
    title: "Worse than their baseline by more than their spread",
    description:
      "Ratios of services that are worse than their baseline by more than their spread, which is how far " +
      `they are off from day to day when nothing is wrong, and by more than 5 %: the ${listed} that are ` +
      "worse by most times their spread, where one below 1 % counts as 1 %. Alerts demand more.",
    unit: "none",
    levels: levels.none,
    labels: { ...labels, ratio: "Ratio" },
    sortBy: ["Times the spread"],
  },
  { title: "Times the spread", unit: "none", expression: worst },
  { title: "Worse by", unit: "percentunit", expression: ofTheWorst(worse) },
  { title: "Spread", unit: "percentunit", expression: ofTheWorst(spread) },
  { title: "Now", unit: "none", expression: ofTheWorst(ofAllHosts(ratios)) },
  { title: "Baseline", unit: "none", expression: ofTheWorst(ofAllHosts(`${ratios}_baseline`)) },
);

/** Services by what 99 of 100 took at most, of what is enough: `which` of them are listed. */
function longest(one: Distribution, nouns: string, which: string, ...columns: Column[]) {
  return table(
    {
      title: `Services by their longest ${nouns}`,
      description:
        `${one.description} 99 of 100 took at most so long in the last five minutes: the ${listed} ` +
        `longest${which} a second or more.`,
      unit: "s",
      levels: one.levels,
      labels,
      width: 8,
      sortBy: columns.map(({ title }) => title),
    },
    ...columns,
  );
}

export const longestWaits = longest(
  runQueue,
  "waits for a CPU",
  ", of services that waited five times",
  {
    title: "99 of 100",
    unit: "s",
    levels: runQueue.levels,
    expression: `topk(${listed}, ${ofAllHosts(`${ofServices}_run_queue_latency_seconds:p99_rate5m`)})`,
  },
);

function requests(title: string, op: string): Column {
  const p99 = ofAllHosts("job_cgroup_op:pmu_cgroup_block_io_latency_seconds:p99_rate5m", `op="${op}"`);
  const expression = `topk(${listed}, ${sum(p99, ...by)})`;
  return { title, unit: "s", levels: blockIo.levels, expression };
}

export const longestRequests = longest(
  blockIo,
  "requests to block devices",
  " of each kind, of services that made five of them",
  requests("Reads", "read"),
  requests("Writes", "write"),
);

const counted = (what: string) =>
  ofAllHosts(`job_cgroup_group:pmu_cgroup_group_${what}_seconds:rate5m`);
const covered = `${quotient(counted("running"), counted("enabled"))} and ${counted("enabled")} > 0.05`;

export const lowestCoverage = table(
  {
    title: "Services by their lowest coverage",
    description:
      `The ${listed} services and groups of events whose counters counted for the least share of the ` +
      "time in which they were wanted, of those that wanted them for more than a twentieth of a CPU.",
    unit: "percentunit",
    levels: levels.falling(0.9, 0.5),
    labels: { ...labels, group: "Group" },
    width: 8,
    sortBy: ["-Coverage"],
  },
  {
    title: "Coverage",
    unit: "percentunit",
    levels: levels.falling(0.9, 0.5),
    expression: `bottomk(${listed}, ${covered})`,
  },
);
