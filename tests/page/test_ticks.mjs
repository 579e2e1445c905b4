// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";

import { rangeWords, timeTicks, timeWords } from "../../src/web/page/ticks.js";

// The tests run in the time of Berlin: UTC + 1, in summer UTC + 2.
const utc = (...parts) => Date.UTC(...parts) / 1000;
const labels = (start, end, most) => timeTicks(start, end, most).map((tick) => tick.label);

test("labels stand at round times of the reader's clock", () => {
  const start = utc(2026, 10, 22, 16, 3, 20);
  assert.deepEqual(labels(start, start + 3600, 6), ["17:10", "17:20", "17:30", "17:40", "17:50", "18:00"]);
  assert.deepEqual(labels(start, start + 25, 6),
    ["17:03:20", "17:03:25", "17:03:30", "17:03:35", "17:03:40"]);
});

test("a day is named where it begins", () => {
  const start = utc(2026, 10, 21, 17);
  assert.deepEqual(labels(start, start + 86400, 4), ["18:00", "Sun 22 Nov", "06:00", "12:00"]);
});

test("the night in which clocks are put back has each label once, at round times", () => {
  const ticks = timeTicks(utc(2026, 9, 24, 12), utc(2026, 9, 26, 12), 8);
  assert.equal(new Set(ticks.map((tick) => tick.time)).size, ticks.length);
  for (const { time } of ticks) assert.equal(new Date(time * 1000).getMinutes(), 0);
  for (let i = 1; i < ticks.length; i++) assert.ok(ticks[i].time > ticks[i - 1].time);
});

test("there are no more labels than there is room for", () => {
  for (const span of [5, 60, 3600, 86400, 7 * 86400, 300 * 86400])
    assert.ok(timeTicks(1e9, 1e9 + span, 5).length <= 12, String(span));
});

test("times are said with the day where a range has several", () => {
  const time = utc(2026, 10, 22, 16, 42, 5);
  assert.equal(timeWords(time, 3600), "17:42:05");
  assert.equal(timeWords(time, 7 * 86400), "22 Nov 17:42:05");
  assert.equal(rangeWords(time, time + 10), "22 Nov 2026 17:42:05 to 17:42:15");
});
