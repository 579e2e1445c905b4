// SPDX-License-Identifier: Apache-2.0
//
// Distributions of latency as the history has them: a series for each bucket, by its limit, of what
// that bucket alone counts a second. What is computed of them is only as fine as the buckets are.

import { duration } from "./format.js";
import { splitTarget } from "./columns.js";
import { DAY } from "./range.js";

/** What is shown of a target that has it, in this order. */
export const DISTRIBUTIONS = [
  { name: "run_queue_latency_seconds", id: "run_queue", title: "Waits for a CPU" },
  { name: "on_cpu_seconds", id: "on_cpu", title: "Time on a CPU" },
  { name: "off_cpu_seconds", id: "interruptible", label: ["state", "interruptible"],
    title: "Blocked (interruptible)" },
  { name: "off_cpu_seconds", id: "uninterruptible", label: ["state", "uninterruptible"],
    title: "Blocked (uninterruptible)" },
  { name: "block_io_latency_seconds", id: "block_io_read", label: ["op", "read"],
    title: "Reads from block devices" },
  { name: "block_io_latency_seconds", id: "block_io_write", label: ["op", "write"],
    title: "Writes to block devices" },
  { name: "block_io_latency_seconds", id: "block_io_other", label: ["op", "other"],
    title: "Other requests to block devices" },
  { name: "block_io_queue_seconds", id: "block_io_queue",
    title: "Requests in the queue of a block device" },
];

const KINDS = ["machine", "cgroup", "process"];

/** The families to ask for of a target; none where targets of its kind have no distributions. */
export function familiesOf(target) {
  const { kind } = splitTarget(target);
  return KINDS.includes(kind)
    ? [...new Set(DISTRIBUTIONS.map(({ name }) => `pmu_${kind}_${name}`))] : [];
}

/**
 * A distribution of an answer's target: {limits, times, values}, with the values of a bucket at all
 * times for each of the limits, which ascend up to Infinity; or null where it has none.
 */
export function distributionOf({ target, times, columns }, { name, label }) {
  const family = `pmu_${splitTarget(target).kind}_${name}`;
  const buckets = columns.filter((column) => column.name === family && column.le !== undefined &&
    (label === undefined || column[label[0]] === label[1]));
  return buckets.length === 0 ? null : { times, values: buckets.map(({ values }) => values),
    limits: buckets.map(({ le }) => (le === "+Inf" ? Infinity : Number(le))) };
}

/**
 * What of an answer's target is saved of a distribution, in the form of /api/v1/history: its buckets,
 * of times behind start and up to end.
 */
export function savedOf(answer, distribution, { start, end }) {
  const { target, times, columns } = answer;
  const buckets = new Set(distributionOf(answer, distribution).values);
  const inside = (_, i) => times[i] > start && times[i] <= end;
  return { target, times: times.filter(inside), columns: columns
    .filter(({ values }) => buckets.has(values))
    .map((column) => ({ ...column, values: column.values.filter(inside) })) };
}

/** The same with the labels in the names, as a table has it. */
export function tableOf({ columns, ...rest }) {
  const named = ({ name, unit, values, ...labels }) => ({ values, name:
    `${name}{${Object.entries(labels).map(([label, value]) => `${label}="${value}"`).join(",")}}` });
  return { ...rest, columns: columns.map(named) };
}

/** Why nothing of what the configuration asks for can be counted here, of the `latency` of a status;
 * null: some of it can, or it asks for nothing. */
export function refusalOf(latency) {
  const wanted = Object.values(latency?.parts ?? {}).filter((part) => part.wanted);
  return wanted.length > 0 && wanted.every(({ reason }) => reason) ? wanted[0].reason : null;
}

export const sumOf = (counts) => counts.reduce((sum, count) => sum + (count ?? 0), 0);

/**
 * The quantile of counts by bucket, as histogram_quantile() of Prometheus has it: within its bucket
 * it is taken for evenly spread, and in the last one for the limit below. null where nothing was
 * counted.
 */
export function quantile(limits, counts, share) {
  const all = sumOf(counts);
  if (all <= 0) return null;
  let before = 0;
  for (let i = 0; i < limits.length - 1; i++) {
    const count = counts[i] ?? 0;
    if (count > 0 && before + count >= share * all) {
      const low = limits[i - 1] ?? 0;
      return low + (limits[i] - low) * Math.max(share * all - before, 0) / count;
    }
    before += count;
  }
  return limits.at(-2) ?? null;
}

/** Where a duration is, in buckets from below: 1.5 is in the middle of the second, as seen in a plot
 * whose axis is logarithmic. */
export function placeOf(limits, seconds) {
  const i = limits.findIndex((limit) => seconds <= limit);
  const low = limits[i - 1];
  if (i < 0 || limits[i] === Infinity) return limits.length - 1;
  const within = low > 0 ? Math.log2(seconds / low) / Math.log2(limits[i] / low)
    : seconds / limits[i];
  return i + Math.min(Math.max(within, 0), 1);
}

/** "488 µs to 977 µs" */
export function bucketWords(limits, i) {
  if (limits[i] === Infinity) return `over ${duration(limits[i - 1])}`;
  return i === 0 ? `up to ${duration(limits[0])}`
    : `${duration(limits[i - 1])} to ${duration(limits[i])}`;
}

/** The short name of a limit on an axis, which every fourth power of two has: 2^-10 s is "1 ms". */
export function limitWords(seconds) {
  const exponent = Math.round(Math.log2(seconds));
  const [below, unit] = exponent < -10 ? [-20, "µs"] : exponent < 0 ? [-10, "ms"] : [0, "s"];
  return `${2 ** (exponent - below)} ${unit}`;
}

/** The exponents that have a name on an axis: 1 µs, 16 µs, 256 µs, 1 ms, 16 ms, 256 ms, 1 s, 16 s. */
export function isNamed(seconds) {
  const exponent = Math.round(Math.log2(seconds));
  return [-20, -16, -12, -10, -6, -2, 0, 4].includes(exponent);
}

/**
 * The colours of values by their logarithm: {least, most, shareOf(value)}. What is a hundred
 * thousand times less than the most is as faint as can be, and still not nothing.
 */
export function logScale(values) {
  let most = 0, least = Infinity;
  for (const row of values)
    for (const value of row)
      if (value > 0) {
        most = Math.max(most, value);
        least = Math.min(least, value);
      }
  if (most === 0) return { least: 0, most: 0, shareOf: () => 0 };
  least = Math.max(least, most / 1e5);
  const faintest = 0.15;
  const shareOf = (value) => (value > 0 ? most === least ? 1
    : faintest + (1 - faintest) * Math.max(Math.log(value / least) / Math.log(most / least), 0) : 0);
  return { least, most, shareOf };
}

/**
 * What maps show of a distribution in the answers of today and of the day before, null where it is in
 * none: both have the same colours, and that of the day before stands at today's times.
 */
export function shownOf(distribution, answers) {
  const each = answers.map((answer, i) => {
    const data = answer && distributionOf(answer, distribution);
    const shift = i * DAY;
    return data && { ...data, times: data.times.map((time) => time + shift), answer, shift,
      step_seconds: answer.step_seconds };
  });
  const scale = logScale(each.flatMap((data) => data?.values ?? []));
  return each.map((data) => data && { ...data, scale });
}
