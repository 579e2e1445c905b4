// SPDX-License-Identifier: Apache-2.0
// The view Over time: distributions of latency as maps. Cgroups have them here, and the machine has
// none. A kernel that cannot tell them has the page say so.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before } from "node:test";
import { accessible, appears, ask, counted, fits, hashOf, load, makeCgroup, page_url, scene, screenshot, top,
  until, whileLoaded } from "./stage.mjs";

const BUSY = `cgroup:/${top}/busy.service`;
const FAMILY = "pmu_cgroup_run_queue_latency_seconds";
const DAY = 86400;
const BEGAN = Math.floor(Date.now() / 1000);
const address = (targets, from, to) => `#time?${[...targets.map((target) => ["target", target]),
  ["from", from], ["to", to]].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`;

let reason = null;
makeCgroup("busy.service");
before(async () => {
  await counted("machine", BUSY);
  ({ latency: { reason } } = await ask("status"));
  if (reason === null) await whileLoaded("busy.service", () => past());
});

/* The rows of today's history that change no more, once some are there and something was counted. */
async function past() {
  return until(async () => {
    const end = Math.floor(Date.now() / 1000);
    const points = Math.max(Math.floor((end - BEGAN) / 10), 1);
    const { targets: [{ times, columns }] } = await ask(`history?target=${encodeURIComponent(BUSY)}` +
      `&column=${FAMILY}&start=${BEGAN}&end=${end}&points=${points}`);
    const all = times.map((_, i) => columns.reduce((sum, { values }) => sum + (values[i] ?? 0), 0));
    return all.filter((sum) => sum > 0).length >= 2 && { times, columns, all };
  }, "some rows of the history");
}

const map = (page, id) => page.locator(`[data-latency="${id}"]`);
const box = (page, id) => map(page, id).locator(".plot-box");
const cells = (page, id) => map(page, id).locator(".plot-box canvas").first();
const ready = (page) => until(async () => await page.locator("main[aria-busy]").count() === 0 &&
  await cells(page, "run_queue").isVisible(), "the maps");

/* A scene that needs distributions; without them there is one that tests what is said. */
function with_latencies(sentence, options, body) {
  scene(sentence, options, async (page) => {
    if (reason === null) await body(page);
    else console.log(`skipped: no distributions here: ${reason}`);
  });
}

async function open(page, targets = [BUSY]) {
  const { times } = await past();
  await page.goto(`${page_url}/${address(targets, BEGAN, Math.ceil(times.at(-1)) + 1)}`);
  await ready(page);
  return { from: BEGAN, to: Math.ceil(times.at(-1)) + 1 };
}

with_latencies("a cell under the pointer tells its bucket, and the numbers of the history", {},
  async (page) => {
    const { from, to } = await open(page);
    const { times, columns, all } = await past();
    const i = all.findIndex((sum) => sum > 0);
    const counts = columns.map(({ values }) => values[i] ?? 0);
    const bucket = counts.indexOf(Math.max(...counts));
    const share = counts[bucket] / all[i] * 100;
    await cells(page, "run_queue").scrollIntoViewIfNeeded();
    const words = await until(async () => {
      const { x, y, width, height } = await cells(page, "run_queue").boundingBox();
      await page.mouse.move(x + width * (times[i] - 4 - from) / (to - from),
        y + height * (columns.length - bucket - 0.5) / columns.length);
      const text = await map(page, "run_queue").locator(".plot-value").textContent();
      return /\/s, .* of .*\/s; p50 .*, p99 /.test(text) && text;
    }, "what a cell has");
    assert.match(words, bucket === 0 ? /up to / : / to .*s: /);
    assert.ok(Math.abs(parseFloat(/\/s, <?([0-9.]+) %/.exec(words)[1]) - share) <= 0.6,
      `${words}, and ${share} %`);
    assert.ok(await map(page, "run_queue").locator(".heat-cell").isVisible());
  });

with_latencies("keys go from column to column and from bucket to bucket", {}, async (page) => {
  await open(page);
  const value = () => box(page, "run_queue").getAttribute("aria-valuetext");
  await box(page, "run_queue").focus();
  await page.keyboard.press("End");
  await until(async () => /p50 .*p99 /.test(await value()), "the column in words");
  await page.keyboard.press("ArrowUp");
  await until(async () => /up to 0\.954 µs: /.test(await value()), "the lowest bucket");
  await page.keyboard.press("ArrowUp");
  await until(async () => /0\.954 µs to 1\.91 µs: /.test(await value()), "the one above");
  const last = await box(page, "run_queue").getAttribute("aria-valuenow");
  await page.keyboard.press("ArrowLeft");
  await until(async () => await box(page, "run_queue").getAttribute("aria-valuenow") < last,
    "the column before");
  assert.match(await value(), /0\.954 µs to 1\.91 µs: /);
});

