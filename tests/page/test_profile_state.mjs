// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";

import { beforeFor, beforeOf, beforeWord, question, rangeOf, readState, writeState }
  from "../../src/web/page/profile_state.js";

const read = (query) => readState(new URLSearchParams(query));
const NOW = 1795344000;

test("a part of a range stands in the address with the range that it is of", () => {
  const query = "target=machine&start=100.45&end=100.5&outer_start=90&outer_end=120";
  const state = read(query);
  assert.deepEqual(state.outer, { start: 90, end: 120 });
  assert.equal(writeState(state).outer_start, "90");
  assert.equal(writeState(state).outer_end, "120");
  assert.equal(read("outer_start=90").outer, null);
  assert.deepEqual(rangeOf(state, NOW), { start: 100.45, end: 100.5 });
});

function written(state) {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(writeState(state)))
    if (value !== null && value !== "") parameters.append(key, value);
  return parameters.toString();
}

test("an address says all that is shown, and is the same after it was read and written", () => {
  for (const query of ["target=machine&range=5m", "target=cgroup%3A%2Fa&range=1w&view=icicle&measure=time",
    "target=process%3Anode&start=100&end=200.5&before=1d",
    "target=machine&start=100&end=200&before_start=50&before_end=80&before_target=cgroup%3A%2Fb",
    "target=machine&range=1h&owner=libc.so.6&name=malloc&search=a+b",
    "target=machine&range=5m&view=table&name=%3Cscript%3E",
    "target=run%3A12&view=icicle&before_target=run%3A3"])
    assert.equal(written(read(query)), query);
});

test("what is wrong in an address is as usual", () => {
  const usual = written(read(""));
  for (const query of ["target=cpu:0", "target=run:0", "target=run:x", "range=2m", "view=x", "measure=x", "before=2d", "start=1",
    "start=200&end=100", "start=a&end=b", "before_start=1", "start=-5&end=5"])
    assert.equal(written(read(query)), usual, query);
});

test("a range ends now, or stands in the address", () => {
  assert.deepEqual(rangeOf(read("range=15m"), NOW), { start: NOW - 900, end: NOW });
  assert.deepEqual(rangeOf(read("start=100&end=200"), NOW), { start: 100, end: 200 });
});

test("what a run has recorded has its own time, and is compared with another run alone", () => {
  const range = { start: 1000, end: 1300 };
  const asked = (query) => question(read(query), range);
  assert.deepEqual(asked("target=run:7&start=5&end=9&before=1h&before_start=1&before_end=2"),
    { target: "run:7" });
  assert.deepEqual(asked("target=run:7&before_target=run:5"), { target: "run:7", measure: "shares",
    before_start: null, before_end: null, before_target: "run:5" });
  assert.deepEqual(["target=run:7&before=1h", "target=run:7&before_target=run:5"]
    .map((query) => beforeWord(read(query))), ["", "target"]);
});

test("beside a run nothing stays of what was compared before, and how", () => {
  const none = { before: null, beforeFixed: null, beforeTarget: null, measure: "shares" };
  const wished = (query, target) => beforeFor(read(query), target);
  assert.deepEqual(wished("before=1h&measure=time", "run:1"), none);
  assert.deepEqual(wished("target=run:1&measure=time", "run:2"), none);
  assert.deepEqual(wished("target=run:1&before_target=run:2", "machine"), none);
  assert.deepEqual(wished("before=1h&measure=time", "cgroup:/a"), {});
});

test("what it is compared with is so long before, another time, or another target", () => {
  const range = { start: 1000, end: 1300 };
  const before = (query) => beforeOf(read(query), range);
  assert.equal(before(""), null);
  assert.deepEqual(before("before=previous"), { target: "machine", start: 700, end: 1000 });
  assert.deepEqual(before("before=1h"), { target: "machine", start: -2600, end: -2300 });
  assert.deepEqual(before("before_start=5&before_end=9"), { target: "machine", start: 5, end: 9 });
  assert.deepEqual(before("before_target=cgroup:/b"), { target: "cgroup:/b", start: 1000, end: 1300 });
  assert.deepEqual(["", "before=1w", "before_start=5&before_end=9", "before_target=cgroup:/b"]
    .map((query) => beforeWord(read(query))), ["", "1w", "range", "target"]);
});

test("a question has the arguments that the exporter takes", () => {
  assert.deepEqual(question(read("target=cgroup:/a"), { start: 1.23456, end: 2 }),
    { target: "cgroup:/a", start: "1.235", end: "2" });
  assert.deepEqual(question(read("before=previous&measure=time"), { start: 10, end: 20 }),
    { target: "machine", start: "10", end: "20", measure: "time", before_start: "0", before_end: "10",
      before_target: null });
  assert.equal(question(read("before_target=process:b"), { start: 1, end: 2 }).before_target, "process:b");
});
