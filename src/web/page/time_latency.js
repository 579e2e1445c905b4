// SPDX-License-Identifier: Apache-2.0
//
// Of the view "Over time": how long threads of the chosen targets waited, ran and were blocked, a
// map for each distribution that a target has, and words for those that have none.

import { get } from "./api.js";
import { shortNames } from "./columns.js";
import { element, keepChildren, setText } from "./elements.js";
import { DISTRIBUTIONS, distributionOf, familiesOf } from "./latency.js";
import { LatencyMap } from "./latency_map.js";

const STEP = 10; // seconds; the history keeps no finer ones
const MOST_POINTS = 700;

/* {target, step_seconds, times, columns}, or null where the history has none. */
async function load(target, { start, end }, signal) {
  const column = familiesOf(target);
  const points = Math.min(Math.max(Math.floor((end - start) / STEP), 1), MOST_POINTS);
  if (column.length === 0) return null;
  try {
    const answer = await get("history", { target, column, start, end, points }, signal);
    const [found] = answer.targets;
    return found?.times.length && found.columns.length
      ? { ...found, step_seconds: Math.max(answer.step_seconds, STEP) } : null;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return null;
  }
}

/** The distributions of these targets: [[target, answer], …], without those that have none. */
export async function loadLatencies(targets, range, signal) {
  const answers = await Promise.all(targets.map(async (target) =>
    [target, await load(target, range, signal)]));
  return answers.filter(([, answer]) => answer);
}

export class LatencyMaps {
  /** wishes: as those of a plot. status: the promise of /api/v1/status. */
  constructor(wishes, status) {
    this.wishes = wishes;
    this.maps = new Map();
    this.note = element("p", { class: "note" });
    this.grid = element("div", { class: "time-plots" });
    Promise.resolve(status).then((known) => {
      this.status = known?.latency;
      if (this.without) this.tellWithout();
    }).catch(() => {});
  }

  /** Takes what loadLatencies() told, and shows it in the order of the targets. */
  show(targets, answers) {
    const known = new Map(answers);
    const names = shortNames(targets);
    const wanted = new Map(targets.flatMap((target, i) => DISTRIBUTIONS.flatMap((distribution) => {
      const data = known.has(target) && distributionOf(known.get(target), distribution);
      const step_seconds = known.get(target)?.step_seconds;
      return data ? [[`${distribution.id} ${names[i]} ${target}`,
        { target, name: names[i], distribution, data: { ...data, step_seconds } }]] : [];
    })));
    this.keep(wanted);
    for (const [key, { data }] of wanted) this.maps.get(key).show(data);
    this.without = targets.map((target, i) => !known.has(target) && names[i]).filter(Boolean);
    this.tellWithout();
  }

  /* Maps stay where they are while their target is there: the focus stays, and nothing jumps. */
  keep(wanted) {
    for (const [key, map] of this.maps)
      if (!wanted.has(key)) {
        map.close();
        this.maps.delete(key);
      }
    for (const [key, { target, name, distribution }] of wanted)
      if (!this.maps.has(key))
        this.maps.set(key, new LatencyMap(target, name, distribution, this.wishes));
    keepChildren(this.grid, [...wanted.keys()].map((key) => this.maps.get(key).root));
  }

  tellWithout() {
    const names = this.without.join(", ");
    const why = this.status?.reason ? `they cannot be counted here (${this.status.reason}).`
      : "the configuration asks for none (latency), or its first ten seconds have not passed.";
    setText(this.note, names && `Of ${names} no distributions are kept in this range: ${why}`);
  }

  /** Asks again. isStill(): it is wanted yet. */
  async reload(targets, range, signal, isStill) {
    const answers = await loadLatencies(targets, range, signal).catch(() => null);
    if (answers && isStill()) this.show(targets, answers);
  }

  all() {
    return [...this.maps.values()];
  }
}
