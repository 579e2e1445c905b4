// SPDX-License-Identifier: Apache-2.0
// What runs come to in figures: one by itself, or two against each other.

import { changeWords, isClear } from "./before_after.js";
import { element } from "./elements.js";
import { exact, number } from "./format.js";
import { reasonInWords } from "./reasons.js";
import { unitOf } from "./run_points.js";

const numberCell = (text, more = {}) => element("td", { class: "number", ...more }, text);
const figure = (value) => numberCell(number(value), { title: exact(value) });

function heading({ name, ...column }) {
  return element("th", { scope: "row" }, element("span", { class: "run-column" }, name), " ",
    element("span", { class: "quiet-text" }, unitOf({ name, ...column })));
}

/**
 * A table whose columns but the first are numbers, under a caption for who does not see it. Columns
 * of words have {words} as their heading.
 */
export function figureTable(caption, headings, rows) {
  return element("div", { class: "scroll card", tabindex: 0, role: "region", "aria-label": caption },
    element("table", { class: "plain" },
      element("thead", {}, element("tr", {}, headings.map((text, i) =>
        element("th", { scope: "col", class: i > 0 && !text.words ? "number" : null },
          text.words ?? text)))),
      element("tbody", {}, rows)));
}

/** Of each column what it came to in all, its mean, its spread, the least and the most. */
export function summaryTable(run) {
  return figureTable("Summary", ["Event or ratio", "Total", "Mean", "Spread", "Least", "Most"],
    run.columns.map((column, i) => {
      const { total, mean, spread, min, max } = run.summary[i];
      return element("tr", {}, heading(column), [total, mean, spread, min, max].map(figure));
    }));
}

const meanOf = ({ mean, spread }) => element("td", { class: "number", title: exact(mean) },
  number(mean), element("span", { class: "spread" }, spread === null ? "" : ` ± ${number(spread)}`));

/** What both have, beside each other; a change that the spread does not explain is heavy. */
export function comparisonTable({ a, b, columns }) {
  const head = (run, colour) => [element("span", { class: `swatch series-${colour}` }), " ",
    element("bdi", {}, run.title)];
  return figureTable("Comparison", ["Event or ratio", head(a, 0), head(b, 1), "Change"],
    columns.map((column) => {
      const clear = isClear(column.a, column.b);
      return element("tr", {}, heading(column), meanOf(column.a), meanOf(column.b),
        numberCell(changeWords(column.change), { class: clear ? "number clear" : "number",
          title: clear ? "more than the spread explains" : "no more than the spread may explain" }));
    }));
}

/** What is not counted, or only for a part of its time, and why: a list of texts. */
export function shortcomings({ title, events }) {
  return events.flatMap(({ name, reason, why, coverage }) => {
    if (reason) return [`${name} is not counted in “${title}”: ${why ?? reasonInWords(reason)}`];
    return coverage !== null && coverage < 0.995
      ? [`${name} had the PMU for ${(coverage * 100).toFixed(0)} % of its time in “${title}”`] : [];
  });
}
