// SPDX-License-Identifier: Apache-2.0

// Distributions of latency are histograms: how many waits took at most as long as each limit (le).
// Buckets of several hosts add up, as all have the same limits; quantiles of them never do. So
// each quantile is made of summed buckets, and is told to within its bucket, whose upper limit is
// four times the lower one.

import { quotient, selector, sum } from "./promql";
import { Ranked } from "./ranking";
import { Level, levels } from "./thresholds";

export interface Distribution {
  name: string; // of the metric, behind the prefix of a scope
  title: string;
  description: string;
  levels: Level[];
  label?: string; // that tells kinds of it apart
}

/** Whose: the machine's, or that of services. */
export interface Scope {
  noun: string;
  prefix: string;
  matchers: string[];
}

/** What makes a number of a counter: rate() or increase(). */
export type Over = (series: string) => string;

export const runQueue: Distribution = {
  name: "run_queue_latency_seconds",
  title: "Waits for a CPU",
  description:
    "Time from when a thread was woken or preempted until it ran. Above some 4 ms it waited for " +
    "the whole slice of another.",
  levels: levels.rising(0.004, 0.02),
};

export const onCpu: Distribution = {
  name: "on_cpu_seconds",
  title: "Slices",
  description: "Time from when a thread got a CPU until it left it.",
  levels: levels.none,
};

export const offCpu: Distribution = {
  name: "off_cpu_seconds",
  title: "Blocked",
  description:
    "Time from when a thread left its CPU of its own accord until it could run again: " +
    "interruptible waits for clients, timers and locks, uninterruptible ones mostly for disks.",
  levels: levels.none,
  label: "state",
};

export const blockIo: Distribution = {
  name: "block_io_latency_seconds",
  title: "Block I/O",
  description:
    "Time from when a block device got a request until it was done: an SSD takes less than a " +
    "millisecond, a disk some ten.",
  levels: levels.rising(0.02, 0.1),
  label: "op",
};

export const blockIoQueue: Distribution = {
  name: "block_io_queue_seconds",
  title: "Block I/O in the queue",
  description: "Time from when a request was made until a block device got it.",
  levels: levels.none,
};

export function series(scope: Scope, name: string, ...matchers: string[]): string {
  return selector(scope.prefix + name, ...scope.matchers, ...matchers);
}

export function buckets(over: Over, scope: Scope, one: Distribution, ...matchers: string[]) {
  return over(series(scope, `${one.name}_bucket`, ...matchers));
}

/** How many waits (slices, blocks) there were. */
export function count(over: Over, scope: Scope, one: Distribution, ...by: string[]): string {
  return sum(over(series(scope, `${one.name}_count`)), ...by);
}

/** How long all of them took. As a rate: how many threads were in one at a time, on average. */
export function time(over: Over, scope: Scope, one: Distribution, ...by: string[]): string {
  return sum(over(series(scope, `${one.name}_sum`)), ...by);
}

export function mean(over: Over, scope: Scope, one: Distribution, ...by: string[]): string {
  return quotient(time(over, scope, one, ...by), count(over, scope, one, ...by));
}

export function quantile(share: number, over: Over, scope: Scope, one: Distribution,
  ...by: string[]): string {
  return `histogram_quantile(${share}, ${sum(buckets(over, scope, one), "le", ...by)})`;
}

export const machine: Scope = { noun: "machine", prefix: "pmu_machine_", matchers: [] };
export const services: Scope = { noun: "services", prefix: "pmu_cgroup_", matchers: [] };

/** A click on one of them in a table shows its distributions. */
export const rankedServices: Ranked = {
  nouns: "Services",
  prefix: services.prefix,
  label: "cgroup",
  title: "Cgroup",
  board: "pmu-latency",
};
