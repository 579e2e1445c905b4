// SPDX-License-Identifier: Apache-2.0
// The view Runs: a run is begun, streams, is compared with a second, downloaded, renamed, stopped and
// deleted. What is shown is what /api/v1/runs answers.

import assert from "node:assert/strict";
import fs from "node:fs";
import { before } from "node:test";
import { accessible, appears, ask, counted, fault, fits, hashOf, load, makeCgroup, page_url, scene,
  screenshot, send, top, until } from "./stage.mjs";

const HOSTILE = "<script>alert(1)</script>\"'&amp; \u202eover \u200f שלום";
const CGROUP = `cgroup:/${top}/busy.service`;
makeCgroup("busy.service");
before(() => counted(CGROUP));

/* A run that is over. */
async function aRun(title, more = {}) {
  const { id } = await send("POST", "runs", { title, target: CGROUP, interval_seconds: 0.1,
    events: ["page-faults", "context-switches"], duration_seconds: 1, ...more });
  await until(async () => (await ask(`runs/${id}`)).state === "over", `${title} is over`);
  return ask(`runs/${id}`);
}

const row = (page, title) =>
  page.locator(".run-list tbody tr").filter({ has: page.getByText(title, { exact: true }) });
const settled = (page, n) => until(async () => await page.locator(".plot canvas").count() > 0 &&
  await page.locator(".plot").first().locator(".plot-value").count() === n, `plots of ${n} runs`);
const show = (page, ...ids) =>
  page.goto(`${page_url}/#runs?${ids.map((id) => `show=${id}`).join("&")}`);

async function choose(page, label, text) {
  const input = page.getByRole("combobox", { name: label, exact: true });
  await input.fill(text);
  const option = page.getByRole("option").filter({ has: page.getByText(text, { exact: true }) });
  await until(() => option.count(), `${text} is offered`);
  return option.first();
}

scene("a run is begun here, tells its points while it goes on, and is stopped", { hash: "#runs" },
  async (page) => {
    const form = page.locator("form[aria-label='Begin a run']");
    await until(() => form.count(), "the form");
    await form.locator("[name=title]").fill("first try");
    await (await choose(page, "Target", CGROUP)).click();
    for (const name of ["page-faults", "context-switches"])
      await (await choose(page, "Events", name)).click();
    await form.locator("[name=interval]").fill("0.1");
    await form.locator("[name=duration]").fill("600");
    await form.locator("[name=notes]").fill("as it was before");
    await form.getByRole("button", { name: "Begin the run" }).click();
    await settled(page, 1);
    await until(async () => /goes on, \d+ %/.test(await row(page, "first try").textContent()), "progress");
    const { runs } = await ask("runs");
    const run = runs.find(({ title }) => title === "first try");
    assert.deepEqual([run.target, run.interval_seconds, run.duration_seconds, run.notes],
      [CGROUP, 0.1, 600, "as it was before"]);
    assert.deepEqual(run.events.map(({ name }) => name), ["page-faults", "context-switches"]);
    const faults = page.locator(".plot[data-measure='page-faults']");
    const before = Number(await faults.getAttribute("data-time"));
    await load("busy.service", 200, 500, 50);
    await until(async () => Number(await faults.getAttribute("data-time")) > before + 0.25, "more points");
    await until(async () => {
      const total = await page.locator("[aria-label=Summary] tbody tr").first().locator("td").first()
        .getAttribute("title");
      return Number(total.replace(/\s/g, "")) >= 500;
    }, "its page faults in the summary");
    await screenshot(page, "runs-streaming");
    await row(page, "first try").getByRole("button", { name: "Stop" }).click();
    await until(async () => await row(page, "first try").locator(".run-state").textContent() === "stopped", "it has stopped");
    assert.equal((await ask(`runs/${run.id}`)).state, "stopped");
  });

scene("the list offers what cannot be counted too, and says why", { hash: "#runs" }, async (page) => {
  const { events } = await ask("events?search=cycles&limit=50");
  const absent = events.find(({ available }) => !available);
  await appears(page, "form[aria-label='Begin a run']");
  if (absent) {
    const option = await choose(page, "Events", absent.name);
    assert.match(await option.textContent(), /cannot be counted/);
  }
  await page.getByRole("combobox", { name: "Events", exact: true }).fill("no-such-event");
  await page.keyboard.press("Enter");
  await appears(page, ".run-form .chip", "no-such-event");
  await page.keyboard.press("Backspace");
  await until(async () => await page.locator(".run-form .chip").count() === 0, "it is removed");
  await page.locator("[name=title]").fill("nothing");
  await page.getByRole("button", { name: "Begin the run" }).click();
  await appears(page, ".run-form .note.error", "at least one event");
});

