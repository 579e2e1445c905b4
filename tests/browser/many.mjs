// SPDX-License-Identifier: Apache-2.0
// A thousand cgroups stay fluent: only rows in sight are elements.

import assert from "node:assert/strict";
import { appears, fits, scene, screenshot, until } from "./stage.mjs";

const MOST_ROWS = 80;
/* The chosen row, by its place, and how many there are: they are sorted anew in each cycle. */
const chosen = (page) => page.evaluate(() => ({
  at: Number(document.querySelector("tr[aria-selected=true]")?.getAttribute("aria-rowindex")),
  all: Number(document.querySelector("table.grid").getAttribute("aria-rowcount")),
}));
const press = (page, key, what, condition) => until(async () => {
  await page.keyboard.press(key);
  return condition(await chosen(page));
}, what);
const rows = (page) => page.locator("table.grid tbody tr").count();
const count = (page) => page.locator("table.grid").getAttribute("aria-rowcount").then(Number);

for (const shape of ["", "?as=tree&q=service"])
  scene(`a thousand cgroups are few elements, from the first to the last: ${shape || "flat"}`,
    { hash: `#now${shape}` }, async (page) => {
      await until(async () => await count(page) > 1000, "a thousand rows");
      assert.ok(await rows(page) < MOST_ROWS, `${await rows(page)} rows are elements`);
      await page.locator("main").focus();
      await press(page, "End", "the last row", ({ at, all }) => at === all);
      assert.ok(await rows(page) < MOST_ROWS, `${await rows(page)} rows at the end`);
      await press(page, "Home", "the first row", ({ at }) => at === 2);
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

/* That there are more than 20,000 the test says in the place of the exporter. */
scene("where not all targets of the past are listed, the list says so", { hash: "#time" }, async (page) => {
  let cut = false;
  await page.route("**/api/v1/history/targets?*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ json: { ...await response.json(), cut } });
  });
  const input = page.getByRole("combobox", { name: "Add a target" });
  const words = "The past has more targets than are listed";
  for (cut of [false, true]) {
    await page.reload();
    await until(() => input.isEnabled(), "the search");
    await input.fill("service-07");
    await appears(page, ".picker-list li", "service-07");
    assert.equal((await page.locator(".picker-list").textContent()).includes(words), cut);
  }
});
