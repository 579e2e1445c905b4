// SPDX-License-Identifier: Apache-2.0
// Asks the exporter: JSON by fetch, and the live feed by server-sent events. Addresses are relative
// to the page, so that it works behind a proxy with a prefix as well.

const FIRST_WAIT = 500; // ms, between a stream that ended and the next one
const LONGEST_WAIT = 15000;

/** What an answer other than 2xx becomes. status is 0 where there was no answer at all. */
export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** The address of a route below /api/v1/. A value may be a list: the argument is repeated. */
export function address(route, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    for (const one of [value].flat())
      if (one !== null && one !== undefined && one !== "") query.append(name, one);
  const text = query.toString();
  return `api/v1/${route}${text ? `?${text}` : ""}`;
}

async function refusal(response) {
  const text = await response.text();
  try {
    return JSON.parse(text).error;
  } catch {
    return text.trim();
  }
}

async function ask(method, route, parameters, body, signal) {
  const options = { method, signal, headers: { Accept: "application/json" } };
  let response;
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  try {
    response = await fetch(address(route, parameters), options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("the exporter does not answer", 0);
  }
  if (!response.ok)
    throw new ApiError(await refusal(response) || `status ${response.status}`, response.status);
  return response.json();
}

/** An AbortError is no failure: the view has been left. */
export const isAbort = (error) => error?.name === "AbortError";

export const get = (route, parameters, signal) => ask("GET", route, parameters, undefined, signal);
export const post = (route, body, signal) => ask("POST", route, {}, body, signal);
export const remove = (route, signal) => ask("DELETE", route, {}, undefined, signal);

/**
 * A stream of server-sent events that comes back by itself. on({event: handler}) names the events;
 * each handler gets what the JSON of the event says. state(word, text) is told "connecting",
 * "live", "stale", "disconnected" or "refused". It rests while nobody sees the page.
 */
export class Feed {
  constructor(route, parameters, handlers, state = () => {}) {
    this.route = route;
    this.parameters = parameters;
    this.handlers = handlers;
    this.state = state;
    this.wait = FIRST_WAIT;
    this.turn = () => (document.hidden ? this.rest() : this.open());
    document.addEventListener("visibilitychange", this.turn);
    this.state("connecting", "Connecting");
    if (!document.hidden) this.open();
  }

  open() {
    if (this.closed || this.source) return;
    const source = new EventSource(address(this.route, this.parameters));
    this.source = source;
    for (const [name, handler] of Object.entries(this.handlers))
      source.addEventListener(name, (event) => {
        this.wait = FIRST_WAIT;
        this.heard(handler, event);
      });
    source.addEventListener("error", () => this.failed(source));
    this.watch();
  }

  heard(handler, event) {
    const data = JSON.parse(event.data);
    if (data.stale) this.state("stale", "Stale: the exporter has not read its counters lately");
    else this.state("live", data.paused ? "Live, paused" : "Live");
    this.watch(data.interval_seconds);
    handler(data, event);
  }

  /* Says so where events stay away although the connection stands. */
  watch(interval = 1) {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => this.state("stale", "Stale: no news"),
      Math.max(10000, interval * 5000));
  }

  /* A browser gives up for good after any answer that is no stream, so we ask again ourselves. One
   * stream that ends is nothing to worry about: only if the next one fails too, nobody answers. */
  failed(source) {
    if (this.source !== source || this.closed) return;
    this.rest();
    if (this.wait > FIRST_WAIT) this.state("disconnected", "Disconnected: the exporter does not answer");
    else this.state("connecting", "Connecting again");
    this.timer = setTimeout(this.turn, this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
  }

  rest() {
    clearTimeout(this.timer);
    clearTimeout(this.watchdog);
    this.source?.close();
    this.source = null;
  }

  close() {
    this.closed = true;
    document.removeEventListener("visibilitychange", this.turn);
    this.rest();
  }
}
