// SPDX-License-Identifier: Apache-2.0
//
// Of the view "Over time": what the chosen targets have counted by key, a map and a table for each
// kind that a target has. Of one that has none nothing is shown.

import { shortNames } from "./columns.js";
import { element, keepChildren } from "./elements.js";
import { KEYED, keyedFamiliesOf, linesOf } from "./keyed.js";
import { KeyedMap, KeyedTable } from "./keyed_map.js";
import { loadColumns } from "./time_columns.js";

const MOST_POINTS = 350; // a line has a series for each bucket

/** What these targets have by key: [[target, answer], …], without those that have nothing. */
export async function loadKeyed(targets, range, signal) {
  const answers = await Promise.all(targets.map(async (target) =>
    [target, await loadColumns(target, keyedFamiliesOf(target), range, MOST_POINTS, signal)]));
  return answers.filter(([, answer]) => answer);
}

export class KeyedMaps {
  /** wishes: as those of a plot. status: the promise of /api/v1/status. */
  constructor(wishes, status) {
    this.wishes = wishes;
    this.maps = new Map();
    this.tables = new Map();
    this.shown = new Set(); // targets
    this.heading = element("h2", { class: "time-heading", hidden: true },
      "Interrupts, guests, connections, spans and system calls");
    this.grid = element("div", { class: "time-plots" });
    this.oneIn = 1;
    Promise.resolve(status).then((known) => {
      this.oneIn = known?.latency?.timed_calls?.one_in ?? 1;
      for (const one of [...this.maps.values(), ...this.tables.values()]) one.tellOneIn(this.oneIn);
    }).catch(() => {});
  }

  /** Takes what loadKeyed() told, and shows it in the order of the targets. */
  show(targets, answers) {
    const known = new Map(answers);
    const names = shortNames(targets);
    const wanted = targets.flatMap((target, i) => KEYED.flatMap((keyed) => {
      const answer = known.get(target);
      const lines = answer ? linesOf(answer, keyed, this.wishes.range()) : [];
      return lines.length ? [{ id: `${keyed.id} ${names[i]} ${target}`, target, name: names[i], keyed,
        answer, lines }] : [];
    }));
    this.shown = new Set(wanted.map(({ target }) => target));
    this.forget(new Set(wanted.map(({ id }) => id)));
    const roots = wanted.flatMap((one) => this.showOne(one));
    this.heading.hidden = roots.length === 0;
    keepChildren(this.grid, roots);
    for (const { id, keyed, answer, lines } of wanted)
      if (keyed.name) this.maps.get(id).showLines(answer, lines, answer.step_seconds);
  }

  forget(wanted) {
    for (const [id, map] of this.maps)
      if (!wanted.has(id)) {
        map.close();
        this.maps.delete(id);
      }
    for (const id of this.tables.keys()) if (!wanted.has(id)) this.tables.delete(id);
  }

  /* Maps and tables stay where they are while their target is there: the focus stays. */
  showOne({ id, target, name, keyed, lines }) {
    if (keyed.name && !this.maps.has(id))
      this.maps.set(id, new KeyedMap(target, name, keyed, this.wishes));
    if (!this.tables.has(id)) this.tables.set(id, new KeyedTable(target, name, keyed));
    this.maps.get(id)?.tellOneIn(this.oneIn);
    this.tables.get(id).tellOneIn(this.oneIn);
    this.tables.get(id).show(lines);
    return [...keyed.name ? [this.maps.get(id).root] : [], this.tables.get(id).root];
  }

  /** Asks again. isStill(): it is wanted yet. */
  async reload(targets, range, signal, isStill) {
    const answers = await loadKeyed(targets, range, signal).catch(() => null);
    if (answers && isStill()) this.show(targets, answers);
  }

  all() {
    return [...this.maps.values()];
  }
}
