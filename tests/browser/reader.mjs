// SPDX-License-Identifier: Apache-2.0
// An exporter that lets nobody change anything over TCP, which is how it is started without a flag:
// the page says so, and how it is allowed. And one beside it that keeps no history.

import assert from "node:assert/strict";
import { before } from "node:test";
import { accessible, appears, ask, counted, makeCgroup, page_url, scene, screenshot, send, top, until }
  from "./stage.mjs";

const FLAG = "--web.enable-lifecycle";
const CGROUP = `cgroup:/${top}/a.service`;
const url = process.env.PMU_PAGE_BARE; // the one without a history
makeCgroup("a.service");
before(() => counted(CGROUP));

scene("runs are looked at, and the page says how to be allowed to begin one", { hash: "#runs" },
  async (page) => {
    await appears(page, "main .note.empty", "No run is kept yet");
    const { id } = await send("POST", "runs", { title: "by the socket", target: CGROUP, interval_seconds: 0.1,
      events: ["page-faults"], duration_seconds: 0.5 });
    await until(async () => (await ask(`runs/${id}`)).state === "over", "its end");
    await page.goto(`${page_url}/#runs?show=${id}`);
    await appears(page, ".run-list bdi", "by the socket");
    await appears(page, ".plot canvas");
    await appears(page, "[aria-label=Summary] td");
    const words = await (await appears(page, "main .note", "not begun or changed")).textContent();
    assert.ok(words.includes(FLAG) && words.includes("pmutool runs start"), words);
    assert.equal(await page.locator("main form, main button").count(), 0);
    assert.equal(await page.getByRole("link", { name: /^Download by the socket/ }).count(), 2);
    await accessible(page);
    await screenshot(page, "runs-reader");
  });

scene("marks are looked at, and the page says how to be allowed to set one",
  { hash: `#time?target=${encodeURIComponent(CGROUP)}&from=-5m` }, async (page) => {
    await send("POST", "marks", { text: "by the socket" });
    await page.reload();
    const mark = await appears(page, ".time-marks tr", "by the socket");
    const words = await page.locator(".time-marks").textContent();
    assert.ok(words.includes(FLAG) && words.includes("pmutool mark"), words);
    assert.deepEqual(await mark.locator("button").allTextContents(), ["Before and after"]);
    assert.equal(await page.locator(".time-marks form").count(), 0);
    await appears(page, ".plot-frame .mark-text", "by the socket");
    await accessible(page);
  });

scene("the view Status says that nothing is changed from here", { hash: "#status" }, async (page) => {
  await appears(page, "dd", `not allowed: start the exporter with ${FLAG}`);
});

scene("without a history the view Now has the numbers of now", { url }, async (page) => {
  await appears(page, "table.grid tbody tr", "a.service");
  await until(() => page.locator("td.measure-0[data-value]").count(), "a number");
});

for (const view of ["time", "runs", "status"])
  scene(`without a history the view ${view} says so, and asks for none`, { url, hash: `#${view}` },
    async (page) => {
      const asked = [];
      page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      await page.reload();
      await appears(page, "main .note.empty", "This exporter keeps no history");
      assert.equal(await page.locator("main .note.error, main[aria-busy]").count(), 0);
      assert.deepEqual(asked.filter((path) => /v1\/(history|marks|runs)/.test(path)), []);
      await accessible(page);
    });
