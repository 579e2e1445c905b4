// SPDX-License-Identifier: Apache-2.0
// The view Runs: counts more for a while than the configuration says, watches it, lists what is
// kept, lays two over each other and compares them.

import { address, Feed, get, isAbort, post, remove } from "./api.js";
import { element, keepChildren, notice, replace, simpleTable } from "./elements.js";
import { count, duration, instant } from "./format.js";
import { RunForm } from "./run_form.js";
import { RunNames } from "./run_names.js";
import { RunPlots } from "./run_plot.js";
import { RunSchedules } from "./run_schedule.js";
import { addPoints } from "./run_points.js";
import { comparisonTable, shortcomings, summaryTable } from "./run_tables.js";
import { missing } from "./schedule_threads.js";

const SUMMARY_PAUSE = 1000; // ms between summaries of a run that goes on
const LIST_PAUSE = 5000; // ms between lists while a run goes on that is not shown
const STATES = { running: "goes on", over: "over", stopped: "stopped", target_gone: "target ended",
  cut_short: "cut short", lost: "lost", imported: "imported" };

const isOn = (run) => run.state === "running";
const idsOf = (parameters) => parameters.getAll("show").map(Number).filter(Boolean).slice(0, 2);

class Runs {
  constructor(stage) {
    this.stage = stage;
    this.chosen = idsOf(stage.parameters); // numbers of runs, two at most
    this.shown = []; // the runs of these numbers, with all their points
    this.feeds = new Map(); // by the number of a run that goes on
    this.rows = new Map(); // by the number of a run: {text, row}
    this.begin = element("div", {});
    this.said = element("div", {});
    this.list = element("div", {}, notice("busy", "Asking for the runs…"));
    this.words = element("div", {});
    this.figures = element("div", {});
    this.plots = new RunPlots();
    this.schedules = new RunSchedules(this.plots, stage.signal);
    this.dialog = element("dialog", { "aria-labelledby": "run-dialog-title" });
    replace(stage.root,
      element("div", { class: "head" }, element("h1", {}, "Runs"),
        element("span", { class: "sub" }, "Count more for a while, without touching the " +
          "configuration, and compare")),
      this.begin, this.said, this.list, this.words, this.schedules.root, this.figures, this.plots.root, this.dialog);
    this.start();
  }

  /* Runs are kept by the history. */
  async start() {
    const known = await this.stage.status;
    if (this.closed) return;
    if (known && !known.history) {
      replace(this.list, notice("empty", "This exporter keeps no history, and so no runs. The " +
        "configuration says so: ", element("code", {}, "history: {enabled: false}"), "."));
      return;
    }
    this.hasHistory = true;
    this.showControl(known?.control ?? { allowed: false, how: "" });
    this.ask();
  }

  moved(parameters) {
    this.chosen = idsOf(parameters);
    if (this.hasHistory) this.ask();
  }

  showControl({ allowed, how }) {
    this.allowed = allowed;
    if (allowed) this.form = new RunForm((run) => this.begun(run));
    replace(this.begin, allowed ? this.form.root
      : notice("empty", "Runs can be looked at here, but not begun or changed. To allow it: ", how,
        ". In a shell: ", element("code", {},
          "pmutool runs start TITLE -e page-faults,context-switches")));
  }

  async begun(run) {
    this.choose([run.id]);
    await this.ask();
    this.list.querySelector(`[data-key="show-${run.id}"]`)?.focus();
  }

  choose(ids) {
    this.chosen = ids.slice(-2);
    this.stage.change({ show: this.chosen });
  }

  /* Asks for the list, and for what is shown of it. The newest question wins. */
  async ask() {
    const asked = this.asked = {};
    clearTimeout(this.timer);
    try {
      const { runs } = await get("runs", {}, this.stage.signal);
      if (asked !== this.asked) return;
      this.runs = runs;
      const known = this.chosen.filter((id) => runs.some((run) => run.id === id));
      if (known.length < this.chosen.length) this.choose(known);
      this.showList();
      const shown = await Promise.all(this.chosen.map((id) =>
        get(`runs/${id}`, {}, this.stage.signal)));
      if (asked !== this.asked) return;
      this.shown = shown;
      this.follow();
      this.showWords();
      this.showPlots();
      await this.showFigures();
    } catch (error) {
      if (isAbort(error) || asked !== this.asked) return;
      if (!this.runs) replace(this.list);
      this.say(`The runs cannot be shown: ${error.message}.`);
    }
  }

  say(text) {
    replace(this.said, text ? notice("error", text) : null);
  }

