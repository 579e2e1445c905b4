// SPDX-License-Identifier: Apache-2.0
// The view Now: the machine, and who uses it.

import { Feed, get, isAbort } from "./api.js";
import { Curves } from "./curves.js";
import { element, notice, replace, setAttribute, setText } from "./elements.js";
import { count as amount, instant } from "./format.js";
import { Grid } from "./grid.js";
import { measureColumns, nameColumn, pastColumns } from "./now_columns.js";
import { Past } from "./past.js";
import { fullNames, measuresOf, shortName, targetsOf, treeOf } from "./targets.js";
import { Tiles } from "./tiles.js";

const KINDS = ["cgroup", "process"];
const SECONDS = 600; // of the curves
const LEAST_SECONDS = 60;
const POINTS = 300;
const LOOK_AGAIN = 30000; // for columns that a new configuration may have brought

class Now {
  constructor(stage) {
    this.stage = stage;
    this.curves = new Curves(SECONDS);
    this.machineCurves = new Curves(SECONDS);
    this.tiles = new Tiles(this.machineCurves, stage.link);
    this.past = new Past({ seconds: SECONDS, points: POINTS, signal: stage.signal, status: stage.status,
      now: () => this.time ?? Date.now() / 1000,
      onNews: (id, times, values) => this.learn(id, times, values) });
    this.open = new Set(); // branches of the tree
    this.recolour = () => this.draw();
    document.addEventListener("theme", this.recolour);
    this.build();
    this.moved(stage.parameters);
    this.begin();
  }

  build() {
    this.searchBox = element("input", { type: "search", placeholder: "Search targets ( / )",
      "aria-label": "Search targets", autocomplete: "off", spellcheck: "false",
      on: { input: () => this.stageChange({ q: this.searchBox.value }),
        keydown: (event) => this.searchKey(event) } });
    this.shapes = this.choice("Shape", [["", "Flat"], ["tree", "Tree"]], "as");
    this.kinds = this.choice("Kind", [["", "All"], ["cgroup", "Cgroups"], ["process", "Processes"]],
      "kind");
    this.count = element("span", { class: "quiet-text", role: "status" });
    this.message = element("div");
    this.place = element("div", { class: "card" });
    replace(this.stage.root,
      element("h1", { class: "hidden-text" }, "Now"),
      this.tiles.root,
      element("div", { class: "tools" }, this.searchBox, this.kinds, this.shapes,
        element("span", { class: "grow" }), this.count),
      this.message, this.place);
    this.place.hidden = true;
    replace(this.message, notice("busy", "Asking for the first numbers…"));
  }

  choice(label, options, argument) {
    return element("div", { class: "choice", role: "group", "aria-label": label },
      options.map(([value, text]) => element("button", { type: "button", "data-value": value,
        on: { click: () => this.stageChange({ [argument]: value }) } }, text)));
  }

  stageChange(changes) {
    this.stage.change(changes);
    this.moved(this.stage.parameters);
  }

  /* Reads the arguments of the address. */
  moved(parameters) {
    const before = `${this.lead} ${this.shape}`;
    this.query = (parameters.get("q") ?? "").toLowerCase();
    this.kind = parameters.get("kind") ?? "";
    this.shape = parameters.get("as") ?? "";
    this.sort = parameters.get("sort") ?? "";
    this.ascending = parameters.get("order") === "asc";
    if (this.searchBox.value.toLowerCase() !== this.query) this.searchBox.value = this.query;
    for (const [group, value] of [[this.shapes, this.shape], [this.kinds, this.kind]])
      for (const button of group.children)
        button.setAttribute("aria-pressed", String(button.dataset.value === value));
    if (!this.answer) return;
    this.chooseLead();
    if (before !== `${this.lead} ${this.shape}`) this.makeGrid();
    this.arrange(true);
  }

  /* The measure that rows are sorted by is the one that has a curve and a change. */
  chooseLead() {
    const lead = this.measures.includes(this.sort) ? this.sort : this.measures[0];
    if (lead !== this.lead) {
      this.curves.clear();
      this.past.clear();
    }
    this.lead = lead;
  }

  async begin() {
    try {
      const answer = await get("targets", {}, this.stage.signal);
      this.prepare(answer);
      this.take(answer);
    } catch (error) {
      if (isAbort(error)) return;
      this.stage.report("disconnected", "Disconnected");
      replace(this.message, notice("error", `There are no numbers: ${error.message}. Trying again.`));
      this.timer = setTimeout(() => this.begin(), 3000);
      return;
    }
    this.timer = setInterval(() => this.lookAgain(), LOOK_AGAIN);
  }

