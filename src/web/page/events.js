// SPDX-License-Identifier: Apache-2.0
// The view Events: everything that has a name here, whether this machine can count it, and the line
// for the configuration.

import { get, isAbort } from "./api.js";
import { copyButton, element, notice, replace, setText } from "./elements.js";
import { count } from "./format.js";
import { reasonInWords } from "./reasons.js";

const MOST = 200;
const PAUSE = 120; // ms without a key, before the exporter is asked

class Events {
  constructor(stage) {
    this.stage = stage;
    this.box = element("input", { type: "search", placeholder: "Search events ( / )",
      "aria-label": "Search events by name and description", autocomplete: "off", spellcheck: "false",
      on: { input: () => this.typed(), keydown: (event) => this.boxKey(event) } });
    this.only = element("input", { type: "checkbox", on: { change: () => this.show() } });
    this.total = element("span", { class: "quiet-text", role: "status" });
    this.place = element("div", {}, notice("busy", "Asking for the catalogue…"));
    replace(stage.root,
      element("div", { class: "head" }, element("h1", {}, "Events"),
        element("span", { class: "sub" }, "What has a name on this machine: generic events, PMUs in " +
          "sysfs, libpfm4 and tracepoints")),
      element("div", { class: "tools" }, this.box,
        element("label", { class: "check" }, this.only, "only what can be counted here"),
        element("span", { class: "grow" }), this.total),
      this.place);
    this.moved(stage.parameters);
    if (matchMedia("(min-width: 721px)").matches) this.box.focus();
  }

  moved(parameters) {
    const query = parameters.get("q") ?? "";
    if (this.box.value !== query) this.box.value = query;
    this.ask(query);
  }

  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.stage.change({ q: this.box.value });
      this.ask(this.box.value);
    }, PAUSE);
  }

  async ask(query) {
    this.asked?.abort();
    const asked = this.asked = new AbortController();
    try {
      this.answer = await get("events", { search: query.trim(), limit: MOST }, asked.signal);
      if (asked === this.asked) this.show();
    } catch (error) {
      if (isAbort(error) || asked !== this.asked) return;
      setText(this.total, "");
      replace(this.place, notice("error", `The catalogue cannot be shown: ${error.message}.`));
    }
  }

  show() {
    if (!this.answer) return;
    const { total, events } = this.answer;
    const shown = this.only.checked ? events.filter(({ available }) => available) : events;
    const part = total > events.length
      ? `the first ${count(events.length)} of ${count(total)}: a longer search shows fewer` : null;
    setText(this.total, part ?? `${count(shown.length)} ${shown.length === 1 ? "event" : "events"}`);
    if (shown.length === 0) {
      replace(this.place, notice("empty", events.length > 0
        ? "None of these can be counted here." : "No event has this in its name or description."));
      return;
    }
    replace(this.place, element("ul", { class: "card events", "aria-label": "Events" },
      shown.map((event) => this.row(event))));
  }

  row(event) {
    const { name, source, pmu, description, encoding, available, reason, config } = event;
    return element("li", {},
      element("div", { class: "event-name" }, element("code", {}, name)),
      element("div", { class: "event-here", "data-available": String(available), title: reason },
        available ? "can be counted" : reason ? reasonInWords(reason) : "cannot be counted"),
      element("div", { class: "event-text" }, description || element("span", { class: "quiet-text" },
        "has no description"),
      element("div", { class: "quiet-text" },
        [source, pmu && pmu !== source ? pmu : null, encoding].filter(Boolean).join(" · "))),
      element("div", { class: "event-copy" }, config
        ? Object.assign(copyButton("Copy line", config), { title: config }) : null));
  }

  search() {
    this.box.focus();
    this.box.select();
  }

  boxKey(event) {
    if (event.key === "Escape") {
      this.box.value = "";
      this.typed();
    } else if (event.key === "ArrowDown") {
      this.place.querySelector("button")?.focus();
      event.preventDefault();
    }
  }

  /* The arrows go from line to line. */
  key(event) {
    const buttons = [...this.place.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || buttons.length === 0) return false;
    if (at + step < 0) this.search();
    else buttons[Math.min(at + step, buttons.length - 1)].focus();
    return true;
  }

  close() {
    clearTimeout(this.timer);
    this.asked?.abort();
  }
}

export function open(stage) {
  return new Events(stage);
}
