// SPDX-License-Identifier: Apache-2.0

import { board, exporterStarts, marks } from "./board";
import { labelsTable } from "./panels";
import { selector } from "./promql";
import { coverage, rowsOf, Target } from "./targets";
import { levels } from "./thresholds";
import { labelVariable } from "./variables";

const target: Target = {
  noun: "cgroup",
  prefix: "pmu_cgroup_",
  matcher: 'cgroup="$cgroup"',
  births: "pmu_cgroup_start_time_seconds",
};

const identity = labelsTable(
  {
    title: "What it is",
    description: "What is known of the cgroup on each instance: systemd unit, container, pod. A click on the " +
      "instance opens its profile there.",
    unit: "none",
    levels: levels.none,
    width: 12,
    height: 8,
    labels: {
      instance: "Instance",
      cgroup: "Cgroup",
      unit: "Unit",
      slice: "Slice",
      container_id: "Container",
      pod_uid: "Pod",
      parent: "Parent",
    },
  },
  selector("pmu_cgroup_info", target.matcher),
).overrideByName("Instance", [
  {
    id: "links",
    value: [
      {
        title: "In which functions it spends its time there, beside a week before",
        url:
          "http://${__value.raw}/#profile?target=cgroup:${cgroup:percentencode}" +
          "&start=${__from:date:seconds}&end=${__to:date:seconds}&before=1w",
        targetBlank: true,
      },
    ],
  },
]);

export const service = () =>
  board({
    uid: "pmu-service",
    title: "Service",
    description:
      "One cgroup on all chosen hosts: does it execute as well as yesterday, and what does it " +
      "wait for? Its numbers contain those of cgroups below it.",
    tags: ["service"],
    from: "now-6h",
    variables: [labelVariable("cgroup", "Cgroup", selector(target.births))],
    annotations: [
      marks(
        "Restart or deploy",
        "orange",
        selector(target.births, target.matcher),
        "{{cgroup}} on {{instance}}",
      ),
      exporterStarts,
    ],
    rows: [
      ...rowsOf(target),
      { title: "How it is counted", panels: [coverage(target), identity] },
    ],
  });
