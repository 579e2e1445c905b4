// SPDX-License-Identifier: Apache-2.0
//
// CPUs over time, on a canvas: a row for each CPU, and the darker (in the dark: the lighter) a cell,
// the more of that CPU's time a target had. Where nothing is known the ground is seen, hatched.

import { element, replace, setText } from "./elements.js";
import { percent } from "./format.js";
import { nearest } from "./align.js";
import { heatColour } from "./colours.js";
import { MarkLines } from "./mark_lines.js";
import { AXIS_WIDTH, RIGHT_MARGIN } from "./plot.js";
import { Surface } from "./surface.js";
import { timeTicks, timeWords } from "./ticks.js";

const TALLEST_ROW = 18;
const TALLEST = 320;
const AXIS_HEIGHT = 18;
const SCALES = [0.02, 0.05, 0.1, 0.2, 0.5, 1];

/** The share that has the strongest colour: a round number that is not exceeded. */
export function scaleFor(values) {
  let most = 0;
  for (const row of values) for (const value of row) if (value > most) most = value;
  return SCALES.find((scale) => most <= scale) ?? 1;
}

/** What the map shows in a line: on how many CPUs, and how much of it on the busiest. */
export function locality(cpus, values) {
  const sums = values.map((row) => row.reduce((sum, value) => sum + (value ?? 0), 0));
  const all = sums.reduce((sum, each) => sum + each, 0);
  if (all === 0) return "It did not run in this range.";
  const busiest = sums.indexOf(Math.max(...sums));
  const used = sums.filter((each) => each > all * 1e-4).length;
  return `Ran on ${used} of ${cpus.length} CPUs; CPU ${cpus[busiest]} had ` +
    `${percent(sums[busiest] / all)} of it.`;
}

export class HeatMap {
  /** wishes: as those of a plot. */
  constructor(target, name, wishes) {
    this.target = target;
    this.name = name;
    this.wishes = wishes;
    this.data = { cpus: [], times: [], values: [], step_seconds: 10 };
    this.width = 0; // of the box, in pixels
    this.build();
  }

  build() {
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.rowNames = element("div", { class: "heat-rows", "aria-hidden": "true" });
    this.axis = element("div", { class: "heat-axis", "aria-hidden": "true" });
    this.cell = element("div", { class: "heat-cell", hidden: true });
    this.box = element("div", { class: "plot-box heat-box",
      "aria-label": `CPUs over time, ${this.name}` }, this.rowNames, this.canvas, this.cell, this.axis);
    this.frame = element("div", { class: "plot-frame" }, this.box);
    this.value = element("span", { class: "plot-value" });
    this.summary = element("span", { class: "heat-summary" });
    this.none = element("p", { class: "plot-none" });
    this.root = element("figure", { class: "plot card heat", "data-target": this.target },
      element("figcaption", {}, element("h3", {}, "CPUs, ", element("bdi", {}, this.name)),
        element("span", { class: "plot-unit" }, "% of each CPU’s time"), this.scaleLegend()),
      element("p", { class: "plot-legend heat-legend" }, this.summary, this.value), this.frame, this.none);
    this.surface = new Surface(this.box, { ...this.wishes, area: () => this.area(),
      times: () => this.data.times, words: (time) => this.words(time) });
    this.marks = new MarkLines(this.frame, this.wishes.mark);
    this.box.addEventListener("pointermove", (event) => this.hover(event));
    this.box.addEventListener("pointerleave", () => this.hover(null));
    this.watch = new ResizeObserver(() => this.draw());
    this.watch.observe(this.root);
  }

  scaleLegend() {
    this.ramp = element("canvas", { width: 96, height: 1, "aria-hidden": "true" });
    this.most = element("span", {});
    return element("span", { class: "heat-scale" }, "0 %", this.ramp, this.most);
  }

  area() {
    return { left: AXIS_WIDTH, width: Math.max(this.width - AXIS_WIDTH - RIGHT_MARGIN, 1) };
  }

  /** data: what /api/v1/history/cpus answers, or null. */
  show(data) {
    this.data = data ?? { cpus: [], times: [], values: [], step_seconds: 10 };
    this.scale = scaleFor(this.data.values);
    setText(this.summary, locality(this.data.cpus, this.data.values));
    setText(this.most, percent(this.scale));
    this.draw();
  }

  rowHeight() {
    return Math.max(1, Math.min(TALLEST_ROW, Math.floor(TALLEST / Math.max(this.data.cpus.length, 1))));
  }

  draw() {
    const { cpus, times, values } = this.data;
    const { start, end } = this.wishes.range();
    const has = times.some((time, i) => time >= start && time <= end &&
      values.some((row) => row[i] !== null));
    this.frame.hidden = this.summary.hidden = !has;
    setText(this.none, has ? "" : "No data in this range.");
    this.width = this.box.clientWidth;
    if (!has || this.area().width <= 1) return;
    const { left, width } = this.area();
    const height = this.rowHeight() * cpus.length;
    this.box.style.height = `${height + AXIS_HEIGHT}px`;
    this.canvas.style.left = `${left}px`;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.paint(Math.round(width * devicePixelRatio), cpus.length);
    this.paintRamp();
    this.nameRows();
    this.nameTimes();
    this.drawMarks();
    this.point(this.time ?? null);
  }

  /* One pixel of the canvas for each CPU and column; the browser makes rows of them. */
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
    const [red, green, blue] = heatColour(value / this.scale);
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
    const tall = this.rowHeight();
    const each = Math.ceil(12 / tall);
    replace(this.rowNames, this.data.cpus.map((cpu, row) => {
      if (row % each) return null;
      const name = element("span", {}, `CPU ${cpu}`);
      name.style.top = `${row * tall + Math.min(tall, 14) / 2 - 7}px`;
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
    this.row = row >= 0 && row < this.data.cpus.length ? row : null;
    this.point(this.time);
  }

  point(time) {
    this.time = time;
    if (this.frame.hidden) return;
    this.surface.show(time);
    const i = time === null || time === undefined ? -1 : this.column(time);
    setText(this.value, i < 0 ? "" : this.tell(i));
    this.summary.hidden = i >= 0;
    this.cell.hidden = i < 0 || this.row === null || this.row === undefined;
    if (!this.cell.hidden) this.frameCell(i);
  }

  column(time) {
    const { times, step_seconds: step } = this.data;
    const i = times.findIndex((each) => each >= time);
    return i >= 0 && times[i] - time <= 1.5 * step ? i : -1;
  }

  tell(i) {
    const { cpus, times, values } = this.data;
    const rows = this.row === null || this.row === undefined ? cpus.map((_, row) => row) : [this.row];
    const shown = rows.filter((row) => values[row][i] !== null)
      .sort((a, b) => values[b][i] - values[a][i]).slice(0, 4)
      .map((row) => `CPU ${cpus[row]}: ${percent(values[row][i])}`);
    return `${timeWords(times[i], 0)}  ${shown.join(", ") || "nothing known"}`;
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
