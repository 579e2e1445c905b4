// SPDX-License-Identifier: Apache-2.0
// The view Profile: in which functions a target spends its CPU time, as a flame graph, an icicle and a
// table; who calls a function, and what it calls; and how two profiles differ.
//
// The address has all of it (profile_state.js), so that what is seen can be sent to somebody.

import { get, isAbort } from "./api.js";
import { sidesOf } from "./before_after.js";
import { forgetColours, themeNow } from "./colours.js";
import { element, notice, replace } from "./elements.js";
import { count, instant } from "./format.js";
import { frameColour, hex } from "./profile_colours.js";
import { Instructions } from "./profile_code.js";
import { COARSE, Profile, search, shareSigma, shareWords } from "./profile_data.js";
import { Flame } from "./profile_flame.js";
import { frameList } from "./profile_list.js";
import { SecondsMap } from "./profile_seconds.js";
import { beforeOf, isRun, question, rangeOf, readState, writeState } from "./profile_state.js";
import { FunctionTable } from "./profile_table.js";
import { ProfileTools } from "./profile_tools.js";
import { spanWords } from "./range.js";
import { rangeWords } from "./ticks.js";

const NODES = 5000;
const ROWS = 500;
const KEPT = 8 * 86400; // seconds; no profile is older
const LEGEND = 7; // owners that are named
const TARGETS_KEPT = 5000; // ms
const SECONDS = 3600; // the most that are shown one by one

class ProfileView {
  constructor(stage) {
    this.stage = stage;
    this.flames = [];
    this.state = readState(stage.parameters);
    this.tools = new ProfileTools({ targets: () => this.targets(), go: (changes) => this.go(changes),
      again: () => this.load(), search: (words) => this.search(words),
      sides: (mark, marks) => this.sides(mark, marks), signal: stage.signal });
    this.table = new FunctionTable({ choose: (of) => this.sandwich(of) });
    this.table.root.hidden = true;
    this.seconds = new SecondsMap({ choose: (part) => this.choosePart(part), whole: () => this.whole() });
    this.words = element("p", { class: "time-range", role: "status" });
    this.said = element("div", {});
    this.graph = element("div", { class: "profile-graph" });
    this.code = new Instructions();
    replace(stage.root, element("div", { class: "head" }, element("h1", {}, "Profile"),
      element("span", { class: "sub" }, "In which functions CPU time is spent, or an event of a run happens")),
    this.tools.root, this.words, this.said, this.seconds.root, this.graph, this.code.root,
    this.table.root);
    this.recolour = () => this.themeChanged();
    document.addEventListener("theme", this.recolour);
    forgetColours(); // the theme may have changed while another view was here
    this.loadMarks();
    this.load();
  }

  /* Marks are kept by the history. */
  async loadMarks() {
    const known = await this.stage.status;
    const now = Date.now() / 1000;
    if (known?.history && !this.stage.signal.aborted)
      this.tools.loadMarks({ start: Math.floor(now - KEPT), end: Math.ceil(now + 60) });
  }

  /** Somebody has chosen something: it stands in the address, and the back button takes it back. */
  go(changes) {
    this.state = { ...this.state, ...changes };
    this.stage.change(writeState(this.state), { push: true });
    this.load();
  }

  moved(parameters) {
    this.state = readState(parameters);
    this.load();
  }

  sandwich({ owner, name }) {
    this.go({ owner, name });
    this.stage.root.scrollIntoView({ block: "start" });
  }

  /* A part of the map is shown, which stays. */
  choosePart(fixed) {
    this.go({ fixed, outer: this.state.outer ?? { ...this.seconds.range } });
  }

  whole() {
    if (this.state.outer) this.go({ fixed: this.state.outer, outer: null });
  }

  /* As much time on both sides of a mark, at most as long as the range that was shown. */
  sides(mark, marks) {
    const now = Date.now() / 1000;
    const { start, end } = rangeOf(this.state, now);
    const half = Math.max(end - start, 60);
    const sides = sidesOf(mark, marks, mark.time - half, Math.min(mark.time + half, now)) ??
      { start: mark.time - half, middle: mark.time, end: mark.time + half };
    return { fixed: { start: sides.middle, end: sides.end },
      beforeFixed: { start: sides.start, end: sides.middle } };
  }

