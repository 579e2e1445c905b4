// SPDX-License-Identifier: Apache-2.0
//
// What the plots show at the cursor, as a table: for who reads it with a screen reader, or wants to
// have all numbers of a moment side by side.

import { element, replace, setText } from "./elements.js";
import { timeWords } from "./ticks.js";

export class ValueTable {
  constructor() {
    this.caption = element("caption", {});
    this.head = element("tr", {});
    this.body = element("tbody", {});
    this.root = element("details", { class: "value-table" },
      element("summary", {}, "Values as a table"),
      element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Values" },
        element("table", { class: "plain" }, this.caption,
          element("thead", {}, this.head), this.body)));
    this.root.addEventListener("toggle", () => this.last && this.show(...this.last));
  }

  /** The values at a time, which is that of the cursor, or else the last one. */
  show(plots, time, atCursor) {
    this.last = [plots, time, atCursor];
    if (!this.root.open) return;
    const rows = plots.map((plot) => [plot, plot.read(atCursor ? time : null).values]);
    const names = new Map(rows.flatMap(([, values]) => values.map((one) => [one.target, one.name])));
    setText(this.caption, time === null ? "No data"
      : `${atCursor ? "At the cursor" : "The last values"}, ${timeWords(time, Infinity)}`);
    replace(this.head, element("th", { scope: "col" }, "What"), element("th", { scope: "col" }, "Unit"),
      [...names.values()].map((name) => element("th", { scope: "col", class: "number" },
        element("bdi", {}, name))));
    replace(this.body, rows.map(([plot, values]) => element("tr", {},
      element("th", { scope: "row" }, plot.title), element("td", {}, plot.unit),
      [...names.keys()].map((target) => this.cell(plot, values.find((one) => one.target === target))))));
  }

  cell(plot, one) {
    return element("td", { class: "number" }, one ? plot.format(one.value) : "–",
      one?.before !== null && one?.before !== undefined
        ? element("span", { class: "plot-before" }, ` day before ${plot.format(one.before)}`) : null);
  }
}
