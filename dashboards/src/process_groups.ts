// SPDX-License-Identifier: Apache-2.0

import { board, exporterStarts, marks } from "./board";
import { throughput } from "./block_io";
import { Scope, blockIo, offCpu, onCpu, runQueue } from "./distributions";
import { map, quantiles } from "./latency_panels";
import { graph } from "./panels";
import { selector } from "./promql";
import { coverage, rowsOf, Target } from "./targets";
import { levels } from "./thresholds";
import { labelVariable } from "./variables";

const target: Target = {
  noun: "group of processes",
  prefix: "pmu_process_",
  matcher: 'groupname="$groupname"',
  births: "pmu_process_members",
};

const group: Scope = {
  noun: "group of processes",
  prefix: target.prefix,
  matchers: [target.matcher],
};

const latencies = [
  map(group, runQueue),
  quantiles(group, runQueue),
  quantiles(group, onCpu),
  quantiles(group, offCpu),
  map(group, blockIo, "read"),
  map(group, blockIo, "write"),
  quantiles(group, blockIo),
  throughput(group),
];

const members = graph(
  {
    title: "Members",
    description: "Processes that are in the group now, by instance.",
    unit: "none",
    levels: levels.none,
    width: 12,
  },
  {
    expression: `sum by (instance) (${selector("pmu_process_members", target.matcher)})`,
    legend: "{{instance}}",
  },
);

export const processGroups = () =>
  board({
    uid: "pmu-process-groups",
    title: "Process groups",
    description:
      "One group of processes, as the rules of the configuration make them, on all chosen hosts: " +
      "does it execute as well as yesterday, and what does it wait for?",
    tags: ["processes"],
    from: "now-6h",
    variables: [labelVariable("groupname", "Group", selector(target.births))],
    annotations: [
      marks(
        "Restart or deploy",
        "orange",
        selector("pmu_process_start_time_seconds", target.matcher),
        "{{groupname}} on {{instance}}",
      ),
      exporterStarts,
    ],
    rows: [
      ...rowsOf(target),
      { title: "Latency, with bpf", panels: latencies },
      { title: "How it is counted", panels: [coverage(target), members] },
    ],
  });
