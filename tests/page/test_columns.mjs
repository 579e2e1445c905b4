// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";

import { axisNumber, compareMeasures, isTarget, measureOf, shortNames, splitTarget, titleOf, unitOf }
  from "../../src/web/page/columns.js";

test("the same measure of a cgroup and of a process shares a plot", () => {
  assert.equal(measureOf("cgroup", "pmu_cgroup_cpus_used"), "cpus_used");
  assert.equal(measureOf("process", "pmu_process_cpus_used"), "cpus_used");
  assert.equal(measureOf("cgroup", "pmu_cgroup_group_coverage_ratio", "core"),
    "group_coverage_ratio:core");
});

test("what has the form of a target is told from what somebody has mistyped", () => {
  for (const text of ["machine", "cgroup:/a b\n", "process:nginx", "cpu:0", "uncore:imc,0"])
    assert.ok(isTarget(text), text);
  for (const text of ["", "nginx", "cgroup:", "machine:", "cpu:a", "uncore:imc"])
    assert.ok(!isTarget(text), text);
});

test("measures have words and a unit", () => {
  assert.equal(titleOf("cpus_used"), "CPUs used");
  assert.equal(titleOf("context_switches_per_second"), "Context switches");
  assert.equal(titleOf("cpu_migrations_per_second"), "CPU migrations");
  assert.equal(titleOf("group_coverage_ratio:core"), "Coverage of the group core");
  assert.equal(unitOf("context_switches_per_second", "per second"), "per second");
  assert.equal(unitOf("instructions_per_cycle", "ratio"), "per cycle");
  assert.equal(unitOf("cpus_used", "cpus"), "CPUs");
  assert.equal(unitOf("group_coverage_ratio:core", "ratio"), "%");
  assert.equal(titleOf("switches_per_second:voluntary"), "Voluntary switches");
  assert.equal(unitOf("migrations_per_second:llc", "per second"), "per second");
});

test("what people look at first stands first, and coverage last", () => {
  const names = ["group_coverage_ratio:core", "page_faults_per_second", "zebra_per_second",
    "instructions_per_cycle", "cpus_used"];
  assert.deepEqual(names.sort(compareMeasures), ["cpus_used", "instructions_per_cycle",
    "page_faults_per_second", "zebra_per_second", "group_coverage_ratio:core"]);
});

test("labels of an axis have the digits that tell its ticks apart", () => {
  assert.equal(axisNumber(0.5, 0.5), "0.5");
  assert.equal(axisNumber(1, 0.25), "1.00".slice(0, 3));
  assert.equal(axisNumber(1500, 500), "1.5k");
  assert.equal(axisNumber(2e6, 1e6), "2M");
  assert.equal(axisNumber(0, 10), "0");
  assert.equal(axisNumber(0.004, 0.002), "0.004");
});

test("targets are split at their first colon", () => {
  assert.deepEqual(splitTarget("process:a:b"), { kind: "process", value: "a:b" });
  assert.deepEqual(splitTarget("machine"), { kind: "machine", value: "" });
});

test("short names tell targets apart", () => {
  assert.deepEqual(shortNames(["cgroup:/a/x.service", "cgroup:/b/x.service", "process:nginx",
    "machine", "cgroup:/"]), ["a/x.service", "b/x.service", "nginx", "machine", "/"]);
});
