// SPDX-License-Identifier: Apache-2.0
// The shell of the page: views, links, policy, keyboard, themes, sizes.

import assert from "node:assert/strict";
import { before } from "node:test";
import { accessible, appears, ask, counted, fault, fits, hashOf, makeCgroup, page_url, scene, screenshot,
  statusOf, top, until } from "./stage.mjs";

const VIEWS = ["now", "time", "profile", "runs", "events", "status"];
const SIZES = [{ name: "", width: 1280, height: 800 }, { name: "phone", width: 375, height: 700 }];

makeCgroup("a.service");
before(() => counted("machine", `cgroup:/${top}/a.service`));

/* A view is there when nothing of it says any more that it is still asking. */
async function settled(page, view) {
  await appears(page, `nav a[data-view=${view}][aria-current=page]`);
  await until(async () => await page.locator("main .note.busy, main[aria-busy], main .note.error")
    .count() === 0, `${view} is there`);
}

/* Colours are all that a theme changes, so the dark one is asked for nothing else. */
for (const view of VIEWS)
  scene(`${view} is accessible and fits, light and dark, wide and as a phone`, { hash: `#${view}` },
    async (page) => {
      await settled(page, view);
      for (const { name, ...size } of SIZES) {
        await page.setViewportSize(size);
        for (const theme of ["light", "dark"]) {
          await page.emulateMedia({ colorScheme: theme });
          await fits(page);
          await accessible(page, theme === "light" ? null : "color-contrast");
          await screenshot(page, [view, name, theme].filter(Boolean).join("-"));
        }
      }
    });

scene("the keys 1 to 6 open the views, and the address follows", {}, async (page) => {
  await settled(page, "now");
  for (const [i, view] of VIEWS.entries()) {
    await page.locator("main").focus();
    await page.keyboard.press(String(i + 1));
    await settled(page, view);
    assert.equal((await hashOf(page)).split("?")[0], `#${view}`);
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

scene("a theme that was chosen holds whatever the system wants, and auto follows it", {}, async (page) => {
  await settled(page, "now");
  const looks = () => page.evaluate(() => {
    const { colorScheme, backgroundColor } = getComputedStyle(document.documentElement);
    const { backgroundColor: ground } = getComputedStyle(document.body);
    const series = getComputedStyle(document.documentElement).getPropertyValue("--series-0");
    return [colorScheme, backgroundColor, ground, series].join(" ");
  });
  const seen = {};
  for (const theme of ["Auto", "Light", "Dark"]) {
    await appears(page, "#theme", theme);
    seen[theme] = [];
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      seen[theme].push(await looks());
    }
    await page.locator("#theme").click();
  }
  assert.notEqual(seen.Auto[0], seen.Auto[1]);
  assert.deepEqual(seen.Light, [seen.Auto[0], seen.Auto[0]]);
  assert.deepEqual(seen.Dark, [seen.Auto[1], seen.Auto[1]]);
});

scene("curves change their colours with the theme, and not with the next point", {}, async (page) => {
  await settled(page, "now");
  await until(() => page.evaluate(() => {
    const looks = ["auto", "light", "dark"].map(() => {
      document.getElementById("theme").click();
      return document.querySelector(".tile-curve").toDataURL();
    });
    return new Set(looks).size > 1;
  }), "other colours");
});

scene("links of the foot lead to pages of this exporter", {}, async (page) => {
  for (const address of await page.locator("footer a").evaluateAll((all) => all.map((a) => a.href))) {
    assert.ok(address.startsWith(page_url), address);
    await until(async () => await statusOf(address) === 200, address); // 503 while cycles are late
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
  await fault(page, /policy|Content Security Policy/);
  assert.notEqual(await page.title(), "taken over");
});

scene("the page says so when the exporter does not answer, and comes back", {}, async (page) => {
  await appears(page, "#live[data-state=live]");
  page.pardoned.push(/ERR_INTERNET_DISCONNECTED/);
  await page.context().setOffline(true);
  await page.evaluate(() => { location.hash = "#status"; });
  await appears(page, "#live[data-state=disconnected]");
  await appears(page, "main .note.error", "does not answer");
  await fault(page, /ERR_INTERNET_DISCONNECTED/);
  await page.context().setOffline(false);
  await appears(page, "#live[data-state=live]");
});
