// SPDX-License-Identifier: Apache-2.0

import { board, exporterStarts } from "./board";
import * as measures from "./measures";
import { Count, Measure } from "./measures";
import { graph, rows } from "./panels";
import { rate, selector, sum, where } from "./promql";
import { levels } from "./thresholds";
import { labelVariable, several } from "./variables";

const counted = (event: string) => rate(selector(`pmu_cpu_${event}`));
const onePerCpu: Count = (event, other) => where(counted(event), other && counted(other));

/** With the labels of where a CPU sits. */
function placed(expression: string, ...labels: string[]): string {
  const info = selector("pmu_cpu_info");
  return `${expression} * on (job, instance, cpu) group_left (${labels.join(", ")}) ${info}`;
}

function perPlace(label: string): Count {
  return (event, other) => sum(placed(onePerCpu(event, other), label), "instance", label);
}

/** A row for each CPU; those of one core stand together, and so do cores of one socket. */
function map(measure: Measure) {
  const where = placed(measure.of(onePerCpu), "node", "socket", "core");
  const labels = ["node", "socket", "core", "cpu"].map((label) => `"${label}"`).join(", ");
  const panel = rows(
    {
      ...measure,
      title: `${measure.title}, $instance`,
      description: `${measure.description} A row a CPU, named node/socket/core/CPU.`,
    },
    { expression: `label_join(${where}, "at", "/", ${labels})`, legend: "{{at}}" },
  );
  return panel.repeat("instance").repeatDirection("v").span(24).height(9);
}

const cycles: Measure = {
  title: "Cycles",
  unit: "hertz",
  description: "Cycles in a second, idle time included: dark is idle, or slowed down.",
  levels: levels.none,
  of: (count) => count("cycles_total"),
};

const places: [string, string][] = [
  ["socket", "socket"],
  ["node", "memory node"],
];

function perPlaces(...shown: Measure[]) {
  return shown.flatMap((measure) =>
    places.map(([label, name]) =>
      graph(
        { ...measure, title: `${measure.title} by ${name}`, width: 12 },
        { expression: measure.of(perPlace(label)), legend: `{{instance}} ${name} {{${label}}}` },
      )),
  );
}

/** What is counted outside of cores has no list here: the names are those of the machine. */
function beyondCores(variable: string, title: string, unit: string, description: string) {
  const series = selector(`{__name__="$${variable}"}`);
  return graph(
    { title, unit, description, levels: levels.none, width: 12 },
    {
      expression: sum(rate(series), "instance", "pmu", "socket"),
      legend: "{{instance}} socket {{socket}} {{pmu}}",
    },
  ).repeat(variable).repeatDirection("h");
}

function namesLike(name: string, label: string, matchers: string) {
  return several(labelVariable(name, label, selector(`{${matchers}}`), "__name__"));
}

/** What is no count of an event has panels of its own, or none. */
const uncoreEvents =
  '__name__=~"pmu_uncore_.+_total", ' +
  '__name__!~"pmu_uncore_(group_(enabled|running)_seconds|.+_joules)_total"';
const energies = '__name__=~"pmu_uncore_.+_joules_total"';

export const cpus = () =>
  board({
    uid: "pmu-cpus",
    title: "CPUs",
    description:
      "Every CPU of the chosen hosts, side by side: which cores work, and how well. It needs the " +
      "system counted `by: cpu`.",
    tags: ["cpus"],
    from: "now-1h",
    variables: [
      namesLike("uncore", "Uncore", uncoreEvents),
      namesLike("energy", "Energy", energies),
    ],
    annotations: [exporterStarts],
    rows: [
      { title: "Cycles", panels: [map(cycles)] },
      { title: "Instructions per cycle", panels: [map(measures.instructionsPerCycle)] },
      { title: "Context switches", panels: [map(measures.contextSwitches)] },
      { title: "Migrations", panels: [map(measures.migrations)] },
      {
        title: "Sockets and memory nodes",
        panels: perPlaces(cycles, measures.instructionsPerCycle, measures.contextSwitches,
          measures.migrations),
      },
      {
        title: "Uncore and energy, where counted",
        panels: [
          beyondCores("uncore", "$uncore", "cps",
            "An event of a PMU outside of cores, such as a memory controller, in a second."),
          beyondCores("energy", "$energy", "watt",
            "Energy that a part of the machine used in a second: its power."),
        ],
      },
    ],
  });
