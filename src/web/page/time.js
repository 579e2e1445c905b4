// SPDX-License-Identifier: Apache-2.0
// The view "Over time": plots of rates and ratios of chosen targets, and on which CPUs they ran.
//
// The address has all of it: #time?target=T&target=U&from=-1h&to=…&compare=1d (range.js).

import { isAbort } from "./api.js";
import { element, notice, replace, setText } from "./elements.js";
import { beforeAndAfter, Marks } from "./time_marks.js";
import { forgetColours, N_COLOURS } from "./colours.js";
import { isTarget, shortNames } from "./columns.js";
import { Picker } from "./picker.js";
import { Plot } from "./plot.js";
import { ProfileOffer } from "./profile_offer.js";
import { DEFAULT_RANGE, fixedRange, isLive, moved, readRange, resolve, scaled, spanWords, writeRange }
  from "./range.js";
import { timeWords } from "./ticks.js";
import { CpuMaps } from "./time_cpus.js";
import { defaultTargets, KnownTargets, loadAllCpus, TimeData } from "./time_data.js";
import { KeyedMaps, loadKeyed } from "./time_keyed.js";
import { LatencyMaps, loadLatencies } from "./time_latency.js";
import { LiveTargets } from "./time_live.js";
import { nothingKept, save, Tools } from "./time_tools.js";
import { toCsv, toJson } from "./time_csv.js";
import { ValueTable } from "./value_table.js";

const SLOW_RELOAD = 10; // seconds

class TimeView {
  constructor(stage) {
    this.stage = stage;
    this.data = new TimeData();
    this.known = new KnownTargets(stage.signal);
    this.plots = new Map();
    this.marked = [];
    this.ahead = 0; // seconds by which the exporter's clock is ahead of the reader's
    this.cursor = null;
    this.live = new LiveTargets((snapshot, missed) => this.heard(snapshot, missed),
      (state, text) => stage.report(state, text));
    this.read(stage.parameters);
    this.build();
  }

  build() {
    this.picker = new Picker({ choose: (targets) => this.go({ targets }),
      known: () => this.known.all(), isCut: () => this.known.isCut });
    this.tools = new Tools({
      choose: (range) => this.go({ range }),
      shift: (fraction) => this.go({ range: moved(this.range, fraction, this.now()) }),
      scale: (factor) => this.go({ range: scaled(this.range, factor, this.now()) }),
      compare: (compare) => this.go({ compare }),
      download: (form) => this.download(form),
    });
    this.marks = new Marks({ changed: () => this.reloadMarks(), choose: (id) => this.chooseMark(id),
      signal: this.stage.signal }, this.stage.status);
    this.table = new ValueTable();
    this.offer = new ProfileOffer(this.stage);
    this.said = element("div", {});
    this.compared = element("div", {});
    this.grid = element("div", { class: "time-plots" });
    this.latencies = new LatencyMaps(this.surfaceWishes(), this.stage.status,
      (target) => this.keyed.shown.has(target));
    this.keyed = new KeyedMaps(this.surfaceWishes(), this.stage.status);
    this.cpus = new CpuMaps(this.surfaceWishes());
    replace(this.stage.root,
      element("div", { class: "head" }, element("h1", {}, "Over time"), element("span",
        { class: "sub time-hint" }, "Drag to zoom, double click to go back, shift and drag or ⇧← ⇧→ to move")),
      this.picker.root, this.tools.root, this.said, this.offer.root, this.compared,
      element("h2", { class: "hidden-text" }, "Rates and ratios"), this.grid,
      element("h2", { class: "time-heading" }, "How long threads wait and run, and requests take"),
      this.latencies.note, this.latencies.grid, this.keyed.heading, this.keyed.note, this.keyed.grid,
      element("h2", { class: "time-heading" }, "CPUs over time"), this.cpus.note, this.cpus.grid,
      this.marks.root, this.table.root);
    this.recolour = () => this.themeChanged();
    document.addEventListener("theme", this.recolour);
  }

  read(parameters) {
    this.targets = [...new Set(parameters.getAll("target"))].filter(isTarget).slice(0, N_COLOURS);
    this.range = readRange(parameters);
    this.compare = parameters.get("compare") === "1d";
    if (isLive(this.range)) this.home = this.range;
  }

  now() {
    return Date.now() / 1000 + this.ahead;
  }

  /** Somebody has chosen something: it stands in the address, and the back button takes it back. */
  go({ targets = this.targets, range = this.range, compare = this.compare }, push = true) {
    const parameters = new URLSearchParams();
    Object.assign(this, { targets, range, compare });
    if (isLive(range)) this.home = range;
    writeRange(range, parameters);
    this.stage.change({ target: targets, from: parameters.get("from"), to: parameters.get("to"),
      compare: compare ? "1d" : null }, { push });
    this.load();
  }

  /** The address is another one. */
  moved(parameters) {
    this.read(parameters);
    if (this.hasHistory) this.load();
  }

