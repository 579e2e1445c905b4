// SPDX-License-Identifier: Apache-2.0
//
// The tools above the plots: which range, the day before, downloads.

import { element, notice, setAttribute, setText } from "./elements.js";
import { isLive, parseInstant, QUICK_RANGES, resolve, spanWords, writeInstant, NOW } from "./range.js";
import { rangeWords } from "./ticks.js";

export function button(text, label, action) {
  const made = element("button", { type: "button", "aria-label": label, title: label }, text);
  made.addEventListener("click", action);
  return made;
}

/** Saves a text as a file. */
export function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const anchor = element("a", { href: url, download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/* What an input of the type datetime-local takes: the reader's own time, to the second. */
export function localText(time) {
  const date = new Date(time * 1000);
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60000);
  return shifted.toISOString().slice(0, 19);
}

export class Tools {
  /** wishes: {choose(range), shift(fraction), scale(factor), compare(on), download("csv"|"json")} */
  constructor(wishes) {
    this.wishes = wishes;
    this.quick = QUICK_RANGES.map(({ from, label }) =>
      button(label, null, () => wishes.choose({ from: parseInstant(from), to: NOW })));
    this.day = element("button", { type: "button", "aria-pressed": "false" }, "Day before");
    this.day.title = "The same time a day before, as a dashed line";
    this.day.addEventListener("click", () =>
      wishes.compare(this.day.getAttribute("aria-pressed") !== "true"));
    this.text = element("p", { class: "time-range", role: "status" });
    this.root = element("div", {}, this.bar(), this.text);
  }

  bar() {
    const { wishes } = this;
    return element("div", { class: "tools time-tools" },
      element("div", { class: "choice", role: "group", "aria-label": "Range" }, this.quick),
      element("div", { class: "choice", role: "group", "aria-label": "Move and zoom" },
        button("‹", "Earlier", () => wishes.shift(-0.5)),
        button("−", "Zoom out", () => wishes.scale(2)),
        button("+", "Zoom in", () => wishes.scale(0.5)),
        button("›", "Later", () => wishes.shift(0.5))),
      this.exactRange(), this.day,
      element("span", { class: "grow" }),
      element("div", { class: "choice", role: "group", "aria-label": "Download what is shown" },
        button("CSV", "Download what is shown as CSV", () => wishes.download("csv")),
        button("JSON", "Download what is shown as JSON", () => wishes.download("json"))));
  }

  exactRange() {
    const input = (label) => element("input", { type: "datetime-local", step: 1, "aria-label": label,
      required: true });
    this.from = input("From");
    this.to = input("To");
    const form = element("form", { class: "time-exact card" },
      element("label", {}, "From ", this.from), element("label", {}, "to ", this.to),
      element("button", { type: "submit" }, "Show"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const [from, to] = [this.from, this.to].map((each) => parseInstant(each.value));
      if (from && to && from.seconds < to.seconds) this.wishes.choose({ from, to });
      this.exact.open = false;
    });
    this.exact = element("details", { class: "time-custom" },
      element("summary", {}, "From … to"), form);
    this.exact.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.exact.open = false;
    });
    return this.exact;
  }

  /** Shows which range stands, and what is to be said about it. */
  show(range, now, { start, end }, compare, remark) {
    const live = isLive(range);
    this.quick.forEach((each, i) => setAttribute(each, "aria-pressed",
      String(live && writeInstant(range.from) === writeInstant(parseInstant(QUICK_RANGES[i].from)))));
    setAttribute(this.day, "aria-pressed", String(compare));
    if (!this.exact.open) {
      this.from.value = localText(start);
      this.to.value = localText(end);
    }
    const asked = resolve(range, now);
    const words = live ? `The last ${spanWords(asked.end - asked.start)}, live` : rangeWords(start, end);
    setText(this.text, [words, ...remark].join(" · "));
  }
}

/** What stands where there is no plot. */
export function nothingKept(targets) {
  return notice("empty", targets.length === 0 ? "Choose a target above." :
    "Nothing is kept of this range. The history begins when the exporter starts; a live range " +
    "fills by itself.");
}
