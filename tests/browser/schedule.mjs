// SPDX-License-Identifier: Apache-2.0
// The view Runs, for runs that record the scheduler: begun by the form, shown as a map of CPUs and
// as tables, zoomed, downloaded and compared. A kernel that lets nobody record is told to people.

import assert from "node:assert/strict";
import fs from "node:fs";
import { before } from "node:test";
import { accessible, appears, ask, counted, fits, load, makeCgroup, page_url, scene, screenshot,
  send, top, until } from "./stage.mjs";

const CGROUP = `cgroup:/${top}/busy.service`;
makeCgroup("busy.service");

let refused = null;
let machine = null;
let own = null;

/* A run that is over, in which the load ran. */
async function record(title, target) {
  const run = await send("POST", "runs", { title, target, kind: "schedule", interval_seconds: 0.1,
    duration_seconds: 600 });
  await load("busy.service", 200, 10, 100);
  await send("POST", `runs/${run.id}/stop`);
  return until(async () => {
    const now = await ask(`runs/${run.id}`);
    return now.state !== "running" && now.schedule && now;
  }, `${title} is over`);
}

/* A run of the machine in which a file is written and synced. */
async function recordWrites() {
  const run = await send("POST", "runs", { title: "of writes", target: "machine", kind: "schedule",
    interval_seconds: 0.1, duration_seconds: 600 });
  const directory = fs.mkdtempSync("/var/tmp/pmu-test-writes-");
  for (let i = 0; i < 20; i++) {
    const file = fs.openSync(`${directory}/${i}`, "w");
    fs.writeSync(file, Buffer.alloc(65536, i));
    fs.fsyncSync(file);
    fs.closeSync(file);
  }
  fs.rmSync(directory, { recursive: true });
  await send("POST", `runs/${run.id}/stop`);
  return until(async () => {
    const now = await ask(`runs/${run.id}`);
    return now.state !== "running" && now.schedule && now;
  }, "it is over");
}

/* As many columns as the page has asked for: so wide is the map. */
async function columnsOf(page, run) {
  const wide = await map(page, run).evaluate((root) => root.clientWidth * devicePixelRatio);
  return Math.min(Math.max(Math.round(wide), 200), 2000);
}

before(async () => {
  await counted(CGROUP);
  try {
    machine = await record("of all", "machine");
    own = await record("of one", CGROUP);
  } catch (error) {
    refused = error;
    assert.match(String(error), /cannot be recorded/);
  }
});

function recorded(sentence, options, body) {
  scene(sentence, options, async (page) => {
    if (refused === null) await body(page);
    else console.log(`skipped: ${refused}`);
  });
}

const map = (page, run) => page.locator(`[data-schedule="${run.id}"]`);
const cells = (page, run) => map(page, run).locator(".plot-box canvas").first();
const show = async (page, ...runs) => {
  await page.goto(`${page_url}/#runs?${runs.map(({ id }) => `show=${id}`).join("&")}`);
  for (const run of runs) await until(() => cells(page, run).isVisible(), `the map of ${run.title}`);
};
const mapOf = (run, more = "") => ask(`runs/${run.id}/map?columns=1000${more}`);

recorded("the form begins a record, which ends in a map and tables", { hash: "#runs" },
  async (page) => {
    const form = page.locator("form[aria-label='Begin a run']");
    await until(() => form.count(), "the form");
    await form.locator("[name=kind]").selectOption("schedule");
    assert.equal(await page.getByRole("combobox", { name: "Events", exact: true }).isVisible(), false);
    await form.locator("[name=title]").fill("by the form");
    await form.locator("[name=duration]").fill("1");
    await form.getByRole("button", { name: "Begin the run" }).click();
    await appears(page, ".schedule h2", "Threads");
    const { runs } = await ask("runs");
    const run = runs.find(({ title }) => title === "by the form");
    assert.deepEqual([run.kind, run.target, run.state, run.duration_seconds],
      ["schedule", "machine", "over", 1]);
    await until(() => cells(page, run).isVisible(), "its map");
    await page.locator(".run-list tr").filter({ hasText: "by the form" })
      .getByRole("button", { name: "Again" }).click();
    assert.equal(await form.locator("[name=kind]").inputValue(), "schedule");
    await send("DELETE", `runs/${run.id}`);
  });

