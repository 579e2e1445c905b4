// SPDX-License-Identifier: Apache-2.0
//
// Requests to block devices, or exits of guests, over time: a row for each device and operation, or
// for each vCPU and reason. The more of them there were at a time, the stronger a cell; where there
// was a short one, it is seen too.

import { bytes, count, duration, percent } from "./format.js";
import { RunHeatMap } from "./run_heatmap.js";
import { instantWords, laneCells, laneName, mostOf } from "./schedule_threads.js";

const FAINTEST = 0.3; // of a cell in which there was anything
const TOLD = 3; // rows in a line

class Lanes extends RunHeatMap {
  constructor(run, what, wishes) {
    super({ name: run.title, title: what.title, label: what.title, unit: what.unit,
      attributes: { [what.attribute]: run.id } }, wishes);
    this.run = run;
    this.lanes = [];
    this.greatest = 0;
  }

  /** map: the answer of runs/{id}/map; lanes: its requests, or its exits. */
  showLanes(map, lanes) {
    this.lanes = lanes;
    this.greatest = mostOf(lanes);
    this.show(laneCells(map, lanes));
  }

  shareOf({ share }) {
    return this.greatest > 0 ? Math.max(share / this.greatest, FAINTEST) : FAINTEST;
  }

  rowNames(tall) {
    const each = Math.ceil(14 / tall);
    return this.lanes.flatMap((lane, row) => (row % each ? []
      : [{ text: laneName(lane), top: row * tall + tall / 2 - 7 }]));
  }

  cellWords(row, i) {
    const cell = this.data.values[row][i];
    return cell ? `${laneName(this.lanes[row])}: ${this.amount(cell)}` : null;
  }

  tell(i) {
    const rows = this.row === null ? this.lanes.map((_, row) => row) : [this.row];
    const told = rows.map((row) => this.cellWords(row, i)).filter(Boolean).slice(0, TOLD);
    return `${instantWords(this.beginOf(i))}  ${told.length > 0 ? told.join(", ") : "none"}`;
  }
}

/** Of a run whose record has requests. */
export class RequestLanes extends Lanes {
  constructor(run, wishes) {
    super(run, { title: "Requests to block devices", unit: "at a time",
      attribute: "data-requests" }, wishes);
  }

  scaleWords() {
    return ["0", this.greatest > 0 ? Number(this.greatest.toPrecision(2)).toString() : ""];
  }

  summaryWords() {
    if (!this.run) return ""; // it is being made
    const { count: n, bytes: all, errors } = this.run.schedule.requests;
    return `${count(n)} requests, ${bytes(all)}${errors > 0 ? `, ${count(errors)} failed` : ""}`;
  }

  amount({ count: n, share }) {
    return `${count(n)} completed, ${Number(share.toPrecision(2))} at a time`;
  }
}

/** Of a run whose record has exits. */
export class ExitLanes extends Lanes {
  constructor(run, wishes) {
    super(run, { title: "Exits of guests", unit: "% of the time outside",
      attribute: "data-exits" }, wishes);
  }

  scaleWords() {
    return ["0 %", this.greatest > 0 ? percent(this.greatest) : ""];
  }

  summaryWords() {
    if (!this.run) return "";
    const { count: n, seconds } = this.run.schedule.exits;
    return `${count(n)} exits, outside for ${duration(seconds)} in all`;
  }

  amount({ count: n, share }) {
    return `${count(n)} exits, ${percent(share)} of the time`;
  }
}
