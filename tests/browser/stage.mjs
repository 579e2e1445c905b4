// SPDX-License-Identifier: Apache-2.0
// What scenarios share: a browser, pages that remember what went wrong in them, conditions that are
// waited for, and cgroups that come and go. The page's own policy forbids code made of texts, so
// conditions are polled from here (no page.waitForFunction()).

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import test, { after, before } from "node:test";

const WORK = process.env.PMU_BROWSER_WORK;
/* Of the lock of these tests. */
export const packages = createRequire(path.join(WORK, "package.json"));
const { chromium } = packages("playwright-core");
/* Milliseconds for what comes sooner or later, also on a machine that is slow and busy. */
const PATIENCE = 120000;
const SCREENSHOTS = path.join(WORK, "screenshots");

export const page_url = process.env.PMU_PAGE;
export const top = process.env.PMU_CGROUPS_TOP;

let browser = null;
before(async () => {
  browser = await chromium.launch({ executablePath: process.env.PMU_CHROMIUM, timeout: PATIENCE,
    args: ["--no-sandbox", "--disable-dev-shm-usage"] });
});
after(() => browser?.close());

/* What the browser itself says of a request that the page gave up, when a view was left. */
const isGivenUp = (request) => request.failure()?.errorText === "net::ERR_ABORTED";

function remember(page, url, faults) {
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.stack}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("requestfailed", (request) => {
    if (!isGivenUp(request)) faults.push(`failed: ${request.url()} ${request.failure()?.errorText}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) faults.push(`status ${response.status()}: ${response.url()}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) faults.push(`another host: ${request.url()}`);
  });
}

/** A fault that is the subject of the test: it has to come, and is none. */
export async function fault(page, pattern) {
  page.pardoned.push(pattern);
  await until(() => page.faults.some((text) => pattern.test(text)), `the fault ${pattern}`);
}

const faultsOf = (page) =>
  page.faults.filter((text) => !page.pardoned.some((pattern) => pattern.test(text)));

/**
 * A test with a page of its own, which fails as well if anything went wrong in the page: errors on
 * the console, violations of the policy, requests that failed, dialogs. options: width, height, theme,
 * hash of the address, url of another exporter.
 */
