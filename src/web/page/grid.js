// SPDX-License-Identifier: Apache-2.0
// A table of any number of rows, of which only those in sight are elements: the others are the
// height of two empty rows, above and below. The window scrolls it.
//
// columns: [{name, title, hint, class, sortable, make(cell), show(cell, row)}]. make() fills a new
// cell once; show() writes a row into it, again and again, and should touch only what has changed.

import { element, setAttribute } from "./elements.js";

const BEYOND = 6; // rows above and below those in sight

export class Grid {
  constructor({ label, columns, onSort, onOpen, onRows, tree = false }) {
    Object.assign(this, { columns, onSort, onOpen, onRows });
    this.rows = [];
    this.slots = [];
    this.chosen = null; // the id of a row
    this.first = 0;
    this.above = this.spacer();
    this.below = this.spacer();
    this.body = element("tbody", {}, this.above, this.below);
    this.heads = columns.map((column) => this.makeHead(column));
    this.table = element("table", { class: "grid", role: tree ? "treegrid" : "grid",
      "aria-label": label, "aria-colcount": columns.length, tabindex: 0 },
    element("thead", {}, element("tr", {}, this.heads)), this.body);
    this.body.addEventListener("click", (event) => this.clicked(event));
    this.body.addEventListener("pointermove", () => { this.touched = performance.now(); });
    this.onScroll = () => this.schedule();
    addEventListener("scroll", this.onScroll, { passive: true });
    addEventListener("resize", this.onScroll);
  }

  spacer() {
    return element("tr", { class: "spacer", "aria-hidden": "true" },
      element("td"));
  }

  makeHead(column) {
    const content = column.sortable
      ? element("button", { type: "button", title: column.hint,
        on: { click: () => this.onSort(column.name) } }, column.title)
      : element("span", { title: column.hint }, column.title);
    return element("th", { scope: "col", class: column.class, "data-column": column.name }, content);
  }

  /** Says by which column the rows are sorted. */
  showSort(name, descending) {
    this.columns.forEach((column, i) => setAttribute(this.heads[i], "aria-sort",
      column.name !== name ? null : descending ? "descending" : "ascending"));
  }

  /** Whether somebody is about to click: then rows should stay where they are. */
  get held() {
    return performance.now() - (this.touched ?? -Infinity) < 4000 && this.body.matches(":hover");
  }

  setRows(rows) {
    this.rows = rows;
    this.table.setAttribute("aria-rowcount", rows.length + 1);
    this.draw();
  }

  rowHeight() {
    this.height ??= parseFloat(getComputedStyle(this.table).getPropertyValue("--row")) || 30;
    return this.height;
  }

  schedule() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.draw();
    });
  }

  draw() {
    const height = this.rowHeight();
    const top = this.body.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(-top / height) - BEYOND);
    const last = Math.min(this.rows.length, Math.ceil((innerHeight - top) / height) + BEYOND);
    this.first = Math.min(first, Math.max(0, this.rows.length - 1));
    const n = Math.max(0, last - this.first);
    this.above.firstChild.style.height = `${this.first * height}px`;
    this.below.firstChild.style.height = `${Math.max(0, this.rows.length - this.first - n) * height}px`;
    this.above.hidden = this.first === 0;
    this.below.hidden = this.first + n >= this.rows.length;
    while (this.slots.length < n) this.addSlot();
    this.slots.forEach((slot, i) => {
      slot.row.hidden = i >= n;
      if (i < n) this.showRow(slot, this.rows[this.first + i], this.first + i);
    });
    while (this.slots.length > n + 2 * BEYOND) this.slots.pop().row.remove();
    this.showChosen();
    this.onRows?.(this.rows.slice(this.first, this.first + n));
  }

  addSlot() {
    const cells = this.columns.map((column) => {
      const cell = element("td", { class: column.class });
      column.make?.(cell);
      return cell;
    });
    const row = element("tr", {}, cells);
    this.slots.push({ row, cells });
    this.below.before(row);
  }

  showRow(slot, row, index) {
    slot.id = row.id;
    setAttribute(slot.row, "aria-rowindex", index + 2);
    setAttribute(slot.row, "id", `row-${index}`);
    setAttribute(slot.row, "aria-level", row.level ?? null);
    setAttribute(slot.row, "aria-expanded", row.expanded ?? null);
    this.columns.forEach((column, i) => column.show(slot.cells[i], row));
  }

  showChosen() {
    let active = null;
    for (const { row, id } of this.slots) {
      const chosen = !row.hidden && id === this.chosen;
      setAttribute(row, "aria-selected", chosen ? "true" : null);
      if (chosen) active = row.id;
    }
    setAttribute(this.table, "aria-activedescendant", active);
  }

  clicked(event) {
    const slot = this.slots.find(({ row }) => row.contains(event.target));
    if (!slot || event.target.closest("a, button")) return;
    const row = this.rows.find(({ id }) => id === slot.id);
    if (row) this.onOpen(row);
  }

  chosenRow() {
    return this.rows.find(({ id }) => id === this.chosen) ?? null;
  }

  choose(index) {
    const wanted = Math.max(0, Math.min(this.rows.length - 1, index));
    if (!this.rows[wanted]) return;
    this.chosen = this.rows[wanted].id;
    const top = this.body.getBoundingClientRect().top + wanted * this.rowHeight();
    const room = this.rowHeight() * 2;
    if (top < room) scrollBy(0, top - room);
    else if (top > innerHeight - room) scrollBy(0, top - innerHeight + room);
    this.draw();
  }

  /** Moves by keys; returns whether the key was one of these. */
  key(event) {
    const at = this.rows.findIndex(({ id }) => id === this.chosen);
    const page = Math.max(1, Math.floor(innerHeight / this.rowHeight()) - 4);
    const moves = { ArrowDown: at + 1, ArrowUp: Math.max(0, at - 1), PageDown: at + page,
      PageUp: Math.max(0, at - page), Home: 0, End: this.rows.length - 1 };
    if (event.key in moves) this.choose(moves[event.key]);
    else if (event.key === "Enter" && at >= 0 && !event.target.closest?.("a, button"))
      this.onOpen(this.rows[at]);
    else return false;
    return true;
  }

  close() {
    removeEventListener("scroll", this.onScroll);
    removeEventListener("resize", this.onScroll);
    cancelAnimationFrame(this.frame);
  }
}