  /* Runs that go on tell their points by themselves; that others are over, the list tells. */
  follow() {
    for (const id of this.feeds.keys()) this.unfollow(id);
    for (const run of this.shown.filter(isOn)) this.feeds.set(run.id, this.feedOf(run));
    if (this.feeds.size === 0 && this.runs.some(isOn))
      this.timer = setTimeout(() => this.ask(), LIST_PAUSE);
  }

  /* A stream that has told the end is not asked for again. */
  feedOf(run) {
    return new Feed(`runs/${run.id}/live`, {}, {
      points: (points) => this.hear(run, points),
      end: () => {
        this.unfollow(run.id);
        this.ask();
      },
    }, (state) => {
      if (state === "disconnected") this.timer = setTimeout(() => this.ask(), SUMMARY_PAUSE);
    });
  }

  unfollow(id) {
    this.feeds.get(id)?.close();
    this.feeds.delete(id);
  }

  /* What is about to be deleted is not asked for any more. */
  forget(id) {
    this.asked = {};
    this.unfollow(id);
    this.choose(this.chosen.filter((one) => one !== id));
    this.shown = this.shown.filter((run) => run.id !== id);
    this.showWords();
    this.showPlots();
    replace(this.figures);
  }

  hear(run, points) {
    if (!addPoints(run, points) || this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = null;
      this.showPlots();
      this.showProgress();
    });
    this.later ??= setTimeout(() => {
      this.later = null;
      this.showFigures().catch((error) => {
        if (!isAbort(error)) this.say(error.message);
      });
    }, SUMMARY_PAUSE);
  }

  /* The list. */

  showList() {
    if (!this.runs) return;
    const focused = document.activeElement?.dataset?.key;
    if (this.runs.length === 0)
      replace(this.list, notice("empty", "No run is kept yet. Begin one, and a second one later: " +
        "what has changed between them can be seen here."));
    else
      this.showRows();
    if (focused && document.activeElement?.dataset?.key !== focused)
      this.list.querySelector(`[data-key="${focused}"]`)?.focus();
    this.showProgress();
  }

  /* Lines that say the same as before stay, so that nobody clicks on one that is just being replaced. */
  showRows() {
    const rows = this.runs.map((run) => this.standingRow(run));
    const body = this.list.querySelector(".run-list tbody");
    if (!body)
      replace(this.list, element("h2", { class: "run-heading" }, "Runs that are kept"),
        element("div", { class: "card run-list" },
          simpleTable(["Show", "Run", "Title", "Target", "Began", "Length", "State", ""], [], "Runs")));
    keepChildren(body ?? this.list.querySelector(".run-list tbody"), rows);
  }

  standingRow(run) {
    const { id, title, target, command, start, end, duration_seconds: length, state } = run;
    const text = JSON.stringify([title, target, command, start, end, length, state, run.sampled,
      this.allowed]);
    if (this.rows.get(id)?.text !== text)
      this.rows.set(id, { text, row: element("tr", {}, this.row(run).map((cell) =>
        element("td", {}, cell))) });
    const { row } = this.rows.get(id);
    const chosen = row.querySelector("input").checked = this.chosen.includes(id);
    if (isOn(run) && !chosen) row.querySelector(".run-state").textContent = STATES.running;
    return row;
  }

  row(run) {
    const box = element("input", { type: "checkbox", "data-key": `show-${run.id}`,
      "aria-label": `Show ${run.title}`, on: { change: () => this.toggle(run.id) } });
    return [box, String(run.id), element("bdi", { class: "run-title" }, run.title),
      element("bdi", { class: "run-title" }, run.command ?? run.target), instant(run.start),
      duration(run.end === null ? run.duration_seconds : run.end - run.start),
      element("span", { class: "run-state", "data-run": run.id, "data-state": run.state },
        STATES[run.state] ?? run.state),
      element("span", { class: "run-actions" },
        this.download(run, "csv"), this.download(run, "json"),
        run.kind === "schedule" ? this.trace(run) : null,
        run.sampled?.samples > 0 ? this.profile(run) : null,
        this.allowed && isOn(run)
          ? this.button("Stop", run, () => this.act(() => post(`runs/${run.id}/stop`))) : null,
        this.allowed ? this.button("Again", run, () => this.form.fill(run)) : null,
        this.allowed ? this.button("Delete", run, () => this.confirmDelete(run)) : null)];
  }

  download(run, form) {
    return element("a", { href: address(`runs/${run.id}.${form}`), download: `run-${run.id}.${form}`,
      "aria-label": `Download ${run.title} as ${form.toUpperCase()}` }, form.toUpperCase());
  }

  /* The file that Perfetto opens. */
  trace(run) {
    return element("a", { href: address(`runs/${run.id}/trace`), download: `run-${run.id}.trace.json`,
      title: "A file that ui.perfetto.dev and chrome://tracing open",
      "aria-label": `Download ${run.title} as a trace for Perfetto` }, "Trace");
  }

  profile(run) {
    return element("a", { href: this.stage.link("profile", { target: `run:${run.id}` }),
      "aria-label": `Profile of ${run.title}` }, "Profile");
  }

  /* What differs between the profiles of two runs, the first one being the one before. */
  difference() {
    const [a, b] = this.shown;
    if (!b || !this.shown.every(({ sampled }) => sampled?.samples > 0)) return null;
    return element("p", {}, element("a", { href: this.stage.link("profile",
      { target: `run:${b.id}`, before_target: `run:${a.id}` }) }, "What differs between their profiles"));
  }

  button(label, run, act) {
    return element("button", { type: "button", class: "copy", "data-key": `${label}-${run.id}`,
      "aria-label": `${label}: ${run.title}`, on: { click: act } }, label);
  }

  /* How much of a run that is shown is done. */
  showProgress() {
    for (const run of this.shown.filter(isOn)) {
      const place = this.list.querySelector(`[data-state="running"][data-run="${run.id}"]`);
      const done = Math.min(1, (run.times.at(-1) ?? 0) / run.duration_seconds);
      if (place) place.textContent = `${STATES.running}, ${(done * 100).toFixed(0)} %`;
    }
  }

  toggle(id) {
    this.choose(this.chosen.includes(id) ? this.chosen.filter((one) => one !== id)
      : [...this.chosen, id]);
    this.ask();
  }

  async act(change) {
    try {
      await change();
      this.say("");
      await this.ask();
      return true;
    } catch (error) {
      if (!isAbort(error)) this.say(error.message);
      return false;
    }
  }

  async delete(run) {
    this.forget(run.id);
    if (!await this.act(() => remove(`runs/${run.id}`))) this.ask();
  }

  confirmDelete(run) {
    const answer = (text, yes) => element("button", { type: "button", class: yes ? "danger" : null,
      on: { click: () => {
        this.dialog.close();
        if (yes) this.delete(run);
      } } }, text);
    replace(this.dialog, element("h2", { id: "run-dialog-title" }, "Delete this run?"),
      element("p", {}, element("bdi", { class: "run-title" }, run.title), ", ", instant(run.start),
        ". It cannot be brought back."),
      element("div", { class: "tools" }, answer("Delete it", true), answer("Keep it", false)));
    this.dialog.showModal();
  }

  /* What is chosen of it. */

  showWords() {
    if (this.names?.isOpen && this.shown.some(({ id }) => id === this.names.run.id)) return;
    this.names = null;
    const [run] = this.shown;
    const lacks = this.shown.flatMap((each) => [...shortcomings(each), ...missing(each)]);
    if (this.shown.length === 1)
      this.names = new RunNames(run, this.allowed, (names) =>
        this.act(() => post(`runs/${run.id}`, names)));
    replace(this.words, this.names?.root ?? null,
      this.shown.length === 2 ? element("h2", { class: "run-heading" }, "Two runs compared") : null,
      this.difference(),
      lacks.map((text) => notice("empty", text)));
  }

  showPlots() {
    this.plots.root.hidden = this.shown.length === 0;
    this.plots.show(this.shown);
    this.schedules.show(this.shown);
  }

  /* Two runs against each other, or {refused}: why they cannot be. */
  async compared(a, b) {
    try {
      return await get("runs/compare", { a: a.id, b: b.id }, this.stage.signal);
    } catch (error) {
      if (error.status !== 400) throw error;
      return { refused: error.message };
    }
  }

  async showFigures() {
    const [a, b] = this.shown;
    if (!a) {
      replace(this.figures);
      return;
    }
    const asked = this.shown;
    const answer = b ? await this.compared(a, b) : await get(`runs/${a.id}`, {}, this.stage.signal);
    if (asked !== this.shown || this.closed) return;
    if (answer.refused) {
      replace(this.figures, notice("empty", answer.refused));
      return;
    }
    replace(this.figures, b ? comparisonTable(answer) : summaryTable(answer), element("p",
      { class: "quiet-text" }, this.shown.map((run) => `${count(run.times.length)} intervals of ` +
        duration(run.interval_seconds)).join(" and "), b ? "; means with their spread (standard " +
        "deviation), and heavy what the spread does not explain." : "; per second, with the spread " +
        "(standard deviation) between intervals. Show a second run to compare them."));
  }

  search() {
    this.form?.events.input.focus();
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    clearTimeout(this.later);
    cancelAnimationFrame(this.frame);
    for (const id of this.feeds.keys()) this.unfollow(id);
    this.schedules.close();
    this.plots.close();
  }
}

export function open(stage) {
  return new Runs(stage);
}
