// SPDX-License-Identifier: Apache-2.0
// Profiles that nobody has sampled, as /api/v1/profile would answer: of as many nodes as are wanted,
// and always the same ones.

export const HOSTILE = ["<script>alert(1)</script>", "\u202eover\u200f שלום", `${"long_".repeat(800)}end`,
  "\"><img src=x onerror=alert(2)>", "(", "__proto__"];
const OWNERS = [["user", "nginx"], ["user", "libc.so.6"], ["user", "python3.11"], ["kernel", "[kernel]"],
  ["jit", "perf-77.map"], ["user", "libcrypto.so.3"], ["kernel", "nf_tables"]];

function random(seed) {
  let at = seed;
  return () => (at = at * 16807 % 2147483647) / 2147483647;
}

function functionsOf(n) {
  const functions = { kind: [], owner: [], name: [] };
  const add = (kind, owner, name) => {
    functions.kind.push(kind);
    functions.owner.push(owner);
    functions.name.push(name);
  };
  HOSTILE.forEach((name, i) => add("user", i === 0 ? "<b>lib</b>" : "hostile.so", name));
  add("note", "", "[truncated]");
  add("note", "", "(12 small)");
  for (let i = functions.name.length; i < n; i++) add(...OWNERS[i % OWNERS.length], `function_${i}`);
  return functions;
}

/** A tree of so many nodes, {parent, function, self, total}, and of so many functions. */
function treeOf(n, n_functions) {
  const next = random(7);
  const parent = [-1];
  const depth = [0];
  while (parent.length < n) {
    const at = Math.floor(parent.length * (1 - next() ** 2));
    const above = Math.min(Math.max(at, 0), parent.length - 1);
    if (depth[above] > 60) continue;
    parent.push(above);
    depth.push(depth[above] + 1);
  }
  const used = parent.map(() => new Set());
  const functions = parent.map((above, i) => {
    if (i === 0) return -1;
    let place = i <= 8 ? i - 1 : Math.floor(next() * n_functions);
    while (used[above].has(place)) place = (place + 1) % n_functions;
    used[above].add(place);
    return place;
  });
  const self = parent.map((_, i) => (i === 0 ? 0 : 1 + Math.floor(next() ** 4 * 40)));
  const total = [...self];
  for (let i = n - 1; i > 0; i--) total[parent[i]] += total[i];
  return { parent, function: functions, self, total };
}

function tableOf(functions, nodes) {
  const rows = functions.name.map((_, i) => ({ i, self: 0, total: 0 }));
  const above = nodes.parent.map(() => new Set());
  for (let i = 1; i < nodes.parent.length; i++) {
    const row = rows[nodes.function[i]];
    above[i] = new Set(above[nodes.parent[i]]).add(row.i);
    row.self += nodes.self[i];
    if (!above[nodes.parent[i]].has(row.i)) row.total += nodes.total[i];
  }
  return rows.filter(({ total }) => total > 0).sort((a, b) => b.self - a.self);
}

const column = (rows, value) => rows.map(value);

/** Answers by route: profile, and its table, seconds, difference and targets. */
export function madeUp(n = 300, { end = 1795344000, seconds = 300, rate = 49 } = {}) {
  const functions = functionsOf(Math.min(Math.max(40, Math.floor(n / 4)), 2000));
  const nodes = treeOf(n, functions.name.length);
  const head = { from: end - seconds, to: end, rate, samples: nodes.total[0],
    cpu_seconds: nodes.total[0] / rate };
  const rows = tableOf(functions, nodes);
  const after = nodes.total.map((each, i) => (i > 0 && i % 5 === 1 ? Math.round(each * 1.6) : each));
  const share = (each) => each / nodes.total[0];
  const change = nodes.total.map((each, i) => share(after[i] - each) * (i % 2 ? 1 : -1));
  const sigma = nodes.total.map((each) => Math.sqrt(2 * each) / nodes.total[0]);
  const differs = change.map((each, i) => Number(Math.abs(each) > 4 * sigma[i]));
  const table = rows.slice(0, 500);
  const time = (each) => each / rate;
  return {
    "profile": { ...head, pruned: n >= 5000, nodes, functions },
    "profile/table": { ...head, rows: rows.length, table: { kind: column(table, ({ i }) =>
      functions.kind[i]), owner: column(table, ({ i }) => functions.owner[i]), name: column(table,
      ({ i }) => functions.name[i]), self: column(table, ({ self }) => self),
    total: column(table, ({ total }) => total), self_seconds: column(table, ({ self }) => time(self)),
    total_seconds: column(table, ({ total }) => time(total)) } },
    "profile/seconds": { from: end - seconds, rate, parts: 10, seconds,
      samples: Array.from({ length: 10 * seconds }, (_, i) => (i * 7919) % 6) },
    "profile/difference": { measure: "shares", bound: 4.1,
      before: { from: end - 2 * seconds, to: end - seconds, samples: nodes.total[0],
        cpu_seconds: time(nodes.total[0]) },
      after: { from: end - seconds, to: end, samples: nodes.total[0], cpu_seconds: time(nodes.total[0]) },
      nodes: { parent: nodes.parent, function: nodes.function, self_before: nodes.self,
        self_after: nodes.self, total_before: nodes.total, total_after: after, change, sigma, differs },
      functions, table: { function: column(rows, ({ i }) => i), self_before: column(rows,
        ({ self }) => self), self_after: column(rows, ({ self }, i) => self + (i === 1 ? 300 : 0)),
      total_before: column(rows, ({ total }) => total), total_after: column(rows, ({ total }) => total),
      change: column(rows, (_, i) => (i === 1 ? 300 / nodes.total[0] : 0)),
      sigma: column(rows, ({ self }) => Math.sqrt(2 * self) / nodes.total[0]),
      differs: column(rows, (_, i) => Number(i === 1)) } },
    "profile/targets": { targets: ["machine", "cgroup:/system.slice/nginx.service", "process:python3"]
      .map((target, i) => ({ target, first: end - 86400, last: end, samples: 90000 >> i })) },
  };
}

/** The page is answered with that, but for what `changes` has by route. */
export async function answered(page, n, changes = {}) {
  const answers = { ...madeUp(n), ...changes };
  await page.route(/\/api\/v1\/profile/, (route) => {
    const path = new URL(route.request().url()).pathname.replace("/api/v1/", "");
    const answer = answers[path];
    return route.fulfill(answer.error ? { status: answer.status, json: { error: answer.error } }
      : { json: answer });
  });
  return answers;
}
