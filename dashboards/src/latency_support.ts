// SPDX-License-Identifier: Apache-2.0

// Where there is what `latency` of the configuration asks for, and why not.

import { number, table } from "./panels";
import { selector } from "./promql";
import { levels } from "./thresholds";

function supported(...kinds: string[]): string {
  const matchers = kinds.length > 0 ? [`kind=~"${kinds.join("|")}"`] : [];
  return selector("pmu_exporter_latency_supported", ...matchers);
}

/** How many hosts have at least one of these kinds; none named: of all. */
export function hostsWith(title: string, ...kinds: string[]) {
  return number(
    {
      title,
      description: "Chosen exporters that have them. The table below has the reason of others.",
      unit: "none",
      levels: levels.oneIsGood,
    },
    `sum(max by (job, instance) (${supported(...kinds)}))`,
  );
}

/** Every host that shall have one of these kinds; none named: of all. */
export function whereThere(title: string, ...kinds: string[]) {
  return table(
    {
      title,
      description:
        "Hosts whose configuration wants them: 1 where they are, 0 with the reason where they cannot " +
        "be. They take bpf.",
      unit: "none",
      levels: levels.oneIsGood,
      width: 12,
      height: 8,
      labels: { instance: "Instance", kind: "Kind", reason: "Reason" },
      sortBy: ["-There"],
    },
    {
      title: "There",
      unit: "none",
      levels: levels.oneIsGood,
      expression: `min by (instance, kind, reason) (${supported(...kinds)})`,
    },
  );
}