  async start() {
    this.stage.root.setAttribute("aria-busy", "true");
    try {
      const status = await this.stage.status;
      if (this.stage.signal.aborted) return;
      if (status && !status.history) {
        this.showNothing();
        return;
      }
      this.hasHistory = true;
      if (this.targets.length === 0) {
        const targets = await defaultTargets(this.known, this.stage.signal);
        if (targets.length) {
          this.go({ targets }, false);
          return;
        }
      }
      await this.load();
    } catch (error) {
      this.rest();
      this.fail(error);
    }
  }

  rest() {
    if (!this.stage.signal.aborted) this.stage.root.removeAttribute("aria-busy");
  }

  /* Nobody is asked for a past that is not kept. */
  showNothing() {
    this.rest();
    replace(this.stage.root,
      element("div", { class: "head" }, element("h1", {}, "Over time")),
      notice("empty", "This exporter keeps no history, so there is nothing to show over time. The " +
        "configuration says so: ", element("code", {}, "history: {enabled: false}"), "."));
  }

  fail(error) {
    if (!isAbort(error)) replace(this.said, notice("error", `No history: ${error.message}`));
  }

  /* A later load ends an earlier one, and the view ends all. */
  async load() {
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    this.picker.show(this.targets);
    this.live.follow(isLive(this.range) ? this.targets : []);
    this.setWindow();
    this.preview(this.window); // what is known already is shown at once
    this.describe();
    this.stage.root.setAttribute("aria-busy", "true");
    try {
      await this.fetch(AbortSignal.any([abort.signal, this.stage.signal]));
      replace(this.said);
      this.render();
    } catch (error) {
      this.fail(error);
    } finally {
      if (this.abort === abort) this.rest();
    }
  }

  async fetch(signal) {
    const asked = resolve(this.range, this.now());
    const known = await this.known.among([...new Set(["machine", ...this.targets])]);
    this.loaded = this.now();
    const data = new TimeData();
    const chosen = known.filter((target) => this.targets.includes(target));
    const [, cpus, latencies, keyed, marks] = await Promise.all([
      data.load(chosen, asked, this.compare, signal),
      loadAllCpus(known, asked, signal),
      loadLatencies(chosen, asked, this.compare, signal),
      loadKeyed(chosen, asked, this.compare, signal),
      this.marks.load(this.markRange(), signal),
    ]);
    // What the feed told while the history was asked.
    for (const snapshot of this.live.recent)
      if (data.takesLive(snapshot.interval_seconds)) data.append(snapshot, asked.start);
    this.data = data;
    this.marked = marks;
    this.cpuData = cpus;
    this.latencyData = latencies;
    this.keyedData = keyed;
    this.loadedCpus = this.now();
  }

  /* A live range ends at the last point, and begins where there is something. */
  setWindow() {
    const { start, end } = resolve(this.range, this.now());
    if (!isLive(this.range)) {
      this.window = { start, end };
      return;
    }
    const last = this.data.last();
    const to = last !== null && end - last < 5 * this.data.step + 5 ? last : end;
    const from = to - (end - start);
    const first = this.compare ? from : this.data.first() ?? from;
    this.window = { start: Math.min(Math.max(from, first), to - Math.min(60, end - start)), end: to };
  }

  render() {
    this.setWindow();
    const measures = this.data.measures();
    this.keepPlots(measures);
    for (const [measure] of measures)
      this.plots.get(measure).show(this.series(measure), this.data.step);
    this.keyed.show(this.targets, this.keyedData, this.compare);
    this.latencies.show(this.targets, this.latencyData, this.compare);
    this.cpus.show(this.targets, this.cpuData);
    this.showMarks();
    this.describe();
    this.point(this.cursor);
    replace(this.said, measures.length === 0 ? nothingKept(this.targets) : null);
  }

  /* The series of a measure, with the names and colours of their targets. */
  series(measure) {
    const names = shortNames(this.targets);
    return this.data.series(measure, this.targets).map((one) => {
      const colour = this.targets.indexOf(one.target);
      return { ...one, colour, name: names[colour] };
    });
  }

  surfaceWishes() {
    return {
      range: () => this.window,
      cursor: (time) => this.point(time),
      preview: (start, end) => this.preview({ start, end }),
      zoom: (start, end) => this.go({ range: fixedRange(start, end, this.now()) }),
      scale: (factor, time) => this.go({ range: scaled(this.range, factor, this.now(), time) }),
      shift: (fraction) => this.go({ range: moved(this.range, fraction, this.now()) }),
      reset: () => this.range !== this.home && this.go({ range: this.home ?? DEFAULT_RANGE }),
      mark: (id) => this.chooseMark(id),
    };
  }

  /* Plots stay where they are while their measure is there: the focus stays, and nothing jumps. */
  keepPlots(measures) {
    const wanted = new Set(measures.map(([measure]) => measure));
    for (const [measure, plot] of this.plots)
      if (!wanted.has(measure)) {
        plot.close();
        this.plots.delete(measure);
      }
    measures.forEach(([measure, unit], i) => {
      if (!this.plots.has(measure)) this.plots.set(measure, new Plot(measure, unit, this.surfaceWishes()));
      const { root } = this.plots.get(measure);
      if (this.grid.children[i] !== root) this.grid.insertBefore(root, this.grid.children[i] ?? null);
    });
  }

