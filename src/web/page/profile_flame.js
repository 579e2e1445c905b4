// SPDX-License-Identifier: Apache-2.0
// A profile as a flame graph (the root below) or an icicle (the root above). d3-flame-graph draws the
// frames; what it lacks is here: keys, a line that tells of a frame, colours of the themes, and a
// search that counts each sample once.
//
//   click, Enter        the frame takes the whole width
//   arrows              to the frame above, below, beside
//   Escape, Backspace   back to what was seen before
//   Home                to the root
//   Shift and Enter     who calls the function, and what it calls
//
// The frames themselves are hidden from who does not see them: the line tells where the keys are.

import { themeNow } from "./colours.js";
import { element, replace, setText } from "./elements.js";
import { changeColour, frameColour, hex, matchColour, quietColour } from "./profile_colours.js";
import { keyOf, layout, nodeWords, walk, wayOf } from "./profile_data.js";

const ROW = 18; // pixels
const NARROWEST = 1; // pixels of a frame that is drawn
const LONGEST = 160; // characters of a name that are drawn; the line tells all of it

/* d3-flame-graph gives each frame a <title> unless it has a tooltip: the line does for both. */
const NO_TOOLTIP = Object.assign(() => {}, { show() {}, hide() {}, destroy() {} });

export class Flame {
  /**
   * drawing: {flamegraph, select} of flame.js. wishes: {label, inverted, sandwich(function)}.
   */
  constructor(drawing, wishes) {
    this.drawing = drawing;
    this.wishes = wishes;
    this.found = null;
    this.drawn = element("div", { class: "flame-drawn", "aria-hidden": "true" });
    this.cursor = element("div", { class: "flame-cursor", hidden: true });
    this.box = element("div", { class: "flame-box", tabindex: 0, role: "application",
      "aria-label": wishes.label, "aria-roledescription": "flame graph",
      "aria-keyshortcuts": "Enter Escape Shift+Enter" }, this.drawn, this.cursor);
    this.name = element("bdi", { class: "flame-name" });
    this.owner = element("bdi", { class: "quiet-text" });
    this.numbers = element("span", { class: "flame-numbers" });
    this.line = element("p", { class: "flame-line", role: "status" }, this.name, this.owner,
      this.numbers);
    this.out = element("button", { type: "button", hidden: true, on: { click: () => this.back() } },
      "Zoom out");
    this.more = element("button", { type: "button", hidden: true,
      title: "Who calls this function, and what it calls (Shift and Enter)",
      on: { click: () => this.askSandwich() } }, "Callers and callees");
    this.root = element("div", { class: "flame card" },
      element("div", { class: "flame-head" }, this.line, this.more, this.out), this.box);
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("focus", () => this.point(this.at));
    this.box.addEventListener("blur", () => this.mark());
    this.box.addEventListener("pointerleave", () => this.hover(null));
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(this.box);
  }

  /** Shows a profile, zoomed into a path() of another one, if this one has it, too. */
  show(profile, path = []) {
    this.profile = profile;
    this.strongest = profile.isDifference ? profile.greatestChange() : 0;
    this.history = [];
    this.at = this.zoomed = 0;
    this.width = this.box.clientWidth;
    this.build();
    this.zoom(this.nodeOf(path), false);
    this.point(this.zoomed);
    this.box.scrollTop = this.wishes.inverted ? 0 : this.box.scrollHeight;
  }

  /** The functions from the root to what has the whole width. */
  path() {
    return this.profile.stack(this.zoomed).slice(1).map((each) => this.profile.functionOf(each));
  }

  nodeOf(path) {
    const { profile } = this;
    let at = 0;
    for (const of of path) {
      at = profile.children[at].find((child) => keyOf(profile.functionOf(child)) === keyOf(of));
      if (at === undefined) return 0;
    }
    return at;
  }

  build() {
    const { profile } = this;
    const nodes = Array.from({ length: profile.n }, (_, i) => ({ i, children: [],
      value: Math.round(profile.weight(i) * (profile.isDifference ? 1e9 : 1)),
      name: profile.functionOf(i).name.slice(0, LONGEST) }));
    nodes.forEach(({ children }, i) => children.push(...profile.children[i].map((at) => nodes[at])));
    this.chart = this.drawing.flamegraph().width(Math.max(this.width, 1)).cellHeight(ROW)
      .minFrameSize(NARROWEST).transitionDuration(0).inverted(this.wishes.inverted)
      .resetHeightOnZoom(true).tooltip(NO_TOOLTIP).setDetailsHandler(() => this.hover(null))
      .setLabelHandler(() => "").setColorMapper(({ data }) => hex(this.colour(data.i)))
      .onClick(({ data }) => this.clicked(data.i)).onHover(({ data }) => this.hover(data.i));
    const place = this.drawing.select(this.drawn).datum(nodes[0]);
    place.call(this.chart);
    this.frames = new Map(place.datum().descendants().map((frame) => [frame.data.i, frame]));
  }

