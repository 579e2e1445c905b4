// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";

import { distributionOfLine, KEYED, keyedFamiliesOf, linesOf } from "../../src/web/page/keyed.js";
import { distributionOf } from "../../src/web/page/latency.js";

const keyed = (id) => KEYED.find((one) => one.id === id);
const RANGE = { start: 0, end: 30 };

const bucket = (family, le, values, labels) => ({ name: `pmu_machine_${family}`, le, values, ...labels });

const interrupts = { target: "machine", times: [10, 20, 40], columns: [
  bucket("hardirq_seconds", "0.5", [1, 3, 9], { irq: "7", device: "disk" }),
  bucket("hardirq_seconds", "+Inf", [0, 0, 0], { irq: "7", device: "disk" }),
  { name: "pmu_machine_hardirq_seconds_sum", values: [0.1, 0.3, 9], irq: "7", device: "disk" },
  bucket("hardirq_seconds", "0.5", [null, 0, 5], { irq: "8", device: "net" }),
  bucket("hardirq_seconds", "+Inf", [null, 10, 5], { irq: "8", device: "net" }),
  bucket("hardirq_seconds", "0.5", [0, 0, 5], { irq: "9", device: "rtc" }),
  bucket("hardirq_seconds", "+Inf", [0, 0, 0], { irq: "other", device: "other" })] };

test("lines are those that have counted something in the range, the most counted first", () => {
  const lines = linesOf(interrupts, keyed("hardirq"), RANGE);
  assert.deepEqual(lines.map(({ line, label, rate }) => [line, label, rate]),
    [["8", "8 net", 10], ["7", "7 disk", 2]]);
  assert.equal(lines[1].busy, 0.2);
  assert.equal(lines[1].p50, 0.25);
  assert.equal(lines[0].p99, 0.5);
});

test("the distribution of a line is that of its label alone", () => {
  const data = distributionOf(interrupts, distributionOfLine(keyed("hardirq"), "8"));
  assert.deepEqual(data.values, [[null, 0, 5], [null, 10, 5]]);
});

test("counts stand beside each other, and what has none of a count has 0", () => {
  const calls = { target: "cgroup:/a", times: [10], columns: [
    { name: "pmu_cgroup_system_calls_per_second", call: "read", values: [4] },
    { name: "pmu_cgroup_system_calls_per_second", call: "dup", values: [8] },
    { name: "pmu_cgroup_system_call_errors_per_second", call: "dup", values: [2] }] };
  assert.deepEqual(linesOf(calls, keyed("system_call"), RANGE)
    .map(({ line, rate, counts }) => [line, rate, counts]), [["dup", 8, [8, 2]], ["read", 4, [4, 0]]]);
});

test("what has no key is one line, also where only retransmits were counted", () => {
  const tcp = { target: "cgroup:/a", times: [10], columns: [
    { name: "pmu_cgroup_tcp_connect_seconds", le: "+Inf", values: [0] },
    { name: "pmu_cgroup_tcp_retransmits_per_second", values: [3] }] };
  const [line, ...others] = linesOf(tcp, keyed("tcp"), RANGE);
  assert.deepEqual([line.line, line.rate, line.counts], ["", 0, [0, 3]]);
  assert.deepEqual(others, []);
  assert.deepEqual(linesOf(tcp, keyed("span"), RANGE), []);
});

test("families are asked for of targets that may have them", () => {
  assert.ok(keyedFamiliesOf("process:a").includes("pmu_process_kvm_exit_seconds_sum"));
  assert.ok(keyedFamiliesOf("machine").includes("pmu_machine_system_call_errors_per_second"));
  assert.deepEqual(keyedFamiliesOf("cpu:0"), []);
});
