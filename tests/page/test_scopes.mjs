// SPDX-License-Identifier: Apache-2.0
// A scope has one word on /metrics, in the API and on the page.

import assert from "node:assert/strict";
import test from "node:test";
import { scopeInWords, targetsInWords } from "../../src/web/page/scopes.js";

test("the scope of the machine is called system, as what is left out calls it", () => {
  assert.equal(scopeInWords("system"), "system");
  assert.equal(scopeInWords("cgroup"), "cgroups");
  assert.equal(scopeInWords("another"), "another");
});

test("CPUs that are counted one by one are no machines", () => {
  assert.equal(targetsInWords({ system: 2, cgroup: 1, process: 12 }, String),
    "2 of the system, 1 cgroup, 12 processes");
  assert.equal(targetsInWords({ system: 1, cgroup: 0 }, String), "1 of the system, 0 cgroups");
  assert.equal(targetsInWords(undefined, String), "nothing");
});
