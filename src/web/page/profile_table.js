// SPDX-License-Identifier: Apache-2.0
// The table of functions: how many samples ended in each, and passed through it. A click shows who
// calls a function, and what it calls.

import { element, replace, setAttribute } from "./elements.js";
import { count } from "./format.js";
import { changeWords, hasWords, keyOf, rowsOf, secondsWords, shareWords } from "./profile_data.js";

const LISTED = 50;

/* Rows as the columns below want them: {kind, owner, name, self: [of each side], total: […]}. Of
   events by their number: samples of equal weight are whole, and few. */
function rowsOfProfile(answer) {
  return rowsOf(answer.table).map((row) => ({ ...row, self: [row.self_events ?? row.self],
    total: [row.total_events ?? row.total],
    amounts: [row.self_events ?? row.self_seconds, row.total_events ?? row.total_seconds] }));
}

function rowsOfDifference(answer) {
  const functions = rowsOf(answer.functions);
  return rowsOf(answer.table).map((row) => ({ ...functions[row.function], change: row.change,
    sigma: row.sigma, differs: Boolean(row.differs), self: [row.self_before, row.self_after],
    total: [row.total_before, row.total_after] }));
}

const share = (n, all) => shareWords(n, all);

/* {title, value(row) to sort by, text(row)} of what stands behind the name. */
function columnsOfProfile(samples, measure, event) {
  const amount = (title, of, i) => (event
    ? { title: `${title} ${event}`, value: (row) => row.amounts[i], text: (row) => count(row.amounts[i]) }
    : measure === "time"
      ? { title: `${title} CPU time`, value: of, text: (row) => secondsWords(row.amounts[i]) }
      : { title: `${title} samples`, value: of, text: (row) => count(of(row)) });
  const [self, total] = [(row) => row.self[0], (row) => row.total[0]];
  return [amount("Self", self, 0), { title: "Self share", value: self,
    text: (row) => share(self(row), samples[0]) },
  amount("Total", total, 1), { title: "Total share", value: total,
    text: (row) => share(total(row), samples[0]) }];
}

function columnsOfDifference(samples, measure) {
  const side = (title, i) => ({ title, value: (row) => row.self[i],
    text: (row) => `${count(row.self[i])} (${share(row.self[i], samples[i])})` });
  return [side("Self before", 0), side("Self after", 1),
    { title: "Change", value: (row) => Math.abs(row.change), differs: true,
      text: (row) => changeWords(row, measure) },
    { title: "Total before", value: (row) => row.total[0], text: (row) => count(row.total[0]) },
    { title: "Total after", value: (row) => row.total[1], text: (row) => count(row.total[1]) }];
}

export class FunctionTable {
  /** wishes: {choose(function)} */
  constructor(wishes) {
    this.wishes = wishes;
    this.rows = [];
    this.words = "";
    this.listed = LISTED;
    this.head = element("thead", {});
    this.body = element("tbody", {});
    this.more = element("button", { type: "button", on: { click: () => {
      this.listed = Infinity;
      this.fill();
    } } });
    this.said = element("p", { class: "note", role: "status" });
    this.root = element("section", { class: "function-table", "aria-label": "Functions" },
      element("h2", {}, "Functions"), this.said,
      element("div", { class: "card scroll", tabindex: 0, role: "region", "aria-label": "Functions" },
        element("table", { class: "plain" }, this.head, this.body)), this.more);
  }

  /** Takes the answer of /api/v1/profile/table, or of a difference. */
  show(answer, measure, words) {
    const isDifference = Boolean(answer.before);
    const samples = isDifference ? [answer.before.samples, answer.after.samples] : [answer.events ?? answer.samples];
    this.rows = isDifference ? rowsOfDifference(answer) : rowsOfProfile(answer);
    this.all = answer.rows ?? this.rows.length;
    this.columns = isDifference ? columnsOfDifference(samples, answer.measure)
      : columnsOfProfile(samples, measure, answer.event);
    if (this.isDifference !== isDifference) this.sorted = isDifference ? 2 : 0;
    this.isDifference = isDifference;
    this.words = words;
    this.listed = LISTED;
    this.name();
    this.fill();
  }

  name() {
    this.headings = ["Function", ...this.columns.map(({ title }) => title)].map((title, i) =>
      element("th", { scope: "col", class: i ? "number" : null },
        element("button", { type: "button", on: { click: () => this.sort(i - 1) } }, title)));
    replace(this.head, element("tr", {}, this.headings));
  }

  sort(i) {
    this.sorted = i;
    this.fill();
  }

  search(words) {
    this.words = words;
    this.listed = LISTED;
    if (this.columns) this.fill();
  }

  fill() {
    this.headings.forEach((heading, i) => setAttribute(heading, "aria-sort",
      i - 1 !== this.sorted ? null : this.sorted < 0 ? "ascending" : "descending"));
    const value = this.columns[this.sorted]?.value;
    const found = this.rows.filter((row) => hasWords(row, this.words));
    found.sort((a, b) => (value ? value(b) - value(a) : 0) || (a.name < b.name ? -1 : 1));
    const shown = found.slice(0, this.listed);
    const focused = this.body.contains(document.activeElement) && document.activeElement.dataset.key;
    replace(this.body, shown.map((row) => this.row(row)));
    if (focused) [...this.body.querySelectorAll("[data-key]")].find(({ dataset }) =>
      dataset.key === focused)?.focus({ preventScroll: true });
    const missing = this.all - this.rows.length;
    this.said.textContent = [found.length < this.rows.length || this.words
      ? `${count(found.length)} of ${count(this.rows.length)} functions have these words.` : "",
    missing > 0 ? `The ${count(missing)} with the fewest samples are not listed.` : ""].join(" ").trim();
    this.more.hidden = shown.length === found.length;
    this.more.textContent = `Show all ${count(found.length)}`;
  }

  row(row) {
    const label = row.name.length > 300 ? `${row.name.slice(0, 300)}…` : row.name;
    const name = row.kind === "note" ? element("bdi", { class: "quiet-text" }, label)
      : element("button", { type: "button", class: "function-name", "data-key": keyOf(row),
        title: "Who calls it, and what it calls", on: { click: () => this.wishes.choose(row) } },
      element("bdi", {}, label));
    return element("tr", {}, element("th", { scope: "row" }, name, " ",
      element("bdi", { class: "quiet-text" }, row.owner)), this.columns.map((column) =>
      element("td", { class: column.differs && row.differs ? "number clear" : "number",
        "data-direction": column.differs && row.differs ? Math.sign(row.change) : null },
      column.text(row), column.differs ? element("span", { class: "hidden-text" },
        row.differs ? " (more than chance)" : "") : null)));
  }
}
