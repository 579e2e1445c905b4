// SPDX-License-Identifier: Apache-2.0
//
// Marks as vertical lines over a plot, each with its text, which is a button.

import { element, replace } from "./elements.js";
import { timeWords } from "./ticks.js";

const NARROW = 26; // pixels; where there is less up to the next mark, the text is left out
const WIDE = 160;

export class MarkLines {
  /** choose(id): what a mark is asked when somebody presses its text. */
  constructor(frame, choose) {
    this.root = frame.appendChild(element("div", { class: "mark-lines" }));
    this.choose = choose;
  }

  show(marks, { start, end }, { left, width }) {
    const shown = marks.filter((mark) => mark.time >= start && mark.time <= end)
      .sort((a, b) => a.time - b.time);
    const place = (mark) => left + width * (mark.time - start) / Math.max(end - start, 1e-9);
    replace(this.root, shown.map((mark, i) => {
      const x = place(mark);
      const room = (shown[i + 1] ? place(shown[i + 1]) : left + width) - x - 4;
      return this.line(mark, x, room);
    }));
  }

  line(mark, x, room) {
    const words = `${mark.text}, ${timeWords(mark.time, Infinity)}`;
    const button = element("button", { type: "button", class: "mark-text", title: words,
      "aria-label": `Before and after the mark ${words}`, tabindex: -1 },
    room >= NARROW ? element("bdi", {}, mark.text) : "");
    button.addEventListener("click", () => this.choose(mark.id));
    button.style.maxWidth = `${Math.max(Math.min(room, WIDE), 8)}px`;
    const line = element("div", { class: "mark-line" }, button);
    line.style.left = `${x}px`;
    return line;
  }
}