with_latencies("each distribution has a map or says that it has none, and the address keeps them", {},
  async (page) => {
    await open(page);
    const titles = () => page.locator("[data-latency] h3").allTextContents();
    const wanted = ["Waits for a CPU, busy.service", "Time on a CPU, busy.service",
      "Blocked (interruptible), busy.service", "Blocked (uninterruptible), busy.service"];
    assert.deepEqual(await titles(), wanted);
    for (const id of ["run_queue", "on_cpu", "interruptible", "uninterruptible"])
      assert.ok(await cells(page, id).isVisible() ||
        /None has ended/.test(await map(page, id).locator(".plot-none").textContent()), id);
    assert.match(await map(page, "run_queue").locator(".heat-summary").textContent(),
      /Of this range: p50 .*, p99 .*, within a bucket/);
    const hash = await hashOf(page);
    await page.reload();
    await ready(page);
    assert.equal(await hashOf(page), hash);
    assert.deepEqual(await titles(), wanted);
  });

with_latencies("a map has drawn cells, and the lines of percentiles over them", {}, async (page) => {
  await open(page);
  const painted = (canvas) => canvas.evaluate((each) => each.getContext("2d")
    .getImageData(0, 0, each.width, each.height).data.filter((byte, i) => i % 4 === 3 && byte > 0).length);
  await until(() => painted(cells(page, "run_queue")), "cells");
  await until(() => painted(map(page, "run_queue").locator(".heat-lines")), "lines");
});

with_latencies("a map is downloaded as CSV and as JSON, with the numbers of the history", {},
  async (page) => {
    await open(page);
    const { times, columns } = await past();
    const download = async (form) => {
      const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button",
        { name: `Download Waits for a CPU of busy.service as ${form}`, exact: true }).click()]);
      return readFileSync(await file.path(), "utf8");
    };
    const { targets: [saved] } = JSON.parse(await download("JSON"));
    assert.equal(saved.target, BUSY);
    assert.deepEqual(saved.columns.map(({ le }) => le), columns.map(({ le }) => le));
    const i = saved.times.indexOf(times[0]);
    assert.ok(i >= 0, `${times[0]} is not in ${saved.times}`);
    assert.deepEqual(saved.columns.map(({ values }) => values[i]),
      columns.map(({ values }) => values[0]));
    const [head, ...lines] = (await download("CSV")).trim().split("\r\n");
    assert.ok(head.startsWith(`time,target,"${FAMILY}{le=""`), head);
    assert.equal(lines.length, saved.times.length);
  });

/* The exporter of this test was not there yesterday: today's numbers stand for those. */
with_latencies("the day before has maps of its own, at the same times of the day", {}, async (page) => {
  const { times, columns } = await past();
  const to = Math.ceil(times.at(-1)) + 1;
  let asked = false;
  await page.route((url) => url.pathname.endsWith("/api/v1/history") &&
    Number(url.searchParams.get("end")) <= to - DAY && url.search.includes(FAMILY), (route) => {
    asked = true;
    return route.fulfill({ json: { start: BEGAN - DAY, end: to - DAY, step_seconds: 10,
      targets: [{ target: BUSY, times: times.map((time) => time - DAY), columns }] } });
  });
  await page.goto(`${page_url}/${address([BUSY], BEGAN, to)}&compare=1d`);
  await ready(page);
  await appears(page, '[data-latency="run_queue-before"] h3',
    "Waits for a CPU, the day before, busy.service");
  assert.ok(asked);
  assert.match(await map(page, "run_queue-before").locator(".heat-summary").textContent(),
    /Of this range: p50 /);
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button",
    { name: "Download Waits for a CPU, the day before of busy.service as JSON" }).click()]);
  const { targets: [saved] } = JSON.parse(readFileSync(await file.path(), "utf8"));
  assert.deepEqual(saved.times, times.map((time) => time - DAY));
  await page.getByRole("button", { name: "Day before", exact: true }).click();
  await until(async () => await page.locator('[data-latency="run_queue-before"]').count() === 0,
    "the maps of today alone");
});

with_latencies("a day before of which nothing is kept is told", {}, async (page) => {
  const { times } = await past();
  await page.goto(`${page_url}/${address([BUSY], BEGAN, Math.ceil(times.at(-1)) + 1)}&compare=1d`);
  await ready(page);
  await appears(page, ".note", "Of busy.service none are kept of the day before.");
  assert.equal(await page.locator("[data-latency]").count(), 4);
});

with_latencies("switches are lines among the measures", {}, async (page) => {
  await open(page);
  await appears(page, '[data-measure="switches_per_second:voluntary"] h3', "Voluntary switches");
  await appears(page, '[data-measure="switches_per_second:involuntary"] h3', "Involuntary switches");
});

scene("who has no distributions is told, and why", { hash: address(["machine"], "-5m", "now") },
  async (page) => {
    await appears(page, ".note", reason === null
      ? "Of machine no distributions are kept in this range: the configuration asks for none" : reason);
    assert.equal(await page.locator("[data-latency]").count(), 0);
  });

for (const [name, look] of Object.entries({ light: { height: 1700 }, dark: { height: 1700, theme: "dark" },
  phone: { width: 375, height: 2400 } }))
  with_latencies(`it is accessible and fits: ${name}`, look, async (page) => {
    await load("busy.service", 50, 100, 300);
    await open(page);
    await box(page, "run_queue").focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowUp");
    await cells(page, "run_queue").scrollIntoViewIfNeeded();
    await fits(page);
    await accessible(page);
    await screenshot(page, `latency-${name}`);
  });
