// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";

import { toCsv, toJson } from "../../src/web/page/time_csv.js";

const one = (target, name, times, values) => ({ target, times, columns: [{ name, values }] });

test("a row for each target and time, and nothing where nothing is known", () => {
  assert.equal(toCsv([one("cgroup:/a", "x", [1.5, 2], [0, null]), one("machine", "y", [1.5], [7])]),
    "time,target,x,y\r\n1.5,cgroup:/a,0,\r\n2,cgroup:/a,,\r\n1.5,machine,,7\r\n");
});

test("quotes, commas and line ends of a name stay in its field", () => {
  assert.match(toCsv([one('process:a"b,\nc', "x", [1], [2])]), /^1,"process:a""b,\nc",2\r$/m);
});

test("a name is no formula of a spreadsheet", () => {
  assert.match(toCsv([one("=cmd()", "x", [1], [-2])]), /1,'=cmd\(\),-2/);
});

test("the JSON has the form of the history's answer", () => {
  const shown = [one("machine", "y", [1], [7])];
  assert.deepEqual(JSON.parse(toJson(shown, 1, 2, 1)),
    { start: 1, end: 2, step_seconds: 1, targets: shown });
});
