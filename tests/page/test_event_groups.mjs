// SPDX-License-Identifier: Apache-2.0
// Events and groups as they are typed into the form of Runs.

import assert from "node:assert/strict";
import test from "node:test";
import { eventsOf, lookFor, textsOf } from "../../src/web/page/event_groups.js";

test("braces make a group, and commas separate", () => {
  assert.deepEqual(eventsOf(["a", "{b, c}", "d,e"]), ["a", ["b", "c"], "d", "e"]);
  assert.deepEqual(eventsOf(["{a}", "b,{c,d},e"]), [["a"], "b", ["c", "d"], "e"]);
  assert.deepEqual(eventsOf([]), []);
});

test("what was asked for comes back as it is typed", () => {
  const texts = ["a", "{b,c}", "{d}", "cpu/event=1,umask=2/"];
  assert.deepEqual(textsOf(eventsOf(texts)), texts);
});

test("a comma between slashes belongs to the name", () => {
  assert.deepEqual(eventsOf(["{cpu/event=0xc0,umask=1/,cycles}"]), [["cpu/event=0xc0,umask=1/", "cycles"]]);
});

test("modifiers behind a brace are those of each event", () => {
  assert.deepEqual(eventsOf(["{cycles,cpu/event=1/}:u"]), [["cycles:u", "cpu/event=1/u"]]);
  assert.deepEqual(eventsOf(["{cycles,instructions}k"]), [["cycles:k", "instructions:k"]]);
});

test("what is no event is refused with what was expected", () => {
  for (const [text, expected] of [["{a,b", "a comma or }"], ["{}", "the name of an event"],
    ["{a,}", "the name of an event"], ["a}", "a comma"], ["a,,b", "the name of an event"],
    ["{a{b}}", "a comma or }"], ["{a}u}", "a comma"]])
    assert.throws(() => eventsOf([text]), new RegExp(`expected ${expected.replace("}", "\\}")}$`), text);
});

test("of a group that is being typed the last name is looked for, and what is found closes it", () => {
  assert.equal(lookFor("page").name, "page");
  assert.equal(lookFor("page").whole("page-faults"), "page-faults");
  assert.equal(lookFor("{page").name, "page");
  const typed = lookFor("{cpu/event=1,umask=2/, ins");
  assert.equal(typed.name, "ins");
  assert.deepEqual(eventsOf([typed.whole("instructions")]), [["cpu/event=1,umask=2/", "instructions"]]);
  assert.equal(lookFor("{a,").name, "");
  assert.equal(lookFor("{a,b}").name, null);
});
