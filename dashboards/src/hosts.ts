// SPDX-License-Identifier: Apache-2.0

// What dashboards of many hosts have in common.

import { Face, graph, number } from "./panels";
import { ofExportersSeen, selector } from "./promql";
import { levels } from "./thresholds";

export const coverageText =
  "Time in which counters counted, as a share of the time in which they were wanted: 1 unless " +
  "groups had to share the PMU.";

export function hostsUp(series = selector) {
  return number(
    {
      title: "Hosts up",
      description: "Chosen exporters that Prometheus could scrape the last time.",
      unit: "none",
      levels: levels.oneIsGood,
    },
    `sum(${ofExportersSeen(series("up"), series)})`,
  );
}

export function lowestCoverage(coverage: string) {
  return number(
    {
      title: "Lowest coverage of a host",
      description: coverageText,
      unit: "percentunit",
      levels: levels.falling(0.9, 0.5),
    },
    `min(${coverage})`,
  );
}

/** The ten lowest hosts and groups. */
export function coverageByHost(coverage: string) {
  return graph(
    {
      title: "Coverage",
      description: `${coverageText} The ten lowest hosts and groups.`,
      unit: "percentunit",
      levels: levels.falling(0.9, 0.5),
    },
    { expression: `bottomk(10, ${coverage})`, legend: "{{instance}} {{group}}" },
  ).max(1);
}

/** All hosts as one, and the ten that stand out. */
export function allAndTen(face: Face, extreme: "topk" | "bottomk", all: string, each: string) {
  const which = extreme === "topk" ? "highest" : "lowest";
  return graph(
    { ...face, description: `${face.description} All hosts, and the ten ${which}.` },
    { expression: all, legend: "all hosts" },
    { expression: `${extreme}(10, ${each})`, legend: "{{instance}}" },
  ).overrideByName("all hosts", [
    { id: "custom.lineWidth", value: 3 },
    { id: "color", value: { mode: "fixed", fixedColor: "text" } },
  ]);
}
