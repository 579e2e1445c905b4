// SPDX-License-Identifier: Apache-2.0
//
// The live feed of the view "Over time": one for the targets that are shown, with the snapshots that
// it told last, since an answer of the history may be older than they are.

import { Feed } from "./api.js";

const RECENT = 10; // snapshots

export class LiveTargets {
  /** heard(snapshot, missed): a cycle, and whether there were others before it of which it did not tell. */
  constructor(heard, report) {
    this.heard = heard;
    this.report = report;
    this.recent = [];
    this.followed = null;
  }

  /** Follows these targets, and nobody if there are none. */
  follow(targets) {
    const wanted = targets.join("\n");
    if (this.followed === wanted) return;
    this.close();
    this.followed = wanted;
    this.sequence = null;
    this.recent = [];
    if (wanted)
      this.feed = new Feed("live", { target: targets }, { snapshot: (snapshot) => this.take(snapshot) },
        this.report);
    else this.report("idle", "");
  }

  take(snapshot) {
    const missed = this.sequence !== null && snapshot.sequence > this.sequence + 1;
    if (snapshot.stale || !snapshot.tables) return;
    this.sequence = snapshot.sequence;
    this.recent = [...this.recent.slice(1 - RECENT), snapshot];
    this.heard(snapshot, missed);
  }

  close() {
    this.feed?.close();
    this.feed = null;
  }
}
