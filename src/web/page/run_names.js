// SPDX-License-Identifier: Apache-2.0
// Title and notes of a run, which can be changed later.

import { element, replace } from "./elements.js";
import { duration } from "./format.js";

export class RunNames {
  /** save({title, notes}) promises whether it went well. */
  constructor(run, allowed, save) {
    this.run = run;
    this.allowed = allowed;
    this.save = save;
    this.root = element("section", { class: "run-names", "aria-label": "The run that is shown" });
    this.show();
  }

  show() {
    const { run } = this;
    this.isOpen = false;
    replace(this.root,
      element("div", { class: "head" }, element("h2", {}, element("bdi", {}, run.title)),
        element("span", { class: "sub" }, element("bdi", {}, run.command ?? run.target),
          `, every ${duration(run.interval_seconds)}`),
        this.allowed ? element("button", { type: "button", class: "copy",
          on: { click: () => this.edit() } }, "Change title and notes") : null),
      run.notes ? element("p", { class: "run-notes", dir: "auto" }, run.notes) : null);
  }

  edit() {
    const title = element("input", { required: true, maxlength: 200, name: "title",
      value: this.run.title });
    const notes = element("textarea", { name: "notes", rows: 3, maxlength: 10000 }, this.run.notes);
    this.isOpen = true;
    replace(this.root, element("form", { class: "run-form card", "aria-label": "Title and notes",
      on: { submit: (event) => this.submit(event, { title: title.value, notes: notes.value }) } },
    element("label", { class: "run-field" }, element("span", {}, "Title"), title),
    element("label", { class: "run-field wide" }, element("span", {}, "Notes"), notes),
    element("div", { class: "run-begin wide" },
      element("button", { type: "submit", class: "primary" }, "Save"),
      element("button", { type: "button", on: { click: () => this.show() } }, "Cancel"))));
    title.focus();
  }

  async submit(event, names) {
    event.preventDefault();
    this.isOpen = false; // so that what is asked for then takes its place
    if (!await this.save(names)) this.isOpen = true;
  }
}
