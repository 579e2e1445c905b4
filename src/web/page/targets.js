// SPDX-License-Identifier: Apache-2.0
// What /api/v1/targets and /api/v1/live say, as a list of targets whose numbers stand under short
// names: pmu_cgroup_cpus_used and pmu_process_cpus_used are both "cpus_used".

/* By which label a target is known, for each kind; a machine has none. */
const IDENTITIES = { cgroup: "cgroup", process: "groupname", cpu: "cpu" };

/* What is shown first, in this order. What a machine does not have is left out. */
const FIRST = [
  "cpus_used", "instructions_per_cycle", "cache_miss_ratio", "cache_misses_per_kilo_instruction",
  "branch_miss_ratio", "context_switches_per_second", "page_faults_per_second",
  "cpu_migrations_per_second",
];
const NO_MEASURES = /^(start_time_seconds|created_time_seconds|members|cpus|group_.*|unattributed_ratio)$/;

/** The word for a target in addresses and arguments: "cgroup:/a.service", "machine". */
export function idOf(kind, labels) {
  const label = IDENTITIES[kind];
  return label && labels[label] !== undefined ? `${kind}:${labels[label]}` : kind;
}

/** What people call a target: the value of its label, or its kind. */
export function nameOf(kind, labels) {
  return labels[IDENTITIES[kind]] ?? kind;
}

export function shortName(kind, column) {
  const prefix = `pmu_${kind}_`;
  return column.startsWith(prefix) ? column.slice(prefix.length) : null;
}

/* A column with labels of its own (a group, a kind of switches) is one of many of the same name. */
function columnsOf(table) {
  return table.columns.map(({ name, type, ...labels }) => ({
    name: shortName(table.kind, name), full: name, type, plain: Object.keys(labels).length === 0 }));
}

/** All targets of an answer. Numbers that are not known are null. */
export function targetsOf(answer) {
  const targets = [];
  for (const table of answer.tables) {
    const columns = columnsOf(table);
    for (const row of table.rows) {
      const values = {};
      columns.forEach(({ name, plain }, i) => {
        if (plain && name !== null && row.values[i] !== null) values[name] = row.values[i];
      });
      targets.push({
        id: idOf(table.kind, row.labels), kind: table.kind, labels: row.labels, info: row.info,
        name: nameOf(table.kind, row.labels), values });
    }
  }
  return targets;
}

/**
 * What people call a target whose own name is a path that a runtime made: the name that the user gave,
 * the pod with its container, the virtual machine, the job or the container. "" if the name says it.
 */
export function knownAs({ name, info }) {
  const pod = info.pod && [info.namespace, info.pod, info.container].filter(Boolean).join("/");
  const job = info.slurm_job && [`job ${info.slurm_job}`, info.slurm_step].filter(Boolean).join(".");
  const known = info.name || pod || info.vm_display_name || info.vm || job || info.container || "";
  return name.includes(known) ? "" : known;
}

const rank = (name) => (FIRST.includes(name) ? FIRST.indexOf(name)
  : FIRST.length + (name.endsWith("_per_second") ? 1 : 0));

/**
 * The measures that tables of these kinds have, most telling first, each once: rates and ratios, or
 * totals where the configuration shows no rates.
 */
export function measuresOf(answer, kinds) {
  const gauges = new Set(), counters = new Set();
  for (const table of answer.tables)
    if (kinds.includes(table.kind))
      for (const { name, type, plain } of columnsOf(table))
        if (plain && name && !NO_MEASURES.test(name)) (type === "gauge" ? gauges : counters).add(name);
  return [...(gauges.size > 0 ? gauges : counters)].sort((a, b) => rank(a) - rank(b));
}

/** The full names of columns that have one of these short names, for ?column=. */
export function fullNames(answer, kinds, names) {
  const full = new Set();
  for (const table of answer.tables)
    if (kinds.includes(table.kind))
      for (const column of columnsOf(table))
        if (column.plain && names.includes(column.name)) full.add(column.full);
  return [...full];
}

/* Sums of what adds up: CPUs and rates, not ratios. */
const addsUp = (name) => name === "cpus_used" || /_(per_second|total)$/.test(name);

function sumOf(nodes) {
  const values = {};
  for (const node of nodes)
    for (const [name, value] of Object.entries(node.values))
      if (addsUp(name)) values[name] = (values[name] ?? 0) + value;
  return values;
}

function insert(root, target) {
  const path = target.name.split("/").filter((part) => part !== "");
  let node = root;
  path.forEach((part, i) => {
    if (!node.children.has(part))
      node.children.set(part, { id: `sum:/${path.slice(0, i + 1).join("/")}`, name: part,
        target: null, children: new Map() });
    node = node.children.get(part);
  });
  node.target = target;
}

/* A folder that is no target and has one child is one line with it: "kubepods.slice/pod1". */
function finish(node) {
  let children = [...node.children.values()].map(finish);
  if (!node.target && children.length === 1 && node.name !== null)
    return { ...children[0], name: `${node.name}/${children[0].name}` };
  children = children.filter((child) => child.target || child.children.length > 0);
  return {
    id: node.target?.id ?? node.id, name: node.name, target: node.target, children,
    values: node.target?.values ?? sumOf(children) };
}

/**
 * The tree of cgroups by their paths, and below it a branch with the groups of processes. A cgroup
 * that is not counted itself stands with the sum of what is counted in it.
 */
export function treeOf(targets) {
  const root = { name: null, target: null, children: new Map() };
  const processes = targets.filter((target) => target.kind === "process");
  for (const target of targets) if (target.kind === "cgroup") insert(root, target);
  const top = finish(root).children;
  if (processes.length > 0) {
    const children = processes.map((target) =>
      ({ id: target.id, name: target.name, target, children: [], values: target.values }));
    top.push({ id: "sum:processes", name: "groups of processes", target: null, children,
      values: sumOf(children) });
  }
  return top;
}
