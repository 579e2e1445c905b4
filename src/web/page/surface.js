// SPDX-License-Identifier: Apache-2.0
//
// What a pointer and keys do on anything that shows time from left to right: a plot or a heat map.
//
//   move                  the cursor, which all plots show at the same time
//   drag                  zooms to what was dragged over
//   shift and drag        moves the range
//   double click, Escape  takes the zoom back
//   ← →                   the cursor by a point, with shift the range; Home and End
//   + −                   zooms about the cursor; page up and down move by a range
//
// A finger moves the cursor from left to right, and scrolls the page up and down.

const DRAGGED = 5; // pixels; less is a click

// wishes: {
//   area()             {left, width} of the range in pixels, from the left of the element
//   range()            {start, end}, in seconds
//   times()            of the points, in order
//   words(time)        what is there to be read at that time
//   cursor(time)       the cursor is there now; null: nowhere
//   preview(start, end), zoom(start, end), scale(factor, time), shift(fraction), reset()
// }
export class Surface {
  constructor(element, wishes) {
    this.element = element;
    this.wishes = wishes;
    this.drag = null;
    this.time = null;
    this.line = element.appendChild(document.createElement("div"));
    this.line.className = "cursor-line";
    this.band = element.appendChild(document.createElement("div"));
    this.band.className = "zoom-band";
    this.line.hidden = this.band.hidden = true;
    element.tabIndex = 0;
    element.setAttribute("role", "slider");
    element.setAttribute("aria-keyshortcuts", "Plus Minus Escape Shift+ArrowLeft Shift+ArrowRight");
    this.listen();
  }

  listen() {
    const on = (name, method) => this.element.addEventListener(name, (event) => method(event));
    on("pointerdown", (event) => this.begin(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.end(event));
    on("pointercancel", () => this.cancel());
    on("pointerleave", (event) => this.leave(event));
    on("dblclick", () => this.wishes.reset());
    on("keydown", (event) => this.key(event));
    on("focus", () => this.wishes.cursor(this.time ?? this.wishes.times().at(-1) ?? null));
    on("blur", () => this.wishes.cursor(null));
  }

  /* A finger that is lifted leaves the cursor where it was, so that its values can be read. */
  leave(event) {
    if (this.drag === null && event.pointerType !== "touch") {
      this.wishes.cursor(null);
    }
  }

  position(event) {
    const {left, width} = this.wishes.area();
    const x = event.clientX - this.element.getBoundingClientRect().left - left;
    return Math.min(Math.max(x, 0), width);
  }

  timeAt(x) {
    const {start, end} = this.wishes.range();
    return start + (end - start) * x / Math.max(this.wishes.area().width, 1);
  }

  begin(event) {
    if (event.button !== 0 || event.pointerType === "touch") {
      return;
    }
    event.preventDefault();
    this.element.focus({preventScroll: true});
    this.element.setPointerCapture(event.pointerId);
    this.drag = {from: this.position(event), range: this.wishes.range(), pans: event.shiftKey};
    this.drag.to = this.drag.from;
  }

  move(event) {
    const x = this.position(event);
    if (this.drag === null) {
      this.wishes.cursor(this.timeAt(x));
      return;
    }
    this.drag.to = x;
    if (this.drag.pans) {
      this.wishes.preview(...this.panned());
    } else {
      this.showBand();
    }
  }

  panned() {
    const {from, to, range} = this.drag;
    const by = (range.end - range.start) * (from - to) / Math.max(this.wishes.area().width, 1);
    return [range.start + by, range.end + by];
  }

  showBand() {
    const {from, to} = this.drag;
    this.band.hidden = Math.abs(from - to) < DRAGGED;
    this.band.style.left = `${this.wishes.area().left + Math.min(from, to)}px`;
    this.band.style.width = `${Math.abs(from - to)}px`;
  }

  end(event) {
    const drag = this.drag;
    if (drag === null) {
      return;
    }
    const wide = Math.abs(drag.from - drag.to) >= DRAGGED;
    const pan = drag.pans ? this.panned() : null;
    this.drag = null;
    this.band.hidden = true;
    this.element.releasePointerCapture(event.pointerId);
    if (wide && pan) {
      this.wishes.zoom(...pan);
    } else if (wide) {
      this.wishes.zoom(this.timeAt(Math.min(drag.from, drag.to)),
              this.timeAt(Math.max(drag.from, drag.to)));
    }
  }

  cancel() {
    if (this.drag?.pans) {
      this.wishes.preview(this.drag.range.start, this.drag.range.end);
    }
    this.drag = null;
    this.band.hidden = true;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const actions = {
      ArrowLeft: () => (event.shiftKey ? this.wishes.shift(-0.25) : this.step(-1)),
      ArrowRight: () => (event.shiftKey ? this.wishes.shift(0.25) : this.step(1)),
      PageUp: () => this.wishes.shift(-1),
      PageDown: () => this.wishes.shift(1),
      Home: () => this.wishes.cursor(this.wishes.times()[0] ?? null),
      End: () => this.wishes.cursor(this.wishes.times().at(-1) ?? null),
      "+": () => this.wishes.scale(0.5, this.time),
      "=": () => this.wishes.scale(0.5, this.time),
      "-": () => this.wishes.scale(2, this.time),
      Escape: () => (this.drag ? this.cancel() : this.wishes.reset()),
    };
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  }

  // To the point before or behind the cursor.
  step(by) {
    const times = this.wishes.times();
    const at = this.time ?? times.at(-1);
    const next = by > 0 ? times.find((time) => time > at + 1e-6)
      : times.findLast((time) => time < at - 1e-6);
    this.time = next ?? at ?? null; // keys may come faster than frames
    this.wishes.cursor(this.time);
  }

  // Shows the cursor of all plots here too.
  show(time) {
    const {left, width} = this.wishes.area();
    const {start, end} = this.wishes.range();
    this.time = time;
    this.line.hidden = time === null || time < start || time > end;
    if (!this.line.hidden) {
      this.line.style.left = `${left + width * (time - start) / Math.max(end - start, 1e-9)}px`;
    }
    this.tell();
  }

  // For who does not see it: a slider over time, whose value is said in words.
  tell() {
    const {start, end} = this.wishes.range();
    const time = this.time ?? this.wishes.times().at(-1) ?? end;
    this.element.setAttribute("aria-valuemin", Math.floor(start));
    this.element.setAttribute("aria-valuemax", Math.ceil(end));
    this.element.setAttribute("aria-valuenow", Math.round(time));
    if (document.activeElement === this.element) {
      this.element.setAttribute("aria-valuetext", this.wishes.words(time));
    } else {
      this.element.removeAttribute("aria-valuetext");
    }
  }
}
