// SPDX-License-Identifier: Apache-2.0
// The columns of the view Now.

import { element, setAttribute, setText } from "./elements.js";
import { UNKNOWN, change, exact, formatOf, heading } from "./format.js";
import { drawSparkline } from "./sparkline.js";
import { knownAs } from "./targets.js";

const MOST_MEASURES = 8;

/* What else is known of a target, for who points at it. */
function about({ name, kind, target }) {
  if (!target) return `${name}: the sum of what is counted in it`;
  const info = Object.entries(target.info).filter(([, value]) => value !== "");
  return [kind === "process" ? `process group ${name}` : name,
    ...info.map(([key, value]) => `${key}: ${value}`)].join("\n");
}

function makeName(cell) {
  const parts = {
    toggle: element("span", { class: "toggle", "aria-hidden": "true" }),
    kind: element("span", { class: "badge" }),
    folder: element("bdi", { class: "folder" }),
    base: element("bdi", { class: "base" }),
    known: element("bdi", { class: "known" }),
    n: element("span", { class: "quiet-text" }),
  };
  parts.link = element("a", { class: "name", tabindex: -1 }, parts.folder, parts.base);
  parts.box = element("div", { class: "name-box" }, parts.toggle, parts.kind, parts.link,
    parts.known, parts.n);
  cell.append(parts.box);
  cell.parts = parts;
}

function showName(view, tree, cell, row) {
  const { toggle, kind, folder, base, link, box, known, n } = cell.parts;
  const cut = !tree && row.kind === "cgroup" ? row.name.lastIndexOf("/") + 1 : 0;
  setText(folder, row.name.slice(0, cut));
  setText(base, row.name.slice(cut) || row.name);
  setText(kind, row.target?.kind === "process" ? "proc" : "");
  kind.hidden = row.target?.kind !== "process";
  setText(toggle, row.expanded === undefined ? "" : row.expanded ? "▾" : "▸");
  toggle.hidden = !tree;
  setText(known, row.target ? knownAs(row.target) : "");
  setText(n, row.target ? "" : ` ${row.n}`);
  setAttribute(link, "href", row.target ? view.stage.link("time", { target: row.id }) : null);
  setAttribute(box, "title", about(row));
  box.style.paddingLeft = tree ? `${(row.level - 1) * 18}px` : "";
  toggle.onclick = row.expanded === undefined ? null : (event) => {
    event.stopPropagation();
    view.toggle(row);
  };
}

export function nameColumn(view, tree) {
  return { name: "name", title: "Target", class: "target", sortable: true, make: makeName,
    hint: "Sort by name", show: (cell, row) => showName(view, tree, cell, row) };
}

/* The share of all CPUs, as a bar behind the number. */
function showCpus(view, cell, value) {
  const share = view.cpus ? Math.min(1, (value ?? 0) / view.cpus) : 0;
  cell.style.backgroundSize = `${(share * 100).toFixed(1)}% 3px`;
}

function measureColumn(view, name, index) {
  const format = formatOf(name);
  return {
    name, title: heading(name), class: `number measure-${index}${name === "cpus_used" ? " bar-cell" : ""}`,
    sortable: true, hint: `Sort by ${heading(name)}`,
    show(cell, { values }) {
      const value = values[name];
      setText(cell, format(value));
      setAttribute(cell, "title", value === undefined ? "not known" : exact(value));
      setAttribute(cell, "data-value", value ?? null);
      if (name === "cpus_used") showCpus(view, cell, value);
    },
  };
}

/* The column that rows are sorted by is there, also where there are too many. */
export function measureColumns(view) {
  const names = view.measures.slice(0, MOST_MEASURES);
  if (!names.includes(view.lead) && view.lead) names[names.length - 1] = view.lead;
  return names.map((name, i) => measureColumn(view, name, name === view.lead ? 0 : i + 1));
}

function showChange(view, cell, row) {
  const before = row.target ? view.past.before(row.id) : undefined;
  const now = view.curves.mean(row.id, 60) ?? row.values[view.lead];
  const idle = view.lead === "cpus_used" && Math.max(now ?? 0, before ?? 0) < 0.001;
  const made = idle ? null : change(now, before);
  setText(cell, made?.text ?? UNKNOWN);
  setAttribute(cell, "data-direction", made ? made.direction : null);
  setAttribute(cell, "title", made
    ? `${formatOf(view.lead)(now)} in the last minute, ${formatOf(view.lead)(before)} an hour ago`
    : before === null ? "the history has nothing of an hour ago" : null);
}

/** The change against an hour ago, and the curve of the last minutes, of the leading measure. */
export function pastColumns(view, seconds) {
  const lead = heading(view.lead ?? "");
  return [
    { name: "change", title: "vs 1 h ago", class: "number change",
      hint: `${lead}: the last minute against the same minute an hour ago`,
      show: (cell, row) => showChange(view, cell, row) },
    { name: "curve", title: "trend", class: "curve",
      hint: `${lead} of the last ${seconds / 60} minutes, or since there are numbers; each from 0 to its own maximum`,
      make: (cell) => cell.append(element("canvas", { "aria-hidden": "true" })),
      show: (cell, row) => drawSparkline(cell.firstChild, view.curves.get(row.id), view.span, view.time) },
  ];
}
