// SPDX-License-Identifier: Apache-2.0
// The tools above a profile: whose, of which time, how it is shown, what it is compared with, the
// search, and downloads. All of them only change the state (profile_state.js).

import { address, get } from "./api.js";
import { Chooser } from "./chooser.js";
import { element, replace, setAttribute, setText } from "./elements.js";
import { count, instant } from "./format.js";
import { parseInstant } from "./range.js";
import { beforeFor, beforeWord, BEFORES, hasProfile, isRun, question, RANGES, VIEWS }
  from "./profile_state.js";
import { button, localText } from "./time_tools.js";

const LISTED = 100;
const PAUSE = 200; // ms after a key, before a search
const FORMATS = [["pprof", "pprof", "profile.pb", "A file that pprof opens"],
  ["collapsed", "Collapsed", "profile.collapsed.txt", "Lines of stacks, for flamegraph.pl and others"],
  ["speedscope", "speedscope", "profile.speedscope.json", "A file that speedscope opens"]];

/** A chooser of one target, which tells at once what was chosen. */
class TargetChooser extends Chooser {
  constructor(id, label, targets, choose) {
    super({ id, label, many: false, placeholder: "machine, cgroup:/path, process:name, run:1",
      ask: async (text) => found(await targets(), text) });
    this.choose = choose;
    this.input.addEventListener("change", () => this.typed());
    this.input.addEventListener("focus", () => this.input.select());
  }

  set(values) {
    super.set(values);
    this.taken = this.input.title = values[0] ?? "";
  }

  take(value) {
    super.take(value);
    this.choose(value);
  }

  typed() {
    const text = this.input.value.trim();
    if (text !== this.taken && hasProfile(text)) this.choose(text);
  }

  key(event) {
    if (event.key === "Enter" && this.active < 0 && !hasProfile(this.input.value.trim()) &&
        this.options.length > 0 && !this.list.hidden) this.active = 0;
    super.key(event);
  }
}

/* A text that is a target is no search: then all are offered. */
function found(targets, text) {
  const words = hasProfile(text) && targets.some(({ target }) => target === text) ? []
    : text.toLowerCase().split(/\s+/).filter(Boolean);
  return targets.filter(({ target }) => words.every((word) => target.toLowerCase().includes(word)))
    .slice(0, LISTED).map(({ target, samples, title }) => ({ value: target,
      note: `${count(samples)} samples${title ? ` of “${title}”` : ""}` }));
}

const choice = (label, buttons) =>
  element("div", { class: "choice", role: "group", "aria-label": label }, buttons);

export class ProfileTools {
  /** wishes: {targets(), go(changes), again(), search(words), signal} */
  constructor(wishes) {
    this.wishes = wishes;
    const { go } = wishes;
    this.target = new TargetChooser("profile-target", "Target", wishes.targets,
      (target) => go({ target, name: null, ...beforeFor(this.state, target) }));
    this.other = new TargetChooser("profile-before", "Compared with the target", () => this.others(),
      (beforeTarget) => go({ beforeTarget }));
    this.ranges = RANGES.map(({ name, label }) => button(label, null, () =>
      go({ range: name, fixed: null, beforeFixed: null, outer: null })));
    this.views = VIEWS.map(({ name, label }) => button(label, null, () => go({ view: name, name: null })));
    this.measures = [["shares", "Shares"], ["time", "CPU time"]].map(([name, label]) =>
      button(label, null, () => go({ measure: name })));
    this.before = element("select", { "aria-label": "Compare with",
      on: { change: () => this.compare(this.before.value) } });
    this.input = element("input", { type: "search", "aria-label": "Search functions", autocomplete: "off",
      spellcheck: "false", placeholder: "Search functions (/)", on: {
        input: () => this.typed(), keydown: (event) => this.key(event) } });
    this.matched = element("span", { class: "quiet-text profile-matched", role: "status" });
    this.files = FORMATS.map(([, label, download, title]) =>
      element("a", { class: "file-link", download, title }, label));
    this.downloads = element("span", { class: "file-links", role: "group", "aria-label": "Download" },
      element("span", { class: "quiet-text" }, "Download"), this.files);
    this.root = element("div", {}, this.firstBar(), this.secondBar());
  }

  firstBar() {
    this.range = choice("Range", this.ranges);
    return element("div", { class: "tools profile-tools" }, this.target.root, this.range,
      this.exactRange(),
      button("Refresh", null, () => this.wishes.again()), element("span", { class: "grow" }),
      this.downloads);
  }

