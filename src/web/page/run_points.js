// SPDX-License-Identifier: Apache-2.0
// Columns of runs as series of a plot, and what stands at an axis of seconds since a start.

/** By which a column is known among those of another run. */
export const keyOf = ({ name, kind }) => `${kind} ${name}`;

/** A total is shown as what was counted per second. */
export function unitOf({ unit, kind }) {
  if (kind === "ratio") return unit || "ratio";
  return unit ? `${unit} per second` : "per second";
}

/**
 * {times, values} of a column: what was counted, per second; of a ratio its value. What was counted
 * in an interval of which nothing is known is in the next number, whose time begins that early.
 */
export function pointsOf(run, index) {
  const isTotal = run.columns[index].kind === "total";
  let since = 0;
  const values = run.times.map((time, i) => {
    const value = run.values[index][i] ?? null;
    const seconds = time - since;
    if (value === null || seconds <= 0) return null;
    since = time;
    return isTotal ? value / seconds : value;
  });
  return { times: run.times, values };
}

/** The columns of these runs: {key: column}. Of what the scheduler did, those that have counted
 * anything: most machines have no guests, and few lose records. */
export function columnsOf(runs) {
  return new Map(runs.flatMap(({ kind, columns, values }) => columns
    .filter((_, i) => kind !== "schedule" || values[i].some((value) => value > 0))
    .map((one) => [keyOf(one), one])));
}

/** The series of a column in all runs that have it; each has the colour of its run. */
export function seriesOf(runs, key) {
  return runs.flatMap((run, colour) => {
    const index = run.columns.findIndex((column) => keyOf(column) === key);
    return index < 0 ? [] : [{ target: run.title, name: run.title, colour, before: null,
      step: run.interval_seconds, ...pointsOf(run, index) }];
  });
}

/** Adds what a stream tells, and leaves out what is there already. Returns whether it was new. */
export function addPoints(run, { times, values }) {
  const last = run.times.at(-1) ?? -Infinity;
  const first = times.findIndex((time) => time > last);
  if (first < 0) return false;
  run.times.push(...times.slice(first));
  run.values.forEach((column, i) => column.push(...values[i].slice(first)));
  return true;
}

const clock = (time) =>
  `${Math.floor(time / 60)}:${String(Math.floor(time % 60)).padStart(2, "0")}`;

/** "2.5 s"; "4:30" where it is long. */
export function secondsWords(time, longest = time) {
  return longest < 120 ? `${Number(time.toFixed(3))} s` : clock(time);
}

const STEPS = [1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 0.001,
  0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200];

/** At most `most` labels at round seconds. One that would be cut off at the end is left out. */
export function scaleTicks(start, end, most) {
  const step = STEPS.find((each) => (end - start) / each <= Math.max(most, 1)) ?? STEPS.at(-1);
  const longest = step < 1 ? 0 : end;
  const words = (time) => (step < 0.001 ? `${Number((time * 1e3).toFixed(3))} ms`
    : secondsWords(time, longest));
  const ticks = [];
  for (let i = Math.ceil(start / step - 1e-9); i * step <= end - (end - start) * 0.03; i++) {
    const v = Number((i * step).toFixed(6));
    ticks.push({ v, label: words(v) });
  }
  return ticks;
}
