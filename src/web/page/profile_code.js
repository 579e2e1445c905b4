// SPDX-License-Identifier: Apache-2.0
// The instructions of a function, with the share of its samples that each has. Long stretches in which
// nothing was sampled are folded, and unfold by a click.

import { element, notice, replace } from "./elements.js";
import { count } from "./format.js";
import { rangeWords } from "./ticks.js";

const AROUND = 4; // instructions that are shown on both sides of one with samples
const SHORT = 6; // instructions; a stretch of fewer is not folded
const MOST = 1500; // rows that are shown without a click
const UNFOLDED = 500; // rows that a click adds
const COLUMNS = 5;

/**
 * Parts of a list of samples, [{from, to, folded}], which follow each other: what is near to an
 * instruction with at least `least` samples is shown.
 */
export function stretches(samples, least = 1) {
  const shown = new Uint8Array(samples.length);
  samples.forEach((n, i) => {
    if (n >= least) shown.fill(1, Math.max(i - AROUND, 0), i + AROUND + 1);
  });
  const parts = [];
  for (let from = 0, to; from < shown.length; from = to) {
    to = from + 1;
    while (to < shown.length && shown[to] === shown[from]) to++;
    const folded = !shown[from] && to - from >= SHORT;
    const last = parts.at(-1);
    if (last && !folded && !last.folded) last.to = to;
    else parts.push({ from, to, folded });
  }
  return parts;
}

/** The same, so that there are not more rows than a page bears. */
export function fewStretches(samples, most = MOST) {
  for (let least = 1; ; least *= 2) {
    const parts = stretches(samples, least);
    const n = parts.reduce((sum, { from, to, folded }) => sum + (folded ? 0 : to - from), 0);
    if (n <= most || !samples.some((each) => each >= least)) return parts;
  }
}

/** The file without its directories, and the line; null where it is not known. */
export function sourceOf({ files, instructions }, i) {
  const file = files[instructions.file[i]];
  const line = instructions.line[i];
  return file === undefined || !line ? null : { path: file, words: `${file.split("/").at(-1)}:${line}` };
}

const percent = (share) => `${(share * 100).toFixed(share < 0.1 ? 2 : 1)} %`;

export class Instructions {
  constructor() {
    this.root = element("section", { class: "instructions", "aria-label": "Instructions", hidden: true });
  }

  /** answer: of /api/v1/profile/annotation, or {refusal: why there is none}, or null. */
  show(answer) {
    this.root.hidden = !answer;
    replace(this.root);
    if (!answer) return;
    if (answer.refusal) {
      this.root.append(element("h3", {}, "Instructions"), notice("empty", `${answer.refusal}.`));
      return;
    }
    this.answer = answer;
    this.body = element("tbody", {});
    const heading = (title, ...more) => element("th", { scope: "col", class: "number" }, title, more);
    this.root.append(element("h3", {}, "Instructions"), this.words(),
      element("div", { class: "card scroll", tabindex: 0, role: "region", "aria-label": "Instructions" },
        element("table", { class: "plain" }, element("thead", {}, element("tr", {}, heading("Share"),
          heading("±"), heading("Address"), element("th", { scope: "col" }, "Instruction"),
          element("th", { scope: "col" }, "Source"))), this.body)));
    for (const part of fewStretches(answer.instructions.samples)) this.append(part);
  }

  words() {
    const { from, to, placed, elsewhere, instructions } = this.answer;
    return element("p", { class: "note" }, `${rangeWords(from, to)} · ${count(placed)} samples at ` +
      `${count(instructions.text.length)} instructions. A sample may be taken one instruction behind ` +
      "the one that took the time.", elsewhere ? ` ${count(elsewhere)} more were taken in other ` +
      "functions of that name." : "");
  }

  append({ from, to, folded }) {
    if (folded) this.body.append(this.fold(from, to));
    else for (let i = from; i < to; i++) this.body.append(this.row(i));
  }

  fold(from, to) {
    const n = this.answer.instructions.samples.slice(from, to).reduce((sum, each) => sum + each, 0);
    const button = element("button", { type: "button", class: "copy" },
      `${count(to - from)} instructions, ${n ? `${count(n)} samples` : "no samples"}`);
    const line = element("tr", { class: "folded" }, element("td", { colspan: COLUMNS }, button));
    button.addEventListener("click", () => this.unfold(line, from, to));
    return line;
  }

  unfold(line, from, to) {
    const end = Math.min(from + UNFOLDED, to);
    const rows = Array.from({ length: end - from }, (_, i) => this.row(from + i));
    line.replaceWith(...rows, ...end < to ? [this.fold(end, to)] : []);
    rows[0].tabIndex = -1;
    rows[0].focus({ preventScroll: true });
  }

  row(i) {
    const { address, share, sigma, text } = this.answer.instructions;
    const source = sourceOf(this.answer, i);
    const before = i > 0 ? sourceOf(this.answer, i - 1) : null;
    const isNew = source && (source.path !== before?.path || source.words !== before.words);
    const bar = element("span", { class: "code-bar", "aria-hidden": "true" });
    bar.style.width = `${share[i] * 100}%`;
    return element("tr", {}, element("td", { class: "number code-share" }, share[i] ? [bar,
      percent(share[i])] : null), element("td", { class: "number quiet-text" },
      share[i] ? percent(sigma[i]) : null),
    element("td", { class: "number quiet-text code" }, address[i]),
    element("td", { class: "code" }, element("bdi", {}, text[i])),
    element("td", { class: "quiet-text" }, isNew ? element("bdi", { title: source.path },
      source.words) : null));
  }
}
