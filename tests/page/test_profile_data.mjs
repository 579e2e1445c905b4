// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";

import { changeWords, hasWords, layout, nodeWords, Profile, rowsOf, search, shareSigma, shareWords, walk,
  wayOf } from "../../src/web/page/profile_data.js";
import { listed } from "../../src/web/page/profile_list.js";
import { madeUp } from "../browser/made_up_profile.mjs";

/* main calls work (60) and rest (30); work calls malloc (20) and itself (10); (2 small) has 10. */
const NODES = { parent: [-1, 0, 1, 1, 2, 2, 0], function: [-1, 0, 2, 1, 3, 2, 4],
  self: [0, 0, 30, 30, 20, 10, 10], total: [100, 90, 60, 30, 20, 10, 10] };
const FUNCTIONS = { kind: ["user", "user", "user", "user", "note"],
  owner: ["app", "app", "app", "libc.so.6", ""], name: ["main", "rest", "work", "malloc", "(2 small)"] };
const ONE = { from: 0, to: 60, rate: 50, samples: 100, cpu_seconds: 2, nodes: NODES, functions: FUNCTIONS };
const profile = new Profile(ONE);

const side = (samples, seconds, from) => ({ samples, cpu_seconds: seconds, from, to: from + 10 });
const twoOf = (measure) => new Profile({ measure, bound: 3, before: side(100, 2, 0),
  after: side(200, 4, 10), functions: { kind: ["user", "user"], owner: ["a", "a"], name: ["x", "y"] },
  nodes: { parent: [-1, 0, 0], function: [-1, 0, 1], self_before: [0, 100, 0], self_after: [0, 100, 100],
    total_before: [100, 100, 0], total_after: [200, 100, 100], change: [0, -0.5, 0.5],
    sigma: [0, 0.1, 0.1], differs: [0, 1, 1] } });

test("columns become rows", () => {
  assert.deepEqual(rowsOf({ a: [1, 2], b: ["x", "y"] }), [{ a: 1, b: "x" }, { a: 2, b: "y" }]);
  assert.deepEqual(rowsOf({ a: [] }), []);
  assert.deepEqual(rowsOf(undefined), []);
});

test("children stand in the order of their names, and what is no function stands last", () => {
  assert.deepEqual(profile.children, [[1, 6], [3, 2], [4, 5], [], [], [], []]);
  assert.deepEqual([...profile.depth], [0, 1, 2, 2, 3, 3, 1]);
  assert.equal(profile.functionOf(0).name, "all samples");
  assert.deepEqual(profile.stack(4), [0, 1, 2, 4]);
});

test("stacks that are not whole are those below a note, which is not one for small frames", () => {
  const noted = (...names) => new Profile({ ...ONE, functions: { ...FUNCTIONS,
    kind: ["note", "note", "user", "user", "note"], name: ["[truncated]", "rest", "work", ...names] } });
  assert.deepEqual(profile.notWhole(), { n: 0, isAll: false });
  assert.deepEqual(noted("[deep]", "(2 small)").notWhole(), { n: 90, isAll: false });
  assert.deepEqual(noted("[deep]", "[sample lost]").notWhole(), { n: 100, isAll: true });
  assert.equal(noted("[deep]", "[sample lost]").lost(0), 10);
  assert.equal(profile.lost(0), 0);
});

test("a node is as wide as its samples, and begins where the one before it ends", () => {
  const { from, to } = layout(profile, 0);
  assert.deepEqual([from[1], to[1]], [0, 0.9]);
  assert.deepEqual([from[3], to[3].toFixed(6)], [0, "0.300000"]);
  assert.deepEqual([from[2].toFixed(6), to[2].toFixed(6)], ["0.300000", "0.900000"]);
  assert.equal(to[6].toFixed(6), "1.000000");
});

test("what is zoomed into has the whole width, and so have its callers; others are not seen", () => {
  const { from, to } = layout(profile, 2);
  for (const i of [0, 1, 2]) assert.deepEqual([from[i], to[i]], [0, 1]);
  assert.equal(to[3] - from[3], 0);
  assert.equal((to[4] - from[4]).toFixed(6), (20 / 60).toFixed(6));
});

