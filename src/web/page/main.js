// SPDX-License-Identifier: Apache-2.0
// The shell: which view stands on the page, its address (#VIEW?ARGUMENTS), the keyboard, the theme.
//
// A view is a module with open(stage), which returns an object with any of these functions:
//   close()              the view is left: end what was begun
//   moved(parameters)    the arguments of the address are others now
//   search()             put the focus into the view's search
//   key(event)           a key that the shell does not know; true: it is done
// stage has `root` (the element of the view), `signal` (aborted when the view is left),
// `parameters` (of the address), `change(arguments)`, `link(view, arguments)`, `report(state,
// text)` for the state of the feed, and `status` (a promise of /api/v1/status, or of null).

import { get } from "./api.js";
import { element, replace, notice, setText } from "./elements.js";
import * as now from "./now.js";
import * as time from "./time.js";
import * as profile from "./profile.js";
import * as runs from "./runs.js";
import * as events from "./events.js";
import * as status from "./status.js";

const VIEWS = [
  { name: "now", title: "Now", module: now },
  { name: "time", title: "Over time", module: time },
  { name: "profile", title: "Profile", module: profile },
  { name: "runs", title: "Runs", module: runs },
  { name: "events", title: "Events", module: events },
  { name: "status", title: "Status", module: status },
];
const STATUS_AGAIN = 2000; // ms
const THEMES = { auto: "Auto", light: "Light", dark: "Dark" };

const byId = (id) => document.getElementById(id);
let standing = null; // {name, view, abort}

function read(hash) {
  const [name, query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  return { name: VIEWS.some((view) => view.name === name) ? name : "now",
    parameters: new URLSearchParams(query) };
}

/** The address of a view. A value of null or "" is left out; a list repeats the argument. */
function link(name, parameters = {}) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters))
    for (const one of [value].flat())
      if (one !== null && one !== undefined && one !== "") query.append(key, one);
  const text = query.toString();
  return `#${name}${text ? `?${text}` : ""}`;
}

function makeStage(name, parameters, abort) {
  return {
    root: byId("view"),
    signal: abort.signal,
    parameters,
    link,
    report,
    status: statusPromise,
    /* Writes arguments into the address, without a new entry of the history unless asked for. */
    change(changes, { push = false } = {}) {
      const all = read(location.hash).parameters;
      for (const [key, value] of Object.entries(changes)) {
        all.delete(key);
        for (const one of [value].flat())
          if (one !== null && one !== undefined && one !== "") all.append(key, one);
      }
      const text = all.toString();
      history[push ? "pushState" : "replaceState"](null, "", `#${name}${text ? `?${text}` : ""}`);
      this.parameters = all;
    },
  };
}

function report(state, text) {
  const live = byId("live");
  live.dataset.state = state;
  setText(live, text.split(":")[0]);
  live.title = text;
}

function show() {
  const { name, parameters } = read(location.hash);
  if (standing?.name === name && standing.view?.moved) {
    standing.view.moved(parameters);
    return;
  }
  standing?.abort.abort();
  standing?.view?.close?.();
  const definition = VIEWS.find((view) => view.name === name);
  const abort = new AbortController();
  replace(byId("view"));
  byId("view").removeAttribute("aria-busy");
  report("idle", "");
  for (const tab of byId("views").children)
    if (tab.dataset.view === name) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  document.title = `${definition.title} · pmu_exporter`;
  standing = { name, abort, view: null };
  try {
    standing.view = definition.module.open(makeStage(name, parameters, abort));
  } catch (error) {
    replace(byId("view"), notice("error", `This view could not be shown: ${error.message}`));
    throw error;
  }
}

function isTyping(event) {
  return event.target.closest?.("input, textarea, select, [contenteditable]");
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (isTyping(event) || byId("help-dialog").open) return;
  const view = VIEWS[Number(event.key) - 1];
  if (view) location.hash = link(view.name);
  else if (event.key === "?") byId("help-dialog").showModal();
  else if (event.key === "t") nextTheme();
  else if (event.key === "/" && standing?.view?.search) standing.view.search();
  else if (!standing?.view?.key?.(event)) return;
  event.preventDefault();
}

/* The dark colours stand in the style sheets once, for when the system wants them. */
const DARK_WHEN = { auto: "(prefers-color-scheme: dark)", light: "not all", dark: "all" };
const darkRules = [...document.styleSheets]
  .filter(({ href }) => href?.startsWith(new URL(".", import.meta.url).href)) // none of an extension
  .flatMap((sheet) => [...sheet.cssRules])
  .filter((rule) => rule.media?.mediaText === DARK_WHEN.auto);

function applyTheme(theme) {
  for (const rule of darkRules) rule.media.mediaText = DARK_WHEN[theme];
  setText(byId("theme"), THEMES[theme]);
  byId("theme").title = `Colours: ${theme === "auto" ? "as the system has them" : theme} (t)`;
  document.dispatchEvent(new CustomEvent("theme"));
}

function storedTheme() {
  const theme = localStorage.getItem("theme");
  return THEMES[theme] ? theme : "auto";
}

function nextTheme() {
  const names = Object.keys(THEMES);
  const next = names[(names.indexOf(storedTheme()) + 1) % names.length];
  localStorage.setItem("theme", next);
  applyTheme(next);
}

/* The version and the history are of interest to several views. They are asked for until there is
 * an answer: an exporter that has just begun has none yet. */
async function askStatus() {
  for (;;) {
    try {
      return await get("status");
    } catch (error) {
      if (error.status !== 0 && error.status !== 503) return null;
    }
    await new Promise((resolve) => setTimeout(resolve, STATUS_AGAIN));
  }
}

const statusPromise = askStatus();

function start() {
  replace(byId("views"), VIEWS.map(({ name, title }, i) =>
    element("a", { href: link(name), "data-view": name, title: `${title} (${i + 1})` }, title)));
  byId("theme").addEventListener("click", nextTheme);
  byId("help").addEventListener("click", () => byId("help-dialog").showModal());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change",
    () => document.dispatchEvent(new CustomEvent("theme")));
  addEventListener("keydown", onKey);
  addEventListener("hashchange", show);
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    byId("view").focus();
  });
  setText(byId("host"), location.hostname === "localhost" ? "" : location.host);
  statusPromise.then((known) => {
    if (known) setText(byId("version"), `pmu_exporter ${known.version}`);
  });
  applyTheme(storedTheme());
  show();
}

start();
