// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";

import { fewStretches, sourceOf, stretches } from "../../src/web/page/profile_code.js";

const sampledAt = (n, ...places) => Array.from({ length: n }, (_, i) => places.filter((at) => at === i).length);

test("what is near to an instruction with samples is shown, the rest is folded", () => {
  assert.deepEqual(stretches(sampledAt(100, 50)), [{ from: 0, to: 46, folded: true },
    { from: 46, to: 55, folded: false }, { from: 55, to: 100, folded: true }]);
  assert.deepEqual(stretches(sampledAt(3, 0)), [{ from: 0, to: 3, folded: false }]);
  assert.deepEqual(stretches(sampledAt(20)), [{ from: 0, to: 20, folded: true }]);
  assert.deepEqual(stretches([]), []);
});

test("a short stretch is not worth a click", () => {
  assert.deepEqual(stretches(sampledAt(30, 4, 18, 25)), [{ from: 0, to: 30, folded: false }]);
  assert.deepEqual(stretches(sampledAt(31, 4, 19, 26)).map(({ from, to, folded }) => [from, to, folded]),
    [[0, 9, false], [9, 15, true], [15, 31, false]]);
});

test("parts follow each other, and have all instructions", () => {
  let seed = 5;
  const random = () => (seed = seed * 16807 % 2147483647) / 2147483647;
  for (let turn = 0; turn < 200; turn++) {
    const samples = Array.from({ length: Math.floor(random() * 300) }, () => Number(random() < 0.03));
    let at = 0;
    let wasFolded = null;
    for (const { from, to, folded } of stretches(samples)) {
      assert.equal(from, at);
      assert.ok(to > from);
      assert.notEqual(folded, wasFolded);
      if (folded) assert.equal(samples.slice(from, to).some(Boolean), false);
      [at, wasFolded] = [to, folded];
    }
    assert.equal(at, samples.length);
  }
});

test("of a very long function only the hottest parts are shown", () => {
  const samples = Array.from({ length: 100000 }, (_, i) => (i % 5000 === 0 ? 100 : 1));
  const rows = fewStretches(samples, 500).filter(({ folded }) => !folded);
  assert.equal(rows.length, 20);
  assert.ok(rows.every(({ from, to }) => to - from <= 9));
  assert.deepEqual(fewStretches(Array(9000).fill(1), 500), [{ from: 0, to: 9000, folded: true }]);
});

test("a line of source code has the name of its file, where both are known", () => {
  const answer = { files: ["/usr/src/a b.c"], instructions: { file: [0, 0, null, 7], line: [3, 0, 5, 5] } };
  assert.deepEqual([0, 1, 2, 3].map((i) => sourceOf(answer, i)?.words), ["a b.c:3", undefined, undefined, undefined]);
  assert.equal(sourceOf(answer, 0).path, "/usr/src/a b.c");
});
