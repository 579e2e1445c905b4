// SPDX-License-Identifier: Apache-2.0
//
// One plot: what dygraphs draws (lines, axes, grid), with a title, a unit, a legend that tells the
// values under the cursor, lines for marks, and the surface that zooms and moves all plots at once.

import { element, replace, setText } from "./elements.js";
import { formatOf } from "./format.js";
import { aligned, nearest, valueAt } from "./align.js";
import { axisNumber, isCoverage, titleOf, unitOf } from "./columns.js";
import { colourOf, drawing } from "./colours.js";
import { Surface } from "./surface.js";
import { timeTicks, timeWords } from "./ticks.js";
import { MarkLines } from "./mark_lines.js";

export const AXIS_WIDTH = 52; // pixels; the same for all plots and heat maps, so that times agree
export const RIGHT_MARGIN = 12;
const HEIGHT = 150;

// Dygraphs' legend sets styles by an attribute, which our Content-Security-Policy forbids.
function usePlugins() {
  const { Dygraph } = window;
  Dygraph.PLUGINS = [Dygraph.Plugins.Axes, Dygraph.Plugins.Grid];
}

/** The largest and the smallest of what is drawn between two times. */
function extent(rows, start, end) {
  let least = 0;
  let most = 0;
  for (const row of rows) {
    if (row[0] < start || row[0] > end) continue;
    for (let i = 1; i < row.length; i++) {
      if (row[i] > most) most = row[i];
      else if (row[i] < least) least = row[i];
    }
  }
  return { least, most };
}

export class Plot {
  /** wishes: those of a surface, but for area() and words(), and mark(id) when one is chosen. */
  constructor(measure, unit, wishes) {
    this.measure = measure;
    this.format = formatOf(measure.split(":")[0]);
    this.unit = unitOf(measure, unit);
    this.wishes = wishes;
    this.rows = [];
    this.rowTimes = [];
    this.times = [];
    this.series = [];
    this.earlier = [];
    this.entries = [];
    this.visible = true;
    this.width = 0; // of the box, in pixels
    this.build();
  }

  build() {
    this.title = titleOf(this.measure);
    this.canvas = element("div", { class: "plot-canvas" });
    this.box = element("div", { class: "plot-box", "aria-label": `${this.title}, ${this.unit}` },
      this.canvas);
    this.frame = element("div", { class: "plot-frame" }, this.box);
    this.legend = element("ul", { class: "plot-legend" });
    this.none = element("p", { class: "plot-none" });
    this.root = element("figure", { class: "plot card", "data-measure": this.measure },
      element("figcaption", {}, element("h3", {}, this.title),
        element("span", { class: "plot-unit" }, this.unit)),
      this.legend, this.frame, this.none);
    this.surface = new Surface(this.box, {
      ...this.wishes,
      area: () => this.area(),
      times: () => this.times,
      words: (time) => this.words(time),
    });
    this.marks = new MarkLines(this.frame, this.wishes.mark);
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(this.box);
    this.sight = new IntersectionObserver(([entry]) => this.seen(entry.isIntersecting),
      { rootMargin: "300px" });
    this.sight.observe(this.root);
  }

  area() {
    return { left: AXIS_WIDTH, width: Math.max(this.width - AXIS_WIDTH - RIGHT_MARGIN, 1) };
  }

  /**
   * Takes the series: [{target, name, colour, times, values, before: {times, values} or null}].
   * `colour` is a number of the palette (colours.js).
   */
  show(series, step) {
    this.series = series;
    this.step = step;
    const earlier = series.filter((one) => one.before);
    this.earlier = earlier;
    this.rows = aligned([...earlier.map((one) => one.before), ...series], step);
    this.rowTimes = this.rows.map((row) => row[0]);
    this.times = this.rows.filter((row) => row.slice(1 + earlier.length).some(Number.isFinite))
      .map((row) => row[0]);
    this.buildLegend();
    this.draw();
  }

  buildLegend() {
    const many = this.series.length > 1;
    this.entries = this.series.map((one) => {
      const value = element("span", { class: "plot-value" });
      const before = element("span", { class: "plot-before" });
      return { value, before, line: element("li", { title: one.target },
        element("span", { class: `swatch series-${one.colour}` }),
        element("bdi", { class: many ? "plot-name" : "plot-name hidden-text" }, one.name), value,
        before) };
    });
    replace(this.legend, this.entries.map((entry) => entry.line));
  }

  draw() {
    const has = this.rows.some((row) => row.slice(1).some(Number.isFinite));
    setText(this.none, has ? "" : "No data in this range.");
    this.frame.hidden = !has;
    this.dirty = !this.visible;
    if (!has || this.dirty) return;
    const isOther = this.width !== this.box.clientWidth;
    this.width = this.box.clientWidth;
    if (this.area().width <= 1) return;
    const options = this.options();
    if (this.graph && this.graph.numColumns() === options.labels.length) {
      this.graph.updateOptions(options);
      if (isOther) this.graph.resize(this.width, HEIGHT);
    } else {
      this.graph?.destroy();
      usePlugins();
      this.graph = new window.Dygraph(this.canvas, this.rows, options);
    }
    this.drawMarks();
    this.point(this.time ?? null);
  }