  secondBar() {
    this.measure = choice("Measure", this.measures);
    return element("div", { class: "tools" }, choice("View", this.views), this.measure,
      element("label", { class: "check profile-compare" }, "Compare with ", this.before), this.other.root,
      element("span", { class: "grow" }), this.input, this.matched);
  }

  exactRange() {
    const input = (label) => element("input", { type: "datetime-local", step: 1, "aria-label": label,
      required: true });
    [this.from, this.to] = [input("From"), input("To")];
    this.exact = element("details", { class: "time-custom" }, element("summary", {}, "From … to"),
      element("form", { class: "time-exact card", on: { submit: (event) => this.submit(event) } },
        element("label", {}, "From ", this.from), element("label", {}, "to ", this.to),
        element("button", { type: "submit" }, "Show")));
    this.exact.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.exact.open = false;
    });
    return this.exact;
  }

  submit(event) {
    event.preventDefault();
    const [from, to] = [this.from, this.to].map((each) => parseInstant(each.value));
    this.exact.open = false;
    if (from && to && from.seconds < to.seconds)
      this.wishes.go({ fixed: { start: from.seconds, end: to.seconds }, beforeFixed: null, outer: null });
  }

  /* What a run has recorded is compared with another run of the same event, and with nothing else. */
  async others() {
    return (await this.wishes.targets()).filter(({ target }) => isRun(target) === isRun(this.state.target));
  }

  compare(word) {
    const none = { before: null, beforeFixed: null, beforeTarget: null, name: null };
    const mark = this.marks?.find(({ id }) => word === `mark:${id}`);
    if (mark) this.wishes.go({ ...none, ...this.wishes.sides(mark, this.marks) });
    else if (word === "target") this.askOther();
    else this.wishes.go({ ...none, before: word || null });
  }

  askOther() {
    this.other.root.hidden = false;
    this.other.input.focus();
    this.other.ask();
  }

  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.wishes.search(this.input.value.trim()), PAUSE);
  }

  key(event) {
    if (event.key !== "Escape" || !this.input.value) return;
    event.preventDefault();
    this.input.value = "";
    this.wishes.search("");
  }

  /** Marks around which something can be compared. */
  async loadMarks(range) {
    const answer = await get("marks", range, this.wishes.signal).catch(() => ({ marks: [] }));
    this.marks = answer.marks;
    if (this.state) this.showBefores(this.state);
  }

  showBefores(state) {
    const option = (value, ...text) => element("option", { value }, text);
    const word = beforeWord(state);
    if (isRun(state.target)) {
      replace(this.before, option("", "nothing"), option("target", "another run"));
      this.before.value = word;
      return;
    }
    replace(this.before, option("", "nothing"), BEFORES.map(({ name, label }) => option(name, label)),
      option("target", "another target"),
      word === "range" ? option("range", `${instant(state.beforeFixed.start)} to `,
        instant(state.beforeFixed.end)) : null,
      this.marks?.length ? element("optgroup", { label: "before and after a mark" },
        this.marks.slice(-20).reverse().map(({ id, time, text }) =>
          option(`mark:${id}`, `${instant(time)} ${text.slice(0, 80)}`))) : null);
    this.before.value = word;
  }

  /** Shows what stands, and offers the files of a range. */
  show(state, range) {
    this.state = state;
    const press = (buttons, names, name) => buttons.forEach((each, i) =>
      setAttribute(each, "aria-pressed", String(names[i] === name)));
    this.target.set([state.target]);
    this.other.set([state.beforeTarget ?? ""]);
    this.other.root.hidden = state.beforeTarget === null;
    this.range.hidden = this.exact.hidden = isRun(state.target);
    press(this.ranges, RANGES.map(({ name }) => name), state.fixed ? null : state.range);
    press(this.views, VIEWS.map(({ name }) => name), state.name ? null : state.view);
    press(this.measures, ["shares", "time"], state.measure);
    this.showBefores(state);
    if (document.activeElement !== this.input) this.input.value = state.search;
    if (!this.exact.open) {
      this.from.value = localText(range.start);
      this.to.value = localText(range.end);
    }
    this.files.forEach((link, i) => setAttribute(link, "href", address("profile",
      { ...question({ ...state, before: null, beforeFixed: null, beforeTarget: null }, range),
        format: FORMATS[i][0] })));
  }

  /** Whether there is CPU time to be shown, and not only another event. */
  showTime(isThere) {
    this.measure.hidden = !isThere;
  }

  /** Whether there is a profile that could be downloaded. */
  showFiles(isThere) {
    this.downloads.hidden = !isThere;
  }

  /** How much a search has found, in words. */
  tell(words) {
    setText(this.matched, words);
  }
}
