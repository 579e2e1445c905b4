// SPDX-License-Identifier: Apache-2.0
// What the view Profile knows of an answer of /api/v1/profile: columns become a tree, which is
// searched, laid out from left to right, and told in words. There is no document in here.

import { count, duration, UNKNOWN } from "./format.js";

export const COARSE = 100; // samples; shares of fewer say little

/** How a function is known: two of one kind may have one name. */
export const keyOf = ({ owner, name }) => JSON.stringify([owner, name]);

/** Whether it stands for what is not known of a stack, and not for many small frames. */
export const isEndNote = ({ kind, name }) => kind === "note" && name.startsWith("[");

/** Rows of objects from an object of columns. */
export function rowsOf(columns) {
  const names = Object.keys(columns ?? {});
  return (columns?.[names[0]] ?? []).map((_, i) =>
    Object.fromEntries(names.map((name) => [name, columns[name][i]])));
}

/**
 * A profile, or the difference of two. Nodes are numbers: 0 is the root, and a parent is less than
 * its children. `sides` has one profile, or the one before and the one after. `whole` is what the root
 * stands for.
 */
export class Profile {
  constructor(answer, whole = "all samples") {
    const { nodes } = answer;
    this.whole = { kind: "note", owner: "", name: whole };
    this.answer = answer;
    this.isDifference = Boolean(answer.before);
    this.sides = this.isDifference ? [answer.before, answer.after] : [answer];
    this.samples = this.sides.map(({ samples }) => samples);
    this.functions = rowsOf(answer.functions);
    this.n = nodes.parent.length;
    this.parent = nodes.parent;
    this.totals = this.isDifference ? [nodes.total_before, nodes.total_after] : [nodes.total];
    this.selves = this.isDifference ? [nodes.self_before, nodes.self_after] : [nodes.self];
    this.grow();
  }

  /* Children stand in the order of their names, so that they stay where they are from one profile to
   * the next; what is no function stands last. */
  grow() {
    this.children = Array.from({ length: this.n }, () => []);
    this.depth = new Int32Array(this.n);
    for (let i = 1; i < this.n; i++) {
      this.children[this.parent[i]].push(i);
      this.depth[i] = this.depth[this.parent[i]] + 1;
    }
    const rank = new Map([...this.functions.keys()].sort((a, b) =>
      this.compare(this.functions[a], this.functions[b])).map((place, i) => [place, i]));
    const { function: functions } = this.answer.nodes;
    for (const some of this.children)
      some.sort((a, b) => rank.get(functions[a]) - rank.get(functions[b]));
  }

  compare(a, b) {
    if ((a.kind === "note") !== (b.kind === "note")) return a.kind === "note" ? 1 : -1;
    return a.name < b.name ? -1 : Number(a.name > b.name);
  }

  functionOf(i) {
    return this.functions[this.answer.nodes.function[i]] ?? this.whole;
  }

  /**
   * Samples whose stacks are not whole: they begin with a note that says why. isAll: none of them can
   * be among the small frames that are shown as one.
   */
  notWhole() {
    const notes = this.children[0].filter((i) => this.functionOf(i).kind === "note");
    const ends = notes.filter((i) => isEndNote(this.functionOf(i)));
    return { n: ends.reduce((sum, i) => sum + this.totals[0][i], 0), isAll: ends.length === notes.length };
  }

  /** Samples of a side of which is known only that they were taken. */
  lost(side) {
    return this.children[0].filter((i) => this.functionOf(i).name === "[sample lost]" &&
      this.functionOf(i).kind === "note").reduce((sum, i) => sum + this.totals[side][i], 0);
  }

  /** How wide a node is. Of two profiles both count alike, so that what has gone is seen, too. */
  weight(i) {
    if (!this.isDifference) return this.totals[0][i];
    return this.totals.reduce((sum, total, side) => sum + total[i] * this.scale(side), 0);
  }

  /* What one sample of a side counts: as a share, or in CPU seconds per second. */
  scale(side) {
    const { samples, from, to } = this.sides[side];
    if (this.answer.measure === "time") return to > from ? this.amount(1, side) / (to - from) : 0;
    return samples > 0 ? 1 / samples : 0;
  }

  /** CPU seconds that so many samples stand for, or events of what a run has recorded. */
  amount(samples, side = 0) {
    const { cpu_seconds: seconds, events, samples: all } = this.sides[side];
    return all > 0 ? (events ?? seconds) * samples / all : 0;
  }

  amountWords(samples, side = 0) {
    const { event } = this.sides[side];
    const amount = this.amount(samples, side);
    return event ? `${count(Math.round(amount))} ${event}` : `${secondsWords(amount)} of CPU time`;
  }

  change(i) {
    const { change, sigma, differs } = this.answer.nodes;
    return { change: change[i], sigma: sigma[i], differs: Boolean(differs[i]) };
  }

  /** The greatest change of those that are beyond chance. */
  greatestChange() {
    const { change, differs } = this.answer.nodes;
    return change.reduce((most, each, i) => (differs[i] ? Math.max(most, Math.abs(each)) : most), 0);
  }

  /** The node and its callers, the root first. */
  stack(i) {
    const stack = [];
    for (let at = i; at >= 0; at = this.parent[at]) stack.unshift(at);
    return stack;
  }
}

/**
 * What has these words in its name or its owner. `samples`: of each side, each sample counted once,
 * however often its stack has such a function.
 */
