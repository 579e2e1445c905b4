// SPDX-License-Identifier: Apache-2.0
// What /api/v1/targets says, as targets, measures and a tree.

import assert from "node:assert/strict";
import test from "node:test";
import { fullNames, idOf, knownAs, measuresOf, targetsOf, treeOf } from "../../src/web/page/targets.js";

const COLUMNS = [
  { name: "pmu_cgroup_start_time_seconds", type: "gauge" },
  { name: "pmu_cgroup_task_clock_seconds_total", type: "counter" },
  { name: "pmu_cgroup_group_coverage_ratio", type: "gauge", group: "core" },
  { name: "pmu_cgroup_page_faults_per_second", type: "gauge" },
  { name: "pmu_cgroup_instructions_per_cycle", type: "gauge" },
  { name: "pmu_cgroup_cpus_used", type: "gauge" },
  { name: "pmu_cgroup_switches_total", type: "counter", kind: "voluntary" },
];
const row = (cgroup, cpus, ipc = 1) =>
  ({ labels: { cgroup }, info: {}, values: [1, 2, 0.5, 10 * cpus, ipc, cpus, 7] });
const answer = (...rows) => ({ tables: [
  { kind: "machine", columns: [{ name: "pmu_machine_cpus_used", type: "gauge" }],
    rows: [{ labels: {}, info: {}, values: [2] }] },
  { kind: "cgroup", columns: COLUMNS, rows },
  { kind: "process", columns: [{ name: "pmu_process_cpus_used", type: "gauge" }],
    rows: [{ labels: { groupname: "nginx" }, info: {}, values: [0.5] }] }] });

test("targets have the names that the API takes, and numbers under short names", () => {
  const targets = targetsOf(answer(row("/a", 1)));
  assert.deepEqual(targets.map(({ id }) => id), ["machine", "cgroup:/a", "process:nginx"]);
  assert.equal(targets[1].values.cpus_used, 1);
  assert.equal(idOf("cpu", { cpu: "3" }), "cpu:3");
});

test("what is not known has no number", () => {
  const [, target] = targetsOf(answer(row("/a", 1, null)));
  assert.equal("instructions_per_cycle" in target.values, false);
});

test("a target has beside its path what people call it, unless the path says so", () => {
  const known = (info, name = "/kubepods.slice/cri-containerd-0a1b.scope") => knownAs({ name, info });
  assert.equal(known({ pod: "web-0", namespace: "shop", container: "nginx" }), "shop/web-0/nginx");
  assert.equal(known({ pod: "web-0", namespace: "shop" }), "shop/web-0");
  assert.equal(known({ vm: "instance-00000001", vm_display_name: "db" }), "db");
  assert.equal(known({ vm: "instance-00000001" }), "instance-00000001");
  assert.equal(known({ slurm_job: "17", slurm_step: "0" }), "job 17.0");
  assert.equal(known({ slurm_job: "17" }), "job 17");
  assert.equal(known({ container: "redis", runtime: "docker" }), "redis");
  assert.equal(known({ name: "till", pod: "web-0" }), "till");
  assert.equal(known({ container: "0a1b" }), "");
  assert.equal(known({ unit: "a.service", pod: "" }), "");
});

test("measures are rates and ratios, most telling first; groups' columns and times are none", () => {
  assert.deepEqual(measuresOf(answer(), ["cgroup", "process"]),
    ["cpus_used", "instructions_per_cycle", "page_faults_per_second"]);
  assert.deepEqual(fullNames(answer(), ["cgroup", "process"], ["cpus_used"]),
    ["pmu_cgroup_cpus_used", "pmu_process_cpus_used"]);
});

test("where a configuration shows no rates, totals are the measures", () => {
  const bare = { tables: [{ kind: "cgroup", columns: COLUMNS.slice(0, 2), rows: [] }] };
  assert.deepEqual(measuresOf(bare, ["cgroup"]), ["task_clock_seconds_total"]);
});

test("a branch that is no target has the sum of what adds up, and no ratio", () => {
  const [slice, processes] = treeOf(targetsOf(answer(row("/s/a", 1), row("/s/b", 2))));
  assert.equal(slice.name, "s");
  assert.equal(slice.target, null);
  assert.deepEqual(slice.values,
    { task_clock_seconds_total: 4, cpus_used: 3, page_faults_per_second: 30 });
  assert.deepEqual(slice.children.map(({ name }) => name), ["a", "b"]);
  assert.deepEqual(processes.children.map(({ id }) => id), ["process:nginx"]);
});

test("a cgroup that contains others has its own numbers, and is added to nothing twice", () => {
  const [slice] = treeOf(targetsOf(answer(row("/s", 5), row("/s/a", 1))));
  assert.equal(slice.id, "cgroup:/s");
  assert.equal(slice.values.cpus_used, 5);
  const [outer] = treeOf(targetsOf(answer(row("/o/s", 5), row("/o/s/a", 1), row("/o/t", 2))));
  assert.equal(outer.values.cpus_used, 7);
});

test("folders with one child are one line with it", () => {
  const [only] = treeOf(targetsOf(answer(row("/x/y/z.scope", 1))));
  assert.equal(only.name, "x/y/z.scope");
  assert.equal(only.id, "cgroup:/x/y/z.scope");
});
