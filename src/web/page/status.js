// SPDX-License-Identifier: Apache-2.0
// The view Status: what the exporter is doing, how, what it leaves out, and what it costs.

import { get, isAbort } from "./api.js";
import { copyButton, element, notice, replace, simpleTable } from "./elements.js";
import { UNKNOWN, bytes, count, duration, instant, percent } from "./format.js";
import { reasonInWords } from "./reasons.js";
import { scopeInWords, targetsInWords } from "./scopes.js";

const AGAIN = 5000;
const known = (value, format) => (value === null || value === undefined ? UNKNOWN : format(value));

/* A list of words and what stands behind them; pairs that are null are left out. */
function facts(...pairs) {
  return element("dl", { class: "facts" }, pairs.filter(Boolean).map(([word, value]) =>
    [element("dt", {}, word), element("dd", {}, value ?? UNKNOWN)]));
}

function section(title, ...content) {
  return element("section", { class: "card part", "aria-label": title },
    element("h2", {}, title), content);
}

function meter(value, most, text) {
  return element("span", { class: "meter-box" },
    element("meter", { min: 0, max: most, value, "aria-label": text }), ` ${text}`);
}

/* A name of a field, as words: "counters_free" is "counters free". */
const words = (key) => key.replaceAll("_", " ").replace(/ seconds$/, "").replace(/^bytes$/, "size");

function valueOf(key, value) {
  if (value === null || value === "") return UNKNOWN;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "object") return Array.isArray(value) ? value.map((one) =>
    (typeof one === "object" ? Object.values(one).join(" ") : one)).join(", ") || "none"
    : Object.entries(value).map(([inner, one]) => `${words(inner)} ${valueOf(inner, one)}`).join(", ");
  if (typeof value !== "number") return value;
  if (/seconds$/.test(key)) return duration(value);
  return /bytes$/.test(key) ? bytes(value) : count(value);
}

function general({ version, revision, start_time: start, interval_seconds: interval, mechanism,
  targets, control }) {
  return section("Exporter", facts(
    ["version", `${version} (${revision})`],
    ["runs since", `${instant(start)} (${duration(Date.now() / 1000 - start)})`],
    ["reads every", duration(interval)],
    ...Object.entries(mechanism ?? {}).map(([scope, how]) =>
      [`${scopeInWords(scope)} by`, how?.name ? [how.name, how.reason
        ? element("span", { class: "quiet-text" }, `: ${how.reason}`) : null] : UNKNOWN]),
    ["counted now", targetsInWords(targets, count)],
    control ? ["changes from here", control.allowed ? `allowed: ${control.how}`
      : `not allowed: ${control.how}`] : null));
}

const cpuTime = (used, start) =>
  `${duration(used)}, ${percent(used / (Date.now() / 1000 - start))} of one CPU since the start`;

function cost({ cost: { cpu_seconds: used, reader_cpu_seconds: reader, memory_bytes: memory,
  descriptors, cycle_seconds: cycle }, profiles: { wanted }, start_time: start,
interval_seconds: interval }) {
  return section("Cost", facts(
    ["CPU time", cpuTime(used, start)],
    wanted ? ["CPU time of the reader", `${cpuTime(reader, start)}, of the process that reads ` +
      "programs and libraries for profiles"] : null,
    ["memory", known(memory, bytes)],
    ["open files", known(descriptors, count)],
    ["last cycle", known(cycle, (value) => `${duration(value)}, ${percent(value / interval)} of the interval`)]));
}

function history({ history: kept }) {
  if (!kept) return section("History", notice("empty", "This exporter keeps no history."));
  const { file, bytes: size, limit_bytes: limit, oldest, reason } = kept;
  const used = size !== null && limit
    ? meter(size, limit, `${bytes(size)} of ${bytes(limit)}`) : known(size, bytes);
  return section("History", facts(
    ["kept in", file ? element("code", {}, file) : "memory only: it ends with the exporter"],
    ["uses", used],
    ["reaches back to", oldest ? `${instant(oldest)} (${duration(Date.now() / 1000 - oldest)})` : UNKNOWN],
    reason ? ["note", element("span", { class: "bad" }, reason)] : null));
}

