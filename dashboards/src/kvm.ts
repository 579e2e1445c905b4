// SPDX-License-Identifier: Apache-2.0

// Guests of KVM: why and how often they leave the processor, and for how long. A guest is the
// cgroup of the threads of its vCPUs. What it waits for where it halts is no work of the host, so
// that halts stand apart wherever times are added up.

import { board, exporterStarts } from "./board";
import {
  Distribution, Over, Scope, machine, quantile, rankedServices, series, services, time,
} from "./distributions";
import { longest, map, ofHundred } from "./latency_panels";
import { hostsWith, whereThere } from "./latency_support";
import { graph, number, rows, table } from "./panels";
import { increase, quotient, rate, selector, sum } from "./promql";
import { Ranked, linkTo } from "./ranking";
import { levels } from "./thresholds";
import { labelVariable } from "./variables";

const exits = "kvm_exits_total";
const entries = "kvm_entries_total";
const cpuTime = "task_clock_seconds_total";

/** A guest that has nothing to do leaves for one of these: of Intel, AMD and arm64. */
const halts = '"(?i:hlt|u?mwait.*|wfx)"';

const guest: Scope = { noun: "guest", prefix: services.prefix, matchers: ['cgroup="$cgroup"'] };
const guests: Scope = { ...services, noun: "guests" };
const both = [guest, machine];

/** The same scope, without the times in which its guests had nothing to do. */
function awake(scope: Scope): Scope {
  return { ...scope, matchers: [...scope.matchers, `reason!~${halts}`] };
}

function halted(scope: Scope): Scope {
  return { ...scope, matchers: [...scope.matchers, `reason=~${halts}`] };
}

const off: Distribution = {
  name: "kvm_exit_seconds",
  title: "Off the processor",
  description:
    "Time from when a guest left the processor until the same thread entered it again: what the " +
    "host did for it, and for how long that had to wait for a CPU or a device.",
  levels: levels.none,
  label: "reason",
};

const withoutHalts = "Halts are left out: there the guest had nothing to do.";

const work: Distribution = {
  ...off,
  title: `${off.title} without halts`,
  description: `${off.description} ${withoutHalts}`,
};

const halt: Distribution = {
  ...off,
  title: "Halts",
  description:
    "Time from when a guest halted (HLT, MWAIT, WFx) until it had something to do and ran.",
};

function total(over: Over, scope: Scope, name: string, ...by: string[]): string {
  return sum(over(series(scope, name)), ...by);
}

/** Seconds for which vCPUs were in the host, for each second of CPU time of the guest. */
function shareOfHost(over: Over, scope: Scope, ...by: string[]): string {
  return quotient(time(over, awake(scope), off, ...by), total(over, scope, cpuTime, ...by));
}

const share = {
  title: "Time in the host",
  description:
    "Seconds for which the vCPUs of a guest were in the host, for each second of CPU time that " +
    `its threads had. ${withoutHalts} Above 1 they mostly wait there.`,
  unit: "percentunit",
  levels: levels.rising(0.2, 0.5),
};

function perSecond(scope: Scope, name: string): string {
  return `${total(increase, scope, name)} / $__range_s`;
}

const glance = [
  number(
    {
      title: "Guests",
      description: "Cgroups in which guests ran, in the time shown, on all chosen hosts.",
      unit: "none",
      levels: levels.none,
    },
    `count(${total(increase, guests, entries, "job", "instance", "cgroup")} > 0)`,
  ),
  ...both.map((scope) => number(
    {
      title: `Exits, ${scope.noun}`,
      description: "Times that guests left the processor, in a second.",
      unit: "cps",
      levels: levels.none,
    },
    perSecond(scope, exits),
  )),
  number(
    {
      title: "Long exits, guest",
      description: `${work.description} ${ofHundred}`,
      unit: "s",
      levels: levels.none,
    },
    quantile(0.99, increase, awake(guest), off),
  ),
  number({ ...share, title: `${share.title}, guest` }, shareOfHost(increase, guest)),
  hostsWith("Hosts that count guests", "kvm"),
];

function exitsByReason(scope: Scope) {
  return graph(
    {
      title: `Exits by reason, ${scope.noun}`,
      description:
        "Times that guests left the processor, in a second, by the reasons of perf kvm stat. All " +
        "beyond the first 16 reasons are other.",
      unit: "cps",
      levels: levels.none,
      width: 12,
    },
    { expression: total(rate, scope, exits, "reason"), legend: "{{reason}}" },
  );
}

function timeByReason(scope: Scope) {
  return graph(
    {
      title: `vCPUs off the processor by reason, ${scope.noun}`,
      description:
        "How many vCPUs were off the processor at a time, on average, by why they left it. A halt " +
        "(HLT, MWAIT, WFx) is a vCPU that has nothing to do.",
      unit: "none",
      levels: levels.none,
      width: 12,
    },
    { expression: time(rate, scope, off, "reason"), legend: "{{reason}}" },
  );
}

