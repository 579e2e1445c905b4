// SPDX-License-Identifier: Apache-2.0
// The view Over time: the numbers are those of the history, it is live, it zooms and compares.
// An exporter has run for some seconds at this time yesterday (run.py).

import assert from "node:assert/strict";
import fs from "node:fs";
import { before } from "node:test";
import { accessible, appears, ask, counted, fits, hashOf, load, makeCgroup, page_url, scene, screenshot,
  send, top, until } from "./stage.mjs";

const DAY = 86400;
const BEGAN = Math.floor(Date.now() / 1000);
const YESTERDAY = Number(process.env.PMU_PAST); // when that exporter had run
const HOSTILE = "<img src=x onerror=alert(1)>\"'&amp; שלום.service";

const targetOf = (name) => `cgroup:/${top}/${name}`;
const BUSY = targetOf("busy.service"), IDLE = targetOf("idle.service");
const address = (targets, more) => `#time?${[...[targets].flat().map((target) => ["target", target]),
  ...Object.entries(more)].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`;

makeCgroup("busy.service");
makeCgroup("idle.service");
makeCgroup(HOSTILE);
before(async () => {
  await counted("machine", ...[BUSY, IDLE, targetOf(HOSTILE)]);
  await load("busy.service", 2000, 5000, 3000);
});

async function history(targets, start, end, points = 3700) {
  const query = new URLSearchParams([...[targets].flat().map((target) => ["target", target]),
    ["start", start], ["end", end], ["points", points]]);
  return ask(`history?${query}`);
}

/* A span of today's history that has so many points, and changes no more: a later point is known. */
async function pastSpan(n = 8) {
  return until(async () => {
    const now = Math.floor(Date.now() / 1000);
    const { targets } = await history(BUSY, BEGAN, now + 1);
    const times = targets[0].times.slice(1).slice(-60); // the first has nothing to be compared with
    return times.length > n + 2 && { start: Math.floor(times[0]), end: Math.floor(times.at(-1)) };
  }, "some seconds of history");
}

const plot = (page, measure) => page.locator(`[data-measure="${measure}"]`);
const box = (page, measure) => plot(page, measure).locator(".plot-box");
const settled = (page) => until(async () =>
  await page.locator("main[aria-busy]").count() === 0 && await page.locator(".plot canvas").count(),
"the plots are there");

/* What each plot tells in the next frame but one: {measure: {time, values, before}}. */
const told = (page) => page.evaluate(async () => {
  for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
  return Object.fromEntries([...document.querySelectorAll(".plot[data-measure]")].map((one) => [
    one.dataset.measure, {
      time: Number(one.dataset.time),
      values: [...one.querySelectorAll(".plot-value")].map(({ dataset }) => dataset.value),
      before: [...one.querySelectorAll(".plot-before")].map(({ dataset }) => dataset.value),
    }]));
});

/* The range of each drawing: they are all the same. */
async function shownRange(page) {
  const all = await page.locator(".plot-box:visible").evaluateAll((boxes) => boxes.map((each) =>
    `${each.getAttribute("aria-valuemin")} ${each.getAttribute("aria-valuemax")}`));
  assert.equal(new Set(all).size, 1, all.join(", "));
  const [start, end] = all[0].split(" ").map(Number);
  return { start, end };
}

async function drag(page, from, to, keys = []) {
  const { x, y, width } = await box(page, "cpus_used").boundingBox();
  const at = (share) => x + 52 + (width - 64) * share;
  for (const key of keys) await page.keyboard.down(key);
  await page.mouse.move(at(from), y + 60);
  await page.mouse.down();
  await page.mouse.move(at((from + to) / 2), y + 60);
  await page.mouse.move(at(to), y + 60);
  await page.mouse.up();
  for (const key of keys) await page.keyboard.up(key);
}

