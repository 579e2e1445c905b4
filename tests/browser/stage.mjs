// SPDX-License-Identifier: Apache-2.0
// What scenarios share: a browser, pages that remember what went wrong in them, conditions that are
// waited for, and cgroups that come and go. The page's own policy forbids code made of texts, so
// conditions are polled from here (no page.waitForFunction()).

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import test, { after, before } from "node:test";

const WORK = process.env.PMU_BROWSER_WORK;
const packages = createRequire(path.join(WORK, "package.json"));
const { chromium } = packages("playwright-core");
const PATIENCE = 30000;
const SCREENSHOTS = path.join(WORK, "screenshots");

export const page_url = process.env.PMU_PAGE;
export const top = process.env.PMU_CGROUPS_TOP;

let browser = null;
before(async () => {
  browser = await chromium.launch({ executablePath: process.env.PMU_CHROMIUM,
    args: ["--no-sandbox", "--disable-dev-shm-usage"] });
});
after(() => browser?.close());

/* What the browser itself says of a request that the page gave up, when a view was left. */
const isGivenUp = (request) => request.failure()?.errorText === "net::ERR_ABORTED";

function remember(page, faults) {
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
    if (!request.url().startsWith(page_url)) faults.push(`another host: ${request.url()}`);
  });
}

/**
 * A test with a page of its own, which fails as well if anything went wrong in the page: errors on
 * the console, violations of the policy, requests that failed, dialogs. Within it page.faults may
 * be emptied where a fault is the subject of the test.
 */
export function scene(sentence, options, body) {
  test(sentence, async () => {
    const { width = 1280, height = 800, theme = "light", hash = "#now" } = options;
    const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme });
    page.faults = [];
    remember(page, page.faults);
    await page.addInitScript(() => addEventListener("securitypolicyviolation", (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`)));
    try {
      await page.goto(`${page_url}/${hash}`);
      await body(page);
      assert.deepEqual(page.faults, []);
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

/** The page is not wider than its window. */
export async function fits(page) {
  const beyond = await page.evaluate(() =>
    document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(beyond, 0, `the page is ${beyond} pixels wider than its window`);
}

/** axe-core finds nothing serious or critical. */
export async function accessible(page) {
  await page.evaluate(fs.readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8"));
  const violations = await page.evaluate(async () => (await axe.run()).violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) =>
      `${node.html} ${node.failureSummary}`).slice(0, 3).join(" | ")}`));
  assert.deepEqual(violations, []);
}

export async function screenshot(page, name) {
  fs.mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`) });
}

/** What a route of the API answers. */
export async function ask(route) {
  const response = await fetch(`${page_url}/api/v1/${route}`);
  assert.equal(response.status, 200, route);
  return response.json();
}

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

/** Runs tests/support/load.c in a cgroup: so many switches, page faults, ms of CPU time. */
export function load(name, switches, faults, milliseconds) {
  const child = spawn(process.env.PMU_LOAD,
    [`${process.env.PMU_CGROUPS}/${name}/cgroup.procs`, String(switches), String(faults),
      String(milliseconds), "0"], { stdio: ["pipe", "inherit", "inherit"] });
  child.stdin.end("g");
  return new Promise((resolve, reject) =>
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`load: ${code}`)))));
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