  options() {
    const { start, end } = this.wishes.range();
    const look = drawing();
    const lines = [...this.earlier, ...this.series];
    const labels = ["time", ...lines.map((one, i) => `line ${i}`)];
    const series = Object.fromEntries(lines.map((one, i) => [labels[i + 1],
      i < this.earlier.length
        ? { strokePattern: [5, 3], strokeWidth: 1, fillGraph: false }
        : { strokePattern: null, strokeWidth: 1.5, fillGraph: this.series.length === 1 }]));
    return {
      file: this.rows, labels, series,
      colors: lines.map((one, i) => colourOf(one.colour, i < this.earlier.length ? 0.75 : 1)),
      dateWindow: [start, end], valueRange: this.valueRange(start, end),
      connectSeparatedPoints: true, fillAlpha: 0.14, pointSize: 1.5,
      width: this.width, height: HEIGHT, rightGap: RIGHT_MARGIN, legend: "never",
      interactionModel: {}, highlightCircleSize: 3, animatedZooms: false, labelsUTC: false,
      gridLineColor: look.grid, axisLineColor: look.grid, axisLabelFontSize: 11,
      axes: { x: { axisLabelWidth: 90, ticker: (from, to, pixels) => this.xTicks(from, to, pixels) },
        y: { axisLabelWidth: AXIS_WIDTH - 5, pixelsPerLabel: 26,
          ticker: (from, to, pixels, opts, graph) => this.yTicks(from, to, pixels, opts, graph) } },
    };
  }

  /* All that is shown here begins at 0: what is drawn twice as high is twice as much. */
  valueRange(start, end) {
    const { least, most } = extent(this.rows, start, end);
    const hasMarks = this.allMarks?.length > 0; // their texts need room
    if (isCoverage(this.measure)) return [0, Math.max(hasMarks ? 1.2 : 1.05, most)];
    const room = (most - least) * (hasMarks ? 0.2 : 0.08);
    return most === least ? [0, 1] : [least < 0 ? least - room : 0, most + room];
  }

  xTicks(from, to, pixels) {
    return timeTicks(from, to, pixels / 90).map(({ time, label }) => ({ v: time, label }));
  }

  yTicks(from, to, pixels, opts, graph) {
    const ticks = window.Dygraph.numericTicks(from, to, pixels, opts, graph)
      .filter((tick) => tick.v >= from && tick.v <= to);
    const between = ticks.length > 1 ? ticks[1].v - ticks[0].v : 1;
    const percent = this.unit === "%";
    return ticks.map((tick) => ({ v: tick.v,
      label: percent ? axisNumber(tick.v * 100, between * 100) : axisNumber(tick.v, between) }));
  }

  /** The cursor of all plots is at this time, or (null) nowhere: then the last values are told. */
  point(time) {
    this.time = time;
    if (!this.graph || this.frame.hidden) return;
    this.surface.show(time);
    this.tell();
    this.graph.clearSelection(); // it does nothing for a row that it takes for selected
    const place = time === null ? -1 : this.rowAt(time);
    if (place >= 0) this.graph.setSelection(place);
  }

  rowAt(time) {
    const place = nearest(this.rowTimes, time);
    return place >= 0 && Math.abs(this.rowTimes[place] - time) <= 2.5 * this.step ? place : -1;
  }

  /** Writes the values at the cursor, or the last ones, which may be newer than the lines. */
  tell() {
    const { time, values } = this.read(this.time ?? null);
    this.root.dataset.time = time ?? "";
    values.forEach(({ value, before }, i) => {
      const entry = this.entries[i];
      setText(entry.value, this.format(value));
      setText(entry.before, this.series[i].before ? `day before ${this.format(before)}` : "");
      entry.value.dataset.value = value ?? "";
      entry.before.dataset.value = before ?? "";
    });
  }

  /** {time, values: [{target, name, value, before}]} at a time, or (null) the last. */
  read(time) {
    const at = time === null ? this.lastTime() : this.rowTimes[this.rowAt(time)] ?? null;
    const within = (series) => (at === null || !series ? null : valueAt(series, at,
      (series.step ?? this.step) * 0.55));
    return { time: at, values: this.series.map((one) => ({ target: one.target, name: one.name,
      value: within(one), before: within(one.before) })) };
  }

  lastTime() {
    const last = Math.max(...this.series.map(({ times }) => times.at(-1) ?? -Infinity));
    return Number.isFinite(last) ? last : null;
  }

  words(time) {
    const { start, end } = this.wishes.range();
    const values = this.read(time).values.map((one) => `${one.name} ${this.format(one.value)}`);
    return `${timeWords(time, end - start)}: ${values.join(", ")}`;
  }

  setMarks(marks) {
    this.allMarks = marks;
    this.drawMarks();
  }

  drawMarks() {
    if (!this.frame.hidden) this.marks.show(this.allMarks ?? [], this.wishes.range(), this.area());
  }

  seen(visible) {
    this.visible = visible;
    if (visible && this.dirty) this.draw();
  }

  resize() {
    if (this.graph && this.box.clientWidth !== this.width) this.draw();
  }

  close() {
    this.watch.disconnect();
    this.sight.disconnect();
    this.graph?.destroy();
    this.root.remove();
  }
}