/* Two points come, and are drawn. */
async function pointsMore(page) {
  const last = async () => Number(await page.locator(".time-plots").first().getAttribute("data-last"));
  const from = await until(last, "a first point");
  await until(async () => await last() >= from + 2, "two points more");
}

const columnOf = (target, measure) => target.columns.find((column) =>
  column.name === `pmu_cgroup_${measure.split(":")[0]}`);

scene("the numbers under the cursor are those of /api/v1/history", {}, async (page) => {
  const { start, end } = await pastSpan();
  await page.goto(`${page_url}/${address(BUSY, { from: start, to: end })}`);
  await settled(page);
  const answer = await history(BUSY, start, end);
  await box(page, "cpus_used").focus();
  await page.keyboard.press("Home");
  for (let i = 0; i < 5; i++) {
    const shown = await told(page);
    const { time } = shown.cpus_used;
    const place = answer.targets[0].times.findIndex((each) => Math.abs(each - time) < 0.01);
    assert.ok(place >= 0, `${time} is in ${answer.targets[0].times}`);
    for (const measure of ["cpus_used", "context_switches_per_second", "page_faults_per_second"])
      assert.equal(shown[measure].values[0],
        String(columnOf(answer.targets[0], measure).values[place] ?? ""), `${measure} at ${time}`);
    await page.keyboard.press("ArrowRight");
  }
  assert.match(await box(page, "cpus_used").getAttribute("aria-valuetext"), /busy\.service/);
});

scene("points arrive live, without asking the history again", { hash: address(BUSY, { from: "-5m" }) },
  async (page) => {
    await settled(page);
    await appears(page, "#live[data-state=live]");
    let asked = 0;
    page.on("request", (request) => { asked += /history\?/.test(request.url()) ? 1 : 0; });
    // Where the page was too slow for the feed, and has missed something, it may ask.
    await until(async () => {
      const before = asked;
      await pointsMore(page);
      return asked === before;
    }, "two points without a question");
    await until(async () => {
      const [end, newest] = await page.evaluate(() => [document.querySelector(".time-plots .plot-box")
        .getAttribute("aria-valuemax"), document.querySelector(".time-plots").dataset.last]);
      return Math.abs(end - newest) < 3 && (await told(page)).cpus_used.values[0] !== "";
    }, "plots that end at the last point");
  });

scene("a second target is found by search, and shares the plots", { hash: address(BUSY, { from: "-5m" }) },
  async (page) => {
    await settled(page);
    await page.keyboard.press("/");
    await page.keyboard.type("idle");
    await appears(page, "[role=option][aria-selected=true]", "idle.service");
    await page.keyboard.press("Enter");
    await until(async () => (await told(page)).cpus_used?.values.length === 2, "two lines");
    assert.ok((await hashOf(page)).includes(encodeURIComponent(IDLE)));
    assert.deepEqual(await plot(page, "cpus_used").locator(".plot-name").allTextContents(),
      ["busy.service", "idle.service"]);
    await page.locator(".chip-remove").first().click();
    await until(async () => (await told(page)).cpus_used?.values.length === 1, "one line");
    await page.goBack();
    await until(async () => (await told(page)).cpus_used?.values.length === 2, "two lines again");
  });

scene("dragging zooms all plots and the address; back and a double click undo it", {}, async (page) => {
  const { start, end } = await pastSpan();
  await page.goto(`${page_url}/${address(BUSY, { from: "-5m" })}`);
  await settled(page);
  await page.goto(`${page_url}/${address(BUSY, { from: start - 60, to: end })}`);
  await until(async () => (await shownRange(page)).start === start - 60, "the range of the address");
  await settled(page);
  await drag(page, 0.6, 0.9);
  const zoomed = await until(async () => {
    const range = await shownRange(page);
    return range.start > start - 60 && range;
  }, "a narrower range");
  assert.match(await hashOf(page), new RegExp(`from=${zoomed.start}`));
  await settled(page);
  await drag(page, 0.7, 0.3, ["Shift"]);
  await until(async () => (await shownRange(page)).start > zoomed.start, "a later range");
  await page.goBack();
  await until(async () => (await shownRange(page)).start === zoomed.start, "the range before");
  await page.goBack();
  await until(async () => (await shownRange(page)).start === start - 60, "the first range");
  await box(page, "cpus_used").dblclick();
  await until(async () => /from=-5m/.test(await hashOf(page)), "the live range");
});

