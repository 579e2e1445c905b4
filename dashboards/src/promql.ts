// SPDX-License-Identifier: Apache-2.0

// Queries are made of few pieces, so that all of them obey the same rules: each selector is
// bound to the chosen jobs and instances, each rate to Grafana's interval, no ratio divides
// by zero. What divides is summed before, never after: a ratio of sums weighs each host by
// what it did.

/** Of all hosts of the chosen jobs, with matchers of its own. What rules record has no instance. */
export function ofAllHosts(metric: string, ...matchers: string[]): string {
  const all = ['job=~"$job"', ...matchers].join(", ");
  return metric.startsWith("{") // a name that a variable holds
    ? `{${metric.slice(1, -1)}, ${all}}`
    : `${metric}{${all}}`;
}

/** The matchers of every other selector, and those of its own. */
export function selector(metric: string, ...matchers: string[]): string {
  return ofAllHosts(metric, 'instance=~"$instance"', ...matchers);
}

/** A time in the past that is compared with, as PromQL writes it. */
export type Ago = "1d" | "1w";

function offset(ago?: Ago): string {
  return ago ? ` offset ${ago}` : "";
}

/** Per second, over the interval that suits the zoom: for graphs. */
export function rate(series: string, ago?: Ago): string {
  return `rate(${series}[$__rate_interval]${offset(ago)})`;
}

/** The first, of those targets and hosts that have the second too. */
export function where(expression: string, other?: string): string {
  return other ? `${expression} and ${other}` : expression;
}

/** Over the whole time that is shown: for tables and single numbers. */
export function increase(series: string, ago?: Ago): string {
  return `increase(${series}[$__range]${offset(ago)})`;
}

export function sum(expression: string, ...by: string[]): string {
  return by.length > 0 ? `sum by (${by.join(", ")}) (${expression})` : `sum(${expression})`;
}

/** Absent where the divisor is 0: what did not run has no ratio. */
export function quotient(dividend: string, divisor: string): string {
  return `${dividend} / (${divisor} > 0)`;
}

/** How much a value differs from another, as a share of that: -0.2 is a fifth less. */
export function change(now: string, then: string): string {
  return `(${now}) / ((${then}) > 0) - 1`;
}

/** What other jobs have too, of exporters alone: all jobs may be chosen. */
export function ofExporters(expression: string, series = selector): string {
  return `${expression} and on (job, instance) ${series("pmu_exporter_build_info")}`;
}

/** The same of those that were there in the time shown, and may be gone. */
export function ofExportersSeen(expression: string, series = selector): string {
  const seen = `last_over_time(${series("pmu_exporter_build_info")}[$__range])`;
  return `${expression} and on (job, instance) ${seen}`;
}
