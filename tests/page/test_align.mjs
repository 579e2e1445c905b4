// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";

import { aligned, append, later, nearest, summary, valueAt, withGaps }
  from "../../src/web/page/align.js";

const series = (times, values) => ({ times, values });

test("targets that were read in one cycle share a row", () => {
  assert.deepEqual(aligned([series([1, 2], [10, 20]), series([1.01, 2.01], [30, 40])], 1),
    [[1, 10, 30], [2, 20, 40]]);
});

test("a series that has nothing at a time is passed by, and is no gap", () => {
  assert.deepEqual(aligned([series([1, 2, 3], [1, 2, 3]), series([1.6, 2.6], [7, 8])], 1),
    [[1, 1, null], [1.6, 2, 7], [2.6, 3, 8]]);
  assert.deepEqual(aligned([series([1, 2], [1, 2]), series([1.7], [7])], 1),
    [[1, 1, null], [1.7, 2, 7]]);
});

test("unknown is a gap, never 0 and never a bridge", () => {
  const [first, second] = aligned([series([1, 2], [null, 0])], 1);
  assert.ok(Number.isNaN(first[1]));
  assert.equal(second[1], 0);
});

test("where no point is for several steps there is a gap", () => {
  const { times, values } = withGaps(series([1, 2, 9], [1, 2, 9]), 1);
  assert.deepEqual(times, [1, 2, 3, 9]);
  assert.ok(Number.isNaN(values[2]));
  assert.deepEqual(withGaps(series([1, 3, 5], [1, 3, 5]), 1).times, [1, 3, 5]);
});

test("a series with a coarser step has no gaps between its points", () => {
  const rows = aligned([{ ...series([0, 10], [1, 2]), step: 10 }, series([0, 1], [3, 4])], 1);
  assert.deepEqual(rows, [[0, 1, 3], [1, null, 4], [10, 2, null]]);
});

test("no value is lost and none moves by half a step, whatever the phases", () => {
  const all = [0, 0.3, 0.49, 0.51, 0.99].map((phase) => {
    const times = Array.from({ length: 50 }, (_, i) => i + phase);
    return series(times, times);
  });
  const rows = aligned(all, 1);
  all.forEach((one, i) => {
    const column = rows.filter((row) => row[i + 1] !== null);
    assert.equal(column.length, 50);
    for (const row of column) assert.ok(Math.abs(row[0] - row[i + 1]) < 0.5);
  });
});

test("the day before is moved by a day and stays as it was", () => {
  assert.deepEqual(later(series([5], [1]), 86400), series([86405], [1]));
});

test("the nearest time is found at both ends and between", () => {
  assert.deepEqual([0, 1.4, 1.6, 99].map((time) => nearest([1, 2, 3], time)), [0, 0, 1, 2]);
  assert.equal(nearest([], 1), -1);
  assert.equal(valueAt(series([1, 2], [5, 6]), 9, 1), null);
});

test("a point of the feed that the history has already is not added twice", () => {
  const one = series([1, 2], [1, 2]);
  assert.equal(append(one, 2.0001, 2, 0, 1), false);
  assert.equal(append(one, 3, 3, 1.5, 1), true);
  assert.deepEqual(one, series([2, 3], [2, 3]));
});

test("a summary takes what is known within its bounds", () => {
  const one = summary(series([0, 1, 2, 3, 4], [100, 2, null, 4, 100]), 1, 4);
  assert.equal(one.n, 2);
  assert.equal(one.mean, 3);
  assert.equal(one.spread, Math.SQRT2);
  assert.equal(summary(series([1], [null]), 0, 9), null);
});