scene("an address shows the same to whoever opens it", {}, async (page) => {
  const { start, end } = await pastSpan();
  await page.goto(`${page_url}/${address([BUSY, IDLE], { from: start, to: end, compare: "1d" })}`);
  const look = async () => {
    await settled(page);
    await until(async () => (await told(page)).cpus_used?.values[0], "values");
    return { told: await told(page), range: await shownRange(page),
      chips: await page.locator(".chip").allTextContents() };
  };
  const first = await look();
  await page.reload();
  await until(async () => {
    assert.deepEqual(await look(), first);
    return true;
  }, "the same");
  assert.equal(await page.locator("button", { hasText: "Day before" }).getAttribute("aria-pressed"),
    "true");
});

scene("the day before stands behind, with the numbers of the history", {}, async (page) => {
  const past = await history(BUSY, YESTERDAY - 600, YESTERDAY + 60);
  const { times } = past.targets[0];
  const used = columnOf(past.targets[0], "cpus_used").values;
  const busiest = used.indexOf(Math.max(...used));
  assert.ok(used[busiest] > 0, "it has worked yesterday");
  const from = Math.floor(times[0]) + DAY - 2, to = Math.ceil(times.at(-1)) + DAY + 2;
  await page.goto(`${page_url}/${address(BUSY, { from, to, compare: "1d" })}`);
  await settled(page);
  await box(page, "cpus_used").focus();
  await until(async () => {
    const { x, y, width } = await box(page, "cpus_used").boundingBox();
    await page.mouse.move(x + 52 + (width - 64) * (times[busiest] + DAY - from) / (to - from), y + 50);
    return Number((await told(page)).cpus_used.before[0]) === used[busiest];
  }, `${used[busiest]} yesterday`);
  await page.locator("button", { hasText: "Day before" }).click();
  await until(async () => !/compare/.test(await hashOf(page)) && !(await told(page)).cpus_used?.before[0],
    "it is gone");
});

scene("what is not known is a gap and no number", {}, async (page) => {
  const { end } = await pastSpan();
  await page.goto(`${page_url}/${address(BUSY, { from: end - DAY - 3600, to: end })}`);
  await settled(page);
  await until(async () => {
    await box(page, "cpus_used").hover({ position: { x: 400, y: 60 } });
    return (await told(page)).cpus_used.values[0] === "" &&
      await plot(page, "cpus_used").locator(".plot-value").textContent() === "–";
  }, "nothing at a time of which nothing is known");
});

scene("a range of which nothing is kept says so in words", { hash: address(BUSY,
  { from: 1000000000, to: 1000003600 }) }, async (page) => {
  await appears(page, ".note.empty", "Nothing is kept of this range");
});

