// SPDX-License-Identifier: Apache-2.0
// What the view Over time offers for a range that somebody has dragged over: the profile of it, and
// what is different from as much time before, of each target that has samples.

import { get } from "./api.js";
import { element, replace } from "./elements.js";
import { shortNames } from "./columns.js";
import { isLive, resolve, spanWords } from "./range.js";

export class ProfileOffer {
  constructor(stage) {
    this.stage = stage;
    this.root = element("div", { class: "profile-offer", hidden: true });
  }

  /** An exporter that samples nothing has nothing to offer, and is not asked again. */
  async show(targets, range, now) {
    const text = JSON.stringify([targets, range]);
    if (text === this.shown) return;
    this.shown = text;
    this.root.hidden = true;
    if (isLive(range)) return;
    const { start, end } = resolve(range, now);
    const sampled = await this.sampled();
    if (text !== this.shown) return;
    const some = targets.filter((target) => sampled.some((one) => one.target === target &&
      one.samples > 0 && one.first < end && one.last > start));
    const names = shortNames(some);
    const links = (more) => some.map((target, i) => [" ", this.link(target, names[i], start, end, more)]);
    replace(this.root, some.length === 0 ? null : [element("span", {}, "Profile of this range:",
      links({})), element("span", {}, `compared with the ${spanWords(end - start)} before:`,
      links({ before: "previous" }))]);
    this.root.hidden = some.length === 0;
  }

  async sampled() {
    if (this.refused) return [];
    try {
      return (await get("profile/targets", {}, this.stage.signal)).targets;
    } catch (error) {
      this.refused = error.status === 503 || error.status === 404;
      return [];
    }
  }

  link(target, name, start, end, more) {
    const address = this.stage.link("profile", { target, start: start.toFixed(1), end: end.toFixed(1),
      ...more });
    return element("a", { href: address, title: target, class: "file-link" }, element("bdi", {}, name));
  }
}
