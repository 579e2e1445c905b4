// SPDX-License-Identifier: Apache-2.0
// The points of small curves.

import assert from "node:assert/strict";
import test from "node:test";
import { Curves } from "../../src/web/page/curves.js";

test("a point that came already is not added again", () => {
  const curves = new Curves(10);
  curves.add("a", 1, 5);
  curves.add("a", 1, 6);
  curves.add("a", 0, 7);
  assert.deepEqual(curves.get("a"), { times: [1], values: [5] });
});

test("what the history knows comes before what came live", () => {
  const curves = new Curves(10);
  curves.add("a", 3, 30);
  curves.before("a", [1, 2, 3, 4], [10, 20, 31, 41]);
  assert.deepEqual(curves.get("a"), { times: [1, 2, 3], values: [10, 20, 30] });
  curves.before("b", [1], [1]);
  assert.deepEqual(curves.get("b").values, [1]);
});

test("old points go, and so do the curves of targets that have gone", () => {
  const curves = new Curves(10);
  for (let i = 0; i < 100; i++) curves.add("a", i, i);
  assert.ok(curves.get("a").times.length <= 21);
  assert.equal(curves.get("a").times.at(-1), 99);
  curves.keep(new Set(["b"]));
  assert.deepEqual(curves.get("a").times, []);
});

test("a mean is that of the newest points that are known", () => {
  const curves = new Curves(100);
  [[1, 100], [9, 1], [10, null], [11, 3]].forEach(([time, value]) => curves.add("a", time, value));
  assert.equal(curves.mean("a", 5), 2);
  assert.equal(curves.mean("nobody", 5), null);
});
