// SPDX-License-Identifier: Apache-2.0
// The samples of a range over time, finely: a column for each second, which goes from below to above,
// in parts of 100 ms. What comes and goes within a second is a pattern there. A click on a part shows
// the profile of that part alone; the map stays.

import { element, setText } from "./elements.js";
import { count } from "./format.js";
import { HeatMap } from "./heatmap.js";
import { timeWords } from "./ticks.js";

const ROW = 11; // pixels
const CLICK = 5; // pixels; more is a drag

/** The columns of an answer of /api/v1/profile/seconds, the last part of each second above. */
export function columnsOf({ from, parts, seconds, samples }) {
  return { step_seconds: 1, times: Array.from({ length: seconds }, (_, i) => from + i + 1),
    values: Array.from({ length: parts }, (_, row) => Array.from({ length: seconds },
      (_, i) => samples[i * parts + parts - 1 - row])) };
}

/** When a part of a column begins and ends. */
export function partOf({ times, values }, row, i) {
  const parts = values.length;
  const start = times[i] - 1 + (parts - 1 - row) / parts;
  return { start, end: start + 1 / parts };
}

export class SecondsMap extends HeatMap {
  /** wishes: {choose({start, end}), whole()} */
  constructor({ choose, whole }) {
    const nothing = () => {};
    super({ name: "", title: "When", label: "Samples within each second", unit: "samples in 100 ms",
      attributes: { class: "plot card heat seconds-map" } }, {
      range: () => this.range, cursor: (time) => this.point(time), preview: nothing, scale: nothing,
      shift: nothing, mark: nothing, zoom: (start, end) => choose({ start, end }), reset: whole });
    this.choose = choose;
    this.range = { start: 0, end: 1 };
    this.chosen = element("div", { class: "heat-chosen", hidden: true });
    this.box.append(this.chosen);
    this.back = element("button", { type: "button", hidden: true, on: { click: whole } }, "Whole range");
    this.root.querySelector("figcaption").append(this.back);
    this.box.addEventListener("pointerdown", (event) => { this.pressed = event.clientX; });
    this.box.addEventListener("click", (event) => this.click(event));
    this.root.hidden = true;
  }

  /**
   * answer: null where there is nothing to be shown. target: its name. chosen: the part of the range
   * whose profile is shown, or null.
   */
  showSeconds(answer, target, chosen) {
    this.root.hidden = !answer?.seconds;
    if (this.root.hidden) return;
    this.range = { start: answer.from, end: answer.from + answer.seconds };
    this.part = chosen;
    this.greatest = Math.max(1, ...answer.samples);
    this.back.hidden = !chosen;
    setText(this.root.querySelector("h3 bdi"), target);
    this.box.setAttribute("aria-label", `Samples within each second, ${target}`);
    this.show(columnsOf(answer));
  }

  rowHeight() {
    return ROW;
  }

  shareOf(value) {
    return value / this.greatest;
  }

  scaleWords() {
    return ["none", count(this.greatest)];
  }

  summaryWords() {
    return "A column is a second, from below to above. Click a cell, or drag over some seconds, for " +
      "the profile of that alone.";
  }

  rowNames(tall) {
    const parts = this.data.values.length;
    return [0, 0.5].map((second) => ({ text: `${second * 1000} ms`,
      top: (1 - second) * parts * tall - 14 }));
  }

  tell(i) {
    const { times, values } = this.data;
    const when = timeWords(times[i] - 1, 0);
    if (this.row === null) {
      const all = values.reduce((sum, row) => sum + row[i], 0);
      return `${when}  ${count(all)} samples in this second`;
    }
    const ms = Math.round((partOf(this.data, this.row, i).start - (times[i] - 1)) * 1000);
    const n = values[this.row][i];
    return `${when} + ${ms} ms  ${count(n)} sample${n === 1 ? "" : "s"}`;
  }

  /* The part whose profile is shown has a frame. */
  paintOver(width, height) {
    this.chosen.hidden = !this.part;
    if (!this.part) return;
    const { start, end } = this.range;
    const { left } = this.area();
    const parts = this.data.values.length;
    const isCell = this.part.end - this.part.start < 1.5 / parts;
    const from = isCell ? Math.floor(this.part.start + 1e-6) : this.part.start;
    const to = isCell ? from + 1 : this.part.end;
    const row = parts - 1 - Math.round((this.part.start - from) * parts);
    const x = (time) => left + width * (Math.min(Math.max(time, start), end) - start) / (end - start);
    Object.assign(this.chosen.style, { left: `${x(from)}px`, width: `${Math.max(x(to) - x(from), 3)}px`,
      top: isCell ? `${row * ROW}px` : "0", height: isCell ? `${ROW}px` : `${height}px` });
  }

  click(event) {
    if (event.detail > 1 || Math.abs(event.clientX - this.pressed) >= CLICK) return;
    this.hover(event);
    this.take();
  }

  key(event) {
    if (event.key === "Enter") {
      event.preventDefault();
      this.take();
    } else {
      super.key(event);
    }
  }

  /* The part at the cursor. */
  take() {
    const i = this.time === null || this.time === undefined ? -1 : this.column(this.time);
    if (i >= 0 && this.row !== null) this.choose(partOf(this.data, this.row, i));
  }
}
