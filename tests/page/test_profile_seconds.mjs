// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { columnsOf, partOf } from "../../src/web/page/profile_seconds.js";

const answer = { from: 100, parts: 4, seconds: 2, samples: [1, 2, 3, 4, 5, 6, 7, 8] };

test("a second is a column whose last part is above", () => {
  const { times, values, step_seconds: step } = columnsOf(answer);
  assert.deepEqual(times, [101, 102]); // a cell tells of the step that ends at its time
  assert.deepEqual(values, [[4, 8], [3, 7], [2, 6], [1, 5]]);
  assert.equal(step, 1);
});

test("a part has its own range", () => {
  const columns = columnsOf(answer);
  assert.deepEqual(partOf(columns, 3, 0), { start: 100, end: 100.25 });
  assert.deepEqual(partOf(columns, 0, 1), { start: 101.75, end: 102 });
});
