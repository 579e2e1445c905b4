// SPDX-License-Identifier: Apache-2.0
//
// A map over time, on a canvas: rows of cells, and the darker (in the dark: the lighter) a cell, the
// more there was. Where nothing is known the ground is seen, hatched. What rows and cells mean the
// classes know that extend this one: cpu_map.js, latency_map.js.

import { element, replace, setText } from "./elements.js";
import { nearest } from "./align.js";
import { heatColour } from "./colours.js";
import { MarkLines } from "./mark_lines.js";
import { AXIS_WIDTH, RIGHT_MARGIN } from "./plot.js";
import { Surface } from "./surface.js";
import { timeTicks } from "./ticks.js";

const TALLEST_ROW = 18;
const TALLEST = 320;
const AXIS_HEIGHT = 18;
const NOTHING = { times: [], values: [], step_seconds: 10 };

/**
 * What an extension says: shareOf(value) of the strongest colour, scaleWords() for none and for all
 * of it, summaryWords(), rowNames(tall) as [{text, top}], tell(i) what a column, or the cell in
 * this.row, has.
 */
export class HeatMap {
  /**
   * look: {name of the target, title, label for who does not see it, unit, attributes}. wishes: as
   * those of a plot.
   */
  constructor(look, wishes) {
    this.look = look;
    this.name = look.name;
    this.wishes = wishes;
    this.data = NOTHING;
    this.row = null; // that the pointer or the keys are at
    this.width = 0; // of the box, in pixels
    this.build();
  }

  build() {
    const { name, title, label, unit, attributes } = this.look;
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.names = element("div", { class: "heat-rows", "aria-hidden": "true" });
    this.axis = element("div", { class: "heat-axis", "aria-hidden": "true" });
    this.cell = element("div", { class: "heat-cell", hidden: true });
    this.box = element("div", { class: "plot-box heat-box",
      "aria-label": `${label}, ${name}` }, this.names, this.canvas, this.cell, this.axis);
    this.frame = element("div", { class: "plot-frame" }, this.box);
    this.value = element("span", { class: "plot-value" });
    this.summary = element("span", { class: "heat-summary" });
    this.none = element("p", { class: "plot-none" });
    this.root = element("figure", { class: "plot card heat", ...attributes },
      element("figcaption", {}, element("h3", {}, `${title}, `, element("bdi", {}, name)),
        element("span", { class: "plot-unit" }, unit), this.scaleLegend()),
      element("p", { class: "plot-legend heat-legend" }, this.summary, this.value), this.frame, this.none);
    this.surface = new Surface(this.box, { ...this.wishes, area: () => this.area(),
      times: () => this.data.times, words: (time) => this.words(time) });
    this.box.setAttribute("aria-keyshortcuts",
      `${this.box.getAttribute("aria-keyshortcuts")} ArrowUp ArrowDown`);
    this.marks = new MarkLines(this.frame, this.wishes.mark);
    this.box.addEventListener("pointermove", (event) => this.hover(event));
    this.box.addEventListener("pointerleave", () => this.hover(null));
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("blur", () => this.hover(null));
    this.watch = new ResizeObserver(() => this.draw());
    this.watch.observe(this.root);
  }

  scaleLegend() {
    this.ramp = element("canvas", { width: 96, height: 1, "aria-hidden": "true" });
    this.least = element("span", {});
    this.most = element("span", {});
    return element("span", { class: "heat-scale" }, this.least, this.ramp, this.most);
  }

  area() {
    return { left: AXIS_WIDTH, width: Math.max(this.width - AXIS_WIDTH - RIGHT_MARGIN, 1) };
  }

  /** data: {times, values: [those of a row, …] from above, step_seconds}, or null. */
  show(data) {
    const rows = this.data.values.length;
    this.data = data ?? NOTHING;
    if (this.data.values.length !== rows) this.row = null;
    const [least, most] = this.scaleWords();
    setText(this.least, least);
    setText(this.most, most);
    this.draw();
  }

  rowHeight() {
    return Math.max(1, Math.min(TALLEST_ROW, Math.floor(TALLEST / Math.max(this.data.values.length, 1))));
  }

  draw() {
    const { times, values } = this.data;
    const { start, end } = this.wishes.range();
    const has = times.some((time, i) => time >= start && time <= end &&
      values.some((row) => row[i] !== null));
    this.frame.hidden = this.summary.hidden = !has;
    setText(this.none, has ? "" : this.noneWords());
    setText(this.summary, this.summaryWords());
    this.width = this.box.clientWidth;
    if (!has || this.area().width <= 1) return;
    const { left, width } = this.area();
    const height = this.rowHeight() * values.length;
    this.box.style.height = `${height + AXIS_HEIGHT}px`;
    this.canvas.style.left = `${left}px`;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.paint(Math.round(width * devicePixelRatio), values.length);
    this.paintOver(width, height);
    this.paintRamp();
    this.nameRows();
    this.nameTimes();
    this.drawMarks();
    this.point(this.time ?? null);
  }

