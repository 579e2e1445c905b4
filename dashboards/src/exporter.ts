// SPDX-License-Identifier: Apache-2.0

import { board, exporterStarts } from "./board";
import { graph, labelsTable, Line, number, table } from "./panels";
import { increase, ofExporters, ofExportersSeen, quotient, rate, selector, sum } from "./promql";
import { Level, levels } from "./thresholds";

const own = (name: string, ...matchers: string[]) => selector(`pmu_exporter_${name}`, ...matchers);

/** A number of each exporter over time. */
function each(title: string, unit: string, steps: Level[], description: string, expression: string) {
  return graph({ title, unit, levels: steps, description }, { expression, legend: "{{instance}}" });
}

/** A number of all exporters together. */
function all(title: string, unit: string, steps: Level[], description: string, expression: string) {
  return number({ title, unit, levels: steps, description, width: 3 }, expression);
}

function lines(title: string, unit: string, steps: Level[], description: string, ...all: Line[]) {
  return graph({ title, unit, levels: steps, description }, ...all);
}

const dutyCycle = quotient(own("cycle_duration_seconds"), own("interval_seconds"));

const glance = [
  all("Exporters up", "none", levels.oneIsGood,
    "Chosen exporters that Prometheus could scrape the last time.",
    `sum(${ofExportersSeen(selector("up"))})`),
  all("Exporters down", "none", levels.zeroIsGood,
    "Those that it could not scrape, and could at some time of the time shown.",
    `sum(${ofExportersSeen(`(1 - ${selector("up")})`)})`),
  all("Targets counted", "none", levels.none,
    "Machines, CPUs, cgroups and groups of processes that are counted now.",
    `sum(${own("targets")})`),
  all("Targets left out", "none", levels.zeroIsGood,
    "Wanted, and not counted now or not as a whole. The table of reasons is below.",
    `sum(${own("targets_uncounted")})`),
  all("Events not counted", "none", levels.zeroIsBetter,
    "Configured events that at least one exporter cannot count. The table of reasons is below.",
    `count(count by (scope, event) (${own("event_supported")} == 0))`),
  all("Late cycles", "none", levels.zeroIsGood,
    "Readings that came an interval or more after their time, in the time shown.",
    sum(increase(own("cycles_late_total")))),
  all("Paused", "none", levels.zeroIsBetter,
    "Exporters that leave the hardware counters to others for a while.", `sum(${own("paused")})`),
  all("Bad configurations", "none", levels.zeroIsGood,
    "Exporters that refused the last configuration, and count by an older one.",
    `sum(1 - ${own("config_last_reload_successful")})`),
];

const cost = [
  each("CPU time", "percentunit", levels.rising(0.02, 0.1),
    "Share of one CPU that the exporter itself uses.",
    ofExporters(rate(selector("process_cpu_seconds_total")))),
  each("Memory", "bytes", levels.none, "Resident memory of the exporter.",
    ofExporters(selector("process_resident_memory_bytes"))),
  each("Descriptors", "percentunit", levels.rising(0.8, 0.95),
    "Open file descriptors as a share of the limit. Each event of each target on each CPU is one.",
    ofExporters(quotient(selector("process_open_fds"), selector("process_max_fds")))),
  each("Time to read all counters", "s", levels.none,
    "Duration of the last cycle: discover, open, read, derive, publish.",
    own("cycle_duration_seconds")),
  each("Share of the interval", "percentunit", levels.rising(0.2, 0.8),
    "That duration as a share of the configured interval: at 1 cycles come late.", dutyCycle),
  each("Open counters", "none", levels.none, "Perf events that are open: kernel memory, 1.6 kB each.",
    own("open_counters")),
  each("Scrape duration", "s", levels.rising(0.5, 2), "How long Prometheus waited for the page.",
    ofExporters(selector("scrape_duration_seconds"))),
  each("Series", "none", levels.none, "Samples on the page of each exporter.",
    ofExporters(selector("scrape_samples_scraped"))),
  each("Age of the numbers", "s", levels.rising(10, 60),
    "Age of the last reading when Prometheus scraped it.", own("snapshot_age_seconds")),
];

