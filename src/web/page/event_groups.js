// SPDX-License-Identifier: Apache-2.0
// Events as perf stat -e takes them: "a,b" are two, "{a,b}" are counted together, and "{a,b}:u" gives
// each of the two the modifier. A comma between slashes belongs to the name: cpu/event=1,umask=2/.

/* How far the name goes that begins here. */
function endOfName(text, at) {
  let betweenSlashes = false, end = at;
  for (; end < text.length && (betweenSlashes || !",{}".includes(text[end])); end++)
    if (text[end] === "/") betweenSlashes = !betweenSlashes;
  return end;
}

const withModifiers = (name, modifiers) =>
  (modifiers === "" ? name : `${name}${name.endsWith("/") ? "" : ":"}${modifiers}`);

const isOpen = (text) => text.startsWith("{") && !text.includes("}");

function refuse(text, expected) {
  throw new Error(`${text}: expected ${expected}`);
}

function nameAt(text, at) {
  const end = endOfName(text, at), name = text.slice(at, end).trim();
  if (name === "") refuse(text, "the name of an event");
  return { name, end };
}

/* The group whose brace opens here, and where it ends. */
function groupAt(text, at) {
  const names = [];
  let end = at;
  do {
    const found = nameAt(text, end + 1);
    names.push(found.name);
    end = found.end;
  } while (text[end] === ",");
  if (text[end] !== "}") refuse(text, "a comma or }");
  const behind = endOfName(text, end + 1);
  const modifiers = text.slice(end + 1, behind).trim().replace(/^:/, "");
  return { event: names.map((name) => withModifiers(name, modifiers)), end: behind };
}

function parse(text) {
  const events = [];
  let at = 0;
  for (;;) {
    const found = text[at] === "{" ? groupAt(text, at) : nameAt(text, at);
    events.push(found.event ?? found.name);
    if (found.end >= text.length) return events;
    if (text[found.end] !== ",") refuse(text, "a comma");
    at = found.end + 1;
  }
}

/** What the API takes as events: names, and lists of names. Throws with words what is no event. */
export const eventsOf = (texts) => texts.flatMap((text) => parse(text.trim()));

/** The same the other way: the texts of names and groups that the API was asked for. */
export const textsOf = (events) =>
  events.map((event) => (Array.isArray(event) ? `{${event.join(",")}}` : event));

/**
 * Of a text that is being typed: the name that is to be looked for, and whole(name), what the text
 * becomes with the name that was found. A group is closed by it. Without a name: there is none.
 */
export function lookFor(text) {
  if (!isOpen(text)) return { name: text.includes("}") ? null : text, whole: (name) => name };
  let at = 1;
  for (let end = endOfName(text, at); end < text.length; end = endOfName(text, at)) at = end + 1;
  return { name: text.slice(at).trim(), whole: (name) => `${text.slice(0, at)}${name}}` };
}
