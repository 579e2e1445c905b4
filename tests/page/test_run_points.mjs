// SPDX-License-Identifier: Apache-2.0
// Runs as series of plots.

import assert from "node:assert/strict";
import test from "node:test";
import { addPoints, columnsOf, pointsOf, scaleTicks, secondsWords, seriesOf }
  from "../../src/web/page/run_points.js";

const run = () => ({ title: "a", interval_seconds: 0.5, times: [0.5, 1, 2],
  columns: [{ name: "x", unit: "", kind: "total" }, { name: "y", unit: "", kind: "ratio" }],
  values: [[10, null, 10], [0.25, 0.5, 0.75]] });

test("a total is shown per second of its interval, and what is not known stays so", () => {
  assert.deepEqual(pointsOf({ ...run(), values: [[10, 5, null]] }, 0).values, [20, 10, null]);
});

test("a total after what was not known is of the time since what was, as in a pause", () => {
  assert.deepEqual(pointsOf({ ...run(), values: [[10, null, 9]] }, 0).values, [20, null, 6]);
});

test("a ratio is shown as it is", () => {
  assert.deepEqual(pointsOf(run(), 1).values, [0.25, 0.5, 0.75]);
});

test("a run that does not have a column has no series, and the other keeps its colour", () => {
  const other = { ...run(), title: "b", columns: [], values: [] };
  assert.deepEqual(seriesOf([other, run()], "total x").map(({ name, colour }) => [name, colour]),
    [["a", 1]]);
});

test("of what the scheduler did there is a plot if a run has any of it, and of events always", () => {
  const columns = ["switches", "kvm-exits", "lost-records"].map((name) => ({ name, kind: "total" }));
  const recorded = (...values) => ({ ...run(), kind: "schedule", columns, values });
  const names = (...runs) => [...columnsOf(runs).values()].map(({ name }) => name);
  assert.deepEqual(names(recorded([3, null], [null, null], [0, 0])), ["switches"]);
  assert.deepEqual(names(recorded([3, 0], [null, null], [0, 0]), recorded([1], [0], [2])),
    ["switches", "lost-records"]);
  assert.deepEqual(names({ ...run(), kind: "count", values: [[0, 0, 0], [null, null, null]] }),
    ["x", "y"]);
});

test("points that came already are not added again", () => {
  const grown = run();
  assert.equal(addPoints(grown, { times: [1, 2], values: [[1, 2], [3, 4]] }), false);
  assert.equal(addPoints(grown, { times: [2, 2.5], values: [[1, 7], [3, 1]] }), true);
  assert.deepEqual(grown.times, [0.5, 1, 2, 2.5]);
  assert.deepEqual(grown.values, [[10, null, 10, 7], [0.25, 0.5, 0.75, 1]]);
});

test("labels stand at round seconds since the start, and in minutes where it is long", () => {
  assert.deepEqual(scaleTicks(0, 1, 5).map(({ label }) => label),
    ["0 s", "0.2 s", "0.4 s", "0.6 s", "0.8 s"]);
  assert.deepEqual(scaleTicks(0, 600, 4).map(({ label }) => label), ["0:00", "5:00"]);
  assert.equal(secondsWords(150), "2:30");
  assert.deepEqual(scaleTicks(1.00001, 1.00002, 5).map(({ label }) => label),
    ["1000.01 ms", "1000.012 ms", "1000.014 ms", "1000.016 ms", "1000.018 ms"]);
});
