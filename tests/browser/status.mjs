// SPDX-License-Identifier: Apache-2.0
// The view Status: what /api/v1/status says, in words.

import assert from "node:assert/strict";
import { appears, ask, scene } from "./stage.mjs";

const part = (page, title) => appears(page, `section[aria-label="${title}"]`);

scene("it shows what the exporter is and does", { hash: "#status" }, async (page) => {
  const { version, revision, mechanism, targets } = await ask("status");
  const text = await (await part(page, "Exporter")).textContent();
  assert.ok(text.includes(`${version} (${revision})`), text);
  assert.ok(text.includes(mechanism.cgroup.name), text);
  assert.match(text, new RegExp(`[^\\d]${targets.process} process(es)?[^\\w]`));
});

scene("it shows each group with its coverage, and what is left out with the reason", { hash: "#status" },
  async (page) => {
    const { groups, left_out: out } = await ask("status");
    const shown = await (await part(page, "Groups")).textContent();
    assert.ok(groups.length > 0);
    for (const { group, events } of groups)
      for (const word of [group, ...events]) assert.ok(shown.includes(word), word);
    const left = await part(page, "Left out"), words = await left.textContent();
    for (const { what, reason } of out) {
      assert.ok(words.includes(what), what);
      assert.ok(await left.locator(`[title="${reason}"]`).count() > 0, reason);
    }
  });

scene("it shows what it costs, where the history is, and the configuration in force", { hash: "#status" },
  async (page) => {
    const { config, history } = await ask("status");
    assert.match(await (await part(page, "Cost")).textContent(), /CPU time.*memory/);
    const kept = await (await part(page, "History")).textContent();
    assert.ok(kept.includes(history?.file ?? (history ? "memory" : "no history")), kept);
    const text = await (await part(page, "Configuration in force")).textContent();
    assert.ok(text.includes(config.file), text);
    if (config.text) assert.ok(text.includes(config.text.trim()));
  });
