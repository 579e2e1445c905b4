// SPDX-License-Identifier: Apache-2.0
// The points of small curves: what came live, and what the history knew before.

/** The newest points of many curves, each as times and values, none older than `seconds`. */
export class Curves {
  constructor(seconds) {
    this.seconds = seconds;
    this.curves = new Map();
  }

  get(id) {
    return this.curves.get(id) ?? { times: [], values: [] };
  }

  add(id, time, value) {
    let curve = this.curves.get(id);
    if (!curve) this.curves.set(id, curve = { times: [], values: [] });
    if (curve.times.at(-1) >= time) return;
    curve.times.push(time);
    curve.values.push(value);
    if (curve.times[0] < time - 2 * this.seconds) this.cut(curve, time - this.seconds);
  }

  cut(curve, since) {
    const first = curve.times.findIndex((time) => time >= since);
    curve.times.splice(0, first);
    curve.values.splice(0, first);
  }

  /** Puts points of the past in front of those that came live. */
  before(id, times, values) {
    const curve = this.get(id);
    const first = curve.times[0] ?? Infinity;
    const n = times.findIndex((time) => time >= first);
    const older = n < 0 ? times.length : n;
    this.curves.set(id, { times: [...times.slice(0, older), ...curve.times],
      values: [...values.slice(0, older), ...curve.values] });
  }

  /** The mean of the last so many seconds, or null. */
  mean(id, seconds) {
    const { times, values } = this.get(id);
    let sum = 0, n = 0;
    for (let i = times.length - 1; i >= 0 && times[i] > times.at(-1) - seconds; i--)
      if (values[i] !== null) {
        sum += values[i];
        n++;
      }
    return n > 0 ? sum / n : null;
  }

  keep(ids) {
    for (const id of this.curves.keys()) if (!ids.has(id)) this.curves.delete(id);
  }

  clear() {
    this.curves.clear();
  }
}