  colour(i) {
    const theme = themeNow();
    if (this.found) return this.found.matched[i] ? matchColour(theme) : quietColour(theme);
    if (i === 0) return quietColour(theme);
    if (!this.profile.isDifference) return frameColour(this.profile.functionOf(i), theme);
    const { change, differs } = this.profile.change(i);
    if (!differs) return quietColour(theme);
    return changeColour(Math.sign(change), Math.sqrt(Math.abs(change) / this.strongest), theme);
  }

  /** Draws the same profile again: after a search, or in other colours. */
  recolour(found = this.found) {
    this.found = found;
    this.chart?.update();
  }

  resize() {
    if (!this.chart || this.box.clientWidth === this.width || this.box.clientWidth === 0) return;
    this.width = this.box.clientWidth;
    this.chart.width(this.width).update();
    this.point(this.at);
  }

  /* The frame has been drawn with the whole width already. */
  clicked(i) {
    if (this.zooms) return;
    this.remember(i);
    this.placed = layout(this.profile, i);
    this.point(i);
    this.reveal();
  }

  remember(i) {
    if (this.zoomed !== i) this.history.push(this.zoomed);
    this.zoomed = i;
    this.out.hidden = i === 0;
  }

  zoom(i, remembers = true) {
    if (remembers) this.remember(i);
    this.zoomed = i;
    this.out.hidden = i === 0;
    this.placed = layout(this.profile, i);
    this.zooms = true;
    this.chart.zoomTo(this.frames.get(i));
    this.zooms = false;
    this.point(i);
    this.reveal();
  }

  back() {
    if (this.zoomed === 0) return false;
    const from = this.zoomed;
    this.zoom(this.history.pop() ?? 0, false);
    this.point(from);
    this.reveal();
    return true;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.profile) return;
    const way = wayOf(event.key, this.wishes.inverted);
    if (way) this.step(way);
    else if (event.key === "Enter" && event.shiftKey) this.askSandwich();
    else if (event.key === "Enter") this.zoom(this.at);
    else if (event.key === "Home") this.point(0);
    else if (event.key !== "Escape" && event.key !== "Backspace") return;
    else if (!this.back()) return;
    event.preventDefault();
  }

  step(way) {
    this.point(walk(this.profile, this.placed, this.at, way, NARROWEST / Math.max(this.width, 1)));
    this.reveal();
  }

  askSandwich() {
    if (this.at > 0) this.wishes.sandwich(this.profile.functionOf(this.at));
  }

  /** The cursor of the keys is at this frame. */
  point(i) {
    this.at = i;
    this.tell(i);
    this.mark();
  }

  /* The pointer is over a frame, or (null) over none: then the line tells of the cursor's. */
  hover(i) {
    if (this.profile) this.tell(i ?? this.at);
  }

  tell(i) {
    const of = this.profile.functionOf(i);
    this.root.dataset.frame = i;
    setText(this.name, of.name);
    setText(this.owner, of.owner);
    setText(this.numbers, nodeWords(this.profile, i).join(" · "));
    this.more.hidden = this.at === 0 || !this.wishes.sandwich ||
      this.profile.functionOf(this.at).kind === "note";
  }

  top(i) {
    const height = Number(this.drawn.querySelector("svg")?.getAttribute("height") ?? 0);
    const down = this.profile.depth[i] * ROW;
    return this.wishes.inverted ? down : height - down - ROW;
  }

  mark() {
    const { from, to } = this.placed;
    this.cursor.hidden = document.activeElement !== this.box;
    Object.assign(this.cursor.style, { left: `${from[this.at] * this.width}px`,
      width: `${Math.max((to[this.at] - from[this.at]) * this.width, 3)}px`,
      top: `${this.top(this.at)}px`, height: `${ROW}px` });
  }

  /* Keys take the box along, where it is higher than what is seen of it. */
  reveal() {
    const top = this.top(this.at);
    const { scrollTop, clientHeight } = this.box;
    if (top < scrollTop) this.box.scrollTop = top - ROW;
    else if (top + ROW > scrollTop + clientHeight) this.box.scrollTop = top + 2 * ROW - clientHeight;
  }

  close() {
    this.watch.disconnect();
    this.chart?.destroy();
    replace(this.root);
    this.root.remove();
  }
}
