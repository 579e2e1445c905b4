// SPDX-License-Identifier: Apache-2.0
//
// Of the view "Over time": columns of a target from the history, for maps.

import { get } from "./api.js";
import { DAY } from "./range.js";

const STEP = 10; // seconds; the history keeps no finer ones

/** {target, step_seconds, times, columns}, or null where the history has none of these columns. */
export async function loadColumns(target, column, { start, end }, mostPoints, signal) {
  const points = Math.min(Math.max(Math.floor((end - start) / STEP), 1), mostPoints);
  if (column.length === 0) return null;
  try {
    const answer = await get("history", { target, column, start, end, points }, signal);
    const [found] = answer.targets;
    return found?.times.length && found.columns.length
      ? { ...found, step_seconds: Math.max(answer.step_seconds, STEP) } : null;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return null;
  }
}

/** [[target, answer, that of the day before], …] by load(target, range). Unless they are compared, that
 * of the day before is null. */
export function loadWithBefore(targets, range, compare, load) {
  const before = { start: range.start - DAY, end: range.end - DAY };
  return Promise.all(targets.map(async (target) => [target,
    ...await Promise.all([load(target, range), compare ? load(target, before) : null])]));
}
