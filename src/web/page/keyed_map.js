// SPDX-License-Identifier: Apache-2.0
//
// Of what is counted by key: a map of one line over time, which the reader chooses, and a table of
// all lines.

import { element, replace, setText } from "./elements.js";
import { duration, exact, number, percent } from "./format.js";
import { distributionOfLine } from "./keyed.js";
import { shownOf } from "./latency.js";
import { LatencyMap } from "./latency_map.js";

/* Of what unit the numbers are; of calls of which only some are timed, how many those are. */
function tellUnit(root, keyed, words, oneIn) {
  setText(root.querySelector(".plot-unit"), keyed.isTimed && oneIn > 1
    ? `${words}; one call in ${oneIn} is timed` : words);
}

/** A map whose line is chosen by a list in its heading; what is chosen stays while it is there. That of
 * the day before has the same line. */
export class KeyedMap extends LatencyMap {
  constructor(target, name, keyed, wishes) {
    super(target, name, keyed, wishes, 0);
    Object.assign(this, { target, name, keyed });
    this.chosen = null;
    this.before = null; // a map
    this.choice = element("select", { class: "heat-line-choice",
      "aria-label": `${keyed.word} of ${keyed.title}, ${name}`,
      on: { change: () => this.choose(this.choice.value) } });
    this.root.classList.add("keyed-map");
    if (keyed.key) this.root.querySelector("h3").after(this.choice);
  }

  /** before: the answer of the day before; without one there is no map of it. */
  compare(before) {
    if (before) {
      this.before ??= new LatencyMap(this.target, this.name, this.keyed, this.wishes, 1);
    } else {
      this.before?.close();
      this.before = null;
    }
  }

  /** This map, and that of the day before if there is one. */
  all() {
    return [this, this.before].filter(Boolean);
  }

  /** lines: those of linesOf(answer), of which there is one at least. before: as in compare(). */
  showLines(answer, before, lines) {
    const { line } = lines.find((one) => one.line === this.chosen) ?? lines[0];
    this.answers = [answer, before];
    this.labels = new Map(lines.map((one) => [one.line, one.label]));
    if (document.activeElement !== this.choice)
      replace(this.choice, lines.map((one) => element("option",
        { value: one.line, selected: one.line === line }, one.label)));
    this.showLine(line);
  }

  tellOneIn(oneIn) {
    this.oneIn = oneIn;
    tellUnit(this.root, this.keyed, this.look.unit, oneIn);
  }

  choose(line) {
    this.chosen = line;
    this.showLine(line);
  }

  showLine(line) {
    this.distribution = distributionOfLine(this.keyed, line);
    const [today, before] = shownOf(this.distribution, this.answers);
    this.show(today);
    if (this.before) this.showBefore(line, before);
  }

  /* A line that was not kept then has no map. */
  showBefore(line, data) {
    this.before.root.hidden = !data;
    this.before.distribution = this.distribution;
    if (data) this.before.show(data);
    tellUnit(this.before.root, this.keyed,
      this.keyed.key ? `${this.labels.get(line)}, ${this.look.unit}` : this.look.unit, this.oneIn);
  }

  close() {
    this.compare(null);
    super.close();
  }
}

const cell = (text, title) => element("td", { class: "number", title }, text);
const rateCell = (rate) => cell(number(rate), `${exact(rate)} a second`);

function rowOf(keyed, line) {
  const { counts } = line;
  const failed = keyed.id === "system_call" ? [cell(percent(counts[1] / counts[0]))] : [];
  const durations = keyed.name ? [rateCell(line.rate), cell(duration(line.p50)), cell(duration(line.p99)),
    cell(duration(line.busy))] : [];
  return element("tr", {}, keyed.key && element("th", { scope: "row" }, element("bdi", {}, line.label)),
    durations, counts.map(rateCell), failed);
}

function headingsOf({ key, word, name, counts = [], id }) {
  return [...key ? [word] : [], ...name ? ["Number", "p50", "p99", "Time"] : [],
    ...counts.map(([, title]) => title), ...id === "system_call" ? ["Failed"] : []];
}

const TABLE_UNIT = "per second, of this range";

/** A table of the lines of one target, the most counted first, of the range that is shown. */
export class KeyedTable {
  constructor(target, name, keyed) {
    this.keyed = keyed;
    this.body = element("tbody", {});
    const label = `${keyed.title} of ${name}, in figures`;
    this.root = element("figure", { class: "plot card", "data-keyed": keyed.id, "data-of": target },
      element("figcaption", {}, element("h3", {}, `${keyed.title}, `, element("bdi", {}, name)),
        element("span", { class: "plot-unit" }, TABLE_UNIT)),
      element("div", { class: "scroll keyed-lines", tabindex: 0, role: "region", "aria-label": label },
        element("table", { class: "plain" },
          element("thead", {}, element("tr", {}, headingsOf(keyed).map((text, i) =>
            element("th", { scope: "col", class: i > 0 || !keyed.key ? "number" : null }, text)))),
          this.body)));
  }

  tellOneIn(oneIn) {
    tellUnit(this.root, this.keyed, TABLE_UNIT, oneIn);
  }

  show(lines) {
    replace(this.body, lines.map((line) => rowOf(this.keyed, line)));
  }
}
