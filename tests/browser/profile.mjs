// SPDX-License-Identifier: Apache-2.0
// The view Profile: a program whose stacks are known is sampled, shown, searched, walked through by
// keys and compared. What no load brings forth (5,000 nodes, names of attackers) is made up.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { before } from "node:test";
import { answered, HOSTILE, madeUp } from "./made_up_profile.mjs";
import { collapsedOf, pprofOf } from "./profile_files.mjs";
import { accessible, appears, ask, counted, fault, fits, hashOf, makeCgroup, page_url, scene,
  screenshot, send, top, until } from "./stage.mjs";

const CGROUP = `cgroup:/${top}/known.service`;
const BURNT = 8000; // ms of CPU time of each kind
const ENOUGH = BURNT / 1000 * 49 / 2; // samples
makeCgroup("known.service");

const tableOf = (range) => ask(`profile/table?${new URLSearchParams({ target: CGROUP, ...range })}`);
const now = () => Date.now() / 1000;

/* Whether the stacks of the last seconds are whole: no note says why one ends before its root. */
async function areWhole(name, begin) {
  const { table } = await tableOf({ start: Math.max(begin, now() - 3), end: now() });
  return table.name.includes(name) && !table.kind.includes("note");
}

/* Runs tests/support/known_stacks.c there, and returns from when to when. On a busy machine the first
 * samples come before the process is known and its files have been read: they are left out. */
