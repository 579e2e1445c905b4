// SPDX-License-Identifier: Apache-2.0
// The view Now: the numbers are those of the API, it is live, it searches, and names stay texts.

import assert from "node:assert/strict";
import { before } from "node:test";
import { accessible, appears, ask, counted, hashOf, load, makeCgroup, removeCgroup, scene, screenshot, top,
  until, whileLoaded, whileStopped } from "./stage.mjs";

const HOSTILE = ["<script>alert(1)</script>", "<img src=x onerror=alert(2)>", "q\"uo'te&amp;.service",
  "right\u202eto-left.service", "שלום.service", Buffer.from("bad\xff.service", "latin1")];

makeCgroup("busy.service");
makeCgroup("idle.service");
makeCgroup("web/one.scope");
makeCgroup("web/two.scope");
for (const name of HOSTILE) makeCgroup(name);
before(() => counted("machine", ...["busy.service", "idle.service", "web", "web/one.scope", "web/two.scope"]
  .map((name) => `cgroup:/${top}/${name}`)));

const row = (page, name) => page.locator("table.grid tbody tr:not([hidden])", { hasText: name });
const sequence = async (page) => Number(await page.locator("table.grid").getAttribute("data-sequence"));

/* All rows at one instant, by the name of their target: the numbers behind what is shown. */
const readRows = (page) => page.evaluate(() => ({
  sequence: Number(document.querySelector("table.grid").dataset.sequence),
  columns: [...document.querySelectorAll("table.grid th")].map((head) => head.dataset.column),
  rows: [...document.querySelectorAll("table.grid tbody tr:not(.spacer):not([hidden])")].map((line) => ({
    name: line.querySelector(".name").textContent,
    values: [...line.cells].map((cell) => cell.dataset.value ?? null) })),
}));

scene("the numbers are those of /api/v1/targets of the same cycle", {}, async (page) => {
  await appears(page, "table.grid tbody tr", "busy.service");
  const loaded = load("busy.service", 200, 500, 300);
  let n = 0;
  await until(async () => {
    const answer = await ask("targets"), shown = await readRows(page);
    if (answer.sequence !== shown.sequence) return false;
    const table = answer.tables.find(({ kind }) => kind === "cgroup");
    for (const { name, values } of shown.rows) {
      const wanted = table.rows.find(({ labels }) => labels.cgroup === name);
      assert.ok(wanted, name);
      shown.columns.forEach((column, i) => {
        const at = table.columns.findIndex((one) => one.name === `pmu_cgroup_${column}`);
        if (at < 0) return;
        assert.equal(values[i] === null ? null : Number(values[i]), wanted.values[at], `${name} ${column}`);
        n++;
      });
    }
    return n >= 4 * shown.rows.length && n > 0;
  }, "one cycle in both");
  await loaded;
});

scene("a point arrives with each cycle", {}, async (page) => {
  await appears(page, "#live[data-state=live]");
  const first = await until(() => sequence(page), "a first cycle");
  await until(async () => await sequence(page) >= first + 2, "two more cycles");
});

scene("who works comes to the top, and is shown by the machine's tiles", {}, async (page) => {
  await appears(page, "table.grid tbody tr", "idle.service");
  await whileLoaded("busy.service", () => until(async () =>
    /busy/.test((await readRows(page)).rows[0]?.name), "busy.service is first"));
  await appears(page, ".tile", "CPUs used");
});

scene("search finds by name, and Escape empties it", {}, async (page) => {
  await appears(page, "table.grid tbody tr", "busy.service");
  await page.keyboard.press("/");
  await page.keyboard.type("idle");
  await until(async () => {
    const { rows } = await readRows(page);
    return rows.length > 0 && rows.every(({ name }) => name.includes("idle"));
  }, "only what was searched");
  assert.match(await hashOf(page), /q=idle/);
  await page.locator("input[type=search]").fill("nobody has this name");
  await appears(page, ".note.empty", "No target");
  await page.keyboard.press("Escape");
  await appears(page, "table.grid tbody tr", "busy.service");
});

