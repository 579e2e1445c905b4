// SPDX-License-Identifier: Apache-2.0
// The view Events: the catalogue of the API, searched as one types.

import assert from "node:assert/strict";
import { appears, ask, hashOf, scene, until } from "./stage.mjs";

const names = (page) => page.locator(".event-name code").allTextContents();

scene("search shows what the catalogue finds, as one types", { hash: "#events" }, async (page) => {
  await appears(page, ".events li");
  await page.locator("input[type=search]").fill("");
  await page.locator("input[type=search]").pressSequentially("page-fault");
  const { events } = await ask("events?search=page-fault&limit=200");
  assert.ok(events.some(({ name }) => name === "page-faults"));
  await until(async () => String(await names(page)) === String(events.map(({ name }) => name)),
    "the events that were searched");
  assert.match(await hashOf(page), /q=page-fault/);
});

scene("an event says whether it can be counted here, or why not", { hash: "#events?q=context-switches" },
  async (page) => {
    const here = await appears(page, ".events li", "context-switches");
    assert.match(await here.textContent(), /can be counted/);
    const { events } = await ask("events?search=cycles&limit=200");
    const absent = events.find(({ available }) => !available);
    if (!absent) return;
    await page.locator("input[type=search]").fill(absent.name);
    await until(async () => {
      const line = page.locator(".events li").filter({ has: page.getByText(absent.name, { exact: true }) });
      return (await line.locator(".event-here[data-available=false]").textContent()).length > 3;
    }, "why it cannot be counted");
  });

scene("the line for the configuration is copied", { hash: "#events?q=context-switches" }, async (page) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const line = await appears(page, ".events li", "context-switches");
  await line.locator("button").evaluate((button) => new MutationObserver(() => {
    button.dataset.said = (button.dataset.said ?? "") + button.textContent;
  }).observe(button, { childList: true, characterData: true, subtree: true }));
  await line.locator("button").click();
  await until(async () => /Copied/.test(await line.locator("button").getAttribute("data-said")),
    "the button says so, for a while");
  const { events } = await ask("events?search=context-switches&limit=200");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(events.some(({ config }) => config === copied), copied);
});

scene("a search that finds nothing says so", { hash: "#events?q=nobody-counts-this" }, async (page) => {
  await appears(page, ".note.empty", "No event");
});
