// SPDX-License-Identifier: Apache-2.0
//
// What is counted by key as the history has it: a line for each vector, reason, call or span, with a
// series for each bucket of its distribution or for each of its counts.

import { splitTarget } from "./columns.js";
import { distributionOf, quantile, sumOf } from "./latency.js";

/** What is shown of a target that has it, in this order. `key` is the label that tells lines apart,
 * `also` one more to name them by, `name` a distribution, `counts` rates beside it; `isTimed`: the
 * configuration says how many of them are timed. */
export const KEYED = [
  { id: "softirq", title: "Softirqs", key: "vector", word: "Vector", name: "softirq_seconds" },
  { id: "hardirq", title: "Handlers of interrupts", key: "irq", also: "device", word: "Interrupt",
    name: "hardirq_seconds" },
  { id: "kvm_exit", title: "Exits of guests", key: "reason", word: "Reason", name: "kvm_exit_seconds" },
  { id: "kvm_entry", title: "Entries of guests", key: "vcpu", word: "vCPU",
    counts: [["kvm_entries_per_second", "Entries"]] },
  { id: "tcp", title: "Connections of TCP", word: "Connections", name: "tcp_connect_seconds",
    counts: [["tcp_connect_errors_per_second", "Failed"], ["tcp_retransmits_per_second", "Retransmits"]] },
  { id: "span", title: "Spans", key: "span", word: "Span", name: "span_seconds" },
  { id: "system_call_time", title: "System calls that are timed", key: "call", also: "class",
    word: "Call", name: "system_call_seconds", isTimed: true },
  { id: "system_call", title: "System calls", key: "call", word: "Call",
    counts: [["system_calls_per_second", "Calls"], ["system_call_errors_per_second", "Errors"]] },
];

const KINDS = ["machine", "cgroup", "process"];

/** The families to ask for of a target; none where targets of its kind have nothing by key. */
export function keyedFamiliesOf(target) {
  const { kind } = splitTarget(target);
  return KINDS.includes(kind) ? KEYED.flatMap(({ name, counts = [] }) =>
    [...name ? [name, `${name}_sum`] : [], ...counts.map(([family]) => family)]
      .map((family) => `pmu_${kind}_${family}`)) : [];
}

/** The distribution of a line, for distributionOf(). */
export function distributionOfLine(keyed, line) {
  return { ...keyed, label: keyed.key ? [keyed.key, line] : undefined };
}

/* The lines of an answer: {line: its columns}. */
function columnsByLine({ target, columns }, { key, name, counts = [] }) {
  const families = [...name ? [name, `${name}_sum`] : [], ...counts.map(([family]) => family)]
    .map((family) => `pmu_${splitTarget(target).kind}_${family}`);
  const lines = new Map();
  for (const column of columns)
    if (families.includes(column.name)) {
      const line = key ? column[key] : "";
      if (!lines.has(line)) lines.set(line, []);
      lines.get(line).push(column);
    }
  return lines;
}

/* The mean of a series over what is known of a range; 0 where nothing is. */
function mean(values, inside) {
  const known = values.filter((value, i) => value !== null && inside[i]);
  return known.length ? sumOf(known) / known.length : 0;
}

/**
 * The lines that have counted anything in a range, those first that have counted most: {line, label,
 * rate (a second), counts (of each of the counts), p50, p99, busy (seconds a second)}. Without a
 * distribution the rate is the first count.
 */
export function linesOf(answer, keyed, { start, end }) {
  const inside = answer.times.map((time) => time > start && time <= end);
  const { kind } = splitTarget(answer.target);
  const line = ([name, columns]) => {
    const rateOf = (family) =>
      mean(columns.find((column) => column.name === `pmu_${kind}_${family}`)?.values ?? [], inside);
    const counts = (keyed.counts ?? []).map(([family]) => rateOf(family));
    const also = columns[0][keyed.also];
    const label = also && also !== name ? `${name} ${also}` : name;
    if (!keyed.name) return { line: name, label, rate: counts[0], counts };
    const data = distributionOf(answer, distributionOfLine(keyed, name));
    const buckets = data.values.map((values) => mean(values, inside));
    return { line: name, label, counts, rate: sumOf(buckets), busy: rateOf(`${keyed.name}_sum`),
      p50: quantile(data.limits, buckets, 0.5), p99: quantile(data.limits, buckets, 0.99) };
  };
  return [...columnsByLine(answer, keyed)].map(line)
    .filter(({ rate, counts }) => rate > 0 || counts.some((one) => one > 0))
    .sort((a, b) => b.rate - a.rate || (a.line < b.line ? -1 : 1));
}
