// SPDX-License-Identifier: Apache-2.0
//
// Of the view "Over time": how long threads of the chosen targets waited, ran and were blocked, and
// how long their requests took, a map for each distribution that a target has, with that of the day
// before where it is compared, and words for those that have none.

import { shortNames } from "./columns.js";
import { element, keepChildren, setText } from "./elements.js";
import { DISTRIBUTIONS, familiesOf, refusalOf, shownOf } from "./latency.js";
import { LatencyMap } from "./latency_map.js";
import { loadColumns, loadWithBefore } from "./time_columns.js";

const MOST_POINTS = 700;

/**
 * The distributions of these targets: [[target, answer, that of the day before or null], …], without
 * those that have none. compare: the day before is asked for, too.
 */
export async function loadLatencies(targets, range, compare, signal) {
  const answers = await loadWithBefore(targets, range, compare,
    (target, span) => loadColumns(target, familiesOf(target), span, MOST_POINTS, signal));
  return answers.filter(([, answer, before]) => answer || before);
}

export class LatencyMaps {
  /** wishes: as those of a plot. status: the promise of /api/v1/status. hasMore(target): distributions
   * of it are shown elsewhere. */
  constructor(wishes, status, hasMore) {
    this.wishes = wishes;
    this.hasMore = hasMore;
    this.maps = new Map();
    this.note = element("p", { class: "note" });
    this.grid = element("div", { class: "time-plots" });
    Promise.resolve(status).then((known) => {
      this.status = known?.latency;
      if (this.without) this.tellWithout();
    }).catch(() => {});
  }

  /** Takes what loadLatencies() told, and shows it in the order of the targets. */
  show(targets, answers, compare) {
    const known = new Map(answers.map(([target, ...both]) => [target, both]));
    const names = shortNames(targets);
    const wanted = new Map(targets.flatMap((target, i) => DISTRIBUTIONS.flatMap((distribution) =>
      shownOf(distribution, known.get(target) ?? []).flatMap((data, isBefore) => (data
        ? [[`${distribution.id} ${isBefore} ${names[i]} ${target}`,
          { target, name: names[i], distribution, isBefore, data }]] : [])))));
    this.compare = compare;
    this.keep(wanted);
    for (const [key, { data }] of wanted) this.maps.get(key).show(data);
    this.without = targets.map((target, i) => [target, names[i]])
      .filter(([target]) => !known.get(target)?.[0]);
    this.withoutBefore = compare ? targets.flatMap((target, i) => {
      const [today, before] = known.get(target) ?? [];
      return today && !before ? [names[i]] : [];
    }) : [];
    this.tellWithout();
  }

  /* Maps stay where they are while their target is there: the focus stays, and nothing jumps. */
  keep(wanted) {
    for (const [key, map] of this.maps)
      if (!wanted.has(key)) {
        map.close();
        this.maps.delete(key);
      }
    for (const [key, { target, name, distribution, isBefore }] of wanted)
      if (!this.maps.has(key))
        this.maps.set(key, new LatencyMap(target, name, distribution, this.wishes, isBefore));
    keepChildren(this.grid, [...wanted.keys()].map((key) => this.maps.get(key).root));
  }

  /** Says who has none. What has elsewhere is asked anew. */
  tellWithout() {
    const names = this.without.filter(([target]) => !this.hasMore(target)).map(([, name]) => name)
      .join(", ");
    const refusal = refusalOf(this.status);
    const why = refusal ? `they cannot be counted here (${refusal}).`
      : "the configuration asks for none (latency), or its first ten seconds have not passed.";
    const words = [names && `Of ${names} no distributions are kept in this range: ${why}`,
      this.withoutBefore.length &&
        `Of ${this.withoutBefore.join(", ")} none are kept of the day before.`];
    setText(this.note, words.filter(Boolean).join(" "));
  }

  /** Asks again. isStill(): it is wanted yet. */
  async reload(targets, range, signal, isStill) {
    const { compare } = this;
    const answers = await loadLatencies(targets, range, compare, signal).catch(() => null);
    if (answers && isStill()) this.show(targets, answers, compare);
  }

  all() {
    return [...this.maps.values()];
  }
}
