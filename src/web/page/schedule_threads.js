// SPDX-License-Identifier: Apache-2.0
// Threads of a run that has recorded the scheduler: how they are called, and which colour they have.

export const OTHERS = 7; // the colour of those that have none of their own

/** "nginx:1234", as perf sched has it; the idle task is only "idle", and nobody is "–". */
export function threadName(thread) {
  if (!thread) return "–";
  return thread.tid === 0 ? thread.name : `${thread.name}:${thread.tid}`;
}

/* A number that is born again is another thread; the longer one of both has the colour. */
const keyOf = ({ tid, pid }) => `${pid}/${tid}`;

/** The colours of the threads that ran longest, which come first in the list. */
export class ThreadColours {
  constructor(threads) {
    this.named = threads.slice(0, OTHERS);
    this.colours = new Map();
    this.named.forEach((thread, colour) => {
      if (!this.colours.has(keyOf(thread))) this.colours.set(keyOf(thread), colour);
    });
  }

  /** The number of the colour of a thread; null: it is the idle one. */
  of(thread) {
    return thread.tid === 0 ? null : this.colours.get(keyOf(thread)) ?? OTHERS;
  }
}

/** A time since the start, to the microsecond: "12.345 ms". */
export const instantWords = (seconds) => `${Number((seconds * 1e3).toFixed(3))} ms`;

/**
 * The answer of runs/{id}/map as a map shows it: when each column ends, and for each CPU its cells,
 * {thread, share, busy}, or null where nobody of the target is known to have had it.
 */
export function cellsOf({ start, end, columns, threads, cpus }) {
  const step = (end - start) / columns;
  return {
    times: Array.from({ length: columns }, (_, i) => start + step * (i + 1)),
    step_seconds: step,
    values: cpus.map((cpu) => cpu.threads.map((index, i) => (index === null ? null
      : { thread: threads[index], share: cpu.shares[i], busy: cpu.busy[i] }))),
  };
}

/** How a row of requests or exits is called: "vda read", "vCPU 0 io of qemu:12". */
export function laneName({ device, operation, guest, vcpu, reason }) {
  if (device !== undefined) return `${device} ${operation}`;
  return `${vcpu === null ? "vCPU" : `vCPU ${vcpu}`} ${reason} of ${threadName(guest)}`;
}

/** The largest share of a cell. */
export const mostOf = (lanes) => lanes.reduce((most, { shares }) =>
  shares.reduce((a, b) => Math.max(a, b), most), 0);

/** The same as cellsOf() of requests or exits: {count, share}, or null where there was none. */
export function laneCells({ start, end, columns }, lanes) {
  const step = (end - start) / columns;
  return {
    times: Array.from({ length: columns }, (_, i) => start + step * (i + 1)),
    step_seconds: step,
    values: lanes.map(({ counts, shares }) => counts.map((n, i) =>
      (n > 0 || shares[i] > 0 ? { count: n, share: shares[i] } : null))),
  };
}

/** What is missing in a record, and why: a list of texts. */
export function missing({ title, schedule }) {
  if (!schedule) return [];
  const { lost, gaps, full, requests } = schedule;
  return [
    lost > 0 && `${lost} records were lost in “${title}”, since the ring had no room for them: ` +
      "numbers and times lack them. limits.schedule_ring of the configuration makes it larger",
    gaps > 0 && `In “${title}” it was not known ${gaps} times who had a CPU, since records were ` +
      "lost or the kernel did not tell of a switch; that time is nobody’s",
    requests?.refusal && `Requests to block devices are not in “${title}”: ${requests.refusal}`,
    full && `“${title}” ended early: a run has at most 300,000 records`,
  ].filter(Boolean);
}