  async targets() {
    if (!this.known || Date.now() - this.known.at > TARGETS_KEPT) {
      const [{ targets }, recorded] = await Promise.all([
        get("profile/targets", {}, this.stage.signal), this.recorded()]);
      this.known = { at: Date.now(),
        targets: [...targets.sort((a, b) => b.samples - a.samples), ...recorded] };
    }
    return this.known.targets;
  }

  /* Runs that have samples, the newest first. They are kept by the history. */
  async recorded() {
    if (!(await this.stage.status)?.history) return [];
    const { runs } = await get("runs", {}, this.stage.signal).catch(() => ({ runs: [] }));
    return runs.filter(({ sampled }) => sampled?.samples > 0).reverse().map(({ id, title, sampled }) =>
      ({ target: `run:${id}`, title, samples: sampled.samples }));
  }

  /* The newest question wins. */
  async load() {
    this.abort?.abort();
    const abort = this.abort = new AbortController();
    const range = rangeOf(this.state, Date.now() / 1000);
    this.tools.show(this.state, range);
    this.tools.tell("");
    this.stage.root.setAttribute("aria-busy", "true");
    if (this.flames.length === 0) replace(this.said, notice("busy", "Asking for the profile…"));
    try {
      const answers = await this.ask(range, AbortSignal.any([abort.signal, this.stage.signal]));
      this.drawing ??= await import("./flame.js");
      if (!abort.signal.aborted && !this.stage.signal.aborted) this.show(answers);
    } catch (error) {
      if (!isAbort(error) && this.abort === abort) await this.fail(error);
    } finally {
      if (this.abort === abort) this.stage.root.removeAttribute("aria-busy");
    }
  }

  async ask(range, signal) {
    const { state } = this;
    const asked = question(state, range);
    if (beforeOf(state, range))
      return { whole: await get("profile/difference", { ...asked, nodes: NODES }, signal) };
    const wide = state.outer ?? range;
    const seconds = state.name || isRun(state.target) || wide.end - wide.start > SECONDS ? null
      : get("profile/seconds", question({ ...state, fixed: wide }, wide), signal).catch(() => null);
    const parts = state.name ? ["callers", "callees"].map((of) => get("profile",
      { ...asked, of, owner: state.owner, name: state.name, nodes: NODES }, signal)) : [];
    const code = state.name && state.code ? get("profile/annotation", { ...asked, owner: state.owner,
      name: state.name }, signal).catch(({ message }) => ({ refusal: message })) : null;
    const [table, whole, map, instructions, ...halves] = await Promise.all([
      get("profile/table", { ...asked, rows: ROWS }, signal),
      state.name ? null : get("profile", { ...asked, nodes: NODES }, signal), seconds, code, ...parts]);
    return { table, whole, map, instructions, halves };
  }

  show({ table, whole, map, instructions, halves = [] }) {
    const hadFocus = this.graph.contains(document.activeElement);
    const paths = this.flames.map((flame) => flame.path());
    this.clear();
    this.tellRange(whole ?? table);
    this.tools.showTime(!(whole?.after ?? whole ?? table).event);
    this.code.show(instructions);
    this.seconds.showSeconds(map, this.state.target, this.state.outer && this.state.fixed);
    replace(this.said, this.remarks(whole ?? table));
    const sides = whole?.before ? [whole.before.samples, whole.after.samples] : [(whole ?? table).samples];
    const isEmpty = sides.every((samples) => samples === 0);
    this.table.root.hidden = isEmpty;
    this.tools.showFiles(sides.at(-1) > 0);
    if (isEmpty) return;
    this.profiles = whole ? [new Profile(whole)]
      : halves.map((answer) => new Profile(answer, "samples that have it"));
    if (whole && !whole.before) this.tellNotWhole(this.profiles[0]);
    if (whole?.before || this.state.view !== "table" || this.state.name)
      this.draw(sides[0]);
    this.flames.forEach((flame, i) => flame.show(this.profiles[i], paths[i]));
    if (halves.length) this.flames.forEach((flame) => flame.point(Math.min(1, flame.profile.n - 1)));
    if (hadFocus) this.flames[0]?.box.focus({ preventScroll: true });
    this.table.show(table ?? whole, this.state.measure, this.state.search);
    this.search(this.state.search, false);
  }

  clear() {
    for (const flame of this.flames) flame.close();
    this.flames = [];
    this.profiles = [];
    replace(this.graph);
  }