function quantileByReason(title: string, part: number, said: string) {
  return (scope: Scope) => graph(
    {
      title: `${off.title}, ${title}, ${scope.noun}`,
      description: `${off.description} ${said}`,
      unit: "s",
      levels: levels.none,
      width: 12,
    },
    { expression: quantile(part, rate, scope, off, "reason"), legend: "{{reason}}" },
  );
}

const howLong = [
  ...both.map((scope) => map(awake(scope), work)),
  ...both.map((scope) => map(halted(scope), halt)),
  ...both.map(quantileByReason("99 of 100", 0.99, ofHundred)),
  ...both.map(quantileByReason("half", 0.5,
    "Half of them took at most so long, to within a factor of four.")),
];

/** The ten guests, or machines, that stand out. */
function highest(face: { title: string; description: string; unit: string }, of: string,
  by: string) {
  return graph(
    { ...face, description: `${face.description} The ten highest.`, levels: levels.none },
    { expression: `topk(10, ${of})`, legend: `{{${by}}}` },
  );
}

const byGuest = [
  highest(
    {
      title: "Guests with most exits",
      description: "Times that a guest left the processor, in a second.",
      unit: "cps",
    },
    total(rate, guests, exits, "cgroup"), "cgroup"),
  highest({ ...share, title: "Guests with most time in the host" },
    shareOfHost(rate, guests, "cgroup"), "cgroup"),
  longest("Guests with the longest exits", awake(guests), work, "cgroup"),
];

const rankedGuests: Ranked = { ...rankedServices, nouns: "Guests", board: "pmu-kvm" };
const listed = 25;
const most = `topk(${listed}, ${time(increase, awake(guests), off, "cgroup")})`;

function column(title: string, unit: string, expression: string) {
  return { title, unit, expression: `${expression} and on (cgroup) ${most}` };
}

const ranking = table(
  {
    title: "Guests by their time in the host",
    description:
      `The ${listed} whose vCPUs were in the host for longest, in the time shown, over all hosts. ` +
      `${withoutHalts} A click shows one.`,
    unit: "none",
    levels: levels.none,
    labels: { [rankedGuests.label]: rankedGuests.title },
    sortBy: ["vCPUs in the host"],
  },
  column("vCPUs in the host", "none",
    `${time(increase, awake(guests), off, "cgroup")} / $__range_s`),
  column("vCPUs halted", "none",
    `${time(increase, halted(guests), off, "cgroup")} / $__range_s`),
  { ...column("For each CPU second", "percentunit", shareOfHost(increase, guests, "cgroup")),
    levels: share.levels },
  column("Exits", "cps", `${total(increase, guests, exits, "cgroup")} / $__range_s`),
  column("Half", "s", quantile(0.5, increase, awake(guests), off, "cgroup")),
  column("99 of 100", "s", quantile(0.99, increase, awake(guests), off, "cgroup")),
).overrideByName(rankedGuests.title, linkTo(rankedGuests, "Show this guest"));

const byVcpu = [
  rows(
    {
      title: "Entries by vCPU, $cgroup, $instance",
      description:
        "Times that each vCPU of the guest entered the processor, in a second. A row a vCPU; all " +
        "beyond the first 64 are other. Guests of one cgroup add up.",
      unit: "cps",
      levels: levels.none,
    },
    { expression: total(rate, guest, entries, "instance", "vcpu"), legend: "vCPU {{vcpu}}" },
  ).repeat("instance").repeatDirection("v").span(24).height(7),
  ...both.map((scope) => graph(
    {
      title: `Entries by vCPU, ${scope.noun}`,
      description: "Times that a vCPU entered the processor, in a second. The ten highest.",
      unit: "cps",
      levels: levels.none,
      width: 12,
    },
    {
      expression: `topk(10, ${total(rate, scope, entries, "instance", "vcpu")})`,
      legend: "{{instance}} vCPU {{vcpu}}",
    },
  )),
];

export const kvm = () =>
  board({
    uid: "pmu-kvm",
    title: "KVM",
    description:
      "Why and how often guests of KVM leave the processor, for how long, and how much of their " +
      "time they are in the host. A guest is the cgroup of its vCPUs' threads. It needs bpf, and " +
      "`latency: [kvm]` in the configuration.",
    tags: ["latency"],
    from: "now-6h",
    variables: [labelVariable("cgroup", "Cgroup", selector(guests.prefix + entries))],
    annotations: [exporterStarts],
    rows: [
      { title: "At a glance, over the time shown", panels: glance },
      {
        title: "Why guests leave",
        panels: [...both.map(exitsByReason), ...both.map(timeByReason)],
      },
      { title: "For how long", panels: howLong },
      { title: "Guests", panels: [...byGuest, ranking] },
      { title: "vCPUs", panels: byVcpu },
      { title: "How it is counted", panels: [whereThere("Where guests are counted", "kvm")] },
    ],
  });
