// SPDX-License-Identifier: Apache-2.0
// A thousand cgroups stay fluent: only rows in sight are elements.

import assert from "node:assert/strict";
import { appears, fits, scene, screenshot, until } from "./stage.mjs";

const MOST_ROWS = 80;
const rows = (page) => page.locator("table.grid tbody tr").count();
const count = (page) => page.locator("table.grid").getAttribute("aria-rowcount").then(Number);

for (const shape of ["", "?as=tree&q=service"])
  scene(`a thousand cgroups are few elements, from the first to the last: ${shape || "flat"}`,
    { hash: `#now${shape}` }, async (page) => {
      await until(async () => await count(page) > 1000, "a thousand rows");
      assert.ok(await rows(page) < MOST_ROWS, `${await rows(page)} rows are elements`);
      await page.locator("main").focus();
      await page.keyboard.press("End");
      const last = await appears(page, "tr[aria-selected=true]");
      assert.equal(Number(await last.getAttribute("aria-rowindex")), await count(page));
      assert.ok(await rows(page) < MOST_ROWS, `${await rows(page)} rows at the end`);
      await page.keyboard.press("Home");
      await until(async () => await page.locator("tr[aria-selected=true]").getAttribute("aria-rowindex")
        === "2", "the first row");
      await fits(page);
    });

scene("a name is found among a thousand", {}, async (page) => {
  await until(async () => await count(page) > 1000, "a thousand rows");
  await page.keyboard.press("/");
  await page.keyboard.type("service-0777");
  await until(async () => await count(page) === 2, "one row");
  await appears(page, "table.grid tbody tr", "service-0777.service");
  await screenshot(page, "now-many");
});
