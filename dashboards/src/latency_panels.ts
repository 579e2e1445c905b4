// SPDX-License-Identifier: Apache-2.0

// The pictures of a distribution: as a map over time, as lines, and who stands out.

import { Distribution, Scope, buckets, mean, quantile } from "./distributions";
import { bucketRows, graph } from "./panels";
import { rate, sum } from "./promql";
import { levels } from "./thresholds";

export const ofHundred = "99 of 100 took at most so long, to within a factor of four.";

/** How many of a kind took how long, over time. */
export function map(scope: Scope, one: Distribution, kind?: string) {
  const matchers = one.label && kind ? [`${one.label}="${kind}"`] : [];
  const title = [one.title, ...(kind ? [kind] : []), scope.noun].join(", ");
  return bucketRows(
    {
      title,
      description: `${one.description} As colour how many of each length ended in a second.`,
      unit: "s",
      levels: levels.none,
    },
    { expression: sum(buckets(rate, scope, one, ...matchers), "le"), legend: "{{le}}" },
  );
}

export function quantiles(scope: Scope, one: Distribution) {
  const kinds = one.label ? [one.label] : [];
  const kind = kinds.map((label) => `, {{${label}}}`).join("");
  const line = (share: number, legend: string) =>
    ({ expression: quantile(share, rate, scope, one, ...kinds), legend: legend + kind });
  return graph(
    {
      title: `${one.title}, 99 of 100 and half, ${scope.noun}`,
      description: `${one.description} So many took at most so long, to within a factor of four.`,
      unit: "s",
      levels: one.levels,
      width: 12,
    },
    line(0.99, "99 of 100"),
    line(0.5, "half"),
    { expression: mean(rate, scope, one, ...kinds), legend: `mean${kind}` },
  );
}

/** The ten of which 99 of 100 took longest. */
export function longest(title: string, scope: Scope, one: Distribution, ...by: string[]) {
  return graph(
    {
      title,
      description: `${one.description} ${ofHundred} The ten highest.`,
      unit: "s",
      levels: one.levels,
    },
    {
      expression: `topk(10, ${quantile(0.99, rate, scope, one, ...by)})`,
      legend: by.map((label) => `{{${label}}}`).join(" "),
    },
  );
}
