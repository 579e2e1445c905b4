// SPDX-License-Identifier: Apache-2.0

import { alertsNow, alertsThatFire } from "./alerts";
import { board, exporterStarts, marks } from "./board";
import { allAndTen, coverageByHost, hostsUp, lowestCoverage } from "./hosts";
import * as measures from "./measures";
import { Count, Measure } from "./measures";
import { graph, number } from "./panels";
import { quotient, rate, selector, sum, where } from "./promql";
import { busiest, changeOfEach, linkTo, services, worst } from "./ranking";
import { levels } from "./thresholds";

/** Counts of whole machines, which have one series, or (by: cpu) one a CPU. */
function machines(...by: string[]): Count {
  const one = (prefix: string, event: string) => rate(selector(prefix + event));
  return (event, other) => {
    const [whole, perCpu] = ["pmu_machine_", "pmu_cpu_"].map((prefix) =>
      sum(where(one(prefix, event), other && one(prefix, other)), ...by));
    return `(${whole} or ${perCpu})`;
  };
}

/** The same of all machines together: each has its series in one of the two forms. */
function fleet(): Count {
  return (event, other) => `sum(${machines("instance")(event, other)})`;
}

/** CPU time of the cgroups that stand in no other, so that none counts twice. */
function cpusUsed(expression: (series: string) => string, ...by: string[]): string {
  const used = expression(selector("pmu_cgroup_task_clock_seconds_total"));
  const top = selector("pmu_cgroup_info", 'parent=""');
  return sum(`${used} * on (job, instance, cgroup) group_left () ${top}`, ...by);
}

function coverage(...by: string[]): string {
  const counted = (family: string) => sum(rate(selector(`pmu_cgroup_${family}`)), ...by);
  return quotient(counted("group_running_seconds_total"), counted("group_enabled_seconds_total"));
}

function byHost(measure: Measure, extreme: "topk" | "bottomk") {
  return allAndTen(measure, extreme, measure.of(fleet()), measure.of(machines("instance")));
}

const now = [
  hostsUp(),
  number(
    { ...measures.cpusUsed, title: "CPUs used by services" },
    cpusUsed((series) => rate(series)),
  ),
  number(measures.instructionsPerCycle, measures.instructionsPerCycle.of(fleet())),
  lowestCoverage(coverage("instance")),
  number(
    {
      title: "Worse than a week ago",
      description:
        "Services that have lost a fifth or more of their instructions per cycle against the " +
        "same time a week ago. Idle ones are left out.",
      unit: "none",
      levels: levels.zeroIsGood,
    },
    `count((${changeOfEach(services, "1w")}) < -0.2)`,
  ),
  alertsNow(),
];

const hosts = [
  byHost(measures.instructionsPerCycle, "bottomk"),
  graph(
    { ...measures.cpusUsed, description: `${measures.cpusUsed.description} The ten highest.` },
    { expression: `topk(10, ${cpusUsed((s) => rate(s), "instance")})`, legend: "{{instance}}" },
  ),
  coverageByHost(coverage("instance", "group")),
  byHost(measures.branchMissRatio, "topk"),
  byHost(measures.cacheMissRatio, "topk"),
  byHost(measures.cacheMissesPerKilo, "topk"),
  byHost(measures.contextSwitches, "topk"),
  byHost(measures.migrations, "topk"),
  byHost(measures.pageFaults, "topk"),
];

export const overview = () =>
  board({
    uid: "pmu-overview",
    title: "Overview",
    description:
      "All hosts: how well they execute, what got worse, and which services to look at. It reads the " +
      "series of each service on each host. With many hosts: Fleet, among the dashboards above.",
    tags: ["overview"],
    from: "now-6h",
    variables: [],
    annotations: [
      exporterStarts,
      marks(
        "Restart of a service",
        "orange",
        selector("pmu_cgroup_start_time_seconds"),
        "{{cgroup}} on {{instance}}",
      ).enable(false),
    ],
    rows: [
      { title: "Now", panels: now },
      {
        title: "Services, over the time shown",
        panels: [busiest(services), worst(services, "service"), alertsThatFire()].map((panel) =>
          panel.overrideByName(services.title, linkTo(services, "Show this service"))),
      },
      { title: "Hosts", panels: hosts },
    ],
  });
