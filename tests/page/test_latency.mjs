// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";

import { bucketWords, DISTRIBUTIONS, distributionOf, familiesOf, isNamed, limitWords, logScale, placeOf,
  quantile, refusalOf, savedOf, tableOf } from "../../src/web/page/latency.js";
import { toCsv } from "../../src/web/page/time_csv.js";

const [RUN_QUEUE, , SLEEP, BLOCK, READ, WRITE] = DISTRIBUTIONS;
const column = (name, le, values, more = {}) => ({ name: `pmu_cgroup_${name}`, le, values, ...more });

test("buckets of a distribution ascend, and those of another state are another's", () => {
  const target = { target: "cgroup:/a", times: [10, 20], columns: [
    column("run_queue_latency_seconds", "0.5", [1, 2]),
    column("run_queue_latency_seconds", "+Inf", [null, 3]),
    column("off_cpu_seconds", "1.0", [4, 5], { state: "interruptible" }),
    column("off_cpu_seconds", "1.0", [null, null], { state: "uninterruptible" }),
    { name: "pmu_cgroup_run_queue_latency_seconds_sum", values: [7, 7] }] };
  assert.deepEqual(distributionOf(target, RUN_QUEUE),
    { times: [10, 20], limits: [0.5, Infinity], values: [[1, 2], [null, 3]] });
  assert.deepEqual(distributionOf(target, SLEEP).values, [[4, 5]]);
  assert.deepEqual(distributionOf(target, BLOCK).values, [[null, null]]);
  assert.equal(distributionOf({ ...target, target: "machine" }, RUN_QUEUE), null);
});

test("requests are told apart by their operation", () => {
  const target = { target: "machine", times: [10], columns: ["read", "write"].map((op, i) =>
    ({ name: "pmu_machine_block_io_latency_seconds", le: "1.0", values: [i + 1], op })) };
  assert.deepEqual(distributionOf(target, READ).values, [[1]]);
  assert.deepEqual(distributionOf(target, WRITE).values, [[2]]);
});

test("families are asked for of targets that may have them", () => {
  assert.deepEqual(familiesOf("process:a"), ["pmu_process_run_queue_latency_seconds",
    "pmu_process_on_cpu_seconds", "pmu_process_off_cpu_seconds",
    "pmu_process_block_io_latency_seconds", "pmu_process_block_io_queue_seconds"]);
  assert.deepEqual(familiesOf("cpu:0"), []);
});

test("a refusal is told if nothing that is wanted can be counted", () => {
  const status = (...parts) => ({ wanted: true, reason: null, parts: Object.fromEntries(
    parts.map(([wanted, reason], i) => [`part${i}`, { wanted, reason }])) });
  assert.equal(refusalOf(status([true, "no_btf"], [false, null])), "no_btf");
  assert.equal(refusalOf(status([false, null], [true, "no_tracepoint"])), "no_tracepoint");
  assert.equal(refusalOf(status([true, null], [true, "no_tracepoint"])), null);
  assert.equal(refusalOf(status([false, null], [false, null])), null);
  assert.equal(refusalOf(undefined), null);
});

test("a quantile is that of histogram_quantile()", () => {
  const limits = [1, 2, 4, Infinity];
  assert.equal(quantile(limits, [0, 10, 0, 0], 0.5), 1.5);
  assert.equal(quantile(limits, [10, 0, 0, 0], 0.5), 0.5);
  assert.equal(quantile(limits, [5, 5, 10, 0], 0.5), 2);
  assert.equal(quantile(limits, [5, 5, 10, 0], 0.99), 2 + 2 * 0.98);
  assert.equal(quantile(limits, [1, 0, 0, 9], 0.99), 4, "longer than all limits");
  assert.equal(quantile(limits, [null, 4, null, null], 1), 2);
  assert.equal(quantile(limits, [0, 0, 0, 0], 0.5), null);
});

test("a duration has its place between limits by its logarithm", () => {
  const limits = [1, 2, 4, Infinity];
  assert.equal(placeOf(limits, 2), 2);
  assert.equal(placeOf(limits, Math.SQRT2), 1.5);
  assert.equal(placeOf(limits, 0.25), 0.25);
  assert.equal(placeOf(limits, 100), 3);
});

test("a bucket and limits have words", () => {
  const limits = [2 ** -20, 2 ** -11, 2 ** -10, 4, Infinity];
  assert.equal(bucketWords(limits, 0), "up to 0.954 µs");
  assert.equal(bucketWords(limits, 2), "488 µs to 977 µs");
  assert.equal(bucketWords(limits, 4), "over 4 s");
  const named = Array.from({ length: 25 }, (_, i) => 2 ** (i - 20)).filter(isNamed).map(limitWords);
  assert.deepEqual(named, ["1 µs", "16 µs", "256 µs", "1 ms", "16 ms", "256 ms", "1 s", "16 s"]);
});

test("colours go by the logarithm, and what is rare is no nothing", () => {
  const { least, most, shareOf } = logScale([[0, 1, null], [100, 10, 0]]);
  assert.deepEqual([least, most], [1, 100]);
  assert.equal(shareOf(100), 1);
  assert.equal(shareOf(0), 0);
  assert.ok(shareOf(1) > 0.1 && shareOf(1) < shareOf(10));
  assert.ok(Math.abs(shareOf(10) - (shareOf(1) + shareOf(100)) / 2) < 1e-9);
  assert.equal(logScale([[7]]).shareOf(7), 1);
  assert.equal(logScale([[0, null]]).shareOf(0), 0);
  assert.ok(logScale([[1e9, 1e-9]]).shareOf(1e-9) > 0, "below all that has a colour of its own");
});

test("what is saved of a distribution is its own, of the times shown", () => {
  const target = { target: "cgroup:/a", step_seconds: 10, times: [10, 20, 30], columns: [
    column("run_queue_latency_seconds", "0.5", [1, 2, 3]),
    column("off_cpu_seconds", "1.0", [4, null, 6], { state: "interruptible" }),
    column("off_cpu_seconds", "1.0", [9, 9, 9], { state: "uninterruptible" }),
    column("off_cpu_seconds_sum", undefined, [7, 8, 9], { state: "interruptible" })] };
  const saved = savedOf(target, SLEEP, { start: 10, end: 20 });
  assert.deepEqual(saved.times, [20], "a step ends at its time");
  assert.deepEqual(saved.columns.map(({ values }) => values), [[null]]);
  assert.equal(toCsv([tableOf(savedOf(target, SLEEP, { start: 0, end: 20 }))]),
    'time,target,"pmu_cgroup_off_cpu_seconds{le=""1.0"",state=""interruptible""}"\r\n' +
    "10,cgroup:/a,4\r\n20,cgroup:/a,\r\n");
});
