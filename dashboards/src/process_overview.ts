// SPDX-License-Identifier: Apache-2.0

import { board, exporterStarts, marks } from "./board";
import * as measures from "./measures";
import { Count, Measure } from "./measures";
import { graph, number } from "./panels";
import { rate, selector, sum, where } from "./promql";
import { busiest, changeOfEach, linkTo, Ranked, worst } from "./ranking";
import { levels } from "./thresholds";

const groups: Ranked = {
  nouns: "Groups",
  prefix: "pmu_process_",
  label: "groupname",
  title: "Group",
  board: "pmu-process-groups",
};

/** Counts a second, of each group or of all together. */
function perSecond(...by: string[]): Count {
  const one = (event: string) => rate(selector(groups.prefix + event));
  return (event, other) => sum(where(one(event), other && one(other)), ...by);
}

const { instructionsPerCycle, cpusUsed } = measures;

const now = [
  number(
    {
      title: "Groups",
      description: "Names of groups of processes that are counted on the chosen hosts.",
      unit: "none",
      levels: levels.none,
    },
    `count(count by (groupname) (${selector("pmu_process_members")}))`,
  ),
  number(
    {
      title: "Processes in them",
      description: "Processes that are members of a group now, over the chosen hosts.",
      unit: "none",
      levels: levels.none,
    },
    `sum(${selector("pmu_process_members")})`,
  ),
  number({ ...cpusUsed, title: "CPUs used by groups" }, perSecond()("task_clock_seconds_total")),
  number(instructionsPerCycle, instructionsPerCycle.of(perSecond())),
  number(
    {
      title: "Worse than a week ago",
      description:
        "Groups that have lost a fifth or more of their instructions per cycle against the same " +
        "time a week ago. Idle ones are left out.",
      unit: "none",
      levels: levels.zeroIsGood,
      width: 8,
    },
    `count((${changeOfEach(groups, "1w")}) < -0.2)`,
  ),
];

/** The ten groups that stand out. */
function byGroup(measure: Measure, extreme: "topk" | "bottomk") {
  const which = extreme === "topk" ? "highest" : "lowest";
  return graph(
    { ...measure, description: `${measure.description} The ten ${which}.` },
    { expression: `${extreme}(10, ${measure.of(perSecond("groupname"))})`, legend: "{{groupname}}" },
  );
}

export const processOverview = () =>
  board({
    uid: "pmu-process-overview",
    title: "Process overview",
    description:
      "All groups of processes, as the rules of the configuration make them, over all chosen " +
      "hosts: which use most, which got worse, and which to look at.",
    tags: ["processes"],
    from: "now-6h",
    variables: [],
    annotations: [
      exporterStarts,
      marks(
        "Restart of a group",
        "orange",
        selector("pmu_process_start_time_seconds"),
        "{{groupname}} on {{instance}}",
      ).enable(false),
    ],
    rows: [
      { title: "Now", panels: now },
      {
        title: "Groups, over the time shown",
        panels: [busiest(groups), worst(groups, "group")].map((panel) =>
          panel.overrideByName(groups.title, linkTo(groups, "Show this group"))),
      },
      {
        title: "Over time",
        panels: [
          byGroup(cpusUsed, "topk"),
          byGroup(instructionsPerCycle, "bottomk"),
          byGroup(measures.branchMissRatio, "topk"),
          byGroup(measures.cacheMissesPerKilo, "topk"),
          byGroup(measures.contextSwitches, "topk"),
          byGroup(measures.pageFaults, "topk"),
        ],
      },
    ],
  });
