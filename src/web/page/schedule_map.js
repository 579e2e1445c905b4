// SPDX-License-Identifier: Apache-2.0
//
// Who had which CPU when: a row for each CPU, and the colour is that of the thread that had most of
// the time of a cell. A cell of which little was used is paler. The exporter is asked again for what
// is zoomed to, so that single switches can be seen.

import { get, isAbort } from "./api.js";
import { colourOf, heatColour } from "./colours.js";
import { element, replace } from "./elements.js";
import { duration, percent } from "./format.js";
import { RunHeatMap } from "./run_heatmap.js";
import { ExitLanes, RequestLanes } from "./schedule_lanes.js";
import { cellsOf, instantWords, OTHERS, ThreadColours, threadName } from "./schedule_threads.js";

const TALLEST_ROW = 28;
const TALLEST = 400;
const PALEST = 0.25;
const PAUSE = 120; // ms, in which a range may still be moved
const TOLD = 4; // CPUs in a line

const FAINT = 0.45; // what the others have of a colour's strength, so that they are the ground

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

export class ScheduleMap extends RunHeatMap {
  /** wishes: as those of a plot. */
  constructor(run, wishes, signal) {
    super({ name: run.title, title: "Who had which CPU", label: "Who had which CPU when", unit: "",
      attributes: { "data-schedule": run.id } }, wishes);
    this.run = run;
    this.signal = signal;
    this.cpus = [];
    this.colours = new ThreadColours(run.schedule.threads);
    const { requests, exits } = run.schedule;
    this.requests = requests?.count > 0 ? new RequestLanes(run, wishes) : null;
    this.exits = exits?.count > 0 ? new ExitLanes(run, wishes) : null;
    this.ask();
  }

  /* There is no scale: a legend tells the colours. */
  scaleLegend() {
    super.scaleLegend();
    this.legend = element("span", { class: "heat-key schedule-key" });
    return this.legend;
  }

  showLegend() {
    const swatch = (colour) => {
      const box = element("span", { class: "schedule-swatch" });
      box.style.background = colour;
      return box;
    };
    const css = (number, busy) => `rgb(${this.shade(number, busy).join(" ")})`;
    const named = (colour, name) => element("span", {}, swatch(colour), element("bdi", {}, name));
    const others = this.run.schedule.n_threads > this.colours.named.length;
    replace(this.legend, this.colours.named.map((thread, colour) =>
      named(css(colour, 1), threadName(thread))),
    others ? named(css(OTHERS, 1), "others") : null,
    this.run.target === "machine" ? named(css(null, 0), "idle") : null);
  }

  /* Asks for what is shown, if that is not there yet. The newest question wins. */
  ask() {
    const { start, end } = this.wishes.range();
    const from = Math.max(start, 0), to = Math.min(end, this.run.schedule.seconds);
    const wanted = `${from} ${to}`;
    if (wanted === this.wanted || !(to > from)) return;
    this.wanted = wanted;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load(wanted, from, to), this.times ? PAUSE : 0);
  }

  async load(wanted, start, end) {
    const columns = Math.min(Math.max(Math.round(this.root.clientWidth * devicePixelRatio), 200), 2000);
    try {
      const map = await get(`runs/${this.run.id}/map`,
        { start: start.toFixed(9), end: end.toFixed(9), columns }, this.signal);
      if (wanted !== this.wanted) return;
      this.cpus = map.cpus.map(({ cpu }) => cpu);
      this.times = map.columns;
      this.show(cellsOf(map));
      this.requests?.showLanes(map, map.requests);
      this.exits?.showLanes(map, map.exits);
    } catch (error) {
      if (!isAbort(error) && wanted === this.wanted) this.wanted = null; // it can be asked again
    }
  }

  draw() {
    super.draw();
    if (!this.run) return; // it is being made
    this.showLegend();
    this.ask();
  }

  rowHeight() {
    const rows = Math.max(this.data.values.length, 1);
    return Math.max(1, Math.min(TALLEST_ROW, Math.floor(TALLEST / rows)));
  }

  scaleWords() {
    return ["", ""];
  }

  paintRamp() {}

  /* [red, green, blue] of the colour of this number, null for the idle one, on the ground. */
  shade(number, busy) {
    const ground = heatColour(0);
    const strength = (number === null ? busy : PALEST + (1 - PALEST) * busy) *
      (number === null || number === OTHERS ? FAINT : 1);
    return channels(colourOf(number ?? OTHERS)).map((value, c) =>
      Math.round(ground[c] + (value - ground[c]) * strength));
  }

  paintCell(image, row, from, to, i) {
    const cell = this.data.values[row][i];
    if (!cell) return;
    const rgb = this.shade(this.colours.of(cell.thread), cell.busy);
    for (let x = from; x < to; x++) image.data.set([...rgb, 255], (row * image.width + x) * 4);
  }

  summaryWords() {
    const { switches, seconds, n_threads: threads } = this.run.schedule;
    return `${threads} threads, ${switches} switches in ${duration(seconds)}; drag to zoom`;
  }

  rowNames(tall) {
    const each = Math.ceil(12 / tall);
    return this.cpus.flatMap((cpu, row) => (row % each ? []
      : [{ text: `CPU ${cpu}`, top: row * tall + tall / 2 - 7 }]));
  }

  cellWords(row, i) {
    const cell = this.data.values[row][i];
    if (!cell) return `CPU ${this.cpus[row]}: nobody that is known`;
    const { thread, share } = cell;
    return `CPU ${this.cpus[row]}: ${threadName(thread)}${share < 0.995 ? ` ${percent(share)}` : ""}`;
  }

  tell(i) {
    const when = instantWords(this.beginOf(i));
    const rows = this.row === null ? this.cpus.map((_, row) => row).slice(0, TOLD) : [this.row];
    return `${when}  ${rows.map((row) => this.cellWords(row, i)).join(", ")}`;
  }

  /** This one, and below it those of what has ended, where there was any. */
  all() {
    return [this, this.requests, this.exits].filter(Boolean);
  }

  close() {
    clearTimeout(this.timer);
    this.requests?.close();
    this.exits?.close();
    super.close();
  }
}
