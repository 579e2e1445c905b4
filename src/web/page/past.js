// SPDX-License-Identifier: Apache-2.0
// What the history knows of the targets in sight: the last minutes, for their curves, and an hour
// ago, to compare with. Asked for a few targets at a time, a little after scrolling has ended.

import { get, isAbort } from "./api.js";

const HOUR = 3600;
const AROUND = 60; // seconds before and after the hour, of which the mean is taken
const PATIENCE = 60000; // after which an hour ago is another minute
const LONGEST_ADDRESS = 5000; // a request has to fit into the server's memory for its head

export class Past {
  /**
   * status is a promise of /api/v1/status: an exporter without a history is not asked for it.
   * now() tells the exporter's time in seconds: the browser's clock may be another.
   */
  constructor({ seconds, points, signal, status, now, onNews }) {
    Object.assign(this, { seconds, points, signal, now, onNews });
    this.known = new Map(); // id: {asked, before}
    this.available = false;
    this.looked = status.then((known) => {
      this.available = Boolean(known?.history);
      this.onNews(null);
    });
  }

  /** The value an hour ago: a number, null (the history has none), undefined (not known yet). */
  before(id) {
    return this.known.get(id)?.before;
  }

  clear() {
    this.known.clear();
  }

  /** Asks for what is not known, or not lately, of these targets; columns are full names. */
  want(ids, columns) {
    clearTimeout(this.timer);
    if (!this.available || columns.length === 0) return;
    this.timer = setTimeout(() => this.ask(ids, columns), 200);
  }

  /** The last minutes of one target, each of these columns. */
  async curves(id, columns) {
    await this.looked;
    if (!this.available) return { times: [], columns: [] };
    const end = this.now();
    const { targets } = await get("history", { target: id, column: columns,
      start: Math.round(end - this.seconds), end: Math.ceil(end), points: this.points }, this.signal);
    return targets[0] ?? { times: [], columns: [] };
  }

  async ask(ids, columns) {
    const due = ids.filter((id) =>
      performance.now() - (this.known.get(id)?.asked ?? -Infinity) > PATIENCE);
    const fresh = due.filter((id) => !this.known.has(id));
    for (const id of due)
      this.known.set(id, { ...this.known.get(id), asked: performance.now() });
    try {
      for (const some of batches(fresh)) await this.seed(some, columns);
      for (const some of batches(due)) await this.compare(some, columns);
    } catch (error) {
      if (isAbort(error)) return;
      if (error.status === 404 || error.status === 403) this.available = false;
      for (const id of due) this.known.delete(id);
    }
  }

  async seed(ids, columns) {
    const end = this.now();
    const { targets } = await get("history", { target: ids, column: columns,
      start: Math.round(end - this.seconds), end: Math.ceil(end), points: this.points }, this.signal);
    for (const { target, times, columns: [column] } of targets)
      if (column && this.known.has(target)) this.onNews(target, times, column.values);
  }

  async compare(ids, columns) {
    const then = Math.round(this.now()) - HOUR;
    const { targets } = await get("history", { target: ids, column: columns,
      start: then - AROUND, end: then + AROUND, points: 1 }, this.signal);
    const found = new Map(targets.map(({ target, columns: [column] }) =>
      [target, mean(column?.values ?? [])]));
    for (const id of ids)
      if (this.known.has(id)) this.known.get(id).before = found.get(id) ?? null;
    this.onNews(null);
  }
}

function mean(values) {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? known.reduce((a, b) => a + b, 0) / known.length : null;
}

function* batches(ids) {
  let some = [], length = 0;
  for (const id of ids) {
    const more = encodeURIComponent(id).length + 8;
    if (length + more > LONGEST_ADDRESS && some.length > 0) {
      yield some;
      some = [];
      length = 0;
    }
    some.push(id);
    length += more;
  }
  if (some.length > 0) yield some;
}
