// SPDX-License-Identifier: Apache-2.0
// The form that begins a run: who is counted, which events, how often and for how long.

import { get, post } from "./api.js";
import { Chooser } from "./chooser.js";
import { element, notice, replace } from "./elements.js";
import { eventsOf, lookFor, textsOf } from "./event_groups.js";
import { reasonInWords } from "./reasons.js";
import { targetsOf } from "./targets.js";

const LISTED = 50;
const COUNTED = ["cgroup", "process"]; // kinds of targets that a run can be of, beside the machine

/* Targets whose names have all these words, and process numbers. */
async function findTargets(text, signal) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const known = targetsOf(await get("targets", {}, signal))
    .filter(({ kind }) => COUNTED.includes(kind)).map(({ id }) => id);
  const found = ["machine", ...known].filter((id) =>
    text === "machine" || words.every((word) => id.toLowerCase().includes(word)));
  const own = /^\d+$/.test(text) ? [{ value: `pid:${text}`, note: "this process" }] : [];
  return [...own, ...found.slice(0, LISTED).map((value) => ({ value }))];
}

async function findEvents(text, signal) {
  const { name: search, whole } = lookFor(text);
  if (search === null) return [];
  const { events } = await get("events", { search, limit: LISTED }, signal);
  return events.map(({ name, description, available, reason }) => ({ value: whole(name), bad: !available,
    note: available ? description
      : `cannot be counted${reason ? `: ${reasonInWords(reason)}` : ""}` }));
}

const SAID = {
  schedule: "Every switch, wake-up and migration of the target is recorded: which thread had which " +
    "CPU when, and who made whom wait. So are its requests to block devices and exits of guests, if " +
    "they begin and end meanwhile.",
  record: "One event is counted, and sampled beside that, with the stack of who made it happen: as a " +
    "flame graph, and compared with that of another run. Cycles, cache-misses, page-faults and " +
    "cpu-clock can be sampled; tracepoints and probes cannot.",
};

const inputOf = (label, input, wide = false) =>
  element("label", { class: wide ? "run-field wide" : "run-field" }, element("span", {}, label), input);

export class RunForm {
  /** begun(run) is called with the run that has begun. */
  constructor(begun) {
    this.begun = begun;
    this.title = element("input", { required: true, maxlength: 200, name: "title",
      placeholder: "What you try out" });
    this.target = new Chooser({ id: "run-target", label: "Target", many: false,
      placeholder: "machine, cgroup:/path, pid:123", ask: findTargets });
    this.target.set(["machine"]);
    this.events = new Chooser({ id: "run-events", label: "Events", many: true,
      placeholder: "Search, or {cycles,instructions}", ask: findEvents });
    this.interval = this.seconds("interval", 1, 60);
    this.length = this.seconds("duration", 30, 3600);
    this.kind = element("select", { name: "kind", on: { change: () => this.showKind() } },
      element("option", { value: "count" }, "Count events"),
      element("option", { value: "record" }, "Sample who makes an event happen"),
      element("option", { value: "schedule" }, "Record the scheduler, thread by thread"));
    this.rate = element("input", { type: "number", name: "rate", value: 99, min: 1, max: 999, step: 1,
      required: true });
    this.notes = element("textarea", { name: "notes", rows: 2, maxlength: 10000 });
    this.free = element("input", { type: "checkbox", name: "free" });
    this.button = element("button", { type: "submit", class: "primary" }, "Begin the run");
    this.said = element("div", { class: "wide" });
    this.root = this.build();
    this.showKind();
  }

  seconds(name, value, max) {
    return element("input", { type: "number", name, value, min: 0.01, max, step: "any",
      required: true });
  }

  build() {
    return element("form", { class: "run-form card", "aria-label": "Begin a run",
      on: { submit: (event) => this.submit(event) } },
    inputOf("Title", this.title), this.target.root, inputOf("What", this.kind), this.events.root,
    element("div", { class: "run-pair" }, inputOf("Every (seconds)", this.interval),
      inputOf("For (seconds)", this.length)),
    this.ratePart = inputOf("Samples a second", this.rate), inputOf("Notes", this.notes, true), this.said,
    element("div", { class: "run-begin wide" }, this.button,
      this.freed = element("label", { class: "check" }, this.free,
        "use the counters too that are kept free for others")));
  }

  /* A record of the scheduler is large: it is begun for seconds, and has no events. */
  showKind() {
    const kind = this.kind.value;
    this.events.root.hidden = this.freed.hidden = kind === "schedule";
    this.ratePart.hidden = this.rate.disabled = kind !== "record";
    this.interval.value = kind === "schedule" ? 0.1 : 1;
    this.length.value = kind === "schedule" ? 5 : 30;
    replace(this.said, SAID[kind] ? notice("empty", SAID[kind]) : null);
  }

  /** Takes the settings of a run, so that the same can be counted again. */
  fill(run) {
    this.title.value = run.title;
    this.kind.value = run.kind;
    this.showKind();
    this.target.set([run.target]);
    this.events.set(textsOf(run.asked ?? run.events.map(({ name }) => name)));
    this.interval.value = run.interval_seconds;
    this.length.value = run.duration_seconds;
    this.free.checked = run.counters === "free";
    this.rate.value = run.sampled?.rate ?? 99;
    this.title.focus();
    this.title.select();
  }

  request() {
    const common = { title: this.title.value, notes: this.notes.value,
      target: this.target.values()[0] ?? "", interval_seconds: Number(this.interval.value),
      duration_seconds: Number(this.length.value) };
    if (this.kind.value === "schedule") return { ...common, kind: "schedule" };
    const counted = { ...common, events: eventsOf(this.events.values()),
      counters: this.free.checked ? "free" : "budget" };
    return this.kind.value === "record" ? { ...counted, kind: "record", rate: Number(this.rate.value) }
      : counted;
  }

  async submit(event) {
    event.preventDefault();
    const chosen = this.events.values();
    const few = this.kind.value !== "schedule" && chosen.length === 0;
    if (few || (this.kind.value === "record" && chosen.length > 1)) {
      replace(this.said, notice("error", few ? "Choose at least one event." : "Choose one event."));
      this.events.input.focus();
      return;
    }
    this.button.disabled = true;
    try {
      const run = await post("runs", this.request());
      replace(this.said);
      this.events.set(chosen);
      await this.begun(run);
    } catch (error) {
      replace(this.said, notice("error", `It did not begin: ${error.message}.`));
    } finally {
      this.button.disabled = false;
    }
  }
}
