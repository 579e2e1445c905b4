// SPDX-License-Identifier: Apache-2.0
//
// A distribution of latency over time: a row for each bucket, the longest above, and the colour is
// how many there were a second. Lines over it are the median and the 99th percentile, as far as the
// buckets tell.

import { colourOf, drawing } from "./colours.js";
import { element } from "./elements.js";
import { duration, number, percent } from "./format.js";
import { HeatMap } from "./heatmap.js";
import { bucketWords, isNamed, limitWords, placeOf, quantile, savedOf, sumOf, tableOf }
  from "./latency.js";
import { timeWords } from "./ticks.js";
import { toCsv, toJson } from "./time_csv.js";
import { save } from "./time_tools.js";

const LINE_COLOUR = 1;
const LINES = [{ share: 0.5, name: "p50", dashes: [] }, { share: 0.99, name: "p99", dashes: [5, 3] }];

export class LatencyMap extends HeatMap {
  constructor(target, name, distribution, wishes, isBefore) {
    const title = `${distribution.title}${isBefore ? ", the day before" : ""}`;
    const id = `${distribution.id}${isBefore ? "-before" : ""}`;
    super({ name, title, label: title, unit: "per second, by how long",
      attributes: { "data-latency": id, "data-of": target } }, wishes);
    this.distribution = distribution;
    this.file = `pmu_exporter-${id}`;
    this.limits = [];
    this.scale = { least: 0, most: 0, shareOf: () => 0 };
    this.root.querySelector("figcaption").append(this.downloads(`${title} of ${name}`));
    this.lines = element("canvas", { class: "heat-lines", "aria-hidden": "true" });
    this.canvas.after(this.lines);
    this.root.querySelector(".heat-scale").before(element("span", { class: "heat-key",
      title: "The median and the 99th percentile, each within its bucket" },
    LINES.map(({ name: line }) => element("span", {},
      element("span", { class: `heat-line ${line}` }), line))));
  }

  /**
   * data: a distribution (latency.js) with its step_seconds and its scale; the answer that it is of,
   * and by how many seconds its times are later than those of the answer.
   */
  show({ limits, times, values, scale, answer, shift, step_seconds: step }) {
    this.limits = limits;
    this.scale = scale;
    this.answer = answer;
    this.shift = shift;
    super.show({ times, values: values.toReversed(), step_seconds: step });
  }

  downloads(what) {
    return element("span", { class: "choice heat-downloads", role: "group",
      "aria-label": `Download ${what}` }, ["CSV", "JSON"].map((form) => {
      const label = `Download ${what} as ${form}`;
      const button = element("button", { type: "button", "aria-label": label, title: label }, form);
      button.addEventListener("click", () => this.download(form));
      return button;
    }));
  }

  /* What is shown, at its own times. */
  download(form) {
    const { start, end } = this.wishes.range();
    const window = { start: start - this.shift, end: end - this.shift };
    const saved = savedOf(this.answer, this.distribution, window);
    const began = new Date(window.start * 1000).toISOString().slice(0, 19).replaceAll(":", "");
    if (form === "CSV") save(`${this.file}-${began}.csv`, "text/csv", toCsv([tableOf(saved)]));
    else save(`${this.file}-${began}.json`, "application/json",
      toJson([saved], window.start, window.end, this.data.step_seconds));
  }

  shareOf(value) {
    return this.scale.shareOf(value);
  }

  scaleWords() {
    return [this.scale.least, this.scale.most].map((value) => (value > 0 ? `${number(value)}/s` : ""));
  }

  noneWords() {
    return "None has ended in this range.";
  }

  /* The counts of a column, or of all of the range, from the shortest bucket on. */
  countsAt(i) {
    return this.data.values.map((row) => row[i]).reverse();
  }

  countsOfRange() {
    const { start, end } = this.wishes.range();
    const inside = this.data.times.map((time) => time > start && time <= end);
    return this.data.values.map((row) => sumOf(row.filter((_, i) => inside[i]))).reverse();
  }

  quantiles(counts) {
    return LINES.map(({ share, name }) =>
      `${name} ${duration(quantile(this.limits, counts, share))}`).join(", ");
  }

  summaryWords() {
    const counts = this.countsOfRange();
    return sumOf(counts) === 0 ? "" : `Of this range: ${this.quantiles(counts)}, within a bucket`;
  }

  /* Limits are named where they are: between two rows. */
  rowNames(tall) {
    return this.limits.flatMap((limit, i) => (limit !== Infinity && isNamed(limit)
      ? [{ text: limitWords(limit), top: (this.limits.length - 1 - i) * tall - 7 }] : []));
  }

  tell(i) {
    const counts = this.countsAt(i);
    const when = timeWords(this.data.times[i], 0);
    const all = sumOf(counts);
    if (counts.every((count) => count === null)) return `${when}  nothing known`;
    if (this.row === null)
      return `${when}  ${number(all)}/s${all > 0 ? `, ${this.quantiles(counts)}` : ""}`;
    const bucket = this.limits.length - 1 - this.row;
    const count = counts[bucket] ?? 0;
    return `${when}  ${bucketWords(this.limits, bucket)}: ${number(count)}/s` +
      (all > 0 ? `, ${percent(count / all)} of ${number(all)}/s; ${this.quantiles(counts)}` : "");
  }

  paintOver(width, height) {
    const scale = devicePixelRatio;
    Object.assign(this.lines, { width: Math.round(width * scale), height: Math.round(height * scale) });
    Object.assign(this.lines.style, { left: this.canvas.style.left, width: `${width}px`,
      height: `${height}px` });
    const context = this.lines.getContext("2d");
    context.scale(scale, scale);
    for (const line of LINES) this.drawLine(context, line, width, height);
  }

  /* On a ground of the page's own colour, so that it is seen on any cell. */
  drawLine(context, { share, dashes }, width, height) {
    const path = this.pathOf(share, width, height);
    context.setLineDash([]);
    context.strokeStyle = drawing().dark ? "#000000b0" : "#ffffffc0";
    context.lineWidth = 3.5;
    context.stroke(path);
    context.setLineDash(dashes);
    context.strokeStyle = colourOf(LINE_COLOUR);
    context.lineWidth = 1.75;
    context.stroke(path);
  }

  /* A step for each column; nothing where it counted nothing. */
  pathOf(share, width, height) {
    const { start, end } = this.wishes.range();
    const path = new Path2D();
    const x = (time) => width * (time - start) / (end - start);
    let last = null;
    this.data.times.forEach((time, i) => {
      const value = quantile(this.limits, this.countsAt(i), share);
      const from = this.beginOf(i);
      if (value !== null) {
        const y = height * (1 - placeOf(this.limits, value) / this.limits.length);
        if (last === null || from > last) path.moveTo(x(from), y);
        else path.lineTo(x(from), y);
        path.lineTo(x(time), y);
      }
      last = value === null ? null : time;
    });
    return path;
  }
}
