// SPDX-License-Identifier: Apache-2.0
// A map of what a run has recorded: its time begins with the run.

import { element, replace } from "./elements.js";
import { HeatMap } from "./heatmap.js";
import { scaleTicks } from "./run_points.js";

export class RunHeatMap extends HeatMap {
  nameTimes() {
    const { start, end } = this.wishes.range();
    const { left, width } = this.area();
    replace(this.axis, scaleTicks(start, end, width / 90).map(({ v, label }) => {
      const name = element("span", {}, label);
      name.style.left = `${left + width * (v - start) / (end - start)}px`;
      return name;
    }));
  }
}