recorded("a cell under the pointer tells who had the CPU", {}, async (page) => {
  await show(page, machine);
  const { cpus, threads } = await mapOf(machine);
  const row = cpus.length - 1;
  await cells(page, machine).scrollIntoViewIfNeeded();
  const words = await until(async () => {
    const { x, y, width, height } = await cells(page, machine).boundingBox();
    await page.mouse.move(x + width * 0.5, y + height * (row + 0.5) / cpus.length);
    const text = await map(page, machine).locator(".plot-value").textContent();
    return /ms {2}CPU/.test(text) && text;
  }, "what a cell has");
  const [, cpu, who] = /ms {2}CPU (\d+): (.*?)( [0-9.]+ %)?$/.exec(words);
  assert.equal(Number(cpu), cpus[row].cpu);
  const names = ["nobody that is known", ...threads.map(({ name, tid }) =>
    (tid === 0 ? name : `${name}:${tid}`))];
  assert.ok(names.includes(who), `${who} is none of ${names.join(", ")}`);
  assert.ok(await map(page, machine).locator(".heat-cell").isVisible());
  await screenshot(page, "schedule-map");
});

recorded("zooming asks for the part, and the plots follow", {}, async (page) => {
  await show(page, machine);
  await cells(page, machine).scrollIntoViewIfNeeded();
  const { x, y, width } = await cells(page, machine).boundingBox();
  const asked = page.waitForResponse((response) => response.url().includes("/map?") &&
    Number(new URL(response.url()).searchParams.get("start")) > 0);
  await page.mouse.move(x + width * 0.25, y + 5);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.5, y + 5, { steps: 3 });
  await page.mouse.up();
  const answer = await (await asked).json();
  const seconds = machine.schedule.seconds;
  assert.ok(Math.abs(answer.start - seconds * 0.25) < seconds * 0.05, String(answer.start));
  assert.ok(Math.abs(answer.end - seconds * 0.5) < seconds * 0.05, String(answer.end));
  await page.keyboard.press("Escape");
  await screenshot(page, "schedule-zoomed");
});

recorded("tables have what the API tells, and no name of a stranger is more than a name", {},
  async (page) => {
    await show(page, own);
    const [first] = own.schedule.threads;
    const line = page.locator("[aria-label=Threads] tbody tr").first();
    assert.equal(await line.locator("th").textContent(), `${first.name}:${first.tid}`);
    assert.equal(await line.locator("td").first().textContent(), `${first.process}:${first.pid}`);
    for (const [label, lines] of [["CPUs", own.schedule.cpus],
      ["Who preempted whom", own.schedule.preempted],
      ["The longest waits for a CPU", own.schedule.longest_waits],
      ["Requests to block devices", own.schedule.requests.by_device],
      ["Exits of guests", own.schedule.exits.by_vcpu]])
      assert.equal(await page.locator(`[role=region][aria-label="${label}"]`).count(),
        lines.length > 0 ? 1 : 0, label);
    assert.ok(own.schedule.switches > 100);
    await accessible(page);
    await fits(page);
    await page.locator("[aria-label=CPUs]").scrollIntoViewIfNeeded();
    await screenshot(page, "schedule-tables");
  });