  maps() {
    return [...this.latencies.all(), ...this.keyed.all(), ...this.cpus.all()];
  }

  drawings() {
    return [...this.plots.values(), ...this.maps()];
  }

  preview(window) {
    this.window = window;
    for (const one of this.drawings()) one.draw();
  }

  /* At most once a frame, however often the pointer moves. */
  point(time) {
    this.cursor = time;
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      for (const one of this.drawings()) one.point(this.cursor);
      this.tellTime();
    });
  }

  tellTime() {
    this.grid.dataset.last = this.data.last() ?? "";
    this.table.show([...this.plots.values()], this.cursor ?? this.data.last(), this.cursor !== null);
  }

  showMarks() {
    for (const one of this.drawings()) one.setMarks(this.marked);
  }

  /* A mark that was just made is later than the last snapshot that was told. */
  markRange() {
    const { start, end } = resolve(this.range, this.now());
    return { start, end: isLive(this.range) ? end + 60 : end };
  }

  async reloadMarks() {
    try {
      this.marked = await this.marks.load(this.markRange(), this.stage.signal);
      this.showMarks();
    } catch (error) {
      this.fail(error);
    }
  }

  chooseMark(id) {
    const mark = this.marked.find((each) => each.id === id);
    if (!mark) return;
    const shown = this.data.measures().map(([measure]) => [measure, this.series(measure)]);
    replace(this.compared, beforeAndAfter(mark, this.marked, shown, this.window,
      () => replace(this.compared)));
    this.compared.scrollIntoView({ block: "nearest" });
  }

  heard(snapshot, missed) {
    this.ahead = snapshot.taken_realtime_seconds - Date.now() / 1000;
    const start = resolve(this.range, this.now()).start - 2 * this.data.step;
    const interval = snapshot.interval_seconds;
    const last = this.data.last() ?? 0;
    const asks = missed || this.now() > this.data.until ||
      (this.live.recent.length === 1 && snapshot.taken_realtime_seconds - last > 2.5 * interval);
    const news = !asks && this.data.takesLive(interval) && this.data.append(snapshot, start);
    if (news && this.plots.size === 0) this.render(); // the first point of all
    else if (news) this.drawNews();
    else if (asks || this.now() - this.loaded > Math.max(this.data.step, 5)) this.load();
    if (this.now() - this.loadedCpus > Math.max(SLOW_RELOAD, this.data.step)) this.reloadSlow();
  }

  /* Numbers are told at once; lines are drawn again when they have moved by most of a pixel. */
  drawNews() {
    const drawn = this.window;
    this.setWindow();
    const [plot] = this.plots.values();
    const pixel = (drawn.end - drawn.start) / (plot?.area().width ?? 1);
    if (this.window.end - drawn.end < 0.7 * pixel) {
      this.window = drawn;
      for (const one of this.plots.values()) one.tell();
    } else {
      for (const [measure, one] of this.plots) one.show(this.series(measure), this.data.step);
      for (const map of this.maps()) map.draw();
      this.describe();
    }
    this.tellTime();
  }

  /* What the feed does not tell: CPUs, latencies and what has a key, which a target has after its first
   * seconds, and marks that others have made. */
  async reloadSlow() {
    const { abort } = this;
    this.loadedCpus = this.now();
    this.reloadMarks();
    const isStill = () => abort === this.abort && !this.stage.signal.aborted;
    await Promise.all([this.cpus, this.latencies, this.keyed].map((maps) =>
      maps.reload(this.targets, resolve(this.range, this.now()), this.stage.signal, isStill)));
    if (isStill()) this.latencies.tellWithout();
    this.showMarks();
  }

  describe() {
    const step = this.data.step;
    const remark = [step < 1.5 ? "a point each second"
      : step === 60 ? "a point each minute" : `a point every ${spanWords(step)}`];
    const first = this.data.first();
    const { start, end } = resolve(this.range, this.now());
    if (isLive(this.range) && first !== null && first > start + 2 * step + 2)
      remark.push(`kept since ${timeWords(first, end - start)}`);
    this.tools.show(this.range, this.now(), this.window, this.compare, remark);
    this.offer.show(this.targets, this.range, this.now());
  }

  download(form) {
    const shown = this.data.shown(this.targets, this.window);
    const { start, end } = this.window;
    const name = `pmu_exporter-${new Date(start * 1000).toISOString().slice(0, 19).replaceAll(":", "")}`;
    if (form === "csv") save(`${name}.csv`, "text/csv", toCsv(shown));
    else save(`${name}.json`, "application/json", toJson(shown, start, end, this.data.step));
  }

  themeChanged() {
    forgetColours();
    for (const one of this.drawings()) one.draw();
  }

  close() {
    document.removeEventListener("theme", this.recolour);
    this.abort?.abort();
    this.live.close();
    for (const one of this.drawings()) one.close();
  }
}

export function open(stage) {
  const view = new TimeView(stage);
  view.start();
  return {
    close: () => view.close(),
    moved: (parameters) => view.moved(parameters),
    search: () => view.picker.input.focus(),
  };
}
