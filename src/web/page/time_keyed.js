// SPDX-License-Identifier: Apache-2.0
//
// Of the view "Over time": what the chosen targets have counted by key, a map and a table for each
// kind that a target has, with a map of the day before where it is compared. Of one that has none
// nothing is shown.

import { shortNames } from "./columns.js";
import { element, keepChildren, setText } from "./elements.js";
import { KEYED, keyedFamiliesOf, linesOf } from "./keyed.js";
import { KeyedMap, KeyedTable } from "./keyed_map.js";
import { loadColumns, loadWithBefore } from "./time_columns.js";

const MOST_POINTS = 350; // a line has a series for each bucket

/** What these targets have by key: [[target, answer, that of the day before or null], …], without those
 * that have nothing. compare: the day before is asked for, too. */
export async function loadKeyed(targets, range, compare, signal) {
  const answers = await loadWithBefore(targets, range, compare,
    (target, span) => loadColumns(target, keyedFamiliesOf(target), span, MOST_POINTS, signal));
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
    this.note = element("p", { class: "note" });
    this.grid = element("div", { class: "time-plots" });
    this.oneIn = 1;
    Promise.resolve(status).then((known) => {
      this.oneIn = known?.latency?.timed_calls?.one_in ?? 1;
      for (const one of [...this.maps.values(), ...this.tables.values()]) one.tellOneIn(this.oneIn);
    }).catch(() => {});
  }

  /** Takes what loadKeyed() told, and shows it in the order of the targets. */
  show(targets, answers, compare) {
    const known = new Map(answers.map(([target, ...both]) => [target, both]));
    const names = shortNames(targets);
    const wanted = targets.flatMap((target, i) => KEYED.flatMap((keyed) => {
      const [answer, before] = known.get(target) ?? [];
      const lines = answer ? linesOf(answer, keyed, this.wishes.range()) : [];
      return lines.length ? [{ id: `${keyed.id} ${names[i]} ${target}`, target, name: names[i], keyed,
        answer, before, lines }] : [];
    }));
    this.compare = compare;
    this.shown = new Set(wanted.map(({ target }) => target));
    this.tellBefore(wanted.filter(({ before }) => compare && !before));
    this.forget(new Set(wanted.map(({ id }) => id)));
    const roots = wanted.flatMap((one) => this.showOne(one));
    this.heading.hidden = roots.length === 0;
    keepChildren(this.grid, roots);
    for (const { id, keyed, answer, before, lines } of wanted)
      if (keyed.name) this.maps.get(id).showLines(answer, before, lines);
  }

  tellBefore(without) {
    const names = [...new Set(without.map(({ name }) => name))].join(", ");
    setText(this.note, names && `Of ${names} none of these are kept of the day before.`);
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
  showOne({ id, target, name, keyed, before, lines }) {
    if (keyed.name && !this.maps.has(id))
      this.maps.set(id, new KeyedMap(target, name, keyed, this.wishes));
    if (!this.tables.has(id)) this.tables.set(id, new KeyedTable(target, name, keyed));
    this.maps.get(id)?.compare(before);
    this.maps.get(id)?.tellOneIn(this.oneIn);
    this.tables.get(id).tellOneIn(this.oneIn);
    this.tables.get(id).show(lines);
    return [...this.maps.get(id)?.all() ?? [], this.tables.get(id)].map(({ root }) => root);
  }

  /** Asks again. isStill(): it is wanted yet. */
  async reload(targets, range, signal, isStill) {
    const { compare } = this;
    const answers = await loadKeyed(targets, range, compare, signal).catch(() => null);
    if (answers && isStill()) this.show(targets, answers, compare);
  }

  all() {
    return [...this.maps.values()].flatMap((map) => map.all());
  }
}
