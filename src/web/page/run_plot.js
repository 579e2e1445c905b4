// SPDX-License-Identifier: Apache-2.0
// Plots of one run, or of two laid over each other: a plot for each column, in which time begins
// where each run began.

import { forgetColours } from "./colours.js";
import { number } from "./format.js";
import { element } from "./elements.js";
import { Plot } from "./plot.js";
import { columnsOf, scaleTicks, secondsWords, seriesOf, unitOf } from "./run_points.js";

class RunPlot extends Plot {
  constructor(column, wishes) {
    super(column.name, "", wishes);
    this.format = number;
    this.title = column.name;
    this.unit = unitOf(column);
    this.root.querySelector("h3").textContent = this.title;
    this.root.querySelector(".plot-unit").textContent = this.unit;
    this.box.setAttribute("aria-label", `${this.title}, ${this.unit}`);
  }

  options() {
    const options = super.options();
    options.axes.x.ticker = (from, to, pixels) => scaleTicks(from, to, pixels / 80);
    for (const name of Object.keys(options.series)) options.series[name].fillGraph = false;
    return options;
  }

  words(time) {
    const values = this.read(time).values.map((one) => `${one.name} ${this.format(one.value)}`);
    return `${secondsWords(time)} after the start: ${values.join(", ")}`;
  }
}

export class RunPlots {
  constructor() {
    this.plots = new Map();
    this.runs = [];
    this.window = null;
    this.beside = []; // maps that show the same time
    this.root = element("div", { class: "time-plots" });
    this.themed = () => {
      forgetColours();
      this.draw();
    };
    document.addEventListener("theme", this.themed);
  }

  /* All that is there, or what was zoomed to. A run may end within its first interval. */
  range() {
    if (this.window) return this.window;
    const ends = this.runs.map(({ times }) => times.at(-1) ?? 0);
    return { start: 0, end: Math.max(...ends) || (this.runs[0]?.interval_seconds ?? 1) };
  }

  wishes() {
    const shift = (fraction) => {
      const { start, end } = this.range();
      const by = (end - start) * fraction;
      this.zoom(start + by, end + by);
    };
    return { range: () => this.range(), preview: (start, end) => this.zoom(start, end), shift,
      zoom: (start, end) => this.zoom(start, end), scale: (factor, time) => this.scale(factor, time),
      reset: () => this.zoom(null), mark: () => {},
      cursor: (time) => {
        for (const plot of [...this.plots.values(), ...this.beside]) plot.point(time);
      } };
  }

  scale(factor, time) {
    const { start, end } = this.range();
    const at = time ?? (start + end) / 2;
    this.zoom(at - (at - start) * factor, at + (end - at) * factor);
  }

  zoom(start, end) {
    this.window = start === null ? null : { start, end };
    this.draw();
  }

  draw() {
    for (const plot of [...this.plots.values(), ...this.beside]) plot.draw();
  }

  /** Shows these runs; plots of columns that are shown already stay. */
  show(runs) {
    if (runs.map(({ id }) => id).join() !== this.runs.map(({ id }) => id).join()) this.window = null;
    this.runs = runs;
    const columns = columnsOf(runs);
    for (const [key, plot] of this.plots)
      if (!columns.has(key)) {
        plot.close();
        this.plots.delete(key);
      }
    const step = Math.min(...runs.map((run) => run.interval_seconds));
    [...columns].forEach(([key, column], i) => {
      if (!this.plots.has(key)) this.plots.set(key, new RunPlot(column, this.wishes()));
      const { root } = this.plots.get(key);
      if (this.root.children[i] !== root)
        this.root.insertBefore(root, this.root.children[i] ?? null);
    });
    for (const [key, plot] of this.plots) plot.show(seriesOf(runs, key), step);
  }

  close() {
    document.removeEventListener("theme", this.themed);
    for (const plot of this.plots.values()) plot.close();
    this.plots.clear();
    this.root.remove();
  }
}
