// SPDX-License-Identifier: Apache-2.0

// Alerts of the rules that come with pmu_exporter.

import { number, table } from "./panels";
import { ofAllHosts } from "./promql";
import { levels } from "./thresholds";

const face = {
  description: "Of the rules that come with pmu_exporter, where Prometheus has loaded them.",
  unit: "none",
  levels: levels.zeroIsGood,
};

/** An alert on a service is about all of its instances, and has no such label. */
export function firing(names: string = "PMU.+"): string {
  return ofAllHosts("ALERTS", `alertname=~"${names}"`, 'alertstate="firing"');
}

export function alertsNow() {
  return number({ ...face, title: "Alerts" }, `count(${firing()})`);
}

export function alertsThatFire() {
  return table(
    {
      ...face,
      title: "Alerts that fire",
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
      expression: `count by (alertname, severity, instance, cgroup, groupname) (${firing()})`,
    },
  );
}
