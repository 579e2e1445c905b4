// SPDX-License-Identifier: Apache-2.0
// What runs of kind "schedule" have recorded, beside their plots: maps for each of them, with the
// plots' range and cursor, and tables where one run is shown.

import { element, keepChildren, replace } from "./elements.js";
import { ScheduleMap } from "./schedule_map.js";
import { scheduleTables } from "./schedule_tables.js";

export class RunSchedules {
  constructor(plots, signal) {
    this.plots = plots;
    this.signal = signal;
    this.maps = new Map(); // by the number of a run
    this.mapped = element("div", { class: "time-plots" });
    this.tables = element("div", {});
    this.root = element("div", { class: "schedule" }, this.mapped, this.tables);
  }

  /** Shows these runs; those that go on have nothing to show yet. */
  show(runs) {
    const recorded = runs.filter(({ schedule }) => schedule);
    const ids = recorded.map(({ id }) => id);
    for (const [id, map] of this.maps)
      if (!ids.includes(id)) {
        map.close();
        this.maps.delete(id);
      }
    for (const run of recorded)
      if (!this.maps.has(run.id))
        this.maps.set(run.id, new ScheduleMap(run, this.plots.wishes(), this.signal));
    const maps = ids.flatMap((id) => this.maps.get(id).all());
    keepChildren(this.mapped, maps.map(({ root }) => root));
    this.plots.beside = maps;
    this.showTables(runs.length === 1 ? recorded[0] : null);
  }

  /* What stands there already stays, so that nobody loses the place where he reads. */
  showTables(run) {
    if (this.told === (run?.id ?? null)) return;
    this.told = run?.id ?? null;
    replace(this.tables, run ? scheduleTables(run.schedule) : null);
  }

  close() {
    for (const map of this.maps.values()) map.close();
    this.maps.clear();
  }
}