  /* Makes what depends on which columns there are. */
  prepare(answer) {
    this.answer = answer;
    this.measures = measuresOf(answer, KINDS);
    this.machineMeasures = measuresOf(answer, ["machine"]);
    this.columns = [...fullNames(answer, KINDS, this.measures),
      ...fullNames(answer, ["machine"], [...this.machineMeasures, "cpus"])];
    this.tiles.make(this.machineMeasures);
    this.recall(fullNames(answer, ["machine"], this.machineMeasures));
    this.chooseLead();
    this.makeGrid();
    this.feed?.close();
    this.feed = new Feed("live", { column: this.columns }, { snapshot: (data) => this.take(data) },
      (state, text) => this.feedIs(state, text));
  }

  /* What the history knows of the machine. Without a history the curves begin now. */
  async recall(columns) {
    if (columns.length === 0) return;
    const { times, columns: known } =
      await this.past.curves("machine", columns).catch(() => ({ times: [], columns: [] }));
    for (const { name, values } of known)
      this.machineCurves.before(`machine ${shortName("machine", name)}`, times, values);
  }

  feedIs(state, text) {
    this.stage.report(state, text);
    if (state === "disconnected" && this.time)
      replace(this.message, notice("error", "The exporter does not answer. These are the numbers of " +
        `${instant(this.time)}; asking again.`));
  }

  async lookAgain() {
    const answer = await get("targets", {}, this.stage.signal).catch(() => null);
    if (!answer || answer.stale || document.hidden) return;
    const same = String(measuresOf(answer, KINDS)) === String(this.measures) &&
      String(measuresOf(answer, ["machine"])) === String(this.machineMeasures);
    if (!same) this.prepare(answer);
  }

  makeGrid() {
    this.grid?.close();
    const tree = this.shape === "tree";
    this.grid = new Grid({
      label: "Targets", tree,
      columns: [nameColumn(this, tree), ...measureColumns(this), ...pastColumns(this, SECONDS)],
      onSort: (name) => this.sortBy(name),
      onOpen: (row) => this.openRow(row),
      onRows: (rows) => this.inSight(rows),
    });
    this.grid.showSort(this.sort === "name" ? "name" : this.lead, this.sort === "name"
      ? this.ascending === false : !this.ascending);
    replace(this.place, this.grid.table);
  }

  sortBy(name) {
    const standing = this.sort === "name" ? "name" : this.lead;
    const ascending = name === standing ? !this.ascending : name === "name";
    this.stageChange({ sort: name, order: ascending ? "asc" : "" });
    this.makeGrid();
    this.arrange(true);
  }

  take(answer) {
    this.answer = answer;
    this.time = answer.taken_realtime_seconds ?? Date.now() / 1000;
    this.targets = targetsOf(answer);
    this.machine = this.targets.find(({ kind }) => kind === "machine");
    this.cpus = this.machine?.values.cpus;
    for (const name of this.machineMeasures)
      this.machineCurves.add(`machine ${name}`, this.time, this.machine?.values[name] ?? null);
    this.span = this.reach();
    this.arrange(false);
    const ids = new Set();
    for (const row of this.all) {
      ids.add(row.id);
      this.curves.add(row.id, this.time, row.values[this.lead] ?? null);
    }
    this.curves.keep(ids);
    this.draw();
  }

  /* Curves have the colours of the theme in which they were drawn. */
  draw() {
    if (!this.targets) return;
    this.tiles.show(this.machine, this.answer, this.counted().length, this.time, this.span);
    this.grid.draw();
  }

  /* How many seconds the curves show: few while there are few. */
  reach() {
    const first = this.machineCurves.get(`machine ${this.machineMeasures[0]}`).times[0];
    return Math.min(SECONDS, Math.max(LEAST_SECONDS, this.time - (first ?? this.time)));
  }

  /* What has ended lingers with its totals only; what is known of none of the measures is gone. */
  counted() {
    return this.targets.filter((target) => KINDS.includes(target.kind) &&
      this.measures.some((name) => target.values[name] !== undefined));
  }

  matches(target) {
    return this.query === "" || [target.name, ...Object.values(target.info)].some((text) =>
      text.toLowerCase().includes(this.query));
  }

