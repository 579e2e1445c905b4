// SPDX-License-Identifier: Apache-2.0

// Requests to block devices: how long they took and waited, what they moved and how many failed. A
// service's requests are told apart by operation, the machine's by device too.

import { Row } from "./board";
import {
  Scope, blockIo, blockIoQueue, count, machine, series, services, time,
} from "./distributions";
import { longest, map, quantiles } from "./latency_panels";
import { rankingBy } from "./latency_ranking";
import { graph } from "./panels";
import { increase, rate, sum } from "./promql";
import { levels } from "./thresholds";

const bytes = "block_io_bytes_total";
const errors = "block_io_errors_total";

/** What requests moved in a second, by operation. */
export function throughput(scope: Scope) {
  return graph(
    {
      title: `Bytes to and from block devices, ${scope.noun}`,
      description:
        "Bytes in a second that requests to block devices have moved. What the page cache served " +
        "is not among them.",
      unit: "Bps",
      levels: levels.none,
      width: 12,
    },
    { expression: sum(rate(series(scope, bytes)), "op"), legend: "{{op}}" },
  );
}

function failures(scope: Scope, ...by: string[]) {
  return graph(
    {
      title: `Failed requests to block devices, ${scope.noun}`,
      description: "Requests that ended with an error, in a second.",
      unit: "cps",
      levels: levels.zeroIsGood,
      width: 12,
    },
    {
      expression: sum(rate(series(scope, errors)), ...by),
      legend: by.map((label) => `{{${label}}}`).join(" "),
    },
  );
}

const busiest = graph(
  {
    title: "Busiest block devices",
    description: "Bytes in a second to and from a device. The ten highest.",
    unit: "Bps",
    levels: levels.none,
  },
  {
    expression: `topk(10, ${sum(rate(series(machine, bytes)), "instance", "device", "op")})`,
    legend: "{{instance}} {{device}} {{op}}",
  },
);

const ranking = rankingBy(
  blockIo,
  { title: "Services by their longest requests to block devices", nouns: "requests" },
  {
    title: "Requests a second",
    unit: "cps",
    of: (by) => `${count(increase, services, blockIo, by)} / $__range_s`,
  },
  {
    title: "Requests under way",
    unit: "none",
    of: (by) => `${time(increase, services, blockIo, by)} / $__range_s`,
  },
  {
    title: "Bytes a second",
    unit: "Bps",
    of: (by) => `${sum(increase(series(services, bytes)), by)} / $__range_s`,
  },
);

/** Of a service, and the machine beside it. */
export function blockIoRows(service: Scope): Row[] {
  const both = [service, machine];
  return [
    {
      title: "Block I/O",
      panels: [
        ...both.map((scope) => map(scope, blockIo, "read")),
        ...both.map((scope) => map(scope, blockIo, "write")),
        ...both.map((scope) => quantiles(scope, blockIo)),
        ...both.map((scope) => quantiles(scope, blockIoQueue)),
        ...both.map((scope) => throughput(scope)),
        failures(service, "instance"),
        failures(machine, "instance", "device", "op"),
      ],
    },
    {
      title: "Whose block I/O takes long",
      panels: [
        longest("Block devices with the longest requests", machine, blockIo,
          "instance", "device", "op"),
        longest("Services with the longest requests", services, blockIo, "cgroup", "op"),
        busiest,
        ranking,
      ],
    },
  ];
}
