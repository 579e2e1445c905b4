// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { cellsOf, instantWords, laneCells, laneName, missing, mostOf, OTHERS, ThreadColours, threadName }
  from "../../src/web/page/schedule_threads.js";

const thread = (tid, pid = tid, name = `t${tid}`) => ({ tid, pid, name });

test("a thread is called by its name and number, and the idle one only idle", () => {
  assert.equal(threadName(thread(7, 5, "nginx")), "nginx:7");
  assert.equal(threadName(thread(0, 0, "idle")), "idle");
  assert.equal(threadName(null), "–");
});

test("the threads that ran longest have colours of their own", () => {
  const threads = Array.from({ length: 9 }, (_, i) => thread(i + 1));
  const colours = new ThreadColours(threads);
  assert.deepEqual(threads.map((each) => colours.of(each)), [0, 1, 2, 3, 4, 5, 6, OTHERS, OTHERS]);
  assert.equal(colours.of(thread(0)), null);
  assert.equal(colours.of(thread(1, 99)), OTHERS); // the number of another process's thread
});

test("cells of a map stand in columns that end where the next begins", () => {
  const { times, values, step_seconds: step } = cellsOf({ start: 1, end: 2, columns: 4,
    threads: [thread(7)], cpus: [{ cpu: 3, threads: [0, null, 0, 0], shares: [1, 0, 0.5, 1],
      busy: [1, 0, 0.75, 1] }] });
  assert.deepEqual(times, [1.25, 1.5, 1.75, 2]);
  assert.equal(step, 0.25);
  assert.deepEqual(values[0][2], { thread: thread(7), share: 0.5, busy: 0.75 });
  assert.equal(values[0][1], null);
});

test("instants are told to the microsecond", () => {
  assert.equal(instantWords(1.2345678), "1234.568 ms");
});

test("what is missing is told, and nothing where nothing is", () => {
  const of = (schedule) => missing({ title: "a", schedule });
  assert.deepEqual(of(undefined), []);
  assert.deepEqual(of({ lost: 0, gaps: 0, full: false }), []);
  assert.match(of({ lost: 5, gaps: 0, full: false })[0], /^5 records were lost in “a”/);
  assert.equal(of({ lost: 5, gaps: 2, full: true }).length, 3);
});

test("rows of requests and exits are called by what they are of", () => {
  assert.equal(laneName({ device: "vda", operation: "read" }), "vda read");
  assert.equal(laneName({ guest: thread(12, 12, "qemu"), vcpu: 0, reason: "io" }), "vCPU 0 io of qemu:12");
  assert.equal(laneName({ guest: thread(12, 12, "qemu"), vcpu: null, reason: "WFx" }), "vCPU WFx of qemu:12");
});

test("cells of requests are empty where there was none, and one that is on its way is there", () => {
  const lanes = [{ counts: [0, 0, 2], shares: [0, 0.5, 1.5] }, { counts: [0, 0, 0], shares: [0, 0, 0] }];
  const { times, values, step_seconds: step } = laneCells({ start: 0, end: 3, columns: 3 }, lanes);
  assert.deepEqual([times, step], [[1, 2, 3], 1]);
  assert.deepEqual(values, [[null, { count: 0, share: 0.5 }, { count: 2, share: 1.5 }], [null, null, null]]);
  assert.equal(mostOf(lanes), 1.5);
  assert.equal(mostOf([]), 0);
});

test("requests that were refused are missing, and those that nobody looked for are not", () => {
  const schedule = { lost: 0, gaps: 0, full: false };
  assert.deepEqual(missing({ title: "a", schedule: { ...schedule, requests: null } }), []);
  assert.deepEqual(missing({ title: "a", schedule: { ...schedule, requests: { refusal: "for a reason" } } }),
    ["Requests to block devices are not in “a”: for a reason"]);
});