export function search(profile, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  const has = profile.functions.map(({ owner, name }) => {
    const whole = `${owner} ${name}`.toLowerCase();
    return words.every((word) => whole.includes(word));
  });
  const places = profile.answer.nodes.function;
  const within = new Uint8Array(profile.n); // of a node, or of one above it
  const matched = new Uint8Array(profile.n);
  const samples = profile.totals.map(() => 0);
  for (let i = 1; i < profile.n; i++) {
    matched[i] = Number(has[places[i]]);
    if (matched[i] && !within[profile.parent[i]])
      profile.totals.forEach((total, side) => { samples[side] += total[i]; });
    within[i] = matched[i] | within[profile.parent[i]];
  }
  return { matched, samples, functions: has.filter(Boolean).length };
}

/** Which functions of a table have these words. */
export function hasWords({ owner, name }, text) {
  const whole = `${owner} ${name}`.toLowerCase();
  return text.toLowerCase().split(/\s+/).filter(Boolean).every((word) => whole.includes(word));
}

/**
 * From where to where each node reaches, as shares of the width, when `zoomed` has all of it, and so
 * have those above it. What is not seen has 0 from and 0 to.
 */
export function layout(profile, zoomed) {
  const from = new Float64Array(profile.n);
  const to = new Float64Array(profile.n);
  for (const i of profile.stack(zoomed)) to[i] = 1;
  const all = profile.weight(zoomed);
  const place = (i) => {
    let at = from[i];
    for (const child of profile.children[i]) {
      from[child] = at;
      at += all > 0 ? profile.weight(child) / all : 0;
      to[child] = at;
      place(child);
    }
  };
  place(zoomed);
  return { from, to, zoomed };
}

/**
 * The node that is reached from another one by "out" (towards the root), "in" (the widest that it
 * calls), "left" or "right" (the next of the same depth); the same where there is none. Nodes that are
 * narrower than `least` are not seen.
 */
export function walk(profile, placed, at, way, least = 0) {
  const { from, to } = placed;
  const isSeen = (i) => to[i] - from[i] > least;
  if (way === "out") return Math.max(profile.parent[at], 0);
  if (way === "in")
    return profile.children[at].filter(isSeen).reduce((best, i) =>
      (best === at || profile.weight(i) > profile.weight(best) ? i : best), at);
  let best = at;
  for (let i = 1; i < profile.n; i++) {
    if (profile.depth[i] !== profile.depth[at] || !isSeen(i)) continue;
    const isNearer = way === "right" ? from[i] > from[at] && (best === at || from[i] < from[best])
      : from[i] < from[at] && (best === at || from[i] > from[best]);
    if (isNearer) best = i;
  }
  return best;
}

/** The way of a key; where the root is above, up and down are the other way around. */
export function wayOf(key, inverted) {
  return { ArrowLeft: "left", ArrowRight: "right", ArrowUp: inverted ? "out" : "in",
    ArrowDown: inverted ? "in" : "out" }[key] ?? null;
}

/**
 * The standard deviation of a share of samples: that of a part of a whole, which for small parts is
 * the square root of their number.
 */
export function shareSigma(n, all) {
  return all > 0 ? Math.sqrt(n * (1 - Math.min(n / all, 1))) / all : 0;
}

/* As many digits as the standard deviation allows. */
function percents(value, sigma) {
  const digits = sigma >= 0.02 || sigma === 0 ? 0 : sigma >= 0.001 ? 1 : 2;
  return `${(value * 100).toFixed(digits).replace("-", "−")} %`;
}

/** "12.3 % ± 0.4 %". */
export function shareWords(n, all) {
  if (!(all > 0)) return UNKNOWN;
  const sigma = shareSigma(n, all);
  return sigma === 0 ? percents(n / all, 0) : `${percents(n / all, sigma)} ± ${percents(sigma, sigma)}`;
}

/** "+1.2 % ± 0.2 %", in shares, or in CPU seconds per second. */
export function changeWords({ change, sigma }, measure) {
  const sign = change > 0 ? "+" : "";
  if (measure === "shares") return `${sign}${percents(change, sigma)} ± ${percents(sigma, sigma)}`;
  const digits = sigma > 0 ? Math.min(Math.max(1 - Math.floor(Math.log10(sigma)), 1), 6) : 3;
  return `${sign}${change.toFixed(digits).replace("-", "−")} ± ${sigma.toFixed(digits)} CPUs`;
}

export function secondsWords(seconds) {
  if (seconds === 0) return "0 s";
  return seconds < 60 ? duration(seconds) : `${count(Math.round(seconds))} s`;
}

/** What is told of a node, as a list of texts. */
export function nodeWords(profile, i) {
  const [self, total] = [profile.selves, profile.totals].map((sides) => sides.map((side) => side[i]));
  const { samples } = profile;
  if (!profile.isDifference)
    return [`self ${count(self[0])}, total ${count(total[0])} samples`, shareWords(total[0], samples[0]),
      profile.amountWords(total[0])];
  const change = profile.change(i);
  const isAll = i === 0 && profile.answer.measure === "shares"; // it is all of both
  const part = (side) => (profile.answer.measure === "time"
    ? profile.amountWords(total[side], side)
    : shareWords(total[side], samples[side]));
  return [`before ${count(total[0])} samples (${part(0)})`, `after ${count(total[1])} (${part(1)})`,
    isAll ? "" : `${changeWords(change, profile.answer.measure)}: ` +
      (change.differs ? "differs" : "may be chance")].filter(Boolean);
}