recorded("a table has ten lines until all are asked for, and one without lines is not there", {},
  async (page) => {
    const [one] = machine.schedule.threads;
    const threads = Array.from({ length: 300 }, (_, i) => ({ ...one, tid: 1000 + i }));
    await page.route(`**/api/v1/runs/${machine.id}`, async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      const schedule = { ...answer.schedule, threads, n_threads: 1307, preempted: [] };
      await route.fulfill({ response, json: { ...answer, schedule } });
    });
    await show(page, machine);
    const table = page.locator("[aria-label=Threads]"), names = table.locator("tbody th");
    await until(async () => await names.count() === 10, "the first lines");
    assert.equal(await page.locator("[aria-label='Who preempted whom']").count(), 0);
    await fits(page);
    await accessible(page);
    await table.scrollIntoViewIfNeeded();
    await screenshot(page, "schedule-short");
    await table.getByRole("button", { name: "Show all 300" }).press("Enter");
    assert.equal(await names.count(), 300);
    assert.equal(await names.last().textContent(), `${one.name}:1299`);
    assert.equal(await table.locator("tbody tr").last().textContent(), "and 1007 more");
    assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), "Threads");
  });

recorded("of guests and lost records there is no plot where there were none", {}, async (page) => {
  await show(page, own);
  await until(async () => (await page.locator(".plot h3").allTextContents()).includes("switches"),
    "the plots");
  const shown = await page.locator(".plot h3").allTextContents();
  const { columns, values } = await ask(`runs/${own.id}`);
  columns.forEach(({ name }, i) =>
    assert.equal(shown.includes(name), values[i].some((value) => value > 0), name));
  await page.locator(".plot").last().scrollIntoViewIfNeeded();
  await screenshot(page, "schedule-plots");
});

recorded("what was recorded is downloaded as CSV and as a trace for Perfetto", {}, async (page) => {
  await show(page, own);
  const row = page.locator(".run-list tbody tr").filter({ hasText: "of one" });
  const download = async (name) => {
    const [file] = await Promise.all([page.waitForEvent("download"),
      row.getByRole("link", { name, exact: true }).click()]);
    return [file.suggestedFilename(), fs.readFileSync(await file.path(), "utf8")];
  };
  const [csvName, csv] = await download("Download of one as CSV");
  assert.equal(csvName, `run-${own.id}.csv`);
  assert.equal(csv.trim().split("\n").length, own.schedule.events + 1);
  const [traceName, trace] = await download("Download of one as a trace for Perfetto");
  assert.equal(traceName, `run-${own.id}.trace.json`);
  const spans = JSON.parse(trace).traceEvents.filter(({ ph, name }) => ph === "X" && /^CPU /.test(name));
  const sum = spans.reduce((all, { dur }) => all + dur, 0) / 1e6;
  assert.ok(Math.abs(sum - own.schedule.ran_seconds) < 1e-3, `${sum}`);
});

recorded("two records are compared, each with its map", {}, async (page) => {
  await show(page, machine, own);
  await appears(page, "[aria-label=Comparison]", "switches");
  assert.equal(await page.locator("[data-schedule]").count(), 2);
  assert.equal(await page.locator("[aria-label=Threads]").count(), 0);
});

/* The first column of the row that has anything, as the API tells it: its middle, in columns. */
const filled = ({ counts }) => counts.findIndex((n) => n > 0) + 0.5;

recorded("requests to block devices are rows over time and a table", {}, async (page) => {
  const run = await recordWrites();
  const { requests } = run.schedule;
  if (requests.refusal) return console.log(`skipped: ${requests.refusal}`);
  assert.ok(requests.count > 0 && requests.bytes > 0, "requests of a file that was synced");
  await show(page, run);
  const lanes = page.locator(`[data-requests="${run.id}"]`);
  const canvas = lanes.locator(".plot-box canvas").first();
  await until(() => canvas.isVisible(), "the rows of requests");
  const chart = await ask(`runs/${run.id}/map?columns=${await columnsOf(page, run)}`);
  assert.equal(await lanes.locator(".heat-rows span").first().textContent(),
    `${chart.requests[0].device} ${chart.requests[0].operation}`);
  await canvas.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await canvas.boundingBox();
  await page.mouse.move(x + width * filled(chart.requests[0]) / chart.columns,
    y + height * 0.5 / chart.requests.length);
  await until(async () => /completed/.test(await lanes.locator(".plot-value").textContent()),
    "what a cell of requests has");
  const [line] = requests.by_device;
  const row = page.locator("[aria-label='Requests to block devices'] table tbody tr").first();
  assert.equal(await row.locator("th").textContent(), `${line.device} ${line.operation}`);
  assert.equal(await row.locator("td").last().textContent(),
    `${line.longest.thread.name}:${line.longest.thread.tid}`);
  await accessible(page);
  await fits(page);
  await lanes.scrollIntoViewIfNeeded();
  await screenshot(page, "schedule-requests");
  await row.scrollIntoViewIfNeeded();
  await screenshot(page, "schedule-requests-table");
  await send("DELETE", `runs/${run.id}`);
});

