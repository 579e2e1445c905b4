// SPDX-License-Identifier: Apache-2.0
// The view Status: what /api/v1/status says, in words. Processes come and go all the time, so what is
// shown is compared with the answer that the page itself was given.

import assert from "node:assert/strict";
import { appears, makeCgroup, scene, screenshot, until } from "./stage.mjs";

const part = (page, title) => appears(page, `section[aria-label="${title}"]`);

/* Waits until the check passes for the answer that the page was given last. */
function shown(page, what, check) {
  let last = null;
  page.on("response", (response) => {
    if (response.url().endsWith("/api/v1/status")) last = response.json().catch(() => null);
  });
  return until(async () => {
    const answer = await last;
    assert.ok(answer, "the page has not been answered yet");
    await check(answer);
    return true;
  }, what);
}

scene("it shows what the exporter is and does", { hash: "#status" }, (page) =>
  shown(page, "the part Exporter", async ({ version, revision, mechanism, targets }) => {
    const facts = await (await part(page, "Exporter")).locator("dl").evaluate((list) =>
      Object.fromEntries([...list.querySelectorAll("dt")].map((word) =>
        [word.textContent, word.nextElementSibling.textContent])));
    assert.equal(facts.version, `${version} (${revision})`);
    assert.ok(facts["cgroups by"].startsWith(mechanism.cgroup.name), facts["cgroups by"]);
    for (const [kind, word] of [["system", "of the system"], ["cgroup", "cgroup"], ["process", "process"]])
      assert.match(facts["counted now"], new RegExp(`(^| )${targets[kind]} ${word}`));
  }));

scene("it shows each group with its coverage, and what is left out with the reason", { hash: "#status" },
  (page) => shown(page, "the parts Groups and Left out", async ({ groups, left_out: out }) => {
    const words = await (await part(page, "Groups")).textContent();
    assert.ok(groups.length > 0);
    for (const { group, events } of groups)
      for (const word of [group, ...events]) assert.ok(words.includes(word), word);
    const left = await part(page, "Left out"), text = await left.textContent();
    const reasons = await left.locator("[title]").evaluateAll((all) => all.map(({ title }) => title));
    for (const { what, reason } of out) {
      assert.ok(text.includes(what), what);
      assert.ok(reasons.includes(reason), reason);
    }
  }));

scene("it shows what it costs, where the history is, and the configuration in force", { hash: "#status" },
  (page) => shown(page, "the parts Cost, History and Configuration", async ({ config, history, profiles }) => {
    const cost = await (await part(page, "Cost")).textContent();
    assert.match(cost, /CPU time.*memory/);
    if (profiles.wanted) assert.match(cost, /CPU time of the reader.*programs and libraries/);
    const kept = await (await part(page, "History")).textContent();
    assert.ok(kept.includes(history.file), kept);
    const text = await (await part(page, "Configuration in force")).textContent();
    assert.ok(text.includes(config.file), text);
    assert.ok(text.includes(config.text.trim()), text);
  }));

scene("it shows whether stacks are sampled, how many, and what that takes", { hash: "#status" },
  async (page) => {
    await shown(page, "the part Profiles", async ({ profiles }) => {
      const text = (await (await part(page, "Profiles")).textContent()).replaceAll("\u202f", "");
      if (profiles.reason) assert.ok(text.includes(profiles.reason), text);
      else for (const words of [`rate${profiles.rate_hertz} samples a second`,
        `samples${profiles.samples}`, `${profiles.files.read} read`]) assert.ok(text.includes(words), text);
    });
    await screenshot(page, "status");
  });

scene("what has not changed stays as it is, so that it can be selected", { hash: "#status" },
  async (page) => {
    const titles = ["Configuration in force", "Cost"];
    for (const title of titles)
      await (await part(page, title)).evaluate((element) => { element.wasThere = true; });
    const stands = (title) => page.locator(`section[aria-label="${title}"]`)
      .evaluate((element) => element.wasThere === true);
    makeCgroup("comes.service");
    await until(async () => /[^\d]1 cgroup/.test(await (await part(page, "Exporter")).textContent()),
      "one cgroup more");
    assert.ok(!await stands("Cost"));
    assert.ok(await stands("Configuration in force"));
  });
