// SPDX-License-Identifier: Apache-2.0
// The shell of the page: views, links, policy, keyboard, themes, sizes.

import assert from "node:assert/strict";
import { accessible, appears, ask, fits, makeCgroup, page_url, scene, screenshot, until } from "./stage.mjs";

const VIEWS = ["now", "time", "runs", "events", "status"];
const LOOKS = [
  { name: "light", width: 1280, theme: "light" },
  { name: "dark", width: 1280, theme: "dark" },
  { name: "phone", width: 375, height: 700, theme: "light" },
  { name: "phone-dark", width: 375, height: 700, theme: "dark" },
];

makeCgroup("a.service");

/* A view is there when nothing of it says any more that it is still asking. */
async function settled(page, view) {
  await appears(page, `nav a[data-view=${view}][aria-current=page]`);
  await until(async () => await page.locator("main .note.busy").count() === 0, `${view} is there`);
  assert.equal(await page.locator("main .note.error").count(), 0);
}

for (const { name, ...look } of LOOKS)
  for (const view of VIEWS)
    scene(`${view} is accessible and fits: ${name}`, { ...look, hash: `#${view}` }, async (page) => {
      await settled(page, view);
      await screenshot(page, `${view}-${name}`);
      await fits(page);
      await accessible(page);
    });

scene("the keys 1 to 5 open the views, and the address follows", {}, async (page) => {
  await settled(page, "now");
  for (const [i, view] of VIEWS.entries()) {
    await page.locator("main").focus();
    await page.keyboard.press(String(i + 1));
    await settled(page, view);
    assert.equal(new URL(page.url()).hash.split("?")[0], `#${view}`);
  }
  await page.goBack();
  await settled(page, "events");
});

scene("the question mark helps, and Escape goes back", {}, async (page) => {
  await settled(page, "now");
  await page.keyboard.press("?");
  const help = await appears(page, "dialog[open]");
  assert.match(await help.textContent(), /search/);
  await accessible(page);
  await page.keyboard.press("Escape");
  await until(async () => await page.locator("dialog[open]").count() === 0, "the help is closed");
});

scene("a theme that was chosen stays", {}, async (page) => {
  await settled(page, "now");
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.locator("#theme").click();
  await page.locator("#theme").click();
  assert.equal(await page.locator("#theme").textContent(), "Dark");
  const dark = await ground();
  assert.notEqual(light, dark);
  await page.reload();
  await settled(page, "now");
  assert.equal(await ground(), dark);
});

scene("links of the foot lead to pages of this exporter", {}, async (page) => {
  for (const address of await page.locator("footer a").evaluateAll((all) => all.map((a) => a.href))) {
    assert.ok(address.startsWith(page_url), address);
    assert.equal((await fetch(address)).status, 200, address);
  }
  const { version } = await ask("status");
  await appears(page, "#version", version);
});

scene("a script that somebody smuggles in does not run", {}, async (page) => {
  await settled(page, "now");
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "document.title = 'taken over'";
    document.body.append(script);
  });
  await until(() => page.faults.some((fault) => /policy|Content Security Policy/.test(fault)),
    "the policy refuses it");
  assert.notEqual(await page.title(), "taken over");
  page.faults.length = 0;
});

scene("the page says so when the exporter does not answer, and comes back", {}, async (page) => {
  await appears(page, "#live[data-state=live]");
  await page.context().setOffline(true);
  await page.evaluate(() => { location.hash = "#status"; });
  await appears(page, "#live[data-state=disconnected]");
  await appears(page, "main .note.error", "does not answer");
  await page.context().setOffline(false);
  await appears(page, "#live[data-state=live]");
  page.faults.length = 0;
});
