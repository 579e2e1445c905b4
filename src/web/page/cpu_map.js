// SPDX-License-Identifier: Apache-2.0
//
// CPUs over time: a row for each CPU, and the colour is how much of its time a target had.

import { percent } from "./format.js";
import { HeatMap } from "./heatmap.js";
import { timeWords } from "./ticks.js";

const SCALES = [0.02, 0.05, 0.1, 0.2, 0.5, 1];

/** The share that has the strongest colour: a round number that is not exceeded. */
export function scaleFor(values) {
  let most = 0;
  for (const row of values) for (const value of row) if (value > most) most = value;
  return SCALES.find((scale) => most <= scale) ?? 1;
}

/** What the map shows in a line: on how many CPUs, and how much of it on the busiest. */
export function locality(cpus, values) {
  const sums = values.map((row) => row.reduce((sum, value) => sum + (value ?? 0), 0));
  const all = sums.reduce((sum, each) => sum + each, 0);
  if (all === 0) return "It did not run in this range.";
  const busiest = sums.indexOf(Math.max(...sums));
  const used = sums.filter((each) => each > all * 1e-4).length;
  return `Ran on ${used} of ${cpus.length} CPUs; CPU ${cpus[busiest]} had ` +
    `${percent(sums[busiest] / all)} of it.`;
}

export class CpuMap extends HeatMap {
  constructor(target, name, wishes) {
    super({ name, title: "CPUs", label: "CPUs over time", unit: "% of each CPU’s time",
      attributes: { "data-target": target } }, wishes);
  }

  /** data: what /api/v1/history/cpus answers, or null. */
  show(data) {
    this.cpus = data?.cpus ?? [];
    this.scale = scaleFor(data?.values ?? []);
    super.show(data);
  }

  shareOf(value) {
    return value / this.scale;
  }

  scaleWords() {
    return ["0 %", percent(this.scale)];
  }

  summaryWords() {
    return locality(this.cpus, this.data.values);
  }

  rowNames(tall) {
    const each = Math.ceil(12 / tall);
    return this.cpus.flatMap((cpu, row) => (row % each ? []
      : [{ text: `CPU ${cpu}`, top: row * tall + Math.min(tall, 14) / 2 - 7 }]));
  }

  tell(i) {
    const { times, values } = this.data;
    const rows = this.row === null ? this.cpus.map((_, row) => row) : [this.row];
    const shown = rows.filter((row) => values[row][i] !== null)
      .sort((a, b) => values[b][i] - values[a][i]).slice(0, 4)
      .map((row) => `CPU ${this.cpus[row]}: ${percent(values[row][i])}`);
    return `${timeWords(times[i], 0)}  ${shown.join(", ") || "nothing known"}`;
  }
}
