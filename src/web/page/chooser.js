// SPDX-License-Identifier: Apache-2.0
// An input with a list of what may be meant, a combobox as WAI-ARIA has it. What is not in the list
// can be typed as well. With `many`, what was chosen stands above it, each with a button to remove it.

import { element, replace, setText } from "./elements.js";
import { isAbort } from "./api.js";

const PAUSE = 120; // ms without a key, before others are asked

export class Chooser {
  /**
   * wishes: {id, label, placeholder, many, ask(text, signal)}; ask() promises a list of
   * {value, text, note, bad}: `bad` says that it cannot be, and `note` why.
   */
  constructor(wishes) {
    this.wishes = wishes;
    this.chosen = [];
    this.options = [];
    this.active = -1;
    const { id, label, placeholder, many } = wishes;
    this.input = element("input", { id, role: "combobox", "aria-expanded": "false",
      "aria-controls": `${id}-list`, "aria-autocomplete": "list", autocomplete: "off",
      spellcheck: "false", placeholder });
    this.list = element("ul", { id: `${id}-list`, class: "picker-list card", role: "listbox",
      "aria-label": label, hidden: true });
    this.chips = many ? element("ul", { class: "chips", "aria-label": `${label} chosen` }) : null;
    this.said = element("span", { class: "hidden-text", role: "status" });
    this.root = element("div", { class: "run-field" }, element("label", { for: id }, label),
      element("div", { class: "run-search" }, this.input, this.list), this.chips, this.said);
    this.listen();
  }

  listen() {
    for (const name of ["input", "click"])
      this.input.addEventListener(name, () => this.search());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("focusout", (event) => {
      if (!this.root.contains(event.relatedTarget)) this.hide();
    });
    // A click on the list leaves the focus in the input.
    this.list.addEventListener("pointerdown", (event) => event.preventDefault());
  }

  /** What was chosen, and what is typed but not yet taken. */
  values() {
    const typed = this.input.value.trim();
    return typed && !this.chosen.includes(typed) ? [...this.chosen, typed] : this.chosen;
  }

  set(values) {
    this.input.value = this.wishes.many ? "" : values[0] ?? "";
    this.chosen = this.wishes.many ? [...values] : [];
    if (this.chips) this.showChips();
  }

  showChips() {
    replace(this.chips, this.chosen.map((value) => element("li", { class: "chip", title: value },
      element("bdi", {}, value),
      element("button", { type: "button", class: "chip-remove", "aria-label": `Remove ${value}`,
        on: { click: () => {
          this.set(this.chosen.filter((one) => one !== value));
          this.input.focus();
        } } }, "×"))));
  }

  search() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), PAUSE);
  }

  async ask() {
    this.asked?.abort();
    const asked = this.asked = new AbortController();
    try {
      const options = await this.wishes.ask(this.input.value.trim(), asked.signal);
      if (asked === this.asked && document.activeElement === this.input) this.show(options);
    } catch (error) {
      if (!isAbort(error)) setText(this.said, error.message);
    }
  }

  show(options) {
    this.options = options.filter(({ value }) => !this.chosen.includes(value));
    this.active = -1;
    replace(this.list, this.options.map((option, i) => this.option(option, i)));
    setText(this.said, `${this.options.length} found`);
    this.list.hidden = this.options.length === 0;
    this.input.setAttribute("aria-expanded", String(!this.list.hidden));
    this.mark();
  }

  option({ value, text, note, bad }, i) {
    return element("li", { id: `${this.input.id}-${i}`, role: "option", "aria-selected": "false",
      "data-available": bad === undefined ? null : String(!bad),
      on: { click: () => this.take(value) } },
    element("bdi", { class: "chooser-text" }, text ?? value),
    element("span", { class: "quiet-text" }, note ?? ""));
  }

  mark() {
    [...this.list.children].forEach((option, i) =>
      option.setAttribute("aria-selected", String(i === this.active)));
    if (this.active < 0) {
      this.input.removeAttribute("aria-activedescendant");
      return;
    }
    this.input.setAttribute("aria-activedescendant", `${this.input.id}-${this.active}`);
    this.list.children[this.active].scrollIntoView({ block: "nearest" });
  }

  key(event) {
    const isOpen = !this.list.hidden;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const by = event.key === "ArrowDown" ? 1 : -1;
      if (!isOpen) this.ask();
      this.active = Math.min(Math.max(this.active + by, 0), this.options.length - 1);
      if (isOpen) this.mark();
    } else if (event.key === "Enter" && isOpen && this.active >= 0) {
      this.take(this.options[this.active].value);
    } else if (event.key === "Enter" && this.wishes.many && this.input.value.trim()) {
      this.take(this.input.value.trim());
    } else if (event.key === "Escape" && isOpen) {
      this.hide();
    } else if (event.key === "Backspace" && this.input.value === "" && this.chosen.length) {
      this.set(this.chosen.slice(0, -1));
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  take(value) {
    this.set(this.wishes.many ? [...this.chosen.filter((one) => one !== value), value] : [value]);
    this.hide();
    this.input.focus();
  }

  hide() {
    clearTimeout(this.timer);
    this.asked?.abort();
    this.list.hidden = true;
    this.active = -1;
    this.mark();
    this.input.setAttribute("aria-expanded", "false");
  }
}
