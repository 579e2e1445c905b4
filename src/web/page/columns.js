// SPDX-License-Identifier: Apache-2.0
//
// What the families of /metrics are called in a plot. pmu_cgroup_instructions_per_cycle and
// pmu_process_instructions_per_cycle are one measure, "instructions_per_cycle", and share a plot.

// What people look at first stands first: a part of a name, and where measures with it go.
const ORDER = [/^cpus_used$/, /^instructions_per_cycle$/, /_per_cycle$/, /misses?_/, /_per_kilo_/,
       /_ratio$/, /^cycles_per_second$/, /^instructions_per_second$/,
       /^context_switches_/, /^switches_/, /^cpu_migrations_/, /^migrations_/, /fault/];

const TITLES = new Map([
  ["cpus_used", "CPUs used"],
  ["instructions_per_cycle", "Instructions per cycle"],
  ["switches_per_second:voluntary", "Voluntary switches"],
  ["switches_per_second:involuntary", "Involuntary switches"],
  ["migrations_per_second:smt", "Migrations within a core"],
  ["migrations_per_second:core", "Migrations between cores"],
  ["migrations_per_second:llc", "Migrations between caches"],
  ["migrations_per_second:node", "Migrations between nodes"],
]);

// The measure of a family of a target of this kind, and of a group of events where it has one.
export function measureOf(kind, family, group = null) {
  const prefix = `pmu_${kind}_`;
  const name = family.startsWith(prefix) ? family.slice(prefix.length) : family;
  return group ? `${name}:${group}` : name;
}

export function isCoverage(measure) {
  return measure.startsWith("group_coverage_ratio");
}

export function titleOf(measure) {
  if (isCoverage(measure)) {
    const group = measure.split(":")[1];
    return group ? `Coverage of the group ${group}` : "Coverage";
  }
  const words = measure.replace(/_per_second$/, "").replaceAll("_", " ");
  const title = TITLES.get(measure) ?? words.charAt(0).toUpperCase() + words.slice(1);
  return title.replace(/\bcpu\b/gi, "CPU").replace(/^L1 d/i, "L1 d");
}

// The unit that stands beside the title. The history tells "per second", "ratio", "cpus" or "".
export function unitOf(measure, unit) {
  if (/_per_second(:|$)/.test(measure)) {
    return unit && unit !== "per second" ? unit : "per second";
  }
  if (measure === "cpus_used") {
    return "CPUs";
  }
  if (isCoverage(measure) || /_ratio$/.test(measure)) {
    return "%";
  }
  const per = /_per_([a-z0-9_]+)$/.exec(measure);
  return per ? `per ${per[1].replaceAll("_", " ")}` : unit || "ratio";
}

function rank(measure) {
  const place = ORDER.findIndex((pattern) => pattern.test(measure));
  return isCoverage(measure) ? ORDER.length + 1 : place < 0 ? ORDER.length : place;
}

export function compareMeasures(a, b) {
  return rank(a) - rank(b) || a.localeCompare(b);
}

const SCALES = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

// The labels of an axis show as many digits as tell its ticks apart.
export function axisNumber(value, between) {
  const [scale, letter] = SCALES.find(([each]) => Math.abs(value) >= each) ?? [1, ""];
  const digits = Math.min(Math.max(0, -Math.floor(Math.log10(between / scale) + 1e-9)), 6);
  return `${(value / scale).toFixed(Number.isFinite(digits) ? digits : 0)}${letter}`;
}

// "cgroup:/system.slice/nginx.service" → {kind: "cgroup", value: "/system.slice/nginx.service"}
export function splitTarget(target) {
  const colon = target.indexOf(":");
  return colon < 0 ? {kind: target, value: ""}
    : {kind: target.slice(0, colon), value: target.slice(colon + 1)};
}

// Whether it has the form of a target: somebody may have written the address by hand.
export function isTarget(text) {
  return /^(machine|cgroup:.+|process:.+|cpu:\d+|uncore:[^,]+,\d+)$/s.test(text);
}

// What a target is called where there is little room: the last part of the path of a cgroup, with
// what is above it where another of the targets ends in the same way.
export function shortNames(targets) {
  const parts = targets.map((target) => {
    const {kind, value} = splitTarget(target);
    return kind === "cgroup" ? value.split("/").filter(Boolean) : [value || kind];
  });
  const name = (i, n) => parts[i].slice(-n).join("/") || "/";
  return targets.map((target, i) => {
    let n = 1;
    while (n < parts[i].length && parts.some((_, j) => j !== i && name(j, n) === name(i, n))) {
      n++;
    }
    return name(i, n);
  });
}