scene("what people call a target stands beside its path, and is found", {}, async (page) => {
  await appears(page, "table.grid tbody tr", "idle.service");
  const known = row(page, "idle.service").locator(".known");
  await until(async () => await known.textContent() === "<b>night</b> shift", "its name");
  await page.locator("input[type=search]").fill("night");
  await until(async () => String((await readRows(page)).rows.map(({ name }) => name)) ===
    `/${top}/idle.service`, "only that target");
  await screenshot(page, "now-known");
});

/* By name they keep their places while one walks. */
const TREE = "#now?as=tree&sort=name&order=asc";
scene("the tree has branches that open and close by keys", { hash: TREE }, async (page) => {
  await appears(page, "table[role=treegrid]");
  await until(async () => (await readRows(page)).rows.some(({ name }) => name === "one.scope"),
    "the leaves");
  const rows = async () => (await readRows(page)).rows.map(({ name }) => name);
  assert.ok((await rows()).includes("web"));
  const chosen = () => page.locator("tr[aria-selected=true] .name").textContent();
  await page.keyboard.press("Home");
  for (let i = 0; i < 40 && await chosen() !== "web"; i++) await page.keyboard.press("ArrowDown");
  assert.equal(await chosen(), "web");
  await page.keyboard.press("ArrowLeft");
  await until(async () => !(await rows()).includes("one.scope"), "the branch is closed");
  await page.keyboard.press("ArrowRight");
  await until(async () => (await rows()).includes("one.scope"), "the branch is open");
  await accessible(page);
  await screenshot(page, "now-tree");
});

scene("rows are sorted by any column", {}, async (page) => {
  await appears(page, "table.grid tbody tr", "busy.service");
  await page.locator("th[data-column=name] button").click();
  await until(async () => {
    const names = (await readRows(page)).rows.map(({ name }) => name);
    return names.length > 4 && String(names) === String([...names].sort((a, b) => (a < b ? -1 : 1)));
  }, "by name");
  assert.equal(await page.locator("th[data-column=name]").getAttribute("aria-sort"), "ascending");
});

scene("Enter opens the chosen target over time", {}, async (page) => {
  await appears(page, "table.grid tbody tr", "busy.service");
  await page.keyboard.press("/");
  await page.keyboard.type("busy.service");
  await until(async () => (await readRows(page)).rows.length === 1, "one row");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const hash = await until(async () => {
    const address = await hashOf(page);
    return address.startsWith("#time?") && address;
  }, "the view Over time");
  assert.equal(new URLSearchParams(hash.split("?")[1]).get("target"), `cgroup:/${top}/busy.service`);
});

scene("a cgroup comes, and goes when it has ended", {}, async (page) => {
  await appears(page, "table.grid tbody tr", "busy.service");
  makeCgroup("passing.service");
  await until(() => row(page, "passing.service").count(), "it has come");
  removeCgroup("passing.service");
  await until(async () => await row(page, "passing.service").count() === 0, "it has gone");
});

scene("hostile names are texts", { hash: "#now?sort=name&order=asc" }, async (page) => {
  await until(async () => {
    const answer = await ask("targets"), shown = await readRows(page);
    const { columns, rows } = answer.tables.find(({ kind }) => kind === "cgroup");
    const used = columns.findIndex(({ name }) => name === "pmu_cgroup_cpus_used");
    const names = rows.filter(({ values }) => values[used] !== null).map(({ labels }) => labels.cgroup);
    assert.ok(names.length >= HOSTILE.length + 4 && names.some((name) => /bad%FF/.test(name)), names);
    assert.deepEqual(shown.rows.map(({ name }) => name).sort(), names.sort());
    return true;
  }, "all of them are shown as they are");
  assert.equal(await page.locator("main script, main img").count(), 0);
  await screenshot(page, "now-hostile");
});

scene("an exporter that stands still is told from one that has nothing new to say", {}, async (page) => {
  await appears(page, "#live[data-state=live]");
  await whileStopped(() => appears(page, "#live[data-state=stale]"));
  await appears(page, "#live[data-state=live]");
});
