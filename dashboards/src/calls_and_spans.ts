// SPDX-License-Identifier: Apache-2.0

// System calls: how many there are, which fail, and how long those take that the configuration names.
// Spans: how long it takes from one event to another, for each span of the configuration.

import { Row } from "./board";
import { Distribution, Scope, count, machine, series, services } from "./distributions";
import { longest, quantiles } from "./latency_panels";
import { graph } from "./panels";
import { quotient, rate, sum } from "./promql";
import { levels } from "./thresholds";

const calls = "system_calls_total";
const errors = "system_call_errors_total";

const call: Distribution = {
  name: "system_call_seconds",
  title: "System calls that are timed",
  description:
    "Time from when a system call began until it returned, of those that the configuration names.",
  levels: levels.none,
  label: "call",
};

const span: Distribution = {
  name: "span_seconds",
  title: "Spans",
  description: "Time from the event that begins a span until the one that ends it.",
  levels: levels.none,
  label: "span",
};

function perSecond(title: string, description: string, of: (scope: Scope) => string,
  legend: string) {
  return (scope: Scope) => graph(
    { title: `${title}, ${scope.noun}`, description, unit: "cps", levels: levels.none, width: 12 },
    { expression: of(scope), legend },
  );
}

function highest(name: string, ...by: string[]) {
  return (scope: Scope) => `topk(10, ${sum(rate(series(scope, name)), ...by)})`;
}

const made = perSecond("System calls", "Calls that returned, in a second. The ten highest; other " +
  "is all that have no line.", highest(calls, "call"), "{{call}}");

const failed = perSecond("Failed system calls",
  "Calls that returned an error, in a second. The ten highest.", highest(errors, "call"), "{{call}}");

const share = (scope: Scope) => graph(
  {
    title: `Share of system calls that fail, ${scope.noun}`,
    description:
      "Of each call: how many returned an error. Some programs look for files by trying to open " +
      "them. The ten highest.",
    unit: "percentunit",
    levels: levels.none,
    width: 12,
  },
  {
    expression: `topk(10, ${quotient(sum(rate(series(scope, errors)), "call"),
      sum(rate(series(scope, calls)), "call"))})`,
    legend: "{{call}}",
  },
);

const ended = perSecond("Spans", "Spans that ended, in a second.",
  (scope) => count(rate, scope, span, "span"), "{{span}}");

/** Of a service, and the machine beside it. */
export function callsAndSpansRows(service: Scope): Row[] {
  const both = [service, machine];
  return [
    {
      title: "System calls",
      panels: [
        ...both.map(made),
        ...both.map(failed),
        ...both.map(share),
        ...both.map((scope) => quantiles(scope, call)),
        graph(
          {
            title: "Services with most system calls",
            description: "Calls that returned, in a second. The ten highest.",
            unit: "cps",
            levels: levels.none,
            width: 12,
          },
          { expression: highest(calls, "cgroup")(services), legend: "{{cgroup}}" },
        ),
      ],
    },
    {
      title: "Spans",
      panels: [
        ...both.map(ended),
        ...both.map((scope) => quantiles(scope, span)),
        longest("Services with the longest spans", services, span, "cgroup", "span"),
      ],
    },
  ];
}
