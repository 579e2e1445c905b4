// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";

import { DEFAULT_RANGE, fixedRange, isLive, moved, NOW, parseInstant, readRange, resolve, scaled,
  spanWords, writeInstant, writeRange } from "../../src/web/page/range.js";

const range = (query) => readRange(new URLSearchParams(query));
const ago = (seconds) => ({ from: { relative: true, seconds: -seconds }, to: NOW });

test("relative instants are read and written in their largest unit", () => {
  assert.deepEqual(parseInstant("-1h30m"), { relative: true, seconds: -5400 });
  for (const text of ["-1d", "-6h", "-90m", "-45s", "now"])
    assert.equal(writeInstant(parseInstant(text)), text);
  assert.equal(writeInstant(parseInstant("-60m")), "-1h");
});

test("absolute instants are seconds since 1970, or a time of the reader's clock", () => {
  assert.deepEqual(parseInstant("1795344000.5"), { relative: false, seconds: 1795344000.5 });
  assert.equal(parseInstant("2026-11-22T10:00:00").seconds, Date.UTC(2026, 10, 22, 9) / 1000);
});

test("what is no instant is told from one that is", () => {
  for (const text of ["", "1h", "-h", "-1w", "-1h ", "1e9", "<b>", "2026-99-99", "--1h"])
    assert.equal(parseInstant(text), null, text);
});

test("an address without a range, or with a wrong one, shows the last hour", () => {
  for (const query of ["", "from=x", "from=-1h&to=-2h", "from=200&to=100", "from=0&to=1795344000"])
    assert.deepEqual(range(query), DEFAULT_RANGE, query);
});

test("a range is the same after it was written into an address and read again", () => {
  for (const query of ["from=-15m", "from=-3h&to=-1h", "from=1795344000&to=1795347600.25"]) {
    const written = new URLSearchParams();
    writeRange(range(query), written);
    assert.equal(written.toString(), query);
  }
});

test("only a range that ends now is live", () => {
  assert.ok(isLive(range("from=-1h")));
  assert.ok(!isLive(range("from=-3h&to=-1h")));
  assert.ok(!isLive(range("from=1795344000&to=1795347600")));
});

test("a range is never shorter than some seconds and does not end after now", () => {
  assert.deepEqual(resolve(fixedRange(100, 100, 1000), 0), { start: 97.5, end: 102.5 });
  assert.deepEqual(resolve(fixedRange(900, 1100, 1000), 0), { start: 800, end: 1000 });
});

test("a range that is moved beyond now becomes live, with its length", () => {
  const earlier = moved(ago(3600), -0.5, 10000);
  assert.deepEqual(resolve(earlier, 0), { start: 4600, end: 8200 });
  assert.deepEqual(moved(earlier, 1, 10000), ago(3600));
});

test("a live range is scaled live, and about a point where one is given", () => {
  assert.deepEqual(scaled(ago(3600), 2, 10000), ago(7200));
  assert.deepEqual(resolve(scaled(ago(3600), 0.5, 10000, 7300), 0), { start: 6850, end: 8650 });
});

test("lengths of time are said with two units at most", () => {
  assert.equal(spanWords(5400), "1 h 30 min");
  assert.equal(spanWords(90061), "1 d 1 h");
  assert.equal(spanWords(0), "0 s");
});