scene("cells of the heat map are those of /api/v1/history/cpus", {}, async (page) => {
  const to = Math.floor(Date.now() / 1000), from = to - 100;
  const answer = { target: BUSY, step_seconds: 10, cpus: [0, 1, 4], times: [from + 20, from + 30, from + 90],
    values: [[0.25, 1, 0], [0, 0.5, 0.2], [null, null, 0.75]] };
  await page.route("**/api/v1/history/cpus?*", (route) => route.fulfill({ json: answer }));
  await page.goto(`${page_url}/${address(BUSY, { from, to })}`);
  const map = page.locator(`.heat[data-target="${BUSY}"]`);
  const canvas = map.locator(".plot-box canvas");
  await until(() => canvas.isVisible(), "the heat map");
  await settled(page);
  await canvas.scrollIntoViewIfNeeded();
  for (const [column, time] of answer.times.entries())
    for (const [row, cpu] of answer.cpus.entries()) {
      const value = answer.values[row][column];
      const words = value === null ? "nothing known" : `CPU ${cpu}: ${(value * 100).toFixed(0)} %`;
      await until(async () => {
        const { x, y, width, height } = await canvas.boundingBox();
        await page.mouse.move(x + width * (time - 5 - from) / (to - from), y + height * (row + 0.5) / 3);
        return (await map.locator(".plot-value").textContent()).includes(words);
      }, words);
    }
  const opaque = await canvas.evaluate((element, cells) => {
    const { data, width: wide } = element.getContext("2d").getImageData(0, 0, element.width, element.height);
    return cells.map(([share, row]) => data[(row * wide + Math.round(wide * share)) * 4 + 3] > 0);
  },
  [[0.15, 0], [0.25, 1], [0.15, 2], [0.5, 0], [0.85, 2]]);
  assert.deepEqual(opaque, [true, true, false, false, true]);
  assert.match(await map.textContent(), /Ran on 3 of 3 CPUs/);
});

scene("the heat map has the CPUs on which a target ran, and cells that are not empty", {}, async (page) => {
  const to = await until(async () => {
    const end = Math.floor(Date.now() / 1000);
    const all = await Promise.all([BUSY, "machine"].map((target) =>
      ask(`history/cpus?${new URLSearchParams({ target, start: BEGAN, end })}`)));
    return all.every(({ values }) => values.some((row) => row.some((share) => share > 0))) && end;
  }, "shares of CPUs");
  await page.goto(`${page_url}/${address(BUSY, { from: BEGAN, to })}`);
  for (const target of [BUSY, "machine"]) {
    const canvas = page.locator(`.heat[data-target="${target}"] .plot-box canvas`);
    // A copy, since browsers warn of a canvas that is read again and again.
    await until(async () => await canvas.isVisible() && await canvas.evaluate((element) => {
      const { width, height } = element;
      const copy = Object.assign(document.createElement("canvas"), { width, height })
        .getContext("2d", { willReadFrequently: true });
      copy.drawImage(element, 0, 0);
      return copy.getImageData(0, 0, width, height).data.some((byte, i) => i % 4 === 3 && byte > 0);
    }), `cells of ${target}`);
  }
});

scene("where it is not kept on which CPUs a target ran, the page says so", {}, async (page) => {
  await page.route("**/api/v1/history/cpus?*", (route) =>
    route.fulfill({ json: { target: BUSY, step_seconds: 10, cpus: [], times: [], values: [] } }));
  await page.goto(`${page_url}/${address(BUSY, { from: "-5m" })}`);
  await appears(page, "main .note", "It is not kept on which CPUs");
});

scene("a mark stands in every plot as a text, and tells before and after", {}, async (page) => {
  const { start, end } = await pastSpan(12);
  const time = Math.round((start + end) / 2) + 0.5, text = "release <b>1.2</b>";
  await send("POST", "marks", { text, time });
  await page.goto(`${page_url}/${address(BUSY, { from: start, to: end })}`);
  await settled(page);
  await appears(page, ".time-marks td", text);
  await until(async () => {
    const n = await page.locator(".plot-frame:visible").count();
    return n > 1 && await page.locator(".plot-frame:visible .mark-text").count() === n;
  }, "its text in every plot");
  await page.locator(".plot-frame .mark-text", { hasText: text }).first().click();
  await appears(page, ".before-after h2", text);
  const span = Math.min(time - start, end - time);
  const answer = await history(BUSY, start, end);
  const { times } = answer.targets[0], values = columnOf(answer.targets[0], "cpus_used").values;
  const mean = (from, to) => {
    const known = values.filter((value, i) => value !== null && times[i] >= from && times[i] < to);
    return known.reduce((sum, value) => sum + value, 0) / known.length;
  };
  const cells = await page.locator(".before-after tbody tr").first().locator("td").allTextContents();
  const shown = cells.map((text) => parseFloat(text.replace("<", "")));
  assert.ok(Math.abs(shown[1] - mean(time - span, time)) <= 0.001, cells.join());
  assert.ok(Math.abs(shown[2] - mean(time, time + span)) <= 0.001, cells.join());
  await screenshot(page, "time-before-and-after");
  await accessible(page);
});