test("keys walk to the caller, to the widest callee, and to the next of the same depth", () => {
  const placed = layout(profile, 0);
  assert.equal(walk(profile, placed, 0, "in"), 1);
  assert.equal(walk(profile, placed, 1, "in"), 2);
  assert.equal(walk(profile, placed, 4, "in"), 4);
  assert.equal(walk(profile, placed, 4, "out"), 2);
  assert.equal(walk(profile, placed, 0, "out"), 0);
  assert.equal(walk(profile, placed, 3, "right"), 2);
  assert.equal(walk(profile, placed, 2, "right"), 2);
  assert.equal(walk(profile, placed, 2, "left"), 3);
});

test("keys do not walk to what is too narrow to be seen, or is not in what is zoomed into", () => {
  assert.equal(walk(profile, layout(profile, 0), 4, "right", 0.15), 4);
  assert.equal(walk(profile, layout(profile, 2), 2, "left"), 2);
});

test("up is towards the leaves in a flame graph, and towards the root in an icicle", () => {
  assert.equal(wayOf("ArrowUp", false), "in");
  assert.equal(wayOf("ArrowUp", true), "out");
  assert.equal(wayOf("ArrowLeft", true), "left");
  assert.equal(wayOf("x", true), null);
});

test("a search counts each sample once, also where a function calls itself", () => {
  const found = search(profile, "WORK");
  assert.deepEqual([...found.matched], [0, 0, 1, 0, 0, 1, 0]);
  assert.deepEqual([found.samples, found.functions], [[60], 1]);
  assert.deepEqual(search(profile, "app").samples, [90]);
});

test("a search takes words, also of the owner, as they are", () => {
  assert.deepEqual(search(profile, "libc mal").samples, [20]);
  assert.deepEqual(search(profile, "(").samples, [10]);
  assert.deepEqual(search(profile, ".*").samples, [0]);
  assert.equal(search(profile, "  "), null);
  assert.ok(hasWords({ owner: "a.so", name: "Foo" }, "foo A."));
});

test("a share has the standard deviation of a part of a whole", () => {
  assert.equal(shareSigma(29, 2940).toFixed(5), (Math.sqrt(29 * (1 - 29 / 2940)) / 2940).toFixed(5));
  assert.equal(shareWords(294, 2940), "10.0 % ± 0.6 %");
  assert.equal(shareWords(20000, 1000000), "2.00 % ± 0.01 %");
  assert.equal(shareWords(5, 20), "25 % ± 10 %");
  assert.equal(shareWords(20, 20), "100 %");
  assert.equal(shareWords(0, 0), "–");
});

test("samples stand for CPU seconds", () => {
  assert.deepEqual(nodeWords(profile, 2),
    ["self 30, total 60 samples", "60 % ± 5 %", "1.20 s of CPU time"]);
});

test("of a difference both sides make the width, so that what has gone is seen", () => {
  const shares = twoOf("shares");
  assert.equal(shares.weight(1), 1.5);
  assert.equal(shares.weight(2), 0.5);
  const time = twoOf("time");
  assert.equal(time.weight(1).toFixed(6), "0.400000");
  assert.equal(shares.greatestChange(), 0.5);
});

test("of a difference both numbers and the change are told, and whether it may be chance", () => {
  assert.deepEqual(nodeWords(twoOf("shares"), 2), ["before 0 samples (0 %)",
    "after 100 (50 % ± 4 %)", "+50 % ± 10 %: differs"]);
  assert.deepEqual(nodeWords(twoOf("shares"), 0), ["before 100 samples (100 %)", "after 200 (100 %)"]);
  assert.equal(changeWords({ change: -0.0123, sigma: 0.0021 }, "time"), "−0.0123 ± 0.0021 CPUs");
});

test("a side without samples takes no room", () => {
  const answer = twoOf("shares").answer;
  const empty = new Profile({ ...answer, before: side(0, 0, 0), nodes: { ...answer.nodes,
    total_before: [0, 0, 0] } });
  assert.equal(empty.weight(1), 0.5);
});

test("the list has the widest frames below their callers", () => {
  assert.deepEqual(listed(profile, 0.15), [0, 1, 2, 4, 3]);
  assert.equal(listed(profile, 0, 3).length, 3);
});

test("5,000 nodes are searched and laid out at once", () => {
  const many = new Profile(madeUp(5000).profile);
  assert.equal(many.n, 5000);
  const begin = performance.now();
  const { to } = layout(many, 0);
  search(many, "function_1");
  assert.ok(performance.now() - begin < 500);
  assert.ok(Math.abs(to[many.children[0].at(-1)] - 1) < 1e-9);
});
