// SPDX-License-Identifier: Apache-2.0
//
// What a mark changed: means on either side of it. As much time is taken before as after, so that
// neither side has what the other cannot have.

import {summary} from "./align.js";

// The spans [start, end) on both sides of a mark, within the range that is shown and up to the
// marks beside it. null where one of them is empty.
export function sidesOf(mark, marks, start, end) {
  const times = marks.map((each) => each.time).filter((time) => time !== mark.time);
  const before = Math.max(start, ...times.filter((time) => time < mark.time));
  const after = Math.min(end, ...times.filter((time) => time > mark.time));
  const span = Math.min(mark.time - before, after - mark.time);
  return span > 0 ? {start: mark.time - span, middle: mark.time, end: mark.time + span} : null;
}

// One series: {before, after, change}; change is a share of the mean before, or null.
export function compareSides(series, sides) {
  const before = summary(series, sides.start, sides.middle);
  const after = summary(series, sides.middle, sides.end);
  const change = before && after && before.mean !== 0
    ? (after.mean - before.mean) / Math.abs(before.mean) : null;
  return {before, after, change, clear: isClear(before, after)};
}

// The means differ by more than twice what samples of that spread and number let expect.
export function isClear(before, after) {
  if (!before || !after || before.spread === null || after.spread === null) {
    return false;
  }
  const error = Math.sqrt(before.spread ** 2 / before.n + after.spread ** 2 / after.n);
  return Math.abs(after.mean - before.mean) > 2 * error;
}

// 0.042 is "+4.2 %".
export function changeWords(change) {
  if (change === null) {
    return "–";
  }
  const percent = change * 100;
  const digits = Math.abs(percent) < 9.95 ? 1 : 0;
  const text = Math.abs(percent).toFixed(digits);
  const sign = Number(text) === 0 ? "±" : percent > 0 ? "+" : "−";
  return `${sign}${text} %`;
}