scene("events in braces are counted together, as perf stat takes them", { hash: "#runs" },
  async (page) => {
    await appears(page, "form[aria-label='Begin a run']");
    await page.locator("[name=title]").fill("a group");
    const input = page.getByRole("combobox", { name: "Events", exact: true });
    await input.fill("{page-faults,context-switches");
    const whole = "{page-faults,context-switches}";
    const option = page.getByRole("option").filter({ has: page.getByText(whole, { exact: true }) });
    await until(() => option.count(), "the group is offered");
    await option.first().click();
    await appears(page, ".run-form .chip", whole);
    await page.locator("[name=duration]").fill("600");
    const [request] = await Promise.all([page.waitForRequest((one) => one.method() === "POST"),
      page.getByRole("button", { name: "Begin the run" }).click()]);
    assert.deepEqual(request.postDataJSON().events, [["page-faults", "context-switches"]]);
    await until(() => row(page, "a group").count(), "its line");
    const run = (await ask("runs")).runs.find(({ title }) => title === "a group");
    assert.deepEqual(run.events.map(({ name }) => name), ["page-faults", "context-switches"]);
    await send("POST", `runs/${run.id}/stop`);
    await input.fill("{page-faults");
    await page.getByRole("button", { name: "Begin the run" }).click();
    await appears(page, ".run-form .note.error", "expected a comma or }");
  });

scene("what the exporter refuses is said in words", { hash: "#runs" }, async (page) => {
  await appears(page, "form[aria-label='Begin a run']");
  await page.locator("[name=title]").fill("of nothing");
  await page.getByRole("combobox", { name: "Target", exact: true }).fill("cgroup:/no/such");
  await (await choose(page, "Events", "page-faults")).click();
  page.pardoned.push(/api.v1.runs|status of 404/); // the refusal itself
  await page.getByRole("button", { name: "Begin the run" }).click();
  await appears(page, ".run-form .note.error", "/no/such");
  await fault(page, /^status 404/);
});

scene("two runs lie over each other, with the comparison of the exporter", {}, async (page) => {
  const loaded = load("busy.service", 100, 300, 20);
  const a = await aRun("slow"), b = await aRun("fast", { interval_seconds: 0.05 });
  await loaded;
  await show(page, a.id);
  await settled(page, 1);
  await row(page, "fast").getByRole("checkbox").click();
  await settled(page, 2);
  assert.match(await hashOf(page), new RegExp(`show=${a.id}&show=${b.id}$`));
  const answer = await ask(`runs/compare?a=${a.id}&b=${b.id}`);
  await until(async () => await page.locator("[aria-label=Comparison]").count() === 1, "the table");
  const lines = page.locator("[aria-label=Comparison] tbody tr");
  assert.equal(await lines.count(), answer.columns.length);
  for (const [i, column] of answer.columns.entries()) {
    const cells = lines.nth(i).locator("td");
    const shown = async (n) => Number((await cells.nth(n).getAttribute("title")).replace(/\s/g, ""));
    for (const [n, { mean }] of [column.a, column.b].entries())
      if (mean !== null) assert.ok(Math.abs(await shown(n) - mean) <= 1e-6 * Math.abs(mean) + 1e-8);
    if (column.change !== null) assert.ok(Math.abs(parseFloat((await cells.nth(2).textContent())
      .replace("−", "-").replace("±", "")) - column.change * 100) <= 0.51);
  }
  const plot = page.locator(".plot[data-measure='page-faults']");
  await plot.locator(".plot-box").focus();
  await page.keyboard.press("Home");
  await until(async () => Number(await plot.getAttribute("data-time")) === Math.min(a.times[0], b.times[0]),
    "the cursor at the first point");
  const point = a.times[Math.floor(a.times.length / 2)];
  const end = Math.max(a.times.at(-1), b.times.at(-1));
  await until(async () => {
    const { x, y, width } = await plot.locator(".plot-box").boundingBox();
    await page.mouse.move(x + 52 + (width - 64) * point / end, y + 60);
    return Math.abs(await plot.getAttribute("data-time") - point) < 0.05;
  }, `the point at ${point} s`);
  await page.reload();
  await settled(page, 2);
});

scene("a run is downloaded as CSV and as JSON", {}, async (page) => {
  const run = await aRun("to be kept");
  await show(page, run.id);
  const download = async (form) => {
    const [file] = await Promise.all([page.waitForEvent("download"),
      page.getByRole("link", { name: `Download to be kept as ${form}`, exact: true }).click()]);
    return fs.readFileSync(await file.path(), "utf8");
  };
  await until(() => row(page, "to be kept").count(), "its line");
  assert.deepEqual(JSON.parse(await download("JSON")).times, run.times);
  assert.equal((await download("CSV")).trim().split("\n").length, run.times.length + 1);
});