  draw(all) {
    const { state } = this;
    if (this.profiles.length === 2) this.drawSandwich(all);
    else if (state.view !== "table")
      this.addFlame(this.profiles[0], state.view === "icicle", "Frames of the profile");
    const [profile] = this.profiles;
    if (this.flames.length > 0) this.graph.append(profile.isDifference ? this.changeLegend() :
      this.ownerLegend(profile));
  }

  /* Callers stand above the function, and what it calls below it. */
  drawSandwich(all) {
    const { name, owner } = this.state;
    const [callers, callees] = this.profiles;
    replace(this.graph, element("div", { class: "head profile-sandwich" },
      element("h2", {}, "Callers and callees of ", element("bdi", { class: "flame-name" }, name), " ",
        element("bdi", { class: "quiet-text" }, owner)),
      element("span", { class: "sub" }, `${count(callees.samples[0])} samples have it, `,
        `${shareWords(callees.samples[0], all)} of all`),
      isRun(this.state.target) ? null : element("button", { type: "button",
        "aria-pressed": String(this.state.code),
        on: { click: () => this.go({ code: !this.state.code }) } }, "Instructions"),
      element("button", { type: "button", on: { click: () => this.go({ name: null, code: false }) } },
        "Whole profile")));
    const half = (profile, inverted, title) => {
      this.graph.append(element("h3", {}, title));
      this.addFlame(profile, inverted, title);
    };
    half(callers, false, "Who calls it");
    half(callees, true, "What it calls");
  }

  addFlame(profile, inverted, label) {
    if (!this.drawing.flamegraph) {
      this.graph.append(frameList(profile, search(profile, this.state.search)));
      return;
    }
    const flame = new Flame(this.drawing, { label, inverted,
      sandwich: profile.isDifference ? null : (of) => this.sandwich(of) });
    this.graph.append(flame.root);
    this.flames.push(flame);
  }

  /* Which colour is what: the kinds, and the programs and libraries with the most samples. */
  ownerLegend(profile) {
    const owners = new Map();
    for (let i = 1; i < profile.n; i++) {
      const { kind, owner } = profile.functionOf(i);
      const name = kind === "note" ? "no function" : kind === "jit" ? "made at run time" : owner;
      const known = owners.get(name) ?? { kind, owner, n: 0 };
      owners.set(name, { ...known, n: known.n + profile.selves[0][i] });
    }
    const most = [...owners].sort(([, a], [, b]) => b.n - a.n).slice(0, LEGEND);
    return element("ul", { class: "profile-legend", "aria-label": "Colours" }, most.map(([name, of]) =>
      this.legendLine(`${name.slice(0, 60)}`, hex(frameColour({ ...of, name: "" }, themeNow())))));
  }

  changeLegend() {
    return element("ul", { class: "profile-legend", "aria-label": "Colours" },
      this.legendLine("more than before", null, "more"), this.legendLine("less", null, "less"),
      this.legendLine("not beyond chance", null, "same"));
  }

  legendLine(text, colour, kind = null) {
    const swatch = element("span", { class: kind ? `profile-swatch ${kind}` : "profile-swatch" });
    if (colour) swatch.style.background = colour;
    return element("li", {}, swatch, element("bdi", {}, text));
  }

  /* The range that is really covered may be wider or shorter than the one that was asked for. */
  tellRange(answer) {
    if (answer.before) {
      const side = ({ from, to, samples }, target) => `${rangeWords(from, to)} of ${target}: ` +
        `${count(samples)} samples`;
      this.words.textContent = `${side(answer.after, this.state.target)} · compared with ` +
        side(answer.before, this.state.beforeTarget ?? this.state.target);
      return;
    }
    const { from, to, samples, rate, cpu_seconds: seconds, event, events } = answer;
    this.words.textContent = [rangeWords(from, to), spanWords(to - from), `${count(samples)} samples`,
      ...event ? [`${count(events)} ${event}`] : [rate ? `${rate} a second of each CPU` : "of several rates",
      `${count(Math.round(seconds * 10) / 10)} CPU seconds`]].join(" · ");
  }

  /* A note stands in the graph for what is not known of these; here is how many they are. */
  tellNotWhole(profile) {
    const { n, isAll } = profile.notWhole();
    if (n > 0) this.words.append(` · ${isAll ? "" : "at least "}${count(n)} ` +
      `${n === 1 ? "stack is" : "stacks are"} not whole (${shareWords(n, profile.samples[0])})`);
  }

