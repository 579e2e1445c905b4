// SPDX-License-Identifier: Apache-2.0

// What is shown of one target, a service or a group of processes, over all chosen hosts: every
// measure with the same time a day and a week before behind it.

import { Row } from "./board";
import * as measures from "./measures";
import { Count, Measure } from "./measures";
import { distribution, graph, Line, number } from "./panels";
import { Ago, change, increase, quotient, rate, selector, sum, where } from "./promql";
import { levels } from "./thresholds";

export interface Target {
  noun: string; // what a sentence calls it
  prefix: string; // of its metrics
  matcher: string; // which one
  births: string; // the metric that every one of them has
}

/** Counts of the target: per second, summed over all but some labels. */
function perSecond(target: Target, ago?: Ago, ...by: string[]): Count {
  const one = (event: string) => rate(selector(target.prefix + event, target.matcher), ago);
  return (event, other) => sum(where(one(event), other && one(other)), ...by);
}

/** Counts over the time that is shown. */
function overRange(target: Target, ago?: Ago): Count {
  const one = (event: string) => increase(selector(target.prefix + event, target.matcher), ago);
  return (event, other) => sum(where(one(event), other && one(other)));
}

const past: [Ago, string, string][] = [
  ["1d", "a day before", "semi-dark-blue"],
  ["1w", "a week before", "semi-dark-purple"],
];

/** A measure over time, and behind it what it was a day and a week before. */
function overlay(target: Target, measure: Measure, width: number) {
  const lines: Line[] = [
    { expression: measure.of(perSecond(target)), legend: "now" },
    ...past.map(([ago, legend]) => ({ expression: measure.of(perSecond(target, ago)), legend })),
  ];
  const panel = graph({ ...measure, width }, ...lines);
  for (const [, legend, color] of past) {
    panel.overrideByName(legend, [
      { id: "color", value: { mode: "fixed", fixedColor: color } },
      { id: "custom.lineStyle", value: { fill: "dash", dash: [6, 4] } },
      { id: "custom.fillOpacity", value: 0 },
    ]);
  }
  return panel;
}

function overlays(target: Target, width: number, ...shown: Measure[]) {
  return shown.map((measure) => overlay(target, measure, width));
}

function changeOfInstructionsPerCycle(target: Target, ago: Ago, when: string) {
  const { of } = measures.instructionsPerCycle;
  return number(
    {
      title: `Against ${when}`,
      description:
        "Change of the instructions per cycle against the same span of time " +
        `${when} before: -20 % is a fifth less done in each cycle.`,
      unit: "percentunit",
      levels: levels.falling(-0.1, -0.2),
    },
    change(of(overRange(target)), of(overRange(target, ago))),
  );
}

function coverageOf(count: Count): string {
  return quotient(count("group_running_seconds_total"), count("group_enabled_seconds_total"));
}

const coverageFace = {
  title: "Coverage",
  description:
    "Share of its run time in which the counters counted: 1 unless a group had to share the " +
    "PMU with others. What was counted is scaled up by it; below 0.5 trust no short spike.",
  unit: "percentunit",
  levels: levels.falling(0.9, 0.5),
};

function glance(target: Target): Row {
  const total = overRange(target);
  const { instructionsPerCycle, switchesPerCpuSecond } = measures;
  return {
    title: "At a glance, over the time shown",
    panels: [
      number(instructionsPerCycle, instructionsPerCycle.of(total)),
      changeOfInstructionsPerCycle(target, "1d", "a day"),
      changeOfInstructionsPerCycle(target, "1w", "a week"),
      number(
        { ...measures.cpusUsed, title: "CPUs used", levels: levels.none },
        `${total("task_clock_seconds_total")} / $__range_s`,
      ),
      number({ ...switchesPerCpuSecond, title: "Switches in a CPU second" },
        switchesPerCpuSecond.of(total)),
      number(
        {
          title: "Hosts",
          description: `Chosen instances on which this ${target.noun} is counted.`,
          unit: "none",
          levels: levels.none,
        },
        `count(count by (instance) (${selector(target.births, target.matcher)}))`,
      ),
    ],
  };
}

function instructionsPerCycleByInstance(target: Target): string {
  return measures.instructionsPerCycle.of(perSecond(target, undefined, "instance"));
}

function execution(target: Target): Row {
  const { instructionsPerCycle, cpusUsed, clockFrequency } = measures;
  const byInstance = instructionsPerCycleByInstance(target);
  return {
    title: "Execution",
    panels: [
      ...overlays(target, 8, instructionsPerCycle, cpusUsed, clockFrequency),
      distribution(
        {
          title: "Instructions per cycle over instances",
          description:
            "How many of the chosen instances have which value: one band is a fleet that " +
            "behaves alike, a second one are hosts to look at.",
          unit: "none",
          levels: levels.none,
        },
        { expression: byInstance, legend: "{{instance}}" },
      ),
      graph(
        {
          ...instructionsPerCycle,
          title: "The five instances with the least instructions per cycle",
          width: 12,
        },
        { expression: `bottomk(5, ${byInstance})`, legend: "{{instance}}" },
      ),
    ],
  };
}

function waiting(target: Target): Row[] {
  return [
    {
      title: "Branches",
      panels: overlays(target, 12, measures.branchMissRatio, measures.branchMissesPerKilo),
    },
    {
      title: "Cache and TLB",
      panels: [
        ...overlays(target, 12, measures.cacheMissRatio, measures.cacheMissesPerKilo),
        ...overlays(target, 8, measures.l1dMissesPerKilo, measures.llcMissesPerKilo,
          measures.dtlbMissesPerKilo),
      ],
    },
    {
      title: "Stalls",
      panels: overlays(target, 12, measures.frontendStalls, measures.backendStalls),
    },
    {
      title: "Scheduler and memory",
      panels: overlays(target, 6, measures.contextSwitches, measures.switchesPerCpuSecond,
        measures.migrations, measures.pageFaults),
    },
  ];
}

/** Coverage of each group, the worst instance of each. */
export function coverage(target: Target) {
  const byGroup = coverageOf(perSecond(target, undefined, "instance", "group"));
  return graph(
    { ...coverageFace, width: 12 },
    { expression: `min by (group) (${byGroup})`, legend: "{{group}}, lowest instance" },
  ).max(1);
}

export function rowsOf(target: Target): Row[] {
  return [glance(target), execution(target), ...waiting(target)];
}