scene("title and notes are changed, and a hostile title is a text wherever it stands", {},
  async (page) => {
    const run = await aRun("plain");
    await show(page, run.id);
    await page.getByRole("button", { name: "Change title and notes" }).click();
    const form = page.locator("form[aria-label='Title and notes']");
    await form.locator("[name=title]").fill(HOSTILE);
    await form.locator("[name=notes]").fill("<b>notes</b>");
    await form.getByRole("button", { name: "Save" }).click();
    await appears(page, ".run-notes", "<b>notes</b>");
    assert.equal(await page.locator(".run-names h2").textContent(), HOSTILE);
    const kept = await ask(`runs/${run.id}`);
    assert.deepEqual([kept.title, kept.notes], [HOSTILE, "<b>notes</b>"]);
    await until(() => row(page, HOSTILE).count(), "its line");
    await row(page, HOSTILE).getByRole("button", { name: "Delete" }).click();
    const dialog = await appears(page, "dialog[open]", HOSTILE);
    await screenshot(page, "runs-delete");
    await accessible(page);
    assert.equal(await page.locator("main script").count(), 0);
    assert.equal(await page.locator("main b").count(), 0);
    await dialog.getByRole("button", { name: "Keep it" }).click();
    assert.equal((await ask("runs")).runs.some(({ id }) => id === run.id), true);
    await row(page, HOSTILE).getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete it" }).click();
    await until(async () => await row(page, HOSTILE).count() === 0, "it is gone");
    assert.equal((await ask("runs")).runs.some(({ id }) => id === run.id), false);
    await until(async () => await page.locator(".plot:visible").count() === 0, "its plots are gone");
  });

scene("the same can be counted again", {}, async (page) => {
  const asked = ["page-faults", ["context-switches", "minor-faults"]];
  const run = await aRun("again and again", { events: asked });
  await show(page, run.id);
  await until(() => row(page, "again and again").count(), "its line");
  await row(page, "again and again").getByRole("button", { name: "Again:" }).click();
  await page.locator("form[aria-label='Begin a run'] [name=title]").fill("once more");
  await page.keyboard.press("Enter");
  await until(() => row(page, "once more").count(), "its line");
  const { runs } = await ask("runs");
  const second = runs.find(({ title }) => title === "once more");
  assert.deepEqual([second.target, second.interval_seconds, second.duration_seconds],
    [run.target, run.interval_seconds, run.duration_seconds]);
  assert.deepEqual(second.columns, run.columns);
  assert.deepEqual(second.asked, asked);
  await until(async () => await row(page, "once more").locator(".run-state").textContent() === "over", "it is over");
});

scene("of two runs that have nothing in common it is said why they are not compared", {}, async (page) => {
  const a = await aRun("of faults", { events: ["page-faults"] });
  const b = await aRun("of switches", { events: ["context-switches"] });
  page.pardoned.push(/api.v1.runs.compare|status of 400/); // the refusal itself
  await show(page, a.id, b.id);
  await appears(page, ".note", `run ${b.id} has context-switches; expected two runs`);
  assert.equal(await page.locator("[aria-label=Comparison]").count(), 0);
});

scene("lines of the list stay, so that none is replaced under somebody's pointer", {}, async (page) => {
  const run = await aRun("it stays");
  await show(page, run.id);
  await settled(page, 1);
  await row(page, "it stays").evaluate((line) => { line.wasThere = true; });
  await aRun("it comes");
  await row(page, "it stays").getByRole("checkbox").click(); // the list is asked for again
  await until(() => row(page, "it comes").count(), "its line");
  assert.ok(await row(page, "it stays").evaluate((line) => line.wasThere));
});

for (const [name, look] of Object.entries({ light: { height: 1500 },
  dark: { height: 1500, theme: "dark" }, phone: { width: 375, height: 2200 } }))
  scene(`it is accessible and fits: ${name}`, look, async (page) => {
    const loaded = load("busy.service", 200, 2000, 100);
    const a = await aRun(`${name} before`, { notes: "The cache as it was." });
    const b = await aRun(`${name} after`);
    await loaded;
    await show(page, a.id, b.id);
    await settled(page, 2);
    await appears(page, "[aria-label=Comparison] td");
    await (await choose(page, "Events", "page-faults")).hover();
    await fits(page);
    await accessible(page);
    await screenshot(page, `runs-view-${name}`);
    await page.keyboard.press("Escape");
  });