  /* What is to be known before one believes it. */
  remarks(answer) {
    if (answer.before) return this.differenceRemarks(answer);
    const { samples } = answer;
    if (samples === 0) return notice("empty", "No sample was taken in this range: the target did not run, " +
      "or nothing was sampled then.");
    if (samples < COARSE) return notice("empty", `Only ${count(samples)} samples: shares are coarse. A half ` +
      `is known to ${(shareSigma(samples / 2, samples) * 100).toFixed(0)} % only. A longer range has more.`);
    return null;
  }

  /* Of samples that were lost functions are not known. */
  lostWords(profile) {
    const lost = [0, 1].map((side) => profile.lost(side));
    return lost.some(Boolean) ? `${count(lost[0])} samples before and ${count(lost[1])} after were lost, since ` +
      "the exporter was kept from running: functions have smaller shares for that." : null;
  }

  differenceRemarks(answer) {
    const { bound, before, after, nodes } = answer;
    const empty = [["before", before], ["after", after]].filter(([, { samples }]) => samples === 0);
    if (empty.length > 0)
      return notice("empty", `There is no sample ${empty.map(([side]) => side).join(" and none ")}, so ` +
        "nothing can be compared: the target did not run, or nothing was sampled then.");
    const few = [before, after].filter(({ samples }) => samples < COARSE);
    const n = nodes.differs.filter(Boolean).length;
    const lost = this.lostWords(new Profile(answer));
    return [lost && notice("empty", lost), few.length ? notice("empty", `One side has only ${count(Math.min(...few.map(({ samples }) =>
      samples)))} samples: only great changes are beyond chance.`) : null,
    notice("empty", n ? `${count(n)} of ${count(nodes.differs.length)} frames differ. ` :
      "Nothing differs beyond chance. ", `Coloured is what changed by more than ${bound.toFixed(1)} ` +
      "standard deviations: of twenty comparisons of a program with itself, nineteen have no colour. " +
      "A frame is as wide as both profiles together have it.")];
  }

  search(words, remembers = true) {
    if (remembers) {
      this.state.search = words;
      this.stage.change({ search: words || null });
      this.table.search(words);
    }
    const found = this.profiles.map((profile) => search(profile, words));
    this.flames.forEach((flame, i) => flame.recolour(found[i]));
    const [first] = found;
    this.tools.tell(!first ? "" : first.functions === 0 ? "Nothing is called so." : first.samples
      .map((samples, side) => shareWords(samples, this.profiles[0].samples[side])).join(" before, ") +
      ` of the samples, ${count(first.functions)} function${first.functions === 1 ? "" : "s"}`);
  }

  /* Where there is nothing, it is said when there was something. */
  async fail(error) {
    this.clear();
    this.code.show(null);
    this.tools.showFiles(false);
    this.table.root.hidden = this.seconds.root.hidden = true;
    this.words.textContent = "";
    if (error.status !== 404) {
      replace(this.said, notice(error.status === 503 ? "empty" : "error",
        `No profile: ${error.message}.`));
      return;
    }
    const targets = await this.targets().catch(() => []);
    const known = targets.find(({ target }) => target === this.state.target);
    if (this.state.name) {
      replace(this.said, notice("empty", `${error.message[0].toUpperCase()}${error.message.slice(1)}. `,
        element("button", { type: "button", class: "copy", on: { click: () => this.go({ name: null }) } },
          "Whole profile")));
      return;
    }
    replace(this.said, notice("empty", `No profile: ${error.message}.`, known?.samples ? [
      ` It has samples from ${instant(known.first)} to ${instant(known.last)}. `,
      element("button", { type: "button", class: "copy", on: { click: () => this.go({ fixed:
        { start: Math.max(known.first, known.last - 900), end: known.last } }) } }, "Show the last of them"),
    ] : null));
  }

  themeChanged() {
    forgetColours();
    for (const flame of this.flames) flame.recolour();
    if (!this.seconds.root.hidden) this.seconds.draw();
    const legend = this.graph.querySelector(".profile-legend");
    if (legend && !this.profiles[0].isDifference) legend.replaceWith(this.ownerLegend(this.profiles[0]));
  }

  close() {
    document.removeEventListener("theme", this.recolour);
    this.abort?.abort();
    this.seconds.close();
    this.clear();
  }
}

export function open(stage) {
  const view = new ProfileView(stage);
  return {
    close: () => view.close(),
    moved: (parameters) => view.moved(parameters),
    search: () => view.tools.input.focus(),
  };
}