async function burn(kind, name) {
  const child = spawn(process.env.PMU_KNOWN_STACKS,
    [`${process.env.PMU_CGROUPS}/known.service/cgroup.procs`, kind, String(3 * BURNT)],
    { stdio: ["pipe", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (text) => { said += text; });
  await until(() => said.includes("ready"), "the program is ready");
  const begin = now();
  child.stdin.write("\n");
  await until(() => areWhole(name, begin), `whole stacks of ${name}`);
  const start = now();
  await until(() => said.includes("done"), "it has burnt its time");
  const end = now();
  await until(async () => (await tableOf({ start, end })).samples >= ENOUGH, "its samples");
  child.stdin.end();
  return { start, end };
}

let first, second;
before(async () => {
  await counted(CGROUP);
  await until(async () => (await ask("profile/targets")).targets[0].samples > 0, "the machine is sampled");
  first = await burn("shares", "run_shares");
  second = await burn("large", "large_frame");
});

const address = (more = {}, { start, end } = first) =>
  `${page_url}/#profile?${new URLSearchParams({ target: CGROUP, start, end, ...more })}`;
const drawn = (page) => until(() => page.locator(".flame .frame").count(), "frames");
const frame = (page, name) => page.locator(".flame .frame", { has: page.getByText(name, { exact: true }) });
const line = async (page) => (await page.locator(".flame-line").first().innerText()).replaceAll("\n", " ");
const lineHas = (page, pattern) => until(async () => pattern.test(await line(page)), `the line has ${pattern}`);
const width = async (found) => (await found.first().locator("rect").boundingBox())?.width;
const press = async (page, ...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};

for (const theme of ["light", "dark"])
  scene(`a known program is shown as a flame graph and a table, ${theme}`, { theme }, async (page) => {
    await page.goto(address());
    await drawn(page);
    for (const name of ["main", "run_shares", "half", "third", "fifth", "burn"])
      await appears(page, ".flame .frame", name);
    const { samples } = await ask(`profile?${new URLSearchParams({ target: CGROUP, ...first })}`);
    const shares = { half: 0.5, third: 0.3, fifth: 0.2 };
    for (const [name, share] of Object.entries(shares)) {
      await frame(page, name).first().hover();
      await lineHas(page, new RegExp(`^${name} known_stacks self \\d+, total \\d+ samples · [\\d.]+ % ± `));
      const total = Number(/total ([\d\u202f]+)/.exec(await line(page))[1].replace(/\D/g, ""));
      const sigma = Math.sqrt(samples * share * (1 - share));
      assert.ok(Math.abs(total - samples * share) < 5 * sigma, `${name}: ${total} of ${samples}`);
    }
    const rows = page.locator(".function-table tbody tr");
    assert.match(await rows.first().textContent(), /^burn known_stacks/);
    await page.getByRole("button", { name: "Total samples" }).click();
    assert.equal(await page.locator("[aria-sort=descending]").textContent(), "Total samples");
    await accessible(page);
    await fits(page);
    await screenshot(page, `profile-flame-${theme}`);
  });

scene("the roots are seen without scrolling", { width: 1400, height: 1000 }, async (page) => {
  await answered(page, 3000);
  await page.goto(`${page_url}/#profile`);
  await drawn(page);
  const box = page.locator(".flame-box");
  assert.ok(await box.evaluate(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight));
  const { y, height } = await box.boundingBox();
  assert.ok(y + height <= 1000, `the box ends at ${y + height}`);
});

scene("a click zooms, keys walk, zoom and go back", {}, async (page) => {
  await page.goto(address());
  await drawn(page);
  const whole = await width(frame(page, "run_shares"));
  const half = await width(frame(page, "half"));
  assert.ok(half < whole * 0.7);
  await frame(page, "half").click();
  await until(async () => await width(frame(page, "half")) > whole * 0.95, "half has the whole width");
  assert.equal(await frame(page, "third").count(), 0);
  await page.mouse.move(5, 5); // else the line tells what has come under the pointer
  await lineHas(page, /^half/);
  await page.getByRole("button", { name: "Zoom out" }).click();
  await until(() => frame(page, "third").count(), "third is back");
  const box = page.locator(".flame-box");
  await box.focus();
  await press(page, "Home");
  await lineHas(page, /^all samples/);
  const seen = [];
  while (seen.at(-1) !== "half" && seen.length < 20) {
    await press(page, "ArrowUp");
    seen.push((await line(page)).split(" ")[0]);
  }
  assert.equal(seen.at(-1), "half", seen.join(", "));
  await press(page, "ArrowRight");
  await lineHas(page, /^third/);
  await press(page, "ArrowDown");
  await lineHas(page, /^run_shares/);
  await press(page, "ArrowUp", "ArrowRight", "Enter");
  await until(async () => await width(frame(page, "third")) > whole * 0.95, "third has the whole width");
  await press(page, "Escape");
  await until(() => frame(page, "half").count(), "half is back");
  await lineHas(page, /^third/);
  await press(page, "Enter", "Backspace");
  await until(() => frame(page, "half").count(), "half is back again");
  assert.equal(await page.locator(".flame-cursor").isVisible(), true);
});

scene("a search tells the share of what it finds, and stands in the address", {}, async (page) => {
  await page.goto(address());
  await drawn(page);
  await page.locator("main").focus();
  await page.keyboard.press("/");
  await page.keyboard.type("third");
  const told = page.locator(".profile-matched");
  await until(async () => /^\d+(\.\d+)? % ± \d+(\.\d+)? % of the samples, 1 function$/
    .test(await told.textContent()), "the share");
  assert.match(await hashOf(page), /search=third/);
  assert.equal(await page.locator(".function-table tbody tr").count(), 1);
  await screenshot(page, "profile-search");
  await page.keyboard.press("Escape");
  await until(async () => await told.textContent() === "", "it is gone");
  assert.doesNotMatch(await hashOf(page), /search/);
});

scene("who calls a function, and what it calls", { theme: "dark" }, async (page) => {
  await page.goto(address());
  await drawn(page);
  await page.locator(".function-name", { hasText: /^burn$/ }).click();
  await until(async () => await page.locator(".flame").count() === 2, "two halves");
  const [callers, callees] = [page.locator(".flame").first(), page.locator(".flame").last()];
  for (const name of ["half", "third", "fifth"])
    await until(() => callers.locator(".frame", { hasText: name }).count(), name);
  assert.equal(await callees.locator(".frame", { hasText: "half" }).count(), 0);
  assert.match(await hashOf(page), /owner=known_stacks&name=burn/);
  await screenshot(page, "profile-sandwich");
  await accessible(page);
  await page.goBack();
  await until(async () => await page.locator(".flame").count() === 1, "the whole profile");
  await frame(page, "run_shares").click();
  await page.locator(".flame-box").focus();
  await press(page, "Shift+Enter");
  await until(async () => /name=run_shares/.test(await hashOf(page)), "its callers by a key");
  await page.getByRole("button", { name: "Whole profile" }).click();
  await until(async () => !/name=/.test(await hashOf(page)), "the whole profile");
});

const instructions = (page) => page.locator(".instructions tbody tr:not(.folded)");

for (const theme of ["light", "dark"])
  scene(`the instructions of a function, ${theme}`, { theme }, async (page) => {
    await page.goto(address({ owner: "known_stacks", name: "burn" }));
    await page.getByRole("button", { name: "Instructions" }).click();
    await until(() => instructions(page).count(), "instructions");
    assert.match(await hashOf(page), /code=1/);
    const { instructions: code, placed } = await ask(`profile/annotation?${new URLSearchParams({
      target: CGROUP, ...first, name: "burn", owner: "known_stacks" })}`);
    assert.ok(placed > ENOUGH / 2, `${placed} samples`);
    for (const fold of await page.locator(".instructions .folded button").all()) await fold.click();
    const rows = await instructions(page).evaluateAll((all) => all.map(({ cells }) =>
      [...cells].map(({ textContent }) => textContent)));
    assert.deepEqual(rows.map(([, , address_]) => address_), code.address);
    assert.deepEqual(rows.map(([, , , text]) => text), code.text);
    rows.forEach(([share], i) => assert.ok(Math.abs(parseFloat(share || 0) / 100 - code.share[i]) < 1e-3));
    assert.ok(rows.some(([, , , , source]) => /^known_stacks\.c:\d+$/.test(source)));
    await accessible(page);
    await fits(page);
    await page.locator(".instructions").scrollIntoViewIfNeeded();
    await screenshot(page, `profile-instructions-${theme}`);
    await page.goto(address({ owner: "known_stacks", name: "half", code: "1" }));
    await appears(page, ".instructions .note", /taken at instructions of (?:half; at least 100|a function half)/);
    await fault(page, /status(?: of)? 404/);
  });

scene("instructions of a long function are folded, and hostile ones are texts", {}, async (page) => {
  const n = 20000;
  const of = (value) => Array.from({ length: n }, (_, i) => value(i));
  await answered(page, 300, { "profile/annotation": { from: 1795343700, to: 1795344000, rate: 49, all: 9000,
    samples: 4000, placed: 4000, elsewhere: 7, kind: "user", owner: HOSTILE[0], name: HOSTILE[1],
    instructions: { address: of((i) => `0x${(i * 4).toString(16)}`), samples: of((i) => Number(i % 5 === 0)),
      share: of((i) => (i % 5 === 0 ? 1 / 4000 : 0)), sigma: of(() => 0.001), text: of((i) =>
        HOSTILE[i % HOSTILE.length]), file: of((i) => i % 7 - 1), line: of((i) => i % 11) }, files: HOSTILE } });
  await page.goto(`${page_url}/#profile?name=function_9&owner=nginx&code=1`);
  await appears(page, ".instructions .note", "7 more were taken in other functions of that name");
  await page.locator(".instructions .folded button").first().click();
  await until(async () => await instructions(page).count() === 500, "five hundred rows");
  await appears(page, ".instructions .folded", `${(n - 500).toLocaleString("en-US").replace(",", "\u202f")} instructions`);
  await accessible(page);
  await fits(page);
});

scene("the icicle has its root above, where the keys go the other way", {}, async (page) => {
  await page.goto(address());
  await drawn(page);
  await page.getByRole("button", { name: "Icicle" }).click();
  await until(async () => /view=icicle/.test(await hashOf(page)), "the address");
  const y = async (name) => (await frame(page, name).first().locator("rect").boundingBox()).y;
  await until(async () => await y("half") > await y("main"), "half is below main");
  await page.locator(".flame-box").focus();
  await press(page, "ArrowDown");
  await until(async () => !/^all samples/.test(await line(page)), "a step down");
  await press(page, "ArrowUp");
  await lineHas(page, /^all samples/);
});

for (const [theme, measure] of [["light", "shares"], ["dark", "time"]])
  scene(`two loads differ in what they do, by ${measure}`, { theme }, async (page) => {
    await page.goto(address({ before_start: first.start, before_end: first.end, measure }, second));
    await drawn(page);
    await appears(page, ".note", "frames differ");
    await frame(page, "half").hover();
    await lineHas(page, /before \d+ samples \(.*\) · after 0 \(.*\) · −.*: differs/);
    const colour = (name) => frame(page, name).first().locator("rect").getAttribute("fill")
      .then((text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)));
    const [less, more, same] = [await colour("half"), await colour("large_frame"), await colour("main")];
    assert.ok(less[2] > less[0] + 20, `blue: ${less}`);
    assert.ok(more[0] > more[2] + 20, `red: ${more}`);
    assert.ok(measure === "time" || Math.max(...same) - Math.min(...same) < 20, `grey: ${same}`);
    await screenshot(page, `profile-difference-${theme}`);
    await accessible(page);
  });

scene("a load does not differ from itself", {}, async (page) => {
  await page.goto(address({ before_start: first.start, before_end: first.end }));
  await drawn(page);
  await appears(page, ".note", "Nothing differs beyond chance");
});

scene("a target is chosen by a search, and what it is compared with", {}, async (page) => {
  await page.goto(`${page_url}/#profile?range=15m`);
  await drawn(page);
  const input = page.getByRole("combobox", { name: "Target", exact: true });
  await input.fill("known.serv");
  await appears(page, "#profile-target-list li", CGROUP);
  await page.keyboard.press("Enter");
  await until(async () => (await hashOf(page)).includes(encodeURIComponent(CGROUP)), "the address");
  await appears(page, ".flame .frame", "half");
  page.pardoned.push(/status 404: .*profile.difference|status of 404/); // nothing was sampled then
  await page.getByRole("combobox", { name: "Compare with" }).selectOption("the same length before");
  await until(async () => /before=previous/.test(await hashOf(page)), "the address");
  await appears(page, ".note", `there are no samples of ${CGROUP} in the range before, so that nothing can be compared`);
  await page.getByRole("combobox", { name: "Compare with" }).selectOption("another target");
  await page.getByRole("combobox", { name: "Compared with the target" }).fill("machine");
  await page.keyboard.press("Enter");
  await until(async () => /before_target=machine/.test(await hashOf(page)), "the other target");
});

scene("what was before and after a mark is compared", { theme: "dark" }, async (page) => {
  await send("POST", "marks", { text: "<b>release</b>", time: second.start - 0.2 });
  await page.goto(address({}, second));
  await drawn(page);
  const compare = page.getByRole("combobox", { name: "Compare with" });
  const option = compare.locator("option", { hasText: "<b>release</b>" });
  await until(() => option.count(), "the mark");
  await compare.selectOption(await option.first().getAttribute("value"));
  await until(async () => /before_start=.*before_end=/.test(await hashOf(page)), "both ranges");
  await appears(page, ".note", "frames differ");
  const { start, before_end: end } = Object.fromEntries(new URLSearchParams((await hashOf(page)).split("?")[1]));
  assert.equal(start, end);
});

for (const theme of ["light", "dark"])
  scene(`seconds are shown in parts, of which one can be chosen, ${theme}`, { theme }, async (page) => {
    await page.goto(address());
    await drawn(page);
    const map = page.locator(".seconds-map .heat-box");
    await until(() => map.isVisible(), "the map");
    const before = (await ask(`profile?${new URLSearchParams({ target: CGROUP, ...first })}`)).samples;
    const { x, y, width: wide } = await map.locator("canvas").first().boundingBox();
    await page.mouse.move(x + wide / 2, y + 63); // half of the range, 400 ms above the second
    await appears(page, ".seconds-map .plot-value", "+ 400 ms");
    await screenshot(page, `profile-seconds-${theme}`);
    await page.mouse.click(x + wide / 2, y + 63);
    await until(async () => /outer_start=/.test(await hashOf(page)), "a part is chosen");
    const chosen = Object.fromEntries(new URLSearchParams((await hashOf(page)).split("?")[1]));
    assert.ok(Math.abs(chosen.end - chosen.start - 0.1) < 0.002, JSON.stringify(chosen));
    assert.ok(Math.abs(chosen.start % 1 - 0.4) < 0.002, JSON.stringify(chosen));
    await until(() => page.locator(".heat-chosen").isVisible(), "the frame of the part");
    await accessible(page);
    const words = page.locator(".time-range");
    const samples = async () => Number(/([\d\u202f]+) samples/.exec(await words.textContent())[1]
      .replace(/\D/g, ""));
    await until(async () => await samples() < before / 10, "a few samples");
    await page.getByRole("button", { name: "Whole range" }).click();
    await until(async () => await samples() > before / 2, "all samples");
    assert.doesNotMatch(await hashOf(page), /outer_/);
    await map.focus();
    await press(page, "End", "ArrowUp", "Enter");
    await until(async () => /outer_start=/.test(await hashOf(page)), "a part is chosen by keys");
  });

scene("a theme that changes changes the frames", {}, async (page) => {
  await page.goto(address());
  await drawn(page);
  const fill = () => frame(page, "burn").first().locator("rect").getAttribute("fill");
  const light = await fill();
  await page.emulateMedia({ colorScheme: "dark" });
  await until(async () => await fill() !== light, "another colour");
});

scene("files are to be had for other programs", {}, async (page) => {
  await page.goto(address());
  await drawn(page);
  const file = async (name) => {
    const link = page.getByRole("link", { name, exact: true });
    const answer = await fetch(new URL(await link.getAttribute("href"), `${page_url}/`));
    assert.equal(answer.status, 200, name);
    return Buffer.from(await answer.arrayBuffer());
  };
  const collapsed = collapsedOf((await file("Collapsed")).toString());
  assert.ok(Object.keys(collapsed).some((stack) => stack.includes("run_shares;")));
  assert.deepEqual(pprofOf(await file("pprof")), collapsed);
  assert.ok(JSON.parse((await file("speedscope")).toString()).shared.frames.length > 1);
});

scene("dragging over a plot offers the profile of that range", {}, async (page) => {
  await page.goto(`${page_url}/#time?target=${encodeURIComponent(CGROUP)}&from=-15m`);
  const box = (await appears(page, ".plot[data-measure='cpus_used'] .plot-box"));
  await until(async () => await page.locator(".plot canvas").count() > 0, "a plot");
  assert.equal(await page.locator(".profile-offer").isVisible(), false);
  const { x, y, width: wide } = await box.boundingBox();
  await page.mouse.move(x + 60, y + 60);
  await page.mouse.down();
  await page.mouse.move(x + wide / 2, y + 60);
  await page.mouse.move(x + wide - 16, y + 60);
  await page.mouse.up();
  const offer = await appears(page, ".profile-offer a", "known.service");
  await until(() => offer.isVisible(), "the offer");
  await screenshot(page, "time-profile-offer");
  const compared = await page.locator(".profile-offer a").last().getAttribute("href");
  assert.match(compared, /before=previous/);
  await offer.click();
  await drawn(page);
  assert.match(await hashOf(page), /^#profile\?target=.*&start=\d+.*&end=\d+/);
  await appears(page, ".flame .frame", "run_shares");
});

scene("5,000 nodes stay fluent, and names of attackers are texts", {}, async (page) => {
  await answered(page, 5000);
  await page.goto(`${page_url}/#profile?range=1h`);
  await drawn(page);
  const isLight = async () => assert.ok(await page.locator(".flame .frame").count() < 3000,
    "what is narrower than a pixel is no element");
  await isLight();
  await frame(page, HOSTILE[0]).first().hover();
  await lineHas(page, /<script>alert\(1\)<\/script> <b>lib<\/b>/);
  const took = await page.evaluate(async () => {
    const pixels = document.querySelectorAll(".flame .frame");
    const begin = performance.now();
    pixels[5].dispatchEvent(new MouseEvent("click", { bubbles: true }));
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return performance.now() - begin;
  });
  console.log(`a zoom took ${took.toFixed(0)} ms`); // 70 where nobody else runs
  await isLight();
  const input = page.getByRole("searchbox", { name: "Search functions" });
  await input.fill("(");
  await until(async () => /of the samples/.test(await page.locator(".profile-matched").textContent()), "a share");
  await input.fill("__proto__");
  await appears(page, ".function-table tbody tr", "__proto__");
  await fits(page);
  await input.fill("long_");
  await appears(page, ".function-table tbody tr", "long_");
  await fits(page);
  await screenshot(page, "profile-many");
});

scene("an empty and a short profile say why", {}, async (page) => {
  const { profile, "profile/table": table } = madeUp(20);
  const nothing = { nodes: { parent: [-1], function: [-1], self: [0], total: [0] } };
  const few = { parent: [-1, 0, 0], function: [-1, profile.functions.name.indexOf("[truncated]"), 0],
    self: [0, 20, 30], total: [50, 20, 30] };
  const changes = { profile: { ...profile, samples: 50, nodes: few },
    "profile/table": { ...table, samples: 50 } };
  await answered(page, 20, changes);
  await page.goto(`${page_url}/#profile?range=1m`);
  const downloads = page.getByRole("group", { name: "Download" });
  await appears(page, ".note", "Only 50 samples: shares are coarse");
  await appears(page, ".time-range", "20 stacks are not whole (40 % ± 7 %)");
  assert.ok(await downloads.isVisible());
  changes.profile = { ...profile, samples: 0, ...nothing };
  await page.unroute(/\/api\/v1\/profile/);
  await answered(page, 20, changes);
  await page.getByRole("button", { name: "Refresh" }).click();
  await appears(page, ".note", "No sample was taken in this range");
  assert.ok(await downloads.isHidden());
  for (const [status, error] of [[404, "there are no samples of machine"], [503, "nothing is sampled: no bpf"]]) {
    await page.unroute(/\/api\/v1\/profile/);
    await answered(page, 20, { profile: { status, error }, "profile/table": { status, error } });
    await page.getByRole("button", { name: "Refresh" }).click();
    await appears(page, ".note", error);
    assert.ok(await downloads.isHidden());
    await fault(page, new RegExp(`status(?: of)? ${status}`));
    if (status === 404) await appears(page, ".note", "It has samples from");
  }
});

scene("without what draws flame graphs the page has a list", {}, async (page) => {
  await page.route("**/page/flame.js", (route) => route.fulfill({ contentType: "text/javascript",
    body: "export const flamegraph = null; export const select = null;" }));
  await page.goto(address());
  await appears(page, ".frame-list li", "run_shares");
  await appears(page, ".function-table tbody tr", "burn");
  await accessible(page);
});

scene("a narrow window shows it all", { width: 390, height: 844, theme: "dark" }, async (page) => {
  await page.goto(address());
  await drawn(page);
  await fits(page);
  await screenshot(page, "profile-narrow");
});