function profiles({ profiles: sampled, start_time: start }) {
  const { wanted, reason, rate_hertz: rate, samples, lost, whole, files, table_bytes: tables,
    kept_bytes: kept, cpu_seconds: used } = sampled;
  if (!wanted || reason)
    return section("Profiles", notice("empty", `Nothing is sampled${reason ? `: ${reason}` : ""}.`));
  return section("Profiles", facts(
    ["rate", `${count(rate)} samples a second of each CPU that is not idle`],
    ["samples", `${count(samples)}${lost > 0 ? `, and ${count(lost)} more are lost` : ""}`],
    ["whole stacks", samples > 0 ? percent(whole / samples) : UNKNOWN],
    ["files", Object.entries(files).map(([state, n]) => `${count(n)} ${state}`).join(", ")],
    ["memory", `${bytes(kept)}, and ${bytes(tables)} of the kernel's for tables`],
    ["CPU time", `${cpuTime(used, start)}: in the exporter, its reader and the kernel`]));
}

function budget({ pmu }) {
  const entries = Object.entries(pmu ?? {});
  return section("PMU", entries.length > 0
    ? facts(...entries.map(([key, value]) => [words(key), valueOf(key, value)]))
    : notice("empty", "There is no hardware PMU here, so there is nothing to share."));
}

function groups({ groups: all }) {
  if (all.length === 0) return section("Groups", notice("empty", "No group is counted."));
  return section("Groups", simpleTable(["Scope", "Group", "Events", "Coverage"],
    all.map(({ scope, group, events, coverage }) => [scope, group,
      element("span", {}, events.map((event, i) => [i > 0 ? " " : null, element("code", {}, event)])),
      coverage === null ? element("span", { title: "nothing ran, or nothing is counted" }, UNKNOWN)
        : meter(coverage, 1, percent(coverage))]), "Groups with their coverage"));
}

function leftOut({ left_out: all }) {
  if (all.length === 0)
    return section("Left out", notice("empty", "Nothing: all that the configuration names is counted."));
  const alike = Map.groupBy(all, ({ kind, reason, hint }) => `${kind}\n${reason}\n${hint}`);
  return section("Left out", simpleTable(["Kind", "What", "Reason", "What may help"],
    [...alike.values()].map((some) => [some[0].kind,
      some.map(({ what }) => element("div", { class: "what" }, what)),
      element("span", { class: "bad", title: some[0].reason }, reasonInWords(some[0].reason)),
      some[0].hint ?? ""]), "What is left out, and why"));
}

function config({ config: { file, text, loaded, last_reload_successful: good } }) {
  return section("Configuration in force", facts(
    ["file", file ? element("code", {}, file) : "none: the built-in default"],
    ["read", known(loaded, instant)],
    ["last reload", good === null ? UNKNOWN : good ? "successful"
      : element("span", { class: "bad" }, "failed: the one before is in force; the log says why")]),
  text ? [element("pre", { class: "config", tabindex: 0, "aria-label": "Text of the configuration" }, text),
    copyButton("Copy", text)] : null);
}

const PARTS = [general, cost, history, profiles, budget, groups, leftOut, config];

class Status {
  constructor(stage) {
    this.stage = stage;
    this.parts = [];
    this.place = element("div", { class: "parts" });
    this.message = element("div", {}, notice("busy", "Asking the exporter…"));
    replace(stage.root, element("div", { class: "head" }, element("h1", {}, "Status")), this.message,
      this.place);
    this.look();
  }

  async look() {
    const answer = await get("status", {}, this.stage.signal).catch((error) => this.fail(error));
    if (this.stage.signal.aborted) return;
    this.timer = setTimeout(() => this.look(), AGAIN);
    if (answer) this.take(answer);
  }

  fail(error) {
    if (isAbort(error)) return;
    this.stage.report("disconnected", "Disconnected");
    replace(this.message, notice("error", `The status is not known: ${error.message}.`));
  }

  take(answer) {
    replace(this.message, answer.paused
      ? notice("error", "Paused: the hardware counters are left to others for a time.") : null);
    this.stage.report("live", "Live");
    this.show(answer);
  }

  /* What says the same as before stays, so that it can be selected and keeps the focus. */
  show(answer) {
    const made = PARTS.map((make) => make(answer));
    if (this.parts.length === 0) replace(this.place, made);
    this.parts = made.map((part, i) => {
      const standing = this.parts[i];
      if (!standing) return part;
      if (standing.isEqualNode(part)) return standing;
      standing.replaceWith(part);
      return part;
    });
  }

  close() {
    clearTimeout(this.timer);
  }
}

export function open(stage) {
  return new Status(stage);
}
