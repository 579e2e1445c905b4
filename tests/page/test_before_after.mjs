// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";

import { changeWords, compareSides, sidesOf } from "../../src/web/page/before_after.js";

const mark = (time) => ({ id: time, time, text: "m" });

test("as much is taken before a mark as after it", () => {
  assert.deepEqual(sidesOf(mark(70), [mark(70)], 0, 100), { start: 40, middle: 70, end: 100 });
});

test("another mark bounds the sides", () => {
  assert.deepEqual(sidesOf(mark(70), [mark(60), mark(70), mark(95)], 0, 100),
    { start: 60, middle: 70, end: 80 });
});

test("a mark at the edge of the range has nothing to compare", () => {
  assert.equal(sidesOf(mark(100), [mark(100)], 0, 100), null);
});

test("means, spread and change are those of each side", () => {
  const series = { times: [1, 2, 3, 4, 5, 6], values: [10, 10, null, 20, 20, 20] };
  const { before, after, change, clear } = compareSides(series, { start: 0, middle: 3.5, end: 7 });
  assert.deepEqual([before.n, before.mean, after.n, after.mean], [2, 10, 3, 20]);
  assert.equal(change, 1);
  assert.ok(clear);
});

test("a change within the spread is not called clear", () => {
  const series = { times: [1, 2, 3, 4], values: [1, 9, 2, 9] };
  assert.ok(!compareSides(series, { start: 0, middle: 2.5, end: 9 }).clear);
});

test("where one side is unknown there is no change", () => {
  const { after, change } = compareSides({ times: [1], values: [5] }, { start: 0, middle: 2, end: 4 });
  assert.equal(after, null);
  assert.equal(change, null);
});

test("changes are said in percent, with a sign", () => {
  assert.equal(changeWords(0.042), "+4.2 %");
  assert.equal(changeWords(-0.5), "−50 %");
  assert.equal(changeWords(0.0001), "±0.0 %");
  assert.equal(changeWords(null), "–");
});
