// SPDX-License-Identifier: Apache-2.0
//
// A range of time as the address of the page has it: ?from=-1h ends now and moves on, and
// ?from=1795344000&to=1795347600 stays where it is. Either end is an instant:
//
//   {relative: true, seconds: -3600}          an hour ago, whenever it is asked
//   {relative: false, seconds: 1795344000}    seconds since 1970

const UNITS = [["d", 86400], ["h", 3600], ["m", 60], ["s", 1]];
const SHORTEST = 5;
const LONGEST = 400 * 86400;

export const NOW = {relative: true, seconds: 0};
export const DAY = 86400;

// The ranges that one click chooses.
export const QUICK_RANGES = [
  {from: "-5m", label: "5 min"},
  {from: "-15m", label: "15 min"},
  {from: "-1h", label: "1 h"},
  {from: "-6h", label: "6 h"},
  {from: "-1d", label: "1 d"},
  {from: "-7d", label: "7 d"},
];

export const DEFAULT_RANGE = {from: {relative: true, seconds: -3600}, to: NOW};

// "now", "-1h", "-1h30m", "1795344000.5", "2026-11-22T10:00" (local time) or null if it is no instant.
export function parseInstant(text) {
  if (text === "now") {
    return NOW;
  }
  if (/^-(\d+[dhms])+$/.test(text)) {
    const seconds = [...text.matchAll(/(\d+)([dhms])/g)]
      .reduce((sum, [, n, unit]) => sum + Number(n) * new Map(UNITS).get(unit), 0);
    return {relative: true, seconds: -seconds};
  }
  if (/^\d+(\.\d+)?$/.test(text)) {
    return {relative: false, seconds: Number(text)};
  }
  if (/^\d{4}-\d{2}-\d{2}/.test(text)) {
    const seconds = Date.parse(text) / 1000;
    return Number.isFinite(seconds) ? {relative: false, seconds} : null;
  }
  return null;
}

// The largest unit that divides it: "-90m", "-1d".
export function writeInstant(instant) {
  if (!instant.relative) {
    return String(Math.round(instant.seconds * 1000) / 1000);
  }
  if (instant.seconds === 0) {
    return "now";
  }
  const ago = Math.max(1, Math.round(-instant.seconds));
  const [unit, size] = UNITS.find(([, each]) => ago % each === 0);
  return `-${ago / size}${unit}`;
}

// The range of an address; what is missing or wrong in it is the last hour, or now.
export function readRange(parameters) {
  const from = parseInstant(parameters.get("from") ?? "") ?? DEFAULT_RANGE.from;
  const to = parseInstant(parameters.get("to") ?? "") ?? NOW;
  const {start, end} = resolve({from, to}, Date.now() / 1000);
  return end > start && end - start <= LONGEST ? {from, to} : DEFAULT_RANGE;
}

export function writeRange(range, parameters) {
  parameters.set("from", writeInstant(range.from));
  if (isLive(range)) {
    parameters.delete("to");
  } else {
    parameters.set("to", writeInstant(range.to));
  }
}

// It ends now, and so it moves on.
export function isLive(range) {
  return range.to.relative && range.to.seconds === 0 && range.from.relative;
}

const at = (instant, now) => (instant.relative ? now + instant.seconds : instant.seconds);

export function resolve(range, now) {
  return {start: at(range.from, now), end: at(range.to, now)};
}

// The range that stays between two times. One of a moment is widened, and none ends after now.
export function fixedRange(start, end, now) {
  const span = Math.min(Math.max(end - start, SHORTEST), LONGEST);
  const middle = (start + end) / 2;
  const last = Math.min(middle + span / 2, Math.max(now, middle));
  const round = (time) => (span < 120 ? Math.round(time * 10) / 10 : Math.round(time));
  return {from: {relative: false, seconds: round(last - span)},
    to: {relative: false, seconds: round(last)}};
}

// The range that ends now and is as long as it was, or the same one, if it cannot be moved on.
export function moved(range, fraction, now) {
  const {start, end} = resolve(range, now);
  const by = (end - start) * fraction;
  if (end + by < now) {
    return fixedRange(start + by, end + by, now);
  }
  return {from: {relative: true, seconds: Math.round(start - end)}, to: NOW};
}

// Wider by a factor above 1, narrower by one below. A live range stays live if nothing is pointed at.
export function scaled(range, factor, now, centre = null) {
  const {start, end} = resolve(range, now);
  if (isLive(range) && centre === null) {
    const span = Math.min(Math.max((end - start) * factor, SHORTEST), LONGEST);
    return {from: {relative: true, seconds: -Math.round(span)}, to: NOW};
  }
  const about = centre ?? (start + end) / 2;
  return fixedRange(about - (about - start) * factor, about + (end - about) * factor, now);
}

// 5400 is "1 h 30 min".
export function spanWords(seconds) {
  const words = [];
  let left = Math.round(seconds);
  for (const [name, size] of [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]]) {
    if (left >= size && words.length < 2) {
      words.push(`${Math.floor(left / size)} ${name}`);
      left %= size;
    }
  }
  return words.join(" ") || "0 s";
}
