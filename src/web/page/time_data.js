// SPDX-License-Identifier: Apache-2.0
//
// The numbers of the view "Over time": what the history answers, by measures, with what the live
// feed adds behind it.

import { get } from "./api.js";
import { append, later } from "./align.js";
import { compareMeasures, measureOf, splitTarget } from "./columns.js";
import { DAY } from "./range.js";

const POINTS_OF_AN_HOUR = 3600;
const POINTS = 1500; // of a longer range: as many as a wide screen has
const FEWEST_POINTS = 500;
const POINTS_OF_CPUS = 700;
const POINTS_BEFORE = 700; // of the day before: coarser, so that its line can be told from today's

/** As many points as the range is asked for: each second of an hour, else what can be seen. */
export function pointsFor(start, end) {
  return end - start <= 3700 ? POINTS_OF_AN_HOUR + 100 : POINTS;
}

/** What a snapshot calls a target, as it stands in addresses. */
export function targetName(kind, labels) {
  const values = Object.values(labels);
  return values.length ? `${kind}:${values.join(",")}` : kind;
}

/* Each group of events, kind of switches and distance of migrations is a measure of its own. */
const groupOf = (column) => column.group ?? column.kind ?? column.distance ??
  column.labels?.group ?? null;

/* Most machines have distances to which nothing migrates: an empty plot of each tells nothing. */
const isWorthAPlot = (measure, { times, values }) => times.length > 0 &&
  (!measure.startsWith("migrations_per_second:") || values.some((value) => value > 0));

/** One target of an answer as {measure: {unit, name, times, values}}. */
function byMeasure(target) {
  const { kind } = splitTarget(target.target);
  const found = new Map();
  for (const column of target.columns)
    found.set(measureOf(kind, column.name, groupOf(column)),
      { unit: column.unit, times: [...target.times], values: column.values.slice() });
  return found;
}

/* An answer is bounded: where many targets have many columns, there are fewer points. */
async function askHistory(target, range, points, signal) {
  try {
    return await get("history", { target, ...range, points }, signal);
  } catch (error) {
    if (error.status !== 400 || points <= FEWEST_POINTS) throw error;
    return askHistory(target, range, FEWEST_POINTS, signal);
  }
}

export class TimeData {
  constructor() {
    this.step = 1;
    this.until = Infinity;
    this.targets = new Map();
    this.earlier = new Map();
    this.answer = null;
  }

  /**
   * Asks for the range, and for the same a day before if `compare` says so. Of a live range the
   * feed tells the rest, up to the time `until`.
   */
  async load(targets, { start, end }, compare, signal) {
    const ahead = end + Math.max(60, (end - start) / 4); // a live range moves on into it
    const none = { targets: [], step_seconds: 1, start, end };
    const [answer, before] = await Promise.all([
      targets.length ? askHistory(targets, { start, end }, pointsFor(start, end), signal) : none,
      compare && targets.length
        ? askHistory(targets, { start: start - DAY, end: ahead - DAY }, POINTS_BEFORE, signal) : none,
    ]);
    this.step = answer.step_seconds;
    this.until = compare ? ahead : Infinity;
    this.stepBefore = Math.max(before.step_seconds, this.step);
    this.answer = answer;
    this.targets = new Map(answer.targets.map((each) => [each.target, byMeasure(each)]));
    this.earlier = new Map(before.targets.map((each) => [each.target, byMeasure(each)]));
  }

  /** The measures that any target has, in the order of their plots: [[measure, unit], …]. */
  measures() {
    const units = new Map();
    for (const measures of [...this.targets.values(), ...this.earlier.values()])
      for (const [measure, series] of measures)
        if (isWorthAPlot(measure, series)) units.set(measure, series.unit);
    return [...units].sort(([a], [b]) => compareMeasures(a, b));
  }

  /** The series of a measure: [{target, times, values, before}]. */
  series(measure, targets) {
    const empty = { times: [], values: [] };
    return targets.flatMap((target) => {
      const one = this.targets.get(target)?.get(measure);
      const before = this.earlier.get(target)?.get(measure);
      if (!one && !before) return [];
      return [{ target, ...(one ?? empty),
        before: before ? { ...later(before, DAY), step: this.stepBefore } : null }];
    });
  }

  /** The first time at which anything is known, or null. */
  first() {
    const times = [...this.targets.values()].flatMap((measures) =>
      [...measures.values()].map(({ times: own }) => own[0] ?? Infinity));
    const least = Math.min(...times, Infinity);
    return least === Infinity ? null : least;
  }

