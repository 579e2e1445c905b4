// SPDX-License-Identifier: Apache-2.0
// Numbers, units and times as people read them.

import assert from "node:assert/strict";
import test from "node:test";
import { UNKNOWN, bytes, change, cpus, duration, exact, formatOf, heading, instant, number, percent }
  from "../../src/web/page/format.js";

test("a number has three digits that count, and a letter for its size", () => {
  for (const [value, text] of [[0, "0"], [0.0123, "0.012"], [1.234, "1.23"], [9.996, "10.0"],
    [12.34, "12.3"], [99.96, "100"], [999.6, "1.00k"], [4560, "4.56k"], [7.891e6, "7.89M"], [3e9, "3.00G"]])
    assert.equal(number(value), text);
});

test("what is not known is a dash and never 0", () => {
  for (const format of [number, cpus, percent, bytes, duration, instant, exact])
    for (const value of [null, undefined, NaN, Infinity, "1"]) assert.equal(format(value), UNKNOWN);
});

test("small CPU times are not shown as none", () => {
  assert.equal(cpus(0), "0");
  assert.equal(cpus(0.0001), "<0.001");
  assert.equal(cpus(0.25), "0.250");
  assert.equal(cpus(12.3456), "12.35");
});

test("a change is told in percent, as a factor, or as new; nothing without a before", () => {
  assert.equal(change(1.12, 1).text, "+12 %");
  assert.deepEqual(change(0.5, 1), { text: "−50 %", direction: -1 });
  assert.equal(change(3.4, 1).text, "×3.40");
  assert.equal(change(1, 0).text, "new");
  assert.deepEqual(change(1.001, 1), { text: "0 %", direction: 0 });
  assert.equal(change(1, null), null);
  assert.equal(change(1, undefined), null);
  assert.equal(change(undefined, 1), null);
});

test("lengths of time and sizes have the unit that fits", () => {
  assert.equal(duration(0.000127), "127 µs");
  assert.equal(duration(0.25), "250 ms");
  assert.equal(duration(1), "1 s");
  assert.equal(duration(12000), "3 h 20 min");
  assert.equal(duration(187200), "2 d 4 h");
  assert.equal(bytes(512), "512 B");
  assert.equal(bytes(14889779), "14.2 MiB");
  assert.equal(percent(0.00012), "<0.1 %");
  assert.equal(percent(1), "100 %");
});

test("columns have headings and formats by their names", () => {
  assert.equal(heading("cpus_used"), "CPUs used");
  assert.equal(heading("branch_misses_per_second"), "branch misses/s");
  assert.equal(heading("branch_miss_ratio"), "branch miss");
  assert.equal(formatOf("cpus_used"), cpus);
  assert.equal(formatOf("branch_miss_ratio"), percent);
  assert.equal(formatOf("page_faults_per_second"), number);
});