scene("a mark can be added and deleted here", { hash: address(BUSY, { from: "-5m" }) }, async (page) => {
  await settled(page);
  await page.locator(".time-marks input").fill("from the page");
  await page.keyboard.press("Enter");
  const row = page.locator(".time-marks tr", { hasText: "from the page" });
  await until(() => row.count(), "the mark");
  await until(async () => await plot(page, "cpus_used").locator(".mark-text", { hasText: "from the page" })
    .count() === 1, "its line");
  const line = plot(page, "cpus_used").locator(".mark-text", { hasText: "from the page" });
  await line.evaluate((button) => { button.wasThere = true; });
  await pointsMore(page);
  assert.ok(await line.evaluate((button) => button.wasThere), "its line is the same, so that it can be pressed");
  await row.locator("button", { hasText: "Delete" }).click();
  await until(async () => await row.count() === 0, "no mark");
});

scene("downloads have what is shown", {}, async (page) => {
  const { start, end } = await pastSpan();
  await page.goto(`${page_url}/${address(BUSY, { from: start, to: end })}`);
  await settled(page);
  const download = async (form) => {
    const [file] = await Promise.all([page.waitForEvent("download"),
      page.getByRole("button", { name: `Download what is shown as ${form}` }).click()]);
    return fs.readFileSync(await file.path(), "utf8");
  };
  const { targets: [wanted] } = await history(BUSY, start, end);
  const inside = wanted.times.filter((time) => time >= start && time <= end);
  const { targets: [shown] } = JSON.parse(await download("JSON"));
  assert.deepEqual(shown.times, inside);
  assert.deepEqual(columnOf(shown, "cpus_used").values,
    columnOf(wanted, "cpus_used").values.filter((_, i) => inside.includes(wanted.times[i])));
  const lines = (await download("CSV")).trim().split("\r\n");
  assert.equal(lines.length, 1 + inside.length);
  assert.ok(lines[1].includes(BUSY));
});

scene("a hostile name is a text wherever it stands", { hash: address(targetOf(HOSTILE), { from: "-5m" }) },
  async (page) => {
    await until(async () => (await page.locator(".chip bdi").allTextContents())[0] === HOSTILE, "its chip");
    await settled(page);
    assert.equal(await page.locator("main img").count(), 0);
    await page.keyboard.press("/");
    await appears(page, "[role=option]", "busy.service");
  });

for (const [name, look] of Object.entries({ light: { height: 1700 }, dark: { height: 1700, theme: "dark" },
  phone: { width: 375, height: 2400 } }))
  scene(`it is accessible and fits: ${name}`, { ...look,
    hash: address([BUSY, IDLE], { from: "-5m", compare: "1d" }) }, async (page) => {
    await settled(page);
    await page.locator(".value-table summary").click();
    await box(page, "cpus_used").focus();
    await page.keyboard.press("ArrowLeft");
    await appears(page, ".value-table caption", "At the cursor");
    await pointsMore(page);
    assert.equal(await page.locator(".heat").evaluateAll((maps) => maps.filter((map) =>
      map.querySelector(".heat-summary").checkVisibility() &&
      map.querySelector(".plot-value").textContent !== "").length), 0, "a map says two things at once");
    await fits(page);
    await accessible(page);
    await screenshot(page, `time-view-${name}`);
  });
