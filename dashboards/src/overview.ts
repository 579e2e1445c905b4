// SPDX-License-Identifier: Apache-2.0

import { board, exporterStarts, marks } from "./board";
import * as measures from "./measures";
import { Count, Measure } from "./measures";
import { graph, number, table } from "./panels";
import { ofExportersSeen, quotient, rate, selector, sum, where } from "./promql";
import { busiest, changeOfEach, linkTo, Ranked, worst } from "./ranking";
import { levels } from "./thresholds";

const services: Ranked = {
  nouns: "Services",
  prefix: "pmu_cgroup_",
  label: "cgroup",
  title: "Cgroup",
  board: "pmu-service",
};

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

/** All hosts as one, and the ten that stand out. */
function byHost(measure: Measure, extreme: "topk" | "bottomk") {
  const which = extreme === "topk" ? "highest" : "lowest";
  return graph(
    { ...measure, description: `${measure.description} All hosts, and the ten ${which}.` },
    { expression: measure.of(fleet()), legend: "all hosts" },
    { expression: `${extreme}(10, ${measure.of(machines("instance"))})`, legend: "{{instance}}" },
  ).overrideByName("all hosts", [
    { id: "custom.lineWidth", value: 3 },
    { id: "color", value: { mode: "fixed", fixedColor: "text" } },
  ]);
}

const coverageText =
  "Time in which counters counted, as a share of the time in which they were wanted: 1 unless " +
  "groups had to share the PMU.";

/** An alert on a service is about all of its instances, and has no such label. */
const firing = 'ALERTS{job=~"$job", alertname=~"PMU.+", alertstate="firing"}';

const now = [
  number(
    {
      title: "Hosts up",
      description: "Chosen exporters that Prometheus could scrape the last time.",
      unit: "none",
      levels: levels.oneIsGood,
    },
    `sum(${ofExportersSeen(selector("up"))})`,
  ),
  number(
    { ...measures.cpusUsed, title: "CPUs used by services" },
    cpusUsed((series) => rate(series)),
  ),
  number(measures.instructionsPerCycle, measures.instructionsPerCycle.of(fleet())),
  number(
    {
      title: "Lowest coverage of a host",
      description: coverageText,
      unit: "percentunit",
      levels: levels.falling(0.9, 0.5),
    },
    `min(${coverage("instance")})`,
  ),
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
  number(
    {
      title: "Alerts",
      description: "Of the rules that come with pmu_exporter, where Prometheus has loaded them.",
      unit: "none",
      levels: levels.zeroIsGood,
    },
    `count(${firing})`,
  ),
];

const hosts = [
  byHost(measures.instructionsPerCycle, "bottomk"),
  graph(
    { ...measures.cpusUsed, description: `${measures.cpusUsed.description} The ten highest.` },
    { expression: `topk(10, ${cpusUsed((s) => rate(s), "instance")})`, legend: "{{instance}}" },
  ),
  graph(
    {
      title: "Coverage",
      description: `${coverageText} The ten lowest hosts and groups.`,
      unit: "percentunit",
      levels: levels.falling(0.9, 0.5),
    },
    {
      expression: `bottomk(10, ${coverage("instance", "group")})`,
      legend: "{{instance}} {{group}}",
    },
  ).max(1),
  byHost(measures.branchMissRatio, "topk"),
  byHost(measures.cacheMissRatio, "topk"),
  byHost(measures.cacheMissesPerKilo, "topk"),
  byHost(measures.contextSwitches, "topk"),
  byHost(measures.migrations, "topk"),
  byHost(measures.pageFaults, "topk"),
];

const alerts = table(
  {
    title: "Alerts that fire",
    description: "Of the rules that come with pmu_exporter, where Prometheus has loaded them.",
    unit: "none",
    levels: levels.zeroIsGood,
    height: 8,
    labels: {
      alertname: "Alert",
      severity: "Severity",
      instance: "Instance",
      cgroup: "Cgroup",
      groupname: "Group",
    },
  },
  {
    title: "Alerts",
    unit: "none",
    expression: `count by (alertname, severity, instance, cgroup, groupname) (${firing})`,
  },
);

export const overview = () =>
  board({
    uid: "pmu-overview",
    title: "Overview",
    description: "All hosts: how well they execute, what got worse, and which services to look at.",
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
        panels: [busiest(services), worst(services, "service"), alerts].map((panel) =>
          panel.overrideByName(services.title, linkTo(services, "Show this service"))),
      },
      { title: "Hosts", panels: hosts },
    ],
  });
