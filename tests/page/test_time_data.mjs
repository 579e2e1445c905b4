// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";

import { KnownTargets, TimeData } from "../../src/web/page/time_data.js";

const answers = {};
globalThis.fetch = async (address) => {
  const [route, query] = address.split("?");
  const body = answers[route](new URLSearchParams(query));
  return { ok: !body.status, status: body.status ?? 200, json: async () => body,
    text: async () => JSON.stringify(body) };
};

const target = (name, times, values) => ({ target: name, labels: {}, times,
  columns: [{ name: "pmu_cgroup_cpus_used", unit: "cpus", values }] });
const history = (start, ...targets) => ({ start, end: start + 10, step_seconds: 1, targets });
const snapshot = (time, path, value) => ({ taken_realtime_seconds: time, interval_seconds: 1, tables: [
  { kind: "cgroup", columns: [{ name: "pmu_cgroup_task_clock_seconds_total", type: "counter" },
    { name: "pmu_cgroup_cpus_used", type: "gauge" }],
  rows: [{ labels: { cgroup: path }, values: [99, value] }] }] });

async function loaded(compare = false) {
  answers["api/v1/history"] = (query) => {
    const start = Number(query.get("start"));
    return history(start, target("cgroup:/a", [start + 1, start + 2], [start, null]));
  };
  const data = new TimeData();
  await data.load(["cgroup:/a"], { start: 100000, end: 100010 }, compare, undefined);
  return data;
}

test("a point of the feed stands behind those of the history", async () => {
  const data = await loaded();
  assert.ok(data.append(snapshot(100003, "/a", 0.5), 0));
  assert.ok(!data.append(snapshot(100004, "/b", 0.5), 0));
  const [{ times, values }] = data.series("cpus_used", ["cgroup:/a"]);
  assert.deepEqual([times, values], [[100001, 100002, 100003], [100000, null, 0.5]]);
});

test("the day before is asked for a day earlier, and shown at the same times", async () => {
  const [{ before }] = (await loaded(true)).series("cpus_used", ["cgroup:/a"]);
  assert.deepEqual(before, { times: [100001, 100002], values: [13600, null], step: 1 });
});

test("who is not known is asked for once more, and then left out", async () => {
  let asked = 0;
  answers["api/v1/history/targets"] = () => {
    asked++;
    return { targets: [{ target: "cgroup:/a", columns: ["x"] }, { target: "machine", columns: [] }] };
  };
  const known = new KnownTargets();
  assert.deepEqual(await known.among(["machine", "cgroup:/gone", "cgroup:/a"]), ["machine", "cgroup:/a"]);
  assert.deepEqual(await known.among(["cgroup:/a"]), ["cgroup:/a"]);
  assert.equal(asked, 1);
  assert.deepEqual(await known.all(), ["cgroup:/a"]);
});

test("where not all are listed, who is not among them may be known all the same", async () => {
  answers["api/v1/history/targets"] = () =>
    ({ targets: [{ target: "cgroup:/a", columns: ["x"] }], cut: true });
  const known = new KnownTargets();
  assert.deepEqual(await known.among(["cgroup:/b"]), ["cgroup:/b"]);
  assert.ok(known.isCut);
});

test("a download has what is shown, by the names of the metrics", async () => {
  const data = await loaded();
  assert.deepEqual(data.shown(["cgroup:/a"], { start: 100001, end: 100001 }),
    [{ target: "cgroup:/a", times: [100001],
      columns: [{ name: "pmu_cgroup_cpus_used", unit: "cpus", values: [100000] }] }]);
});

test("without points there is no first and no last time", () => {
  assert.equal(new TimeData().first(), null);
  assert.equal(new TimeData().last(), null);
});

test("each kind of switches is a measure, and a distance where something has migrated", async () => {
  const column = (name, labels, values) => ({ name: `pmu_cgroup_${name}_per_second`, unit: "per second",
    ...labels, values });
  answers["api/v1/history"] = () => history(0, { ...target("cgroup:/a", [1, 2], [1, 1]), columns: [
    column("switches", { kind: "voluntary" }, [3, 4]), column("switches", { kind: "involuntary" }, [0, 0]),
    column("migrations", { distance: "core" }, [0, 1]), column("migrations", { distance: "node" }, [0, 0])] });
  const data = new TimeData();
  await data.load(["cgroup:/a"], { start: 0, end: 10 }, false, undefined);
  assert.deepEqual(data.measures().map(([measure]) => measure), ["switches_per_second:involuntary",
    "switches_per_second:voluntary", "migrations_per_second:core"]);
  assert.deepEqual(data.series("switches_per_second:voluntary", ["cgroup:/a"])[0].values, [3, 4]);
});
