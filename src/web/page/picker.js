// SPDX-License-Identifier: Apache-2.0
//
// Which targets are shown: a chip for each, with its colour, and a search among all that the history
// knows. It is a combobox as WAI-ARIA has it.

import { element, replace, setText } from "./elements.js";
import { N_COLOURS } from "./colours.js";
import { shortNames, splitTarget } from "./columns.js";

const LISTED = 200;
const MORE = "The past has more targets than are listed: of those that are not counted now, " +
  "these are known longest.";

export class Picker {
  /** wishes: {choose(targets), known(): a promise of all names, isCut(): whether there are
   *  more than these} */
  constructor(wishes) {
    this.wishes = wishes;
    this.targets = [];
    this.options = [];
    this.active = -1;
    this.chips = element("ul", { class: "chips", "aria-label": "Targets shown" });
    this.input = element("input", { type: "search", role: "combobox", "aria-expanded": "false",
      "aria-controls": "target-list", "aria-autocomplete": "list", autocomplete: "off",
      spellcheck: "false", "aria-label": "Add a target", placeholder: "Add a target (/)" });
    this.list = element("ul", { id: "target-list", class: "picker-list card", role: "listbox",
      "aria-label": "Targets", hidden: true });
    this.said = element("span", { class: "hidden-text", role: "status" });
    this.root = element("div", { class: "picker" }, this.chips,
      element("div", { class: "picker-search" }, this.input, this.list, this.said));
    this.listen();
  }

  listen() {
    this.input.addEventListener("input", () => this.open());
    this.input.addEventListener("focus", () => this.open());
    this.input.addEventListener("click", () => this.open());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("focusout", (event) => {
      if (!this.root.contains(event.relatedTarget)) this.close();
    });
    // A click on the list leaves the focus in the input.
    this.list.addEventListener("pointerdown", (event) => event.preventDefault());
  }

  /** Shows these as chosen. */
  show(targets) {
    const names = shortNames(targets);
    this.targets = targets;
    this.input.disabled = targets.length >= N_COLOURS;
    this.input.placeholder = this.input.disabled ? `${N_COLOURS} at most` : "Add a target (/)";
    replace(this.chips, targets.map((target, i) => element("li", { class: "chip", title: target },
      element("span", { class: `swatch series-${i}` }), element("bdi", {}, names[i]),
      element("button", { type: "button", class: "chip-remove", "aria-label": `Remove ${target}`,
        on: { click: () => this.remove(target) } }, "×"))));
  }

  remove(target) {
    this.wishes.choose(this.targets.filter((each) => each !== target));
    this.input.focus({ preventScroll: true });
    this.close();
  }

  async open() {
    if (!this.list.hidden || this.opening) {
      this.fill();
      return;
    }
    this.opening = true;
    try {
      this.all = await this.wishes.known();
    } catch (error) {
      this.all = [];
      setText(this.said, error.message);
    }
    this.opening = false;
    if (document.activeElement !== this.input) return;
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.fill();
  }

  fill() {
    if (!this.all) return;
    const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.all.filter((target) => !this.targets.includes(target) &&
      words.every((word) => target.toLowerCase().includes(word)));
    this.options = found.slice(0, LISTED);
    this.active = words.length && found.length ? 0 : -1;
    replace(this.list, this.options.map((target, i) => this.option(target, i)),
      found.length ? null : element("li", { class: "picker-none", role: "option",
        "aria-disabled": "true", "aria-selected": "false" }, "Nothing is called so."),
      this.wishes.isCut() ? element("li", { class: "picker-none", role: "option",
        "aria-disabled": "true", "aria-selected": "false" }, MORE) : null);
    setText(this.said, `${found.length} targets${this.wishes.isCut() ? `. ${MORE}` : ""}`);
    this.mark();
  }

  option(target, i) {
    const { kind, value } = splitTarget(target);
    return element("li", { id: `target-option-${i}`, role: "option", "aria-selected": "false",
      on: { click: () => this.add(target) } },
    element("span", { class: "picker-kind" }, kind), element("bdi", {}, value || "as a whole"));
  }

  mark() {
    this.options.forEach((_, i) =>
      this.list.children[i].setAttribute("aria-selected", String(i === this.active)));
    if (this.active < 0) {
      this.input.removeAttribute("aria-activedescendant");
      return;
    }
    this.input.setAttribute("aria-activedescendant", `target-option-${this.active}`);
    this.list.children[this.active].scrollIntoView({ block: "nearest" });
  }

  key(event) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const by = event.key === "ArrowDown" ? 1 : -1;
      if (this.list.hidden) this.open();
      this.active = Math.min(Math.max(this.active + by, 0), this.options.length - 1);
      this.mark();
    } else if (event.key === "Enter" && this.active >= 0 && !this.list.hidden) {
      this.add(this.options[this.active]);
    } else if (event.key === "Escape") {
      this.input.value = "";
      this.close();
    } else if (event.key === "Backspace" && this.input.value === "" && this.targets.length) {
      this.wishes.choose(this.targets.slice(0, -1));
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  add(target) {
    this.input.value = "";
    this.close();
    this.wishes.choose([...this.targets, target]);
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }
}
