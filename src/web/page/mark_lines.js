// SPDX-License-Identifier: Apache-2.0
//
// Marks as vertical lines over a plot, each with its text, which is a button.

import { element, keepChildren, setText } from "./elements.js";
import { timeWords } from "./ticks.js";

const NARROW = 26; // pixels; where there is less up to the next mark, the text is left out
const WIDE = 160;
const ENOUGH = 80; // where there is less up to the right edge, the text stands left of its line

export class MarkLines {
  /** choose(id): what a mark is asked when somebody presses its text. */
  constructor(frame, choose) {
    this.root = frame.appendChild(element("div", { class: "mark-lines" }));
    this.choose = choose;
    this.lines = new Map(); // by what a mark is
  }

  show(marks, { start, end }, { left, width }) {
    const shown = marks.filter((mark) => mark.time >= start && mark.time <= end)
      .sort((a, b) => a.time - b.time);
    const place = (mark) => left + width * (mark.time - start) / Math.max(end - start, 1e-9);
    const standing = this.lines;
    this.lines = new Map();
    keepChildren(this.root, shown.map((mark, i) => {
      const x = place(mark);
      const after = (shown[i + 1] ? place(shown[i + 1]) : left + width) - x - 4;
      const before = x - (shown[i - 1] ? place(shown[i - 1]) + WIDE : left) - 4;
      const isLeft = !shown[i + 1] && after < ENOUGH && before > after;
      const key = JSON.stringify(mark);
      const line = standing.get(key) ?? this.line(mark);
      this.lines.set(key, line);
      this.put(line, mark, x, isLeft ? before : after, isLeft);
      return line;
    }));
  }

  /* A line moves with its plot, and stays the same, so that it can be pressed. */
  line(mark) {
    const words = `${mark.text}, ${timeWords(mark.time, Infinity)}`;
    const button = element("button", { type: "button", class: "mark-text", title: words,
      "aria-label": `Before and after the mark ${words}`, tabindex: -1 }, element("bdi", {}));
    button.addEventListener("click", () => this.choose(mark.id));
    return element("div", { class: "mark-line" }, button);
  }

  put(line, mark, x, room, isLeft) {
    const button = line.firstChild;
    button.classList.toggle("left", isLeft);
    button.style.maxWidth = `${Math.max(Math.min(room, WIDE), 8)}px`;
    setText(button.firstChild, room >= NARROW ? mark.text : "");
    line.style.left = `${x}px`;
  }
}
