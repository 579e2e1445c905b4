// SPDX-License-Identifier: Apache-2.0
// What a record of the scheduler comes to, as tables: by thread, by CPU, who preempted whom, the
// longest waits, requests to block devices and exits of guests. A table has some lines, until all are
// asked for, and one that would have none is not there.

import { element } from "./elements.js";
import { bytes, count, duration, percent } from "./format.js";
import { figureTable } from "./run_tables.js";
import { instantWords, threadName } from "./schedule_threads.js";

const LINES = 10;
const SHARES = 4;

const cell = (text, title = null) => element("td", { class: "number", title }, text);
const name = (thread) => element("bdi", { class: "run-column" }, threadName(thread));
const words = (thread) => element("td", {}, name(thread));
const row = (first, ...cells) => element("tr", {}, element("th", { scope: "row" }, first), cells);

const last = (child) => element("tr", {}, element("td", { class: "quiet-text", colspan: 99 }, child));

/* The rows of a list, of which there are n in all: the exporter may tell of the first ones only. */
function rowsOf(list, line, n = list.length) {
  const untold = n > list.length ? [last(`and ${n - list.length} more`)] : [];
  if (list.length <= LINES) return [...list.map(line), ...untold];
  const button = element("button", { type: "button", class: "copy", on: { click: () => {
    button.closest("[tabindex]").focus({ preventScroll: true });
    rest.replaceWith(...list.slice(LINES).map(line), ...untold);
  } } }, `Show all ${list.length}`);
  const rest = last(button);
  return [...list.slice(0, LINES).map(line), rest];
}

function threads({ threads: list, n_threads: n }) {
  const line = (thread) => {
    const { longest_wait: longest, waits } = thread;
    return row(name(thread), words({ name: thread.process, tid: thread.pid }), cell(duration(thread.ran_seconds)),
      cell(count(thread.slices)), cell(count(thread.voluntary)), cell(count(thread.involuntary)),
      cell(count(waits)), cell(waits ? duration(thread.waited_seconds / waits) : "–"),
      cell(longest ? duration(longest.seconds) : "–", longest && `at ${instantWords(longest.start)}`),
      cell(duration(thread.blocked_seconds)), cell(count(thread.migrations)));
  };
  return figureTable("Threads", ["Thread", { words: "Process" }, "On CPU", "Slices", "Yielded", "Preempted",
    "Waits", "Mean wait", "Longest wait", "Blocked", "Moves"],
  rowsOf(list, line, n));
}

function cpus({ cpus: list, seconds }) {
  const shares = (cpu) => cpu.threads.slice(0, SHARES).map(({ thread, seconds: had }, i) =>
    [i > 0 ? ", " : "", name(thread), ` ${percent(had / seconds)}`]);
  return figureTable("CPUs", ["CPU", "Busy", "Idle", "Switches", "Wake-ups", { words: "Most by" }],
    rowsOf(list, (cpu) => row(`CPU ${cpu.cpu}`, cell(percent(cpu.ran_seconds / seconds)),
      cell(cpu.idle_seconds === null ? "–" : percent(cpu.idle_seconds / seconds)),
      cell(count(cpu.switches)), cell(count(cpu.wake_ups)),
      element("td", { class: "schedule-shares" }, shares(cpu)))));
}

function preempted({ preempted: list }) {
  return figureTable("Who preempted whom", ["Preempted", { words: "By" }, "Times"],
    rowsOf(list, ({ by, thread, count: n }) => row(name(thread), words(by), cell(count(n)))));
}

function waits({ longest_waits: list }) {
  return figureTable("The longest waits for a CPU", ["Thread", "Waited", "From", { words: "Woken by" }],
    rowsOf(list, ({ thread, seconds, start, waker }) =>
      row(name(thread), cell(duration(seconds)), cell(instantWords(start)),
        waker ? words(waker) : element("td", { class: "quiet-text" }, "it was preempted"))));
}

const lasted = (seconds) => cell(seconds === null ? "–" : duration(seconds));

/* The cells that a line of requests and one of exits have both. */
function lengths({ mean_seconds: mean, p50_seconds: p50, p99_seconds: p99, longest }) {
  return [lasted(mean), lasted(p50), lasted(p99),
    cell(longest ? duration(longest.seconds) : "–", longest && `at ${instantWords(longest.start)}`),
    longest ? words(longest.thread) : element("td", {}, "–")];
}

function requests({ requests: { by_device: list } }) {
  const line = (each) => row(element("bdi", { class: "run-column" }, `${each.device} ${each.operation}`),
    cell(count(each.count)), cell(bytes(each.bytes)), cell(count(each.errors)),
    lasted(each.queued_mean_seconds), lengths(each));
  return figureTable("Requests to block devices", ["Device", "Requests", "Size", "Failed", "Mean in the queue",
    "Mean", "p50", "p99", "Longest", { words: "Of" }],
  rowsOf(list, line));
}

function exits({ exits: { by_vcpu: list, n_lines: n } }) {
  const line = (each) => row(name(each.guest), cell(each.vcpu ?? "–"), element("td", {}, each.reason),
    cell(count(each.count)), cell(duration(each.seconds)), lengths(each));
  return figureTable("Exits of guests", ["Guest", "vCPU", { words: "Exit" }, "Exits", "Time outside", "Mean",
    "p50", "p99", "Longest", { words: "Of" }], rowsOf(list, line, n));
}

/** All tables that have a line, each with its heading. Earlier versions have recorded no requests and
 * no exits. */
export function scheduleTables(schedule) {
  return [["Threads", schedule.threads, threads], ["CPUs", schedule.cpus, cpus],
    ["Preemptions", schedule.preempted, preempted], ["Longest waits", schedule.longest_waits, waits],
    ["Requests", schedule.requests?.by_device, requests], ["Exits", schedule.exits?.by_vcpu, exits]]
    .flatMap(([title, lines, table]) => (lines?.length > 0
      ? [element("h2", { class: "run-heading" }, title), table(schedule)] : []));
}