/* Few machines that run tests have guests: the answers of the API are given exits. */
async function withExits(page, run) {
  const guest = { tid: 77, pid: 77, name: "qemu<b>" };
  const vcpu = { tid: 78, pid: 77, name: "CPU 0/KVM" };
  const line = (number, reason, count, seconds) => ({ guest, vcpu: number, reason, count, seconds,
    mean_seconds: seconds / count, p50_seconds: seconds / count / 2, p99_seconds: seconds / count * 3,
    longest: { thread: vcpu, start: 0.01, seconds: seconds / count * 4 } });
  const exits = { refusal: null, count: 1100, seconds: 0.3, n_lines: 2,
    by_vcpu: [line(0, "hlt", 100, 0.2), line(1, "io", 1000, 0.1)] };
  await page.route(`**/api/v1/runs/${run.id}`, async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    await route.fulfill({ response, json: { ...answer, schedule: { ...answer.schedule, exits } } });
  });
  await page.route(`**/api/v1/runs/${run.id}/map*`, async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const lane = (number, reason, from, share) => ({ guest, vcpu: number, reason,
      counts: Array.from({ length: answer.columns }, (_, i) => (i >= from ? 2 : 0)),
      shares: Array.from({ length: answer.columns }, (_, i) => (i >= from ? share : 0)) });
    await route.fulfill({ response, json: { ...answer,
      exits: [lane(0, "hlt", answer.columns / 2, 0.8), lane(1, "io", 0, 0.05)] } });
  });
}

recorded("exits of guests are rows over time and a table", {}, async (page) => {
  await withExits(page, own);
  await show(page, own);
  const lanes = page.locator(`[data-exits="${own.id}"]`);
  const canvas = lanes.locator(".plot-box canvas").first();
  await until(() => canvas.isVisible(), "the rows of exits");
  assert.deepEqual(await lanes.locator(".heat-rows span").allTextContents(),
    ["vCPU 0 hlt of qemu<b>:77", "vCPU 1 io of qemu<b>:77"]);
  assert.deepEqual(await lanes.locator(".heat-scale span").allTextContents(), ["0 %", "80 %"]);
  await canvas.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await canvas.boundingBox();
  await page.mouse.move(x + width * 0.75, y + height * 0.25);
  await until(async () => /vCPU 0 hlt of qemu<b>:77: 2 exits, 80 % of the time$/.test(
    await lanes.locator(".plot-value").textContent()), "what a cell of exits has");
  const rows = page.locator("[aria-label='Exits of guests'] table tbody tr");
  assert.deepEqual(await rows.first().locator("td").allTextContents(),
    ["0", "hlt", "100", "200 ms", "2 ms", "1 ms", "6 ms", "8 ms", "CPU 0/KVM:78"]);
  await accessible(page);
  await fits(page);
  await lanes.scrollIntoViewIfNeeded();
  await screenshot(page, "schedule-exits");
});

recorded("in the dark it can be read too", { theme: "dark" }, async (page) => {
  await show(page, machine);
  await accessible(page);
  await map(page, machine).scrollIntoViewIfNeeded();
  await screenshot(page, "schedule-dark");
});