  compare(a, b) {
    if (this.sort === "name") return (this.ascending ? 1 : -1) * (a.name < b.name ? -1 : 1);
    const x = a.values[this.lead] ?? -Infinity, y = b.values[this.lead] ?? -Infinity;
    if (x !== y) return this.ascending ? x - y : y - x;
    return a.name < b.name ? -1 : 1;
  }

  /* Makes the rows and their order. While somebody points at them, they keep their places. */
  arrange(force) {
    const shown = this.counted().filter(({ kind }) => !this.kind || kind === this.kind);
    const found = shown.filter((target) => this.matches(target));
    this.all = found;
    let rows = found.map((target) => ({ ...target, target }));
    if (this.shape === "tree") rows = this.branches(treeOf(found), 1, found.length <= 40);
    else rows.sort((a, b) => this.compare(a, b));
    if (!force && this.grid.held) rows = this.keepPlaces(rows);
    this.say(shown.length, found.length);
    setAttribute(this.grid.table, "data-sequence", this.answer.sequence);
    this.grid.setRows(rows);
  }

  branches(nodes, level, all) {
    const rows = [];
    for (const node of [...nodes].sort((a, b) => this.compare(a, b))) {
      const inner = node.children.length > 0;
      const expanded = inner ? this.query !== "" || this.open.has(node.id) ||
        (all && !this.open.has(`-${node.id}`)) : undefined;
      rows.push({ ...node, level, expanded, n: node.children.length });
      if (!node.target) this.all.push(node);
      if (expanded) rows.push(...this.branches(node.children, level + 1, all));
    }
    return rows;
  }

  keepPlaces(rows) {
    const places = new Map(this.grid.rows.map(({ id }, i) => [id, i]));
    return rows.map((row, i) => [places.get(row.id) ?? 1e6 + i, row])
      .sort(([a], [b]) => a - b).map(([, row]) => row);
  }

  say(n, found) {
    const word = n === 1 ? "target" : "targets";
    setText(this.count, this.query ? `${amount(found)} of ${amount(n)} ${word}` : `${amount(n)} ${word}`);
    const text = this.answer.stale
      ? "The exporter has not read its counters lately, so it shows no numbers. Its log says why."
      : n === 0 ? (this.kind ? "Nothing of this kind is counted." : "Only the machine is counted: " +
        "the configuration names no cgroups or processes that exist now.")
        : found === 0 ? "No target has this in its name, unit, slice, container or pod." : "";
    const kind = this.answer.stale ? "error" : "empty";
    if (this.message.textContent !== text)
      replace(this.message, text === "" ? null : notice(kind, text));
    this.place.hidden = found === 0;
  }

  inSight(rows) {
    this.past.want(rows.filter(({ target }) => target).map(({ id }) => id),
      fullNames(this.fullAnswer(), KINDS, [this.lead]));
  }

  /* The columns of the live feed are those that were asked for, so either answer has them. */
  fullAnswer() {
    return this.answer.stale ? { tables: [] } : this.answer;
  }

  learn(id, times, values) {
    if (id !== null) this.curves.before(id, times, values);
    this.grid?.schedule();
  }

  toggle(row) {
    const opening = !row.expanded;
    this.open.delete(opening ? `-${row.id}` : row.id);
    this.open.add(opening ? row.id : `-${row.id}`);
    this.arrange(true);
  }

  openRow(row) {
    if (row.target) location.hash = this.stage.link("time", { target: row.id });
    else this.toggle(row);
  }

  search() {
    this.searchBox.focus();
    this.searchBox.select();
  }

  searchKey(event) {
    if (event.key === "Escape") {
      this.stageChange({ q: "" });
      this.searchBox.blur();
    } else if (event.key === "ArrowDown" && this.grid) {
      this.searchBox.blur();
      this.grid.table.focus({ preventScroll: true });
      this.grid.choose(0);
      event.preventDefault();
    }
  }

  key(event) {
    if (!this.grid) return false;
    const row = this.grid.chosenRow();
    if (event.key === "Escape" && this.query) this.stageChange({ q: "" });
    else if (event.key === "ArrowRight" && row?.expanded === false) this.toggle(row);
    else if (event.key === "ArrowLeft" && row?.expanded === true) this.toggle(row);
    else return this.grid.key(event);
    return true;
  }

  close() {
    clearTimeout(this.timer);
    clearInterval(this.timer);
    document.removeEventListener("theme", this.recolour);
    this.feed?.close();
    this.grid?.close();
  }
}

export function open(stage) {
  return new Now(stage);
}