function coverage(scope: string): Line {
  const counted = (name: string) =>
    sum(rate(selector(`pmu_${scope}_group_${name}_seconds_total`)), "instance", "group");
  return {
    expression: `min by (group) (${quotient(counted("running"), counted("enabled"))})`,
    legend: `${scope} {{group}}, lowest instance`,
  };
}

const completeness = [
  lines("Coverage", "percentunit", levels.falling(0.9, 0.5),
    "Share of the time in which the counters of a group counted: 1 unless it shares the PMU.",
    coverage("cgroup"), coverage("process"), coverage("machine"), coverage("cpu")).max(1),
  lines("Targets by kind", "none", levels.none, "Targets that are counted now, as a whole.",
    { expression: sum(own("targets"), "kind"), legend: "{{kind}}" }),
  lines("Targets refused", "cps", levels.zeroIsGood, "Targets that were refused in a second.",
    { expression: sum(rate(own("targets_dropped_total")), "kind", "reason"),
      legend: "{{kind}} {{reason}}" }),
  each("Share of late cycles", "percentunit", levels.zeroIsGood,
    "Share of the cycles that began an interval or more after their time.",
    quotient(rate(own("cycles_late_total")), rate(own("cycles_total")))),
  each("Counters reopened", "cps", levels.zeroIsGood,
    "Groups of counters that could not be read and were opened again, in a second.",
    rate(own("counters_reopened_total"))),
  lines("Hardware counters of a CPU", "none", levels.none,
    "Found free at the start, ours to use, and used at most at once: the lowest instance.",
    { expression: `min by (state) (${own("pmu_counters")})`, legend: "{{state}}" }),
];

const face = { unit: "none", levels: levels.none, width: 12, height: 8 };

const reasons = [
  table(
    {
      ...face,
      title: "Targets that are left out",
      description: "Wanted, and not counted now or not as a whole, by reason.",
      levels: levels.zeroIsGood,
      labels: { instance: "Instance", kind: "Kind", reason: "Reason" },
      sortBy: ["Targets"],
    },
    {
      title: "Targets",
      unit: "none",
      levels: levels.zeroIsGood,
      expression: sum(own("targets_uncounted"), "instance", "kind", "reason"),
    },
  ),
  table(
    {
      ...face,
      title: "Events that are not counted",
      description:
        "Configured events that an exporter cannot count: no_pmu is a machine without hardware " +
        "counters, as most virtual ones are.",
      labels: { scope: "Scope", event: "Event", group: "Group", pmu: "PMU", reason: "Reason" },
      sortBy: ["Instances"],
    },
    {
      title: "Instances",
      unit: "none",
      expression: `count by (scope, event, group, pmu, reason) (${own("event_supported")} == 0)`,
    },
  ),
  labelsTable(
    {
      ...face,
      title: "How targets are counted",
      description: "The mechanism, and why it was taken.",
      labels: { instance: "Instance", scope: "Scope", mechanism: "Mechanism", reason: "Reason" },
    },
    own("mechanism_info"),
  ),
  table(
    {
      ...face,
      title: "Versions and configurations",
      description:
        "What runs where, and whether the last configuration that it read was good: 0 means that " +
        "an older one is still in force.",
      labels: { instance: "Instance", version: "Version", revision: "Revision" },
    },
    {
      title: "Good configuration",
      unit: "none",
      levels: levels.oneIsGood,
      expression:
        `${own("config_last_reload_successful")} * on (job, instance) ` +
        `group_left (version, revision) ${own("build_info")}`,
    },
  ),
];

export const exporter = () =>
  board({
    uid: "pmu-exporter",
    title: "Exporter",
    description: "What counting costs, and what is missing in it, with the reasons.",
    tags: ["exporter"],
    from: "now-6h",
    variables: [],
    annotations: [exporterStarts],
    rows: [
      { title: "At a glance", panels: glance },
      { title: "What is left out, and why", panels: reasons },
      { title: "Completeness", panels: completeness },
      { title: "Cost", panels: cost },
    ],
  });
