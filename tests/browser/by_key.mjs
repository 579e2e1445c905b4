// SPDX-License-Identifier: Apache-2.0
// The view Over time: what is counted by key, as maps of a line that is chosen and as tables:
// interrupts, connections, spans and system calls. What the history has of a burst is all of it, and
// what the programs' interface tells is what /metrics has.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before } from "node:test";
import { accessible, appears, ask, by_key_load, counted, fits, makeCgroup, page_url, scene, screenshot, top,
  until } from "./stage.mjs";

const BUSY = `cgroup:/${top}/busy.service`, IDLE = `cgroup:/${top}/idle.service`;
const CONNECTIONS = 70, NAPS = 40, DAY = 86400;

let parts, began, end;
makeCgroup("busy.service");
makeCgroup("idle.service");
before(async () => {
  await counted("machine", BUSY, IDLE);
  ({ latency: { parts } } = await ask("status"));
  // From the recording after both were born on, nothing that is counted is lost.
  began = Math.floor(Date.now() / 1000);
  await until(async () => parts.interrupts.reason !== null || await has_row(began + 10), "a recording");
  await by_key_load("busy.service", CONNECTIONS, NAPS);
  const loaded = Math.ceil(Date.now() / 1000);
  // What a row has was counted before it: the first one that begins after the burst has no more of it.
  await until(async () => parts.interrupts.reason !== null || await has_row(loaded + 10),
    "a recording after the burst");
  await until(async () => parts.tcp.reason !== null ||
    sum(await past(BUSY, "tcp_connects_per_second")) > 0, "the burst in the history");
  end = Math.floor(Date.now() / 1000);
});

const sum = (columns) => columns.reduce((all, { values, step }) =>
  all + values.reduce((one, value) => one + (value ?? 0) * step, 0), 0);

/* The columns of a family in the history since the beginning, in steps of ten seconds. */
async function past(target, family) {
  const now = Math.floor(Date.now() / 10000) * 10;
  const start = Math.floor(began / 10) * 10 - 10;
  const name = `pmu_${target.split(":")[0]}_${family}`;
  const { step_seconds: step, targets: [{ times, columns }] } =
    await ask(`history?target=${encodeURIComponent(target)}&column=${name}&start=${start}&end=${now}` +
      `&points=${Math.max((now - start) / 10, 1)}`);
  return columns.map((column) => ({ ...column, times, step: Math.max(step, 10) }));
}

/* Whether the history has a row of the machine in a step that ends then, or later. */
async function has_row(time) {
  return (await past("machine", "softirq_seconds")).some(({ values, times }) =>
    values.some((value, i) => value !== null && times[i] >= time));
}

/* {line: total} of a counter, or of all buckets of a histogram, as /api/v1/targets and /metrics say. */
async function told(target, family, label) {
  const { tables: [{ columns, rows: [{ values }] }] } =
    await ask(`targets?target=${encodeURIComponent(target)}&column=${family}`);
  const totals = {};
  columns.forEach((column, i) => {
    totals[column[label]] = (totals[column[label]] ?? 0) + values[i];
  });
  return totals;
}

