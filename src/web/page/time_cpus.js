// SPDX-License-Identifier: Apache-2.0
//
// Below the plots of the view "Over time": on which CPUs the machine and the chosen targets ran, a
// map for each, and words for those of whom it is not kept.

import { element, keepChildren, setText } from "./elements.js";
import { shortNames } from "./columns.js";
import { CpuMap } from "./cpu_map.js";
import { loadAllCpus } from "./time_data.js";

export class CpuMaps {
  /** wishes: as those of a plot. */
  constructor(wishes) {
    this.wishes = wishes;
    this.maps = new Map();
    this.answers = []; // [[target, answer], …]
    this.note = element("p", { class: "note" });
    this.grid = element("div", { class: "time-plots" });
  }

  /** Takes what loadAllCpus() told, and shows it: the machine first, then in the order of the targets. */
  show(targets, answers) {
    this.answers = answers;
    this.render(targets);
  }

  /** Asks again; a target has CPUs after its first seconds only. isStill(): it is wanted yet. */
  async reload(targets, range, signal, isStill) {
    const all = [...new Set(["machine", ...targets])];
    const news = new Map(await loadAllCpus(all, range, signal).catch(() => []));
    if (!isStill()) return;
    const standing = new Map(this.answers);
    this.show(targets, all.map((target) => [target, news.get(target) ?? standing.get(target)])
      .filter(([, answer]) => answer));
  }

  /* Maps stay where they are while their target is there: the focus stays, and nothing jumps. */
  render(targets) {
    const names = new Map(shortNames(targets).map((name, i) => [targets[i], name]));
    const wanted = new Map(this.answers);
    for (const [target, map] of this.maps)
      if (!wanted.has(target) || map.name !== (names.get(target) ?? target)) {
        map.close();
        this.maps.delete(target);
      }
    for (const target of wanted.keys())
      if (!this.maps.has(target))
        this.maps.set(target, new CpuMap(target, names.get(target) ?? target, this.wishes));
    keepChildren(this.grid, [...wanted.keys()].map((target) => this.maps.get(target).root));
    for (const [target, answer] of wanted) this.maps.get(target).show(answer);
    const without = targets.filter((target) => !wanted.has(target));
    setText(this.note, without.length === 0 ? ""
      : `It is not kept on which CPUs ${without.map((target) => names.get(target)).join(", ")} ran ` +
        "in this range. Of processes it is known where bpf counts: direct counts threads wherever " +
        "they run.");
  }

  all() {
    return [...this.maps.values()];
  }
}
