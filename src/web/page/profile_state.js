// SPDX-License-Identifier: Apache-2.0
// What the view Profile shows, as its address has it:
//
//   #profile?target=cgroup:/a&range=15m          the last 15 minutes, or &start=S&end=S
//   &outer_start=S&outer_end=S                   the range of which that is a part
//   &view=flame|icicle|table  &measure=shares|time  &search=WORDS
//   &owner=O&name=F                              who calls a function, and what it calls
//   &code=1                                      and its instructions
//   &before=previous|1h|1d|1w                    compared with what was so long before, or with
//   &before_start=S&before_end=S, &before_target=T
//
// A target run:N is what a run has recorded: that has a range of its own, and is compared with another
// run alone.
//
// Times are seconds since 1970.

/* Whether it has the form of a target that may have a profile: the address may be made by hand. */
export const hasProfile = (text) => /^(machine|cgroup:.+|process:.+|run:[1-9]\d{0,8})$/s.test(text);
export const isRun = (target) => target.startsWith("run:");

export const RANGES = [["1m", 60, "1 min"], ["5m", 300, "5 min"], ["15m", 900, "15 min"],
  ["1h", 3600, "1 h"], ["1d", 86400, "24 h"], ["1w", 604800, "7 d"]]
  .map(([name, seconds, label]) => ({ name, seconds, label }));
export const BEFORES = [["previous", "the same length before"], ["1h", "an hour before"],
  ["1d", "a day before"], ["1w", "a week before"]].map(([name, label]) => ({ name, label }));
export const VIEWS = [["flame", "Flame graph"], ["icicle", "Icicle"], ["table", "Table"]]
  .map(([name, label]) => ({ name, label }));
const AGO = { "1h": 3600, "1d": 86400, "1w": 604800 };
const USUAL = { range: "5m", view: "flame", measure: "shares", target: "machine" };

const oneOf = (value, all, usual) => (all.includes(value) ? value : usual);
const names = (list) => list.map(({ name }) => name);

function time(parameters, name) {
  const text = parameters.get(name) ?? "";
  return /^\d{1,11}(\.\d+)?$/.test(text) ? Number(text) : null;
}

/* Two times that belong together, or none. */
function span(parameters, from, to) {
  const [start, end] = [time(parameters, from), time(parameters, to)];
  return start !== null && end !== null && start < end ? { start, end } : null;
}

const aTarget = (text) => (text && hasProfile(text) ? text : null);

/** What an address says; what is missing or wrong in it is as usual. */
export function readState(parameters) {
  return {
    target: aTarget(parameters.get("target")) ?? USUAL.target,
    fixed: span(parameters, "start", "end"),
    outer: span(parameters, "outer_start", "outer_end"),
    range: oneOf(parameters.get("range"), names(RANGES), USUAL.range),
    view: oneOf(parameters.get("view"), names(VIEWS), USUAL.view),
    measure: oneOf(parameters.get("measure"), ["shares", "time"], USUAL.measure),
    before: oneOf(parameters.get("before"), names(BEFORES), null),
    beforeFixed: span(parameters, "before_start", "before_end"),
    beforeTarget: aTarget(parameters.get("before_target")),
    owner: parameters.get("owner") ?? "",
    name: parameters.get("name") || null,
    code: parameters.get("code") === "1",
    search: parameters.get("search") ?? "",
  };
}

const written = (seconds) => (seconds === undefined ? null : String(Math.round(seconds * 1000) / 1000));

/** The arguments of the address of what is shown; null: it does not stand there. */
export function writeState(state) {
  const unusual = (name) => (state[name] === USUAL[name] ? null : state[name]);
  return {
    target: state.target,
    start: written(state.fixed?.start), end: written(state.fixed?.end),
    outer_start: written(state.outer?.start), outer_end: written(state.outer?.end),
    range: state.fixed || isRun(state.target) ? null : state.range,
    view: unusual("view"), measure: unusual("measure"),
    before: state.beforeFixed ? null : state.before,
    before_start: written(state.beforeFixed?.start), before_end: written(state.beforeFixed?.end),
    before_target: state.beforeTarget,
    owner: state.name ? state.owner : null, name: state.name,
    code: state.name && state.code ? "1" : null,
    search: state.search || null,
  };
}

/** The range that is asked for. */
export function rangeOf(state, now) {
  if (state.fixed) return state.fixed;
  return { start: now - RANGES.find(({ name }) => name === state.range).seconds, end: now };
}

/** What it is compared with, {target, start, end}, or null. */
export function beforeOf(state, { start, end }) {
  const target = state.beforeTarget ?? state.target;
  if (isRun(state.target)) return state.beforeTarget ? { target } : null;
  if (state.beforeFixed) return { target, ...state.beforeFixed };
  if (state.before) {
    const ago = AGO[state.before] ?? end - start;
    return { target, start: start - ago, end: end - ago };
  }
  return state.beforeTarget ? { target, start, end } : null;
}

/** What is wished beside another target: between a run and something else nothing stays, since runs
 *  are compared with runs only, and by CPU time only where their event is that. */
export function beforeFor(state, target) {
  if (!isRun(target) && !isRun(state.target)) return {};
  return { before: null, beforeFixed: null, beforeTarget: null, measure: USUAL.measure };
}

/** The word of the choice that stands: "", "range", "target", or a name of BEFORES. */
export function beforeWord(state) {
  if (isRun(state.target)) return state.beforeTarget ? "target" : "";
  if (state.beforeFixed) return "range";
  return state.before ?? (state.beforeTarget ? "target" : "");
}

/** The arguments of a question about it. */
export function question(state, range) {
  const at = isRun(state.target) ? { target: state.target }
    : { target: state.target, start: written(range.start), end: written(range.end) };
  const before = beforeOf(state, range);
  if (!before) return at;
  return { ...at, measure: state.measure, before_start: written(before.start),
    before_end: written(before.end),
    before_target: before.target === state.target ? null : before.target };
}
