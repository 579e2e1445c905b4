// SPDX-License-Identifier: Apache-2.0
// The view Now beside an hour ago, when an exporter counted busy.service for some seconds.

import assert from "node:assert/strict";
import { scene, until, whileLoaded } from "./stage.mjs";

const BEGAN = Date.now() / 1000;
const PAST = Number(process.env.PMU_PAST); // when that exporter had counted

/* The page asks for an hour ago, and is told of the time when that exporter counted, which is some
 * seconds more ago, or on a slow machine minutes. */
async function tellPast(page) {
  await page.route(/api\/v1\/history\?.*points=1$/, (route) => {
    const address = new URL(route.request().url());
    const [start, end] = ["start", "end"].map((name) => Number(address.searchParams.get(name)));
    const now = (start + end) / 2 + 3600;
    assert.ok(end - start === 120 && now >= BEGAN - 60 && now <= Date.now() / 1000 + 1, address.search);
    address.searchParams.set("start", PAST - 60);
    address.searchParams.set("end", PAST + 60);
    return route.continue({ url: address.href }).catch(() => {}); // the page may be closed
  });
}

/* The answer of the history to whom the page asks for an hour ago. */
function catchPast(page) {
  const caught = { means: [] };
  page.on("response", async (response) => {
    const address = new URL(response.url());
    if (address.pathname !== "/api/v1/history" || address.searchParams.get("points") !== "1") return;
    const { targets } = await response.json().catch(() => ({ targets: [] }));
    for (const { target, columns: [column] } of targets)
      if (/busy/.test(target) && column) caught.means.push(column.values.filter((value) => value !== null));
  });
  return caught;
}

/* "12 m" is thousandths, as the page writes small numbers. */
function numberOf(text) {
  const [, digits, unit] = /^([\d.,]+)\s*(\S?)/.exec(text) ?? [];
  return Number(digits.replace(",", "")) * ({ m: 1e-3, "%": 1e-2 }[unit] ?? 1);
}

/* What the tooltip says of the last minute and of an hour ago, once it knows of work in both. */
async function compared(page) {
  const words = await page.locator("table.grid tbody tr", { hasText: "busy.service" })
    .locator("td.change").getAttribute("title");
  const found = /^(.+) in the last minute, (.+) an hour ago$/.exec(words ?? "");
  return found && numberOf(found[1]) > 0 ? numberOf(found[2]) : null;
}

scene("the CPUs used are compared with an hour ago, of which the history tells", { hash: "#status" },
  async (page) => {
    const past = catchPast(page);
    await tellPast(page);
    await page.keyboard.press("1");
    const before = await whileLoaded("busy.service", () =>
      until(() => compared(page), "a comparison with an hour ago"));
    await until(() => past.means.length > 0, "the answer that the page had");
    const values = past.means.at(-1), mean = values.reduce((a, b) => a + b, 0) / values.length;
    assert.ok(mean > 0 && mean < 1, `${mean} CPUs, of half a second within some`);
    assert.ok(Math.abs(before - mean) <= 0.0006, `${before} on the page, ${mean} in the history`);
  });
