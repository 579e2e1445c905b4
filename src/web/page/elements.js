// SPDX-License-Identifier: Apache-2.0
// Makes elements. What strangers have named (cgroups, commands, events) becomes a text node here,
// never markup: nothing of this page parses a text as HTML.

const NAMESPACES = { svg: "http://www.w3.org/2000/svg" };

function append(parent, child) {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) child.forEach((one) => append(parent, one));
  else parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
}

/**
 * An element with attributes and children. An attribute that is null or false is left out; `on` has
 * handlers of events, and `class` is an attribute like others. Children are elements, texts, lists
 * of these, or null.
 */
export function element(tag, attributes = {}, ...children) {
  const made = NAMESPACES[tag] ? document.createElementNS(NAMESPACES[tag], tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on")
      for (const [event, handler] of Object.entries(value)) made.addEventListener(event, handler);
    else if (value !== null && value !== undefined && value !== false)
      made.setAttribute(name, value === true ? "" : String(value));
  }
  append(made, children);
  return made;
}

/** Puts other children into an element. */
export function replace(parent, ...children) {
  parent.textContent = "";
  append(parent, children);
}

/** Gives an element these children, in this order, and touches none that stands in its place. */
export function keepChildren(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  children.forEach((child, i) => {
    if (parent.children[i] !== child) parent.insertBefore(child, parent.children[i] ?? null);
  });
}

/** Sets the text of an element, and touches nothing where it stands already. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Sets or, for null, removes an attribute, and touches nothing where it stands already. */
export function setAttribute(node, name, value) {
  if (value === null) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
  } else if (node.getAttribute(name) !== String(value)) {
    node.setAttribute(name, String(value));
  }
}

/** A line for what is loading, empty or wrong: kind is "busy", "empty" or "error". */
export function notice(kind, ...children) {
  return element("p", { class: `note ${kind}`, role: kind === "error" ? "alert" : "status" },
    ...children);
}

/** A table of rows of texts or elements under these headings. */
export function simpleTable(headings, rows, caption = null) {
  return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    element("table", { class: "plain" },
      element("thead", {}, element("tr", {},
        headings.map((heading) => element("th", { scope: "col" }, heading)))),
      element("tbody", {}, rows.map((row) =>
        element("tr", {}, row.map((cell) => element("td", {}, cell)))))));
}

/** A button that copies a text, and says so. */
export function copyButton(label, text) {
  const button = element("button", { type: "button", class: "copy" }, label);
  button.addEventListener("click", async () => {
    button.textContent = await copy(text) ? "Copied" : "Copy failed: select the line";
    setTimeout(() => { button.textContent = label; }, 2000);
  });
  return button;
}

/* Browsers have the clipboard only on secure origins; elsewhere a selection is copied. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", { class: "off-screen", "aria-hidden": "true" });
    const focused = document.activeElement;
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    focused?.focus();
    return done;
  }
}
