// SPDX-License-Identifier: Apache-2.0

// Tables that rank what is counted, services or groups of processes, over all chosen hosts: who
// uses most, and who got worse.

import * as measures from "./measures";
import { Count, Measure } from "./measures";
import { links } from "./links";
import { table } from "./panels";
import { Ago, change, increase, selector, sum, where } from "./promql";
import { levels } from "./thresholds";

/** Cycles in a second below which something is too idle to be judged. */
const busy = "1e7";
const listed = 25;

/** What is ranked. */
export interface Ranked {
  nouns: string; // what titles call them
  prefix: string; // of their metrics
  label: string; // by which one is told from the others
  title: string; // of the label, as the head of a column
  board: string; // the dashboard that shows one of them
}

export const services: Ranked = {
  nouns: "Services",
  prefix: "pmu_cgroup_",
  label: "cgroup",
  title: "Cgroup",
  board: "pmu-service",
};

/** Counts of each over all hosts, in the time that is shown. */
export function overRange(ranked: Ranked, ago?: Ago): Count {
  const one = (event: string) => increase(selector(ranked.prefix + event), ago);
  return (event, other) => sum(where(one(event), other && one(other)), ranked.label);
}

/** The change of the instructions per cycle of each, without the idle ones. */
export function changeOfEach(ranked: Ranked, ago: Ago): string {
  const { of } = measures.instructionsPerCycle;
  const enough = `${overRange(ranked)("cycles_total")} / $__range_s > ${busy}`;
  return `${change(of(overRange(ranked)), of(overRange(ranked, ago)))} and on (${ranked.label}) (${enough})`;
}

/** Of those that used most cycles (where there is no PMU, most CPU time). */
function ofTheBusiest(ranked: Ranked, expression: string): string {
  const weight = ["cycles_total", "task_clock_seconds_total"]
    .map((event) => overRange(ranked)(event))
    .join(" or ");
  return `${expression} and on (${ranked.label}) topk(${listed}, ${weight})`;
}

function column(ranked: Ranked, measure: Measure, title: string) {
  const { unit, levels } = measure;
  return { title, unit, levels, expression: ofTheBusiest(ranked, measure.of(overRange(ranked))) };
}

function rateColumn(ranked: Ranked, event: string, title: string, unit: string) {
  const expression = ofTheBusiest(ranked, `${overRange(ranked)(event)} / $__range_s`);
  return { title, unit, expression };
}

/** A click on one opens it, with the time and the variables that are chosen here. */
export function linkTo(ranked: Ranked, title: string) {
  const { board, label } = ranked;
  return [links({ board, variable: label, title, keep: ["datasource", "job", "instance"] })];
}

export function busiest(ranked: Ranked) {
  return table(
    {
      title: `${ranked.nouns} by cycles`,
      description:
        `The ${listed} that used most cycles in the time shown, over all hosts; CPU time ranks ` +
        "those that have no cycles, behind the others. A click shows one.",
      unit: "none",
      levels: levels.none,
      labels: { [ranked.label]: ranked.title },
      sortBy: ["Cycles", "CPUs"],
    },
    rateColumn(ranked, "cycles_total", "Cycles", "hertz"),
    rateColumn(ranked, "task_clock_seconds_total", "CPUs", "none"),
    column(ranked, measures.instructionsPerCycle, "Instructions per cycle"),
    column(ranked, measures.branchMissesPerKilo, "Branch misses / 1000"),
    column(ranked, measures.switchesPerCpuSecond, "Switches / CPU second"),
    rateColumn(ranked, "page_faults_total", "Page faults", "cps"),
  );
}

export function worst(ranked: Ranked, each: string) {
  return table(
    {
      title: `${ranked.nouns} by the worst change of instructions per cycle`,
      description:
        `Each ${each} against itself, over the span of time that is shown, a day and a week ` +
        `before. Each column has its ${listed} worst; those below 10 million cycles a second are ` +
        "left out.",
      unit: "percentunit",
      levels: levels.falling(-0.1, -0.2),
      labels: { [ranked.label]: ranked.title },
      sortBy: ["-Against a week before"],
    },
    ...(["1d", "1w"] as Ago[]).map((ago) => ({
      title: `Against a ${ago === "1d" ? "day" : "week"} before`,
      unit: "percentunit",
      levels: levels.falling(-0.1, -0.2),
      expression: `bottomk(${listed}, ${changeOfEach(ranked, ago)})`,
    })),
  );
}
