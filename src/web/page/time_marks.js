// SPDX-License-Identifier: Apache-2.0
//
// Marks below the plots: a table of those in the range, adding and deleting one where this is
// allowed, and what was different before and after one.

import { get, isAbort, post, remove } from "./api.js";
import { element, replace, setText } from "./elements.js";
import { changeWords, compareSides, sidesOf } from "./before_after.js";
import { isCoverage, titleOf } from "./columns.js";
import { formatOf, instant } from "./format.js";
import { spanWords } from "./range.js";

export class Marks {
  /** wishes: {changed(), now(), cursor(), choose(id), signal} */
  constructor(wishes, status) {
    this.wishes = wishes;
    this.marks = [];
    this.body = element("tbody", {});
    this.none = element("p", { class: "note" });
    this.table = element("div", { class: "scroll", tabindex: 0, role: "region",
      "aria-label": "Marks in this range" }, element("table", { class: "plain" },
      element("thead", {}, element("tr", {}, ["Time", "Mark", "Actions"].map((heading) =>
        element("th", { scope: "col" }, heading)))), this.body));
    this.add = element("div", {});
    this.root = element("section", { class: "time-marks", "aria-label": "Marks" },
      element("h2", {}, "Marks"), this.add, this.none, this.table);
    status.then((known) => this.showControl(known?.control ?? { allowed: false, how: "" }));
  }

  showControl(control) {
    this.allowed = control.allowed;
    replace(this.add, control.allowed ? this.form()
      : element("p", { class: "note" }, "Marks can be added with ",
        element("code", {}, "pmutool mark \"release 1.2\""), control.how ? ". On this page: " : ".",
        control.how));
    this.fill();
  }

  form() {
    this.input = element("input", { type: "text", required: true, maxlength: 200,
      "aria-label": "Text of a new mark", placeholder: "release 1.2" });
    this.said = element("span", { class: "note", role: "status" });
    const form = element("form", { class: "tools" }, this.input,
      element("button", { type: "submit" }, "Mark this moment"), this.said);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.put();
    });
    return form;
  }

  async put() {
    try {
      await post("marks", { text: this.input.value }, this.wishes.signal);
      this.input.value = "";
      setText(this.said, "Marked.");
    } catch (error) {
      setText(this.said, isAbort(error) ? "" : `It was not kept: ${error.message}`);
    }
    this.wishes.changed();
  }

  async drop(mark) {
    try {
      await remove(`marks/${mark.id}`, this.wishes.signal);
    } catch (error) {
      if (!isAbort(error) && this.said) setText(this.said, `It was not deleted: ${error.message}`);
    }
    this.wishes.changed();
  }

  /** Asks for the marks of a range. Without a history there are none. */
  async load(range, signal) {
    const asked = this.asked = {};
    const answer = await get("marks", range, signal).catch((error) => {
      if (isAbort(error)) throw error;
      return { marks: [] };
    });
    if (asked === this.asked) { // the answer to an earlier question may come later
      this.marks = answer.marks;
      this.fill();
    }
    return this.marks;
  }

  /* Lines that are there stay, so that nobody clicks on one that is just being replaced. */
  fill() {
    const text = JSON.stringify([this.marks, this.allowed]);
    if (text === this.filled) return;
    this.filled = text;
    setText(this.none, this.marks.length ? "" : "No mark in this range.");
    this.none.hidden = this.marks.length > 0;
    this.table.hidden = this.marks.length === 0;
    replace(this.body, this.marks.map((mark) => element("tr", {},
      element("td", {}, instant(mark.time)), element("td", {}, element("bdi", {}, mark.text)),
      element("td", { class: "mark-actions" }, this.compareButton(mark),
        this.allowed ? this.deleteButton(mark) : null))));
  }

  compareButton(mark) {
    return element("button", { type: "button", "aria-label": `Before and after ${mark.text}`,
      on: { click: () => this.wishes.choose(mark.id) } }, "Before and after");
  }

  deleteButton(mark) {
    return element("button", { type: "button", class: "quiet", "aria-label": `Delete ${mark.text}`,
      on: { click: () => this.drop(mark) } }, "Delete");
  }
}

function meanCell(side, format) {
  if (!side) return element("td", { class: "number" }, "–");
  return element("td", { class: "number" }, format(side.mean),
    element("span", { class: "spread" }, side.spread === null ? "" : ` ± ${format(side.spread)}`));
}

function comparedRow(measure, unitSeries, sides) {
  const format = formatOf(measure.split(":")[0]);
  const { before, after, change, clear } = compareSides(unitSeries, sides);
  return element("tr", {}, element("th", { scope: "row" }, titleOf(measure)),
    element("td", {}, element("bdi", {}, unitSeries.name)),
    meanCell(before, format), meanCell(after, format),
    element("td", { class: clear ? "number clear" : "number" }, changeWords(change),
      element("span", { class: "hidden-text" }, clear ? " (more than chance)" : "")));
}

/**
 * A table of means before and after a mark, or words where there is nothing to compare.
 * shown: [[measure, [{name, times, values}]], …]; close(): it is wanted no more.
 */
export function beforeAndAfter(mark, marks, shown, { start, end }, close) {
  const sides = sidesOf(mark, marks, start, end);
  const head = element("div", { class: "head" },
    element("h2", {}, "Before and after ", element("bdi", {}, `“${mark.text}”`)),
    element("span", { class: "sub" }, sides ? `${spanWords(sides.middle - sides.start)} on either side`
      : ""),
    element("button", { type: "button", class: "quiet", on: { click: close } }, "Close"));
  const rows = sides ? shown.filter(([measure]) => !isCoverage(measure)).flatMap(([measure, series]) =>
    series.map((one) => comparedRow(measure, one, sides))) : [];
  if (rows.length === 0)
    return element("section", { class: "card before-after" }, head,
      element("p", { class: "note" }, "There is nothing to compare in the range that is shown."));
  return element("section", { class: "card before-after", "aria-label": "Before and after a mark" },
    head, element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Means" },
      element("table", { class: "plain" },
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "What"),
        element("th", { scope: "col" }, "Target"),
        ["Mean before", "Mean after", "Change"].map((heading) =>
          element("th", { scope: "col", class: "number" }, heading)))),
      element("tbody", {}, rows))),
    element("p", { class: "note" }, "Mean ± standard deviation. A change in bold is more than twice ",
      "what the spread of the samples lets expect."));
}
