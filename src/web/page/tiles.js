// SPDX-License-Identifier: Apache-2.0
// The machine as a whole: a tile for each of its numbers.

import { element, replace, setText } from "./elements.js";
import { count, formatOf, heading } from "./format.js";
import { drawSparkline } from "./sparkline.js";

const MOST = 6;

export class Tiles {
  constructor(curves, link) {
    Object.assign(this, { curves, link });
    this.root = element("section", { class: "tiles", "aria-label": "The machine" });
    this.tiles = [];
  }

  /** Makes a tile for each of these measures of the machine. */
  make(measures) {
    this.tiles = measures.slice(0, MOST).map((name) => {
      const value = element("span", { class: "value" });
      const more = element("span", { class: "more" });
      const canvas = element("canvas", { class: "tile-curve", "aria-hidden": "true" });
      const tile = element("a", { class: "tile card", href: this.link("time", { target: "machine" }) },
        element("span", { class: "label" }, heading(name)), element("span", {}, value, more), canvas);
      return { name, tile, value, more, canvas };
    });
    this.counts = { value: element("span", { class: "value" }), more: element("span", { class: "more" }) };
    replace(this.root, this.tiles.map(({ tile }) => tile),
      element("a", { class: "tile card", href: this.link("status") },
        element("span", { class: "label" }, "targets counted"),
        element("span", {}, this.counts.value), this.counts.more));
  }

  show(machine, answer, n, time, seconds) {
    for (const { name, value, more, canvas } of this.tiles) {
      setText(value, formatOf(name)(machine?.values[name]));
      if (name === "cpus_used" && machine?.values.cpus)
        setText(more, ` of ${count(machine.values.cpus)}`);
      drawSparkline(canvas, this.curves.get(`machine ${name}`), seconds, time);
    }
    const out = answer.uncounted.reduce((sum, { targets: some }) => sum + some, 0);
    setText(this.counts.value, count(n));
    setText(this.counts.more, out > 0 ? `${count(out)} not counted, or in part` : "none is left out");
  }
}
