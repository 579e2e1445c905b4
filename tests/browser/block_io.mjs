// SPDX-License-Identifier: Apache-2.0
// The view Over time: requests to block devices as maps, of the cgroup that makes them and of the
// machine. What the maps have is what the history has, and that is what was read and written.

import assert from "node:assert/strict";
import { before } from "node:test";
import { accessible, appears, ask, counted, direct_io, fits, makeCgroup, page_url, scene, screenshot, top,
  until, whileLoaded } from "./stage.mjs";

const DISK = `cgroup:/${top}/disk.service`;
const BEGAN = Math.floor(Date.now() / 1000);
const READS = 100, WRITES = 30;

let reason = null, end = BEGAN;
makeCgroup("disk.service");
before(async () => {
  await counted("machine", DISK);
  ({ latency: { parts: { block_io: { reason } } } } = await ask("status"));
  if (reason === null)
    await whileLoaded("disk.service", () => until(async () => (await past(DISK, "read")).rows >= 2,
      "some rows of the history"), use);
});

async function use() {
  await direct_io("disk.service", "read", READS);
  await direct_io("disk.service", "write", WRITES);
}

/* Of the history since the beginning: how many rows have such requests, and how many in all. */
async function past(target, op) {
  end = Math.floor(Date.now() / 1000);
  const family = `pmu_${target.split(":")[0]}_block_io_latency_seconds`;
  const { step_seconds, targets: [{ times, columns }] } =
    await ask(`history?target=${encodeURIComponent(target)}&column=${family}&start=${BEGAN}&end=${end}` +
      `&points=${Math.max(Math.floor((end - BEGAN) / 10), 1)}`);
  const of_op = columns.filter((column) => column.op === op);
  const rates = times.map((_, i) => of_op.reduce((sum, { values }) => sum + (values[i] ?? 0), 0));
  return { rows: rates.filter((rate) => rate > 0).length,
    all: rates.reduce((sum, rate) => sum + rate * step_seconds, 0) };
}

/* All that were counted by now. Sums of rates are not as sharp: a step may be cut at its ends. */
async function total(target, op) {
  const family = `pmu_${target.split(":")[0]}_block_io_latency_seconds`;
  const { tables: [{ columns, rows: [{ values }] }] } =
    await ask(`targets?target=${encodeURIComponent(target)}&column=${family}`);
  return columns.reduce((sum, column, i) => sum + (column.op === op ? values[i] ?? 0 : 0), 0);
}

const map = (page, target, id) => page.locator(`[data-latency="${id}"][data-of="${target}"]`);
const cells = (page, target, id) => map(page, target, id).locator(".plot-box canvas").first();

function with_requests(sentence, options, body) {
  scene(sentence, options, async (page) => {
    if (reason !== null) {
      console.log(`skipped: requests cannot be counted here: ${reason}`);
      return;
    }
    const words = new URLSearchParams([["target", "machine"], ["target", DISK], ["from", BEGAN],
      ["to", end]]);
    await page.goto(`${page_url}/#time?${words}`);
    await until(async () => await page.locator("main[aria-busy]").count() === 0 &&
      await cells(page, DISK, "block_io_read").isVisible(), "the maps");
    await body(page);
  });
}

with_requests("reads, writes and their queue have maps, of the cgroup and of the machine", {},
  async (page) => {
    for (const [target, name] of [[DISK, "disk.service"], ["machine", "machine"]])
      for (const [id, title] of [["block_io_read", "Reads from block devices"],
        ["block_io_write", "Writes to block devices"],
        ["block_io_queue", "Requests in the queue of a block device"]]) {
        await appears(page, `[data-latency="${id}"][data-of="${target}"] h3`, `${title}, ${name}`);
        assert.ok(await cells(page, target, id).isVisible(), `${id} of ${target}`);
        assert.match(await map(page, target, id).locator(".heat-summary").textContent(),
          /Of this range: p50 [0-9.]+ .?s, p99 [0-9.]+ .?s, within a bucket/);
      }
    assert.match(await map(page, DISK, "block_io_other").locator(".plot-none").textContent(),
      /None has ended/);
    assert.equal(await page.locator('[data-latency="run_queue"]').count(), 0);
  });

with_requests("the history has as many requests as were made, or the part that it has yet", {}, async () => {
  const reads = await past(DISK, "read"), writes = await past(DISK, "write");
  assert.ok(reads.all > READS / 2, `${reads.all} reads`);
  assert.ok(Math.abs(writes.all / reads.all - WRITES / READS) < 0.3,
    `${writes.all} writes and ${reads.all} reads`);
  const ours = await total(DISK, "read"), machines = await total("machine", "read");
  assert.ok(ours >= READS, `${ours} reads of the cgroup`);
  assert.ok(machines >= ours, `${machines} reads of the machine, ${ours} of the cgroup`);
  assert.ok((await past("machine", "read")).all > READS / 2, "the history of the machine has them");
});

with_requests("a column tells how many requests there were, and how long they took", {}, async (page) => {
  const box = map(page, DISK, "block_io_read").locator(".plot-box");
  await box.focus();
  await page.keyboard.press("End");
  await until(async () => /p50 .*s, p99 .*s/.test(await box.getAttribute("aria-valuetext")),
    "the column in words");
});

for (const [name, look] of Object.entries({ light: { height: 2000 }, dark: { height: 2000, theme: "dark" },
  phone: { width: 375, height: 2400 } }))
  with_requests(`it is accessible and fits: ${name}`, look, async (page) => {
    await cells(page, DISK, "block_io_read").scrollIntoViewIfNeeded();
    await fits(page);
    await accessible(page);
    await screenshot(page, `block-io-${name}`);
  });
