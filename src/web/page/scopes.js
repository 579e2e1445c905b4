// SPDX-License-Identifier: Apache-2.0
// Where counting is done: the words of the label scope of /metrics. What is counted of the scope
// system is shown as the target machine, or as CPUs and PMUs beyond the cores.

const MANY = { system: "system", cgroup: "cgroups", process: "processes" };

/** The targets of a scope, as a heading: "cgroups". A scope that is not known here stands as it is. */
export const scopeInWords = (scope) => MANY[scope] ?? scope;

/** How many targets of each scope there are: {system: 2, cgroup: 1} → "2 of the system, 1 cgroup". */
export function targetsInWords(targets, count) {
  const words = ([scope, n]) => (scope === "system" ? "of the system"
    : n === 1 && MANY[scope] ? scope : scopeInWords(scope));
  return Object.entries(targets ?? {}).map((pair) => `${count(pair[1])} ${words(pair)}`).join(", ") ||
    "nothing";
}