  noneWords() {
    return "No data in this range.";
  }

  /* What an extension draws over the cells. */
  paintOver() {}

  /* One pixel of the canvas for each row and column; the browser makes rows of them. */
  paint(width, rows) {
    const { start, end } = this.wishes.range();
    const { times, step_seconds: step } = this.data;
    this.canvas.width = width;
    this.canvas.height = rows;
    const context = this.canvas.getContext("2d");
    const image = context.createImageData(width, rows);
    const column = (time) => Math.round(width * (time - start) / (end - start));
    times.forEach((time, i) => {
      const from = Math.max(column(this.beginOf(i)), 0);
      const to = Math.min(Math.max(column(time), from + 1), width);
      for (let row = 0; row < rows; row++) this.paintCell(image, row, from, to, i);
    });
    context.putImageData(image, 0, 0);
    this.canvas.dataset.step = step;
  }

  paintCell(image, row, from, to, i) {
    const value = this.data.values[row][i];
    if (value === null || value === undefined) return;
    const [red, green, blue] = heatColour(this.shareOf(value));
    for (let x = from; x < to; x++) {
      const at = (row * image.width + x) * 4;
      image.data.set([red, green, blue, 255], at);
    }
  }

  /* A cell tells of the step that ends at its time. */
  beginOf(i) {
    const { times, step_seconds: step } = this.data;
    const before = times[i - 1] ?? -Infinity;
    return times[i] - before < 1.5 * step ? before : times[i] - step;
  }

  paintRamp() {
    const context = this.ramp.getContext("2d");
    for (let x = 0; x < this.ramp.width; x++) {
      context.fillStyle = `rgb(${heatColour(x / (this.ramp.width - 1)).join(" ")})`;
      context.fillRect(x, 0, 1, 1);
    }
  }

  nameRows() {
    replace(this.names, this.rowNames(this.rowHeight()).map(({ text, top }) => {
      const name = element("span", {}, text);
      name.style.top = `${top}px`;
      return name;
    }));
  }

  nameTimes() {
    const { start, end } = this.wishes.range();
    const { left, width } = this.area();
    replace(this.axis, timeTicks(start, end, width / 90).map(({ time, label }) => {
      const name = element("span", {}, label);
      name.style.left = `${left + width * (time - start) / (end - start)}px`;
      return name;
    }));
  }

  /* The cell under the pointer has a frame, and its value stands above. */
  hover(event) {
    const row = event ? Math.floor((event.clientY - this.canvas.getBoundingClientRect().top) /
      this.rowHeight()) : -1;
    this.row = row >= 0 && row < this.data.values.length ? row : null;
    this.point(this.time);
  }

  /* Up and down go from row to row, at the time of the cursor. */
  key(event) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const rows = this.data.values.length;
    if (!by || rows === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.row = this.row === null ? (by < 0 ? rows - 1 : 0)
      : Math.min(Math.max(this.row + by, 0), rows - 1);
    this.point(this.time ?? this.data.times.at(-1));
  }

  point(time) {
    this.time = time;
    if (this.frame.hidden) return;
    this.surface.show(time);
    const i = time === null || time === undefined ? -1 : this.column(time);
    setText(this.value, i < 0 ? "" : this.tell(i));
    this.summary.hidden = i >= 0;
    this.cell.hidden = i < 0 || this.row === null;
    if (!this.cell.hidden) this.frameCell(i);
  }

  column(time) {
    const { times, step_seconds: step } = this.data;
    const i = times.findIndex((each) => each >= time);
    return i >= 0 && times[i] - time <= 1.5 * step ? i : -1;
  }

  frameCell(i) {
    const { left, width } = this.area();
    const { start, end } = this.wishes.range();
    const x = (time) => left + width * (Math.max(time, start) - start) / (end - start);
    const tall = this.rowHeight();
    Object.assign(this.cell.style, { left: `${x(this.beginOf(i))}px`, top: `${this.row * tall}px`,
      width: `${Math.max(x(this.data.times[i]) - x(this.beginOf(i)), 2)}px`, height: `${tall}px` });
  }

  words(time) {
    const i = nearest(this.data.times, time);
    return i < 0 ? "no data" : this.tell(i);
  }

  setMarks(marks) {
    this.allMarks = marks;
    this.drawMarks();
  }

  drawMarks() {
    if (!this.frame.hidden) this.marks.show(this.allMarks ?? [], this.wishes.range(), this.area());
  }

  close() {
    this.watch.disconnect();
    this.root.remove();
  }
}
