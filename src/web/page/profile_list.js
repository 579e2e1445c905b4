// SPDX-License-Identifier: Apache-2.0
// A profile as a list of its frames, each below its caller: what stands where this program was built
// without what draws flame graphs.

import { element, notice } from "./elements.js";
import { nodeWords } from "./profile_data.js";

const LISTED = 200;
const LEAST = 0.005; // of all samples

/** The frames that have most of the samples, in the order of a walk from the root. */
export function listed(profile, least = LEAST, most = LISTED) {
  const all = profile.weight(0);
  const rows = [];
  const visit = (i) => {
    if (rows.length >= most || profile.weight(i) < least * all) return;
    rows.push(i);
    [...profile.children[i]].sort((a, b) => profile.weight(b) - profile.weight(a)).forEach(visit);
  };
  visit(0);
  return rows;
}

export function frameList(profile, found) {
  const rows = listed(profile).filter((i) => !found || i === 0 || found.matched[i]);
  return element("div", {}, notice("empty", "This exporter was built without npm, and so without what " +
    "draws flame graphs: these are the frames with at least 0.5 % of the samples, below their callers."),
  element("ol", { class: "frame-list card", "aria-label": "Frames" }, rows.map((i) => {
    const { name, owner } = profile.functionOf(i);
    const line = element("li", { "aria-level": profile.depth[i] + 1 },
      element("bdi", { class: "flame-name" }, name), " ", element("bdi", { class: "quiet-text" }, owner),
      " ", element("span", { class: "flame-numbers" }, nodeWords(profile, i).join(" · ")));
    line.style.paddingInlineStart = `${12 + Math.min(profile.depth[i], 40) * 14}px`;
    return line;
  })));
}
