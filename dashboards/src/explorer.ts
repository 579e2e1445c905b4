// SPDX-License-Identifier: Apache-2.0

import { board, exporterStarts } from "./board";
import { distribution, graph, labelsTable, number } from "./panels";
import { increase, quotient, rate, selector, sum } from "./promql";
import { levels } from "./thresholds";
import { choice, labelVariable, several, severalOrNone } from "./variables";

const events = "pmu_exporter_event_info";

const target = '$by=~"$target"';
const metric = selector('{__name__="$metric"}', target);
const other = selector('{__name__="$per"}', target);

const perSecond = sum(rate(metric), "$by");
const ratio = quotient(perSecond, sum(rate(other), "$by"));

const face = { unit: "short", levels: levels.none };

const panels = [
  graph(
    {
      ...face,
      title: "$metric by $by",
      description:
        "In a second, the twenty highest. Times are in seconds: a second in a second is one CPU.",
      width: 24,
      height: 10,
    },
    { expression: `topk(20, ${perSecond})`, legend: "{{$by}}" },
  ),
  graph(
    {
      ...face,
      title: "$metric for each of $per",
      description:
        "The one event over the other, the twenty highest. Exact where both stand in one group " +
        "of the configuration.",
      width: 12,
    },
    { expression: `topk(20, ${ratio})`, legend: "{{$by}}" },
  ),
  distribution(
    {
      ...face,
      title: "$metric over instances",
      description: "How many of the chosen instances have which value, in a second.",
    },
    { expression: sum(rate(metric), "instance"), legend: "{{instance}}" },
  ),
];

const what = [
  number(
    {
      ...face,
      title: "In the time shown",
      description: "Counted over all chosen targets and instances.",
    },
    sum(increase(metric)),
  ),
  number(
    {
      ...face,
      title: "Targets",
      description: "Different values of the chosen label.",
      unit: "none",
    },
    `count(count by ($by) (${metric}))`,
  ),
  labelsTable(
    {
      title: "How it is counted",
      description:
        "What the event is on each instance: the PMU that counts it, and the code that the PMU " +
        "was given.",
      unit: "none",
      levels: levels.none,
      width: 16,
      height: 8,
      labels: {
        instance: "Instance",
        event: "Event",
        group: "Group",
        pmu: "PMU",
        encoding: "Encoding",
        scope: "Scope",
      },
    },
    selector(events, 'metric="$metric"'),
  ),
];

export const explorer = () =>
  board({
    uid: "pmu-explorer",
    title: "Explorer",
    description: "Any event that is counted, for any target, alone or for each of another event.",
    tags: ["explorer"],
    from: "now-1h",
    variables: [
      several(labelVariable("scope", "Scope", selector(events))),
      labelVariable("metric", "Event", selector(events, 'scope=~"$scope"'), "metric"),
      labelVariable("per", "For each of", selector(events, 'scope=~"$scope"'), "metric"),
      choice("by", "By", "cgroup", "groupname", "cpu", "pmu", "instance"),
      severalOrNone(labelVariable("target", "Target", selector('{__name__="$metric"}'), "$by")),
    ],
    annotations: [exporterStarts],
    rows: [
      { title: "Over time", panels },
      { title: "What it is", panels: what },
    ],
  });
