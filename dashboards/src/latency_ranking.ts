// SPDX-License-Identifier: Apache-2.0

// Tables that rank services by how long what they wait for takes.

import { Distribution, count, mean, quantile, rankedServices, services } from "./distributions";
import { table } from "./panels";
import { increase } from "./promql";
import { Ranked, linkTo } from "./ranking";
import { levels } from "./thresholds";

/** Of fewer the hundredth part is nothing at all. */
const enough = 100;
const listed = 25;

/** A column beside the durations: its numbers by service. */
export interface Beside {
  title: string;
  unit: string;
  of: (by: string) => string;
}

export function rankingBy(one: Distribution, said: { title: string; nouns: string; ranked?: Ranked },
  ...beside: Beside[]) {
  const by = "cgroup", ranked = said.ranked ?? rankedServices;
  const p99 = `${quantile(0.99, increase, services, one, by)} ` +
    `and on (${by}) (${count(increase, services, one, by)} >= ${enough})`;
  const ofTheSlowest = (expression: string) =>
    `${expression} and on (${by}) topk(${listed}, ${p99})`;
  const column = (title: string, unit: string, expression: string) =>
    ({ title, unit, expression: ofTheSlowest(expression) });
  return table(
    {
      title: said.title,
      description:
        `The ${listed} of which 99 of 100 ${said.nouns} took longest, in the time shown, over all ` +
        `hosts; without those that had less than ${enough} of them. A click shows one.`,
      unit: "none",
      levels: levels.none,
      labels: { [ranked.label]: ranked.title },
      sortBy: ["99 of 100"],
    },
    { title: "99 of 100", unit: "s", levels: one.levels, expression: `topk(${listed}, ${p99})` },
    column("Half", "s", quantile(0.5, increase, services, one, by)),
    column("Mean", "s", mean(increase, services, one, by)),
    ...beside.map(({ title, unit, of }) => column(title, unit, of(by))),
  ).overrideByName(ranked.title, linkTo(ranked, "Show this service"));
}
