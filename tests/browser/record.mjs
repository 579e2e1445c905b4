// SPDX-License-Identifier: Apache-2.0
// Runs that sample: begun in the view Runs, shown in the view Profile, and compared there.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before } from "node:test";
import { accessible, appears, ask, counted, fits, hashOf, makeCgroup, page_url, scene, screenshot, send,
  top, until } from "./stage.mjs";

const CGROUP = `cgroup:/${top}/faults.service`;
const SECONDS = 3;
const RATE = 499;
makeCgroup("faults.service");

let load = null;
const end = () => load?.kill("SIGKILL");
after(end);

/* Another load in the place of the last one: so many percent of its faults are in touch_more(). */
function begin(percent) {
  end();
  load = spawn(process.env.PMU_KNOWN_TOUCHES,
    [`${process.env.PMU_CGROUPS}/faults.service/cgroup.procs`, String(percent)], { stdio: "inherit" });
}

async function over(id) {
  await until(async () => (await ask(`runs/${id}`)).state === "over", `run ${id} is over`);
  return ask(`runs/${id}`);
}

async function aRun(title, events) {
  const { id } = await send("POST", "runs", { title, kind: "record", target: CGROUP, events: [events],
    rate: RATE, interval_seconds: 0.1, duration_seconds: SECONDS });
  return over(id);
}

/* Samples whose stacks reach their roots: before that the program is not known. */
const isKnown = async ({ id }) =>
  (await ask(`profile?target=run:${id}`)).functions.name.includes("main");

let runs;
before(async () => {
  await counted(CGROUP);
  await until(async () => (await ask("profile/targets")).targets[0].samples > 0, "the machine is sampled");
  begin(80);
  await until(async () => isKnown(await aRun("not known yet", "page-faults")), "the program is known");
  runs = [await aRun("more <b>faults", "page-faults")];
  begin(40);
  runs.push(await aRun("less faults", "page-faults"));
});

const row = (page, title) =>
  page.locator(".run-list tbody tr").filter({ has: page.getByText(title, { exact: true }) });
const drawn = (page) => until(() => page.locator(".flame .frame").count(), "frames");
const words = (page) => page.locator(".time-range").textContent();
const profileOf = (run, more = {}) =>
  `${page_url}/#profile?${new URLSearchParams({ target: `run:${run.id}`, ...more })}`;
const share = async (run, name) => {
  const { samples, table } = await ask(`profile/table?target=run:${run.id}`);
  return table.self[table.name.indexOf(name)] / samples;
};

scene("a run that samples is begun here, and leads to its profile", { hash: "#runs" }, async (page) => {
  const form = page.locator("form[aria-label='Begin a run']");
  await until(() => form.count(), "the form");
  await form.locator("[name=title]").fill("who faults");
  await form.locator("[name=kind]").selectOption("record");
  await form.getByRole("combobox", { name: "Target", exact: true }).fill(CGROUP);
  await form.locator("[name=rate]").fill("300");
  await form.locator("[name=duration]").fill("2");
  await form.getByRole("button", { name: "Begin the run" }).click();
  await until(() => page.getByText("Choose at least one event.").count(), "one event is wanted");
  await form.getByRole("combobox", { name: "Events", exact: true }).fill("page-faults");
  await page.getByRole("option").filter({ has: page.getByText("page-faults", { exact: true }) }).first().click();
  await form.getByRole("button", { name: "Begin the run" }).click();
  await until(() => row(page, "who faults").getByRole("link", { name: "Profile" }).count(),
    "the profile is there when the run is over");
  const run = (await ask("runs")).runs.find(({ title }) => title === "who faults");
  assert.deepEqual([run.kind, run.target, run.sampled.rate], ["record", CGROUP, 300]);
  await row(page, "who faults").getByRole("button", { name: "Again" }).click();
  assert.equal(await form.locator("[name=kind]").inputValue(), "record");
  assert.equal(await form.locator("[name=rate]").inputValue(), "300");
  await accessible(page);
  await screenshot(page, "record-runs");
  await row(page, "who faults").getByRole("link", { name: "Profile" }).click();
  await drawn(page);
  assert.equal(await hashOf(page), `#profile?target=run%3A${run.id}`);
  await row(page, "who faults").waitFor({ state: "detached" });
});

for (const theme of ["light", "dark"])
  scene(`a profile of events is told in events, and has its own range, ${theme}`, { theme }, async (page) => {
    await page.goto(profileOf(runs[0]));
    await drawn(page);
    const { samples, events } = await ask(`profile?target=run:${runs[0].id}`);
    const plain = (text) => text.replaceAll(/[\u202f\u00a0]/g, "");
    assert.match(plain(await words(page)), new RegExp(`${samples} samples · ${events} page-faults$`));
    for (const name of ["main", "touch_more", "touch_less"]) await appears(page, ".flame .frame", name);
    await page.locator(".flame .frame", { has: page.getByText("touch_more", { exact: true }) }).first().hover();
    await until(async () => /touch_more.* page-faults$/.test(plain(await page.locator(".flame-line")
      .first().innerText()).replaceAll("\n", " ")), "the line tells events");
    const [first] = await page.locator(".function-table tbody tr").all();
    assert.match(await first.textContent(), /^touch_more known_touches/);
    await page.getByRole("button", { name: "Total page-faults" }).click();
    for (const label of ["Range", "Measure"])
      assert.equal(await page.getByRole("group", { name: label, exact: true }).isVisible(), false, label);
    assert.equal(await page.locator(".profile-seconds").isVisible(), false);
    await accessible(page);
    await fits(page);
    await screenshot(page, `record-profile-${theme}`);
  });

scene("who calls a function of it can be seen, but no instructions", {}, async (page) => {
  await page.goto(profileOf(runs[0], { name: "touch_more", owner: "known_touches" }));
  await appears(page, "h2", "Callers and callees of touch_more");
  await drawn(page);
  assert.equal(await page.getByRole("button", { name: "Instructions" }).count(), 0);
});

scene("two of them are compared, from the runs and in the profile", { hash: "#runs" }, async (page) => {
  const [a, b] = runs;
  await page.goto(`${page_url}/#runs?show=${a.id}&show=${b.id}`);
  await page.getByRole("link", { name: "What differs between their profiles" }).click();
  await drawn(page);
  assert.match(await words(page), new RegExp(`run:${b.id}.*compared with.*run:${a.id}`));
  const change = (name) => page.locator(".function-table tbody tr", { hasText: name }).locator(".clear");
  for (const [name, direction] of [["touch_more", "-1"], ["touch_less", "1"]])
    assert.equal(await change(name).first().getAttribute("data-direction"), direction, name);
  assert.ok(await share(a, "touch_more") > 0.7 && await share(b, "touch_more") < 0.5);
  await screenshot(page, "record-difference");
  await page.getByLabel("Compare with", { exact: true }).selectOption("");
  await appears(page, ".flame .frame", "touch_more");
  assert.equal(await hashOf(page), `#profile?target=run%3A${b.id}`);
  const other = page.getByRole("combobox", { name: "Compared with the target" });
  await page.getByLabel("Compare with", { exact: true }).selectOption("target");
  await until(() => page.getByRole("option").filter({ hasText: `run:${a.id}` }).count(), "runs are offered");
  assert.equal(await page.getByRole("option").filter({ hasText: "machine" }).count(), 0);
  assert.equal(await page.getByRole("option").filter({ hasText: "“more <b>faults”" }).count(), 1);
  await other.fill(`run:${a.id}`);
  await page.keyboard.press("Enter");
  await until(async () => (await hashOf(page)).includes(`before_target=run%3A${a.id}`), "the address has it");
});