async function metrics(family, label) {
  const text = await (await fetch(`${page_url}/metrics?name[]=${family.replace(/_count$/, "")}`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith(`${family}{`));
  return Object.fromEntries(lines.map((line) =>
    [new RegExp(`[{,]${label}="([^"]*)"`).exec(line)[1], Number(line.split(" ").at(-1))]));
}

const map = (page, target, id) => page.locator(`[data-latency="${id}"][data-of="${target}"]`);
const table = (page, target, id) => page.locator(`[data-keyed="${id}"][data-of="${target}"]`);

function with_keys(part, sentence, options, body) {
  scene(sentence, options, async (page) => {
    if (parts[part].reason !== null) {
      console.log(`skipped: ${part} cannot be counted here: ${parts[part].reason}`);
      return;
    }
    const words = new URLSearchParams([["target", "machine"], ["target", BUSY], ["target", IDLE],
      ["from", began - 10], ["to", end]]);
    await page.goto(`${page_url}/#time?${words}`);
    await until(async () => await page.locator("main[aria-busy]").count() === 0 &&
      await table(page, "machine", "softirq").isVisible(), "the tables");
    await body(page);
  });
}

with_keys("tcp", "the history has all of a burst, of the cgroup and by its key", {}, async () => {
  // Rates are by the seconds between two rows, which are ten but for a cycle.
  const connects = sum(await past(BUSY, "tcp_connects_per_second"));
  const connections = sum(await past(BUSY, "tcp_connect_seconds"));
  const naps = sum((await past(BUSY, "span_seconds")).filter(({ span }) => span === "nap"));
  assert.ok(Math.abs(connects / connections - 1) < 1e-6, `${connects}, ${connections} connections`);
  assert.ok(Math.abs(connects / CONNECTIONS - 1) < 0.2, `${connects} connects`);
  assert.ok(Math.abs(naps / NAPS - 1) < 0.2, `${naps} naps`);
  assert.deepEqual(await past(IDLE, "tcp_connects_per_second"), []);
});

with_keys("spans", "what programs are told is what /metrics has", {}, async () => {
  assert.deepEqual(await told(BUSY, "pmu_cgroup_span_seconds", "span"), { nap: NAPS });
  assert.equal((await metrics("pmu_cgroup_span_seconds_count", "span")).nap, NAPS);
  assert.deepEqual(await told(BUSY, "pmu_cgroup_tcp_connects_total", "none"), { undefined: CONNECTIONS });
  const before_it = await metrics("pmu_machine_softirq_seconds_count", "vector");
  const between = await told("machine", "pmu_machine_softirq_seconds", "vector");
  const behind_it = await metrics("pmu_machine_softirq_seconds_count", "vector");
  assert.ok(Object.keys(before_it).length > 1);
  for (const [vector, n] of Object.entries(before_it))
    assert.ok(n <= between[vector] && between[vector] <= behind_it[vector], vector);
});

with_keys("interrupts", "softirqs have a map of the vector that is chosen, and a table of all", {},
  async (page) => {
    await appears(page, '[data-latency="softirq"] h3', "Softirqs, machine");
    const choice = map(page, "machine", "softirq").getByLabel("Vector of Softirqs, machine");
    const vectors = await choice.locator("option").allTextContents();
    const rows = await table(page, "machine", "softirq").locator("tbody th").allTextContents();
    assert.deepEqual(vectors, rows);
    assert.ok(rows.includes("TIMER"), rows.join());
    await choice.selectOption("TIMER");
    assert.match(await map(page, "machine", "softirq").locator(".heat-summary").textContent(),
      /Of this range: p50 [0-9.]+ .?s, p99 [0-9.]+ .?s, within a bucket/);
    const box = map(page, "machine", "softirq").locator(".plot-box");
    await box.focus();
    await page.keyboard.press("End");
    await until(async () => /p50 .*s, p99 .*s/.test(await box.getAttribute("aria-valuetext")),
      "the column in words");
  });

/* The exporter of this test was not there yesterday: today's numbers stand for those. */
with_keys("interrupts", "the day before has a map beside it, of the line that is chosen", { height: 2600 },
  async (page) => {
    const columns = await past("machine", "softirq_seconds");
    const [{ times }] = columns;
    await page.route((url) => url.pathname.endsWith("/api/v1/history") &&
      url.searchParams.get("target") === "machine" && Number(url.searchParams.get("end")) <= end - DAY &&
      url.search.includes("softirq_seconds"), (route) => route.fulfill({ json: { start: began - DAY,
      end: end - DAY, step_seconds: 10, targets: [{ target: "machine", columns,
        times: times.map((time) => time - DAY) }] } }));
    await page.getByRole("button", { name: "Day before", exact: true }).click();
    await appears(page, '[data-latency="softirq-before"] h3', "Softirqs, the day before, machine");
    await map(page, "machine", "softirq").getByLabel("Vector of Softirqs, machine").selectOption("TIMER");
    const then = map(page, "machine", "softirq-before");
    assert.equal(await then.locator(".plot-unit").textContent(), "TIMER, per second, by how long");
    assert.match(await then.locator(".heat-summary").textContent(), /^Of this range: p50 /);
    const [file] = await Promise.all([page.waitForEvent("download"),
      then.getByRole("button", { name: /^Download .* as JSON$/ }).click()]);
    const { targets: [saved] } = JSON.parse(readFileSync(await file.path(), "utf8"));
    assert.deepEqual(new Set(saved.columns.map(({ vector }) => vector)), new Set(["TIMER"]));
    assert.ok(saved.times.length > 0 && saved.times.every((time) => times.includes(time + DAY)));
    await appears(page, ".note", "Of busy.service none of these are kept of the day before.");
    assert.equal(await map(page, "machine", "hardirq-before").isVisible(), false);
    await accessible(page);
    await then.scrollIntoViewIfNeeded();
    await screenshot(page, "by-key-before");
    await page.getByRole("button", { name: "Day before", exact: true }).click();
    await until(async () => await then.count() === 0, "the maps of today alone");
  });

with_keys("system_calls", "calls are a table with errors, the most made first", {}, async (page) => {
  const cells = await table(page, "machine", "system_call").locator("tbody tr").evaluateAll((rows) =>
    rows.map((row) => [...row.cells].map(({ textContent }) => textContent)));
  assert.ok(cells.length > 1 && cells.length <= 21);
  assert.ok(cells.some(([, , , failed]) => /[1-9].* %/.test(failed)), "some have failed");
  assert.equal(await map(page, "machine", "system_call").count(), 0);
});

with_keys("system_calls", "of calls of which one in 17 is timed that is told", {}, async (page) => {
  for (const told of [map(page, BUSY, "system_call_time"), table(page, BUSY, "system_call_time")])
    assert.match(await told.locator(".plot-unit").textContent(),
      /^per second, .*; one call in 17 is timed$/);
  assert.equal(await table(page, BUSY, "system_call").locator(".plot-unit").textContent(),
    "per second, of this range");
});

with_keys("spans", "who has none is told, and nobody who has some", {}, async (page) => {
  await appears(page, ".note", "Of idle.service no distributions are kept in this range: ");
});

with_keys("interrupts", "a map stands beside its table", {}, async (page) => {
  for (const [target, id] of [["machine", "softirq"], [BUSY, "span"]]) {
    const [left, right] = await Promise.all([map, table].map((of) => of(page, target, id).boundingBox()));
    assert.ok(left.y === right.y && left.x < right.x, `${id}: ${left.x}, ${left.y}; ${right.x}, ${right.y}`);
  }
});

with_keys("interrupts", "nothing is shown where a target lacks the kind", {}, async (page) => {
  assert.equal(await table(page, BUSY, "softirq").count(), 0);
  assert.equal(await map(page, IDLE, "tcp").count(), 0);
  assert.equal(await table(page, IDLE, "span").count(), 0);
});

for (const [name, look] of Object.entries({ light: { height: 2600 }, dark: { height: 2600, theme: "dark" },
  phone: { width: 375, height: 3200 } }))
  with_keys("interrupts", `it is accessible and fits: ${name}`, look, async (page) => {
    await table(page, "machine", "softirq").scrollIntoViewIfNeeded();
    await fits(page);
    await accessible(page);
    await screenshot(page, `by-key-${name}`);
  });
