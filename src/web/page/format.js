// SPDX-License-Identifier: Apache-2.0
// Numbers, units and times as people read them. Unknown is a dash, never 0.

export const UNKNOWN = "–";

const LARGE = [[1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
const BINARY = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]];
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/** Three digits that count: 0.0123, 1.23, 12.3, 123. */
function digits(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 0.0005) return value.toExponential(0);
  if (size < 0.9995) return value.toFixed(3);
  if (size < 9.995) return value.toFixed(2);
  return size < 99.95 ? value.toFixed(1) : value.toFixed(0);
}

/** A count or a rate: 0.25, 12.3, 4.56k, 7.89M. */
export function number(value) {
  if (!isNumber(value)) return UNKNOWN;
  for (const [size, sign] of LARGE)
    if (Math.abs(value) >= size * 0.9995) return digits(value / size) + sign;
  return digits(value);
}

/** The whole number, with a space between thousands, for who wants to know exactly. */
export function exact(value) {
  if (!isNumber(value)) return UNKNOWN;
  return value.toLocaleString("en", { maximumFractionDigits: 9 }).replaceAll(",", "\u202f");
}

/** A number of things: 17, 1 024. */
export function count(value) {
  return isNumber(value) ? exact(value) : UNKNOWN;
}

export function cpus(value) {
  if (!isNumber(value)) return UNKNOWN;
  if (value === 0) return "0";
  if (Math.abs(value) < 0.0005) return "<0.001";
  return Math.abs(value) < 9.9995 ? value.toFixed(3) : value.toFixed(2);
}

export function percent(value) {
  if (!isNumber(value)) return UNKNOWN;
  const share = value * 100;
  if (share > 0 && share < 0.05) return "<0.1 %";
  return (Math.abs(share) < 9.95 && share !== 0 ? share.toFixed(1) : share.toFixed(0)) + " %";
}

export function bytes(value) {
  if (!isNumber(value)) return UNKNOWN;
  for (const [size, sign] of BINARY)
    if (Math.abs(value) >= size) return `${digits(value / size)} ${sign}`;
  return `${value} B`;
}

/** How much more or less `now` is than `before`: "+12 %", "×3.4", "new"; null: not known. */
export function change(now, before) {
  if (!isNumber(now) || !isNumber(before)) return null;
  if (before === 0) return now === 0 ? { text: "0 %", direction: 0 } : { text: "new", direction: 1 };
  const share = now / before - 1;
  const direction = Math.abs(share) < 0.005 ? 0 : Math.sign(share);
  if (share >= 1) return { text: `×${digits(now / before)}`, direction };
  const text = Math.abs(share * 100).toFixed(0);
  return { text: `${direction < 0 ? "−" : direction > 0 ? "+" : ""}${text} %`, direction };
}

/** A length of time: 250 ms, 12 s, 5 min, 3 h 20 min, 2 d 4 h. */
export function duration(seconds) {
  if (!isNumber(seconds)) return UNKNOWN;
  const short = (value) => digits(value).replace(/\.0+$/, "");
  if (seconds < 1e-3) return `${short(seconds * 1e6)} µs`;
  if (seconds < 1) return `${short(seconds * 1e3)} ms`;
  if (seconds < 60) return `${short(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return hours % 24 ? `${Math.floor(hours / 24)} d ${hours % 24} h` : `${hours / 24} d`;
}

const two = (value) => String(value).padStart(2, "0");

/** An instant (seconds since 1970) in the time of the reader: 2026-11-22 17:40:05. */
export function instant(seconds) {
  if (!isNumber(seconds)) return UNKNOWN;
  const date = new Date(seconds * 1000);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` +
    `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/* What follows "pmu_KIND_" in names of columns, where words of ours are better than its own. */
const HEADINGS = {
  cpus_used: "CPUs used",
  instructions_per_cycle: "IPC",
  context_switches_per_second: "switches/s",
  cpu_migrations_per_second: "migrations/s",
  page_faults_per_second: "page faults/s",
  unattributed_ratio: "in doubt",
  group_coverage_ratio: "coverage",
};

/** The words of a column by what follows "pmu_KIND_" in its name: "branch misses/s". */
export function heading(name) {
  return HEADINGS[name] ??
    name.replace(/_per_second$/, "/s").replace(/_ratio$/, "").replaceAll("_", " ");
}

/** The function that writes values of a column, by what follows "pmu_KIND_" in its name. */
export function formatOf(name) {
  if (/(^|_)cpus_used$/.test(name)) return cpus;
  if (/_ratio$/.test(name)) return percent;
  if (/bytes(_per_second)?$/.test(name)) return bytes;
  return number;
}
