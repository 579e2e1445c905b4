// SPDX-License-Identifier: Apache-2.0

import { board, exporterStarts, marks } from "./board";
import * as measures from "./measures";
import { Count, Measure } from "./measures";
import { graph, number, table } from "./panels";
import {
  Ago,
  change,
  increase,
  ofExportersSeen,
  quotient,
  rate,
  selector,
  sum,
  where,
} from "./promql";
import { levels } from "./thresholds";

/** Cycles in a second below which a service is too idle to be judged. */
const busy = "1e7";
const listed = 25;

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

/** Counts of each service over all hosts, in the time that is shown. */
function services(ago?: Ago): Count {
  const one = (event: string) => increase(selector(`pmu_cgroup_${event}`), ago);
  return (event, other) => sum(where(one(event), other && one(other)), "cgroup");
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

function changeOfService(ago: Ago): string {
  const { of } = measures.instructionsPerCycle;
  const enough = `${services()("cycles_total")} / $__range_s > ${busy}`;
  return `${change(of(services()), of(services(ago)))} and on (cgroup) (${enough})`;
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
    `count((${changeOfService("1w")}) < -0.2)`,
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

/** Of the services that used most cycles (where there is no PMU, most CPU time). */
function ofTheBusiest(expression: string): string {
  const weight = ["cycles_total", "task_clock_seconds_total"].map((event) => services()(event)).join(" or ");
  return `${expression} and on (cgroup) topk(${listed}, ${weight})`;
}

function column(measure: Measure, title: string) {
  const { unit, levels } = measure;
  return { title, unit, levels, expression: ofTheBusiest(measure.of(services())) };
}

function rateColumn(event: string, title: string, unit: string) {
  const expression = ofTheBusiest(`${services()(event)} / $__range_s`);
  return { title, unit, expression };
}

const busiest = table(
  {
    title: "Services by cycles",
    description:
      `The ${listed} that used most cycles in the time shown, over all hosts; CPU time ranks ` +
      "those that have no cycles, behind the others. A click shows one.",
    unit: "none",
    levels: levels.none,
    labels: { cgroup: "Cgroup" },
    sortBy: ["Cycles", "CPUs"],
  },
  rateColumn("cycles_total", "Cycles", "hertz"),
  rateColumn("task_clock_seconds_total", "CPUs", "none"),
  column(measures.instructionsPerCycle, "Instructions per cycle"),
  column(measures.branchMissesPerKilo, "Branch misses / 1000"),
  column(measures.switchesPerCpuSecond, "Switches / CPU second"),
  rateColumn("page_faults_total", "Page faults", "cps"),
);

const worst = table(
  {
    title: "Services by the worst change of instructions per cycle",
    description:
      "Each service against itself, over the span of time that is shown, a day and a week " +
      `before. Each column has its ${listed} worst; those below 10 million cycles a second are ` +
      "left out.",
    unit: "percentunit",
    levels: levels.falling(-0.1, -0.2),
    labels: { cgroup: "Cgroup" },
    sortBy: ["-Against a week before"],
  },
  {
    title: "Against a day before",
    unit: "percentunit",
    levels: levels.falling(-0.1, -0.2),
    expression: `bottomk(${listed}, ${changeOfService("1d")})`,
  },
  {
    title: "Against a week before",
    unit: "percentunit",
    levels: levels.falling(-0.1, -0.2),
    expression: `bottomk(${listed}, ${changeOfService("1w")})`,
  },
);

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

/** A click on a cgroup opens it, with the time and the variables that are chosen here. */
const toService = [
  {
    id: "links",
    value: [
      {
        title: "Show this service",
        url:
          "/d/pmu-service?var-cgroup=${__value.raw:percentencode}" +
          "&${datasource:queryparam}&${job:queryparam}&${instance:queryparam}&${__url_time_range}",
      },
    ],
  },
];

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
        panels: [busiest, worst, alerts].map((panel) => panel.overrideByName("Cgroup", toService)),
      },
      { title: "Hosts", panels: hosts },
    ],
  });