  last() {
    const times = [...this.targets.values()].flatMap((measures) =>
      [...measures.values()].map(({ times: own }) => own.at(-1) ?? -Infinity));
    const most = Math.max(...times, -Infinity);
    return most === -Infinity ? null : most;
  }

  /** The feed adds each interval, where the history is shown at that resolution. */
  takesLive(interval) {
    return this.step < interval * 1.9;
  }

  /** Appends a snapshot; returns whether a shown target has got a point. */
  append(snapshot, start) {
    let news = false;
    for (const table of snapshot.tables)
      for (const row of table.rows) {
        const measures = this.targets.get(row.target ?? targetName(table.kind, row.labels));
        if (measures) news = this.appendRow(table, row, measures, snapshot, start) || news;
      }
    return news;
  }

  appendRow(table, row, measures, snapshot, start) {
    let news = false;
    table.columns.forEach((column, i) => {
      const series = measures.get(measureOf(table.kind, column.name, groupOf(column)));
      if (series && column.type !== "counter")
        news = append(series, snapshot.taken_realtime_seconds, row.values[i], start,
          this.step) || news;
    });
    return news;
  }

  /** What is shown, in the form of /api/v1/history, for a download. */
  shown(targets, { start, end }) {
    return targets.filter((target) => this.targets.has(target)).map((target) => {
      const { kind } = splitTarget(target);
      const measures = [...this.targets.get(target)];
      const times = [...new Set(measures.flatMap(([, series]) => series.times))]
        .filter((time) => time >= start && time <= end).sort((a, b) => a - b);
      const columns = measures.map(([measure, series]) => {
        const values = new Map(series.times.map((time, i) => [time, series.values[i]]));
        return { name: `pmu_${kind}_${measure.replace(":", "_")}`, unit: series.unit,
          values: times.map((time) => values.get(time) ?? null) };
      });
      return { target, times, columns };
    });
  }
}

/**
 * Whom the history knows. It is asked once, and again when somebody is wanted whom it did not know:
 * a page asks for nothing that is not there.
 */
export class KnownTargets {
  constructor(signal) {
    this.signal = signal;
    this.names = new Set();
    this.plotted = [];
  }

  /** Those of the targets that are known, or may be: not all are listed where there are too many. */
  async among(targets) {
    if (targets.some((target) => !this.names.has(target))) await this.ask();
    if (this.isCut) return targets;
    return targets.filter((target) => this.names.has(target));
  }

  /** All that can be plotted, the machine first; those that are gone too. */
  async all() {
    await this.ask();
    return this.plotted;
  }

  async ask() {
    const { targets, cut } = await get("history/targets", { start: 1 }, this.signal);
    this.isCut = cut;
    const kinds = ["machine", "cgroup", "process"];
    const rank = (target) => (kinds.indexOf(splitTarget(target).kind) + kinds.length + 1) %
      (kinds.length + 1);
    this.names = new Set(targets.map((each) => each.target));
    this.plotted = targets.filter((each) => each.columns.length > 0).map((each) => each.target)
      .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  }
}

/** Who uses most CPUs now, three of them; else the machine, or whatever there is. */
export async function defaultTargets(known, signal) {
  const columns = ["cgroup", "process"].map((kind) => `pmu_${kind}_cpus_used`);
  const snapshot = await get("targets", {}, signal).catch((error) => {
    if (error.name === "AbortError") throw error;
    return { tables: [] };
  });
  const used = (snapshot.tables ?? []).flatMap((table) => {
    const place = table.columns.findIndex((column) => columns.includes(column.name));
    return place < 0 ? [] : table.rows.map((row) =>
      [targetName(table.kind, row.labels), row.values[place] ?? 0]);
  }).sort(([, a], [, b]) => b - a).slice(0, 3).map(([target]) => target);
  return used.length ? used : (await known.all()).slice(0, 1);
}

/* The shares of each CPU over a range, or null where the history has none. */
async function loadCpus(target, { start, end }, signal) {
  try {
    const answer = await get("history/cpus", { target, start, end, points: POINTS_OF_CPUS }, signal);
    return answer.cpus.length ? answer : null;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return null;
  }
}

/** On which CPUs these targets ran: [[target, answer], …], without those of which it is not kept. */
export async function loadAllCpus(targets, range, signal) {
  const answers = await Promise.all([...new Set(targets)].map(async (target) =>
    [target, await loadCpus(target, range, signal)]));
  return answers.filter(([, answer]) => answer);
}