export function scene(sentence, options, body) {
  test(sentence, async () => {
    const { width = 1280, height = 800, theme = "light", hash = "#now", url = page_url } = options;
    const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme });
    page.setDefaultTimeout(PATIENCE);
    page.faults = [];
    page.pardoned = [];
    remember(page, url, page.faults);
    await page.addInitScript(() => addEventListener("securitypolicyviolation", (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`)));
    try {
      await page.goto(`${url}/${hash}`);
      await body(page);
      assert.deepEqual(faultsOf(page), []);
    } catch (error) {
      await screenshot(page, `failed-${sentence.replaceAll(/\W+/g, "-")}`).catch(() => {});
      error.message += `\nfaults of the page: ${page.faults.join("\n") || "none"}`;
      throw error;
    } finally {
      await page.close();
    }
  });
}

/** Waits until the condition returns something true, and returns that. */
export async function until(condition, what = "the condition") {
  const end = Date.now() + PATIENCE;
  let last = null;
  for (;;) {
    try {
      const value = await condition();
      if (value) return value;
    } catch (error) {
      last = error;
    }
    assert.ok(Date.now() < end, `${what} did not come true${last ? `: ${last.message}` : ""}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Waits until there is an element of this selector (with this text), and returns its locator. */
export async function appears(page, selector, text = null) {
  const found = page.locator(selector, text === null ? {} : { hasText: text });
  await until(() => found.count(), `${selector} ${text ?? ""}`);
  return found.first();
}

/** The page is not wider than its window; plots follow a window that has changed a little later. */
export async function fits(page) {
  await until(async () => {
    const beyond = await page.evaluate(() =>
      document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(beyond, 0, `the page is ${beyond} pixels wider than its window`);
    return true;
  }, "a page as wide as its window");
}

/** axe-core finds nothing serious or critical; only one of its rules is asked, if one is named. */
export async function accessible(page, rule = null) {
  if (!await page.evaluate(() => "axe" in window))
    await page.evaluate(fs.readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8"));
  const violations = await page.evaluate(async (only) => (await axe.run({
    resultTypes: ["violations"], ...(only && { runOnly: { type: "rule", values: [only] } }) })).violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) =>
      `${node.html} ${node.failureSummary}`).slice(0, 3).join(" | ")}`), rule);
  assert.deepEqual(violations, []);
}

export async function screenshot(page, name) {
  fs.mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`) });
}

/* Each question has a connection of its own: one that is kept may just be closed by the server. */
function exchange(options, body) {
  return new Promise((resolve, reject) => {
    const request = http.request({ agent: false, ...options }, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("end", () => resolve({ status: response.statusCode,
        text: Buffer.concat(parts).toString() }));
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** The status of a path of the exporter. */
export async function statusOf(url) {
  const { hostname, port, pathname, search } = new URL(url);
  return (await exchange({ hostname, port, path: pathname + search })).status;
}

/** What a route of the API answers; a body is sent as JSON, over the control socket. */
export async function send(method, route, body = undefined) {
  const { status, text } = await exchange({ method, path: `/api/v1/${route}`,
    headers: { "Content-Type": "application/json" }, ...(method === "GET"
      ? { hostname: "127.0.0.1", port: new URL(page_url).port }
      : { socketPath: process.env.PMU_CONTROL }) }, body && JSON.stringify(body));
  assert.equal(status, 200, `${method} ${route}: ${text}`);
  return JSON.parse(text);
}

export const ask = (route) => send("GET", route);

/** Waits until the exporter counts these targets, and its history knows numbers of them. */
export async function counted(...targets) {
  await until(async () => {
    const known = (await ask("history/targets?start=1")).targets
      .filter(({ columns }) => columns.length > 0).map(({ target }) => target);
    const now = new Set((await ask("targets")).tables.flatMap(({ kind, rows }) =>
      rows.map(({ labels }) => [kind, ...Object.values(labels)].join(":"))));
    return targets.every((target) => known.includes(target) && now.has(target));
  }, `numbers of ${targets.join(", ")}`);
}

/** The part of the address that says what is shown, as the page has it now. */
export const hashOf = (page) => page.evaluate(() => location.hash);

/* Names of cgroups are bytes. */
const directoryOf = (name) =>
  Buffer.concat([Buffer.from(`${process.env.PMU_CGROUPS}/`), Buffer.from(name)]);

/** Makes a cgroup among those that the exporter counts. */
export function makeCgroup(name) {
  fs.mkdirSync(directoryOf(name), { recursive: true });
}

export function removeCgroup(name) {
  fs.rmdirSync(directoryOf(name));
}

const ended = (child, what) => new Promise((resolve, reject) =>
  child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`${what}: ${code}`)))));

/** Runs tests/support/load.c in a cgroup: so many switches, page faults, ms of CPU time. */
export function load(name, switches, faults, milliseconds) {
  const child = spawn(process.env.PMU_LOAD,
    [`${process.env.PMU_CGROUPS}/${name}/cgroup.procs`, String(switches), String(faults),
      String(milliseconds), "0"], { stdio: ["pipe", "inherit", "inherit"] });
  child.stdin.end("g");
  return ended(child, "load");
}

/** Reads or writes ("read", "write") so many blocks of the scenario's block device in a cgroup, past
 * all caches. */
export function direct_io(name, op, n) {
  return ended(spawn(process.env.PMU_PYTHON, [process.env.PMU_DIRECT_IO,
    `${process.env.PMU_CGROUPS}/${name}`, process.env.PMU_DISK, op, String(n)],
  { stdio: ["ignore", "ignore", "inherit"] }), "direct_io.py");
}

/** Connects and sleeps so often in a cgroup (tests/support/by_key_load.py). */
export function by_key_load(name, connections, naps) {
  return ended(spawn(process.env.PMU_PYTHON, [process.env.PMU_BY_KEY_LOAD,
    `${process.env.PMU_CGROUPS}/${name}`, String(connections), String(naps)],
  { stdio: ["ignore", "ignore", "inherit"] }), "by_key_load.py");
}

/** Does some work (by default in that cgroup) again and again, until the function has ended. */
export async function whileLoaded(name, body, work_once = () => load(name, 50, 100, 300)) {
  let goes = true;
  const work = (async () => {
    while (goes) await work_once();
  })();
  try {
    return await body();
  } finally {
    goes = false;
    await work;
  }
}

/** Stops the exporter as a whole, until the function has ended. */
export async function whileStopped(body) {
  const pid = Number(process.env.PMU_EXPORTER_PID);
  process.kill(pid, "SIGSTOP");
  try {
    await body();
  } finally {
    process.kill(pid, "SIGCONT");
  }
}
