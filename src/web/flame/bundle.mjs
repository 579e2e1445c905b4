// SPDX-License-Identifier: Apache-2.0
// Bundles flame.js for the page: bundle.mjs FOLDER OUTPUT. FOLDER has node_modules and entry.js. The
// licences of all that is in the bundle stand at its beginning, each text once.

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [folder, output] = process.argv.slice(2).map((name) => path.resolve(name));
const { buildSync } = createRequire(path.join(folder, "package.json"))("esbuild");

/* The packages of which the bundle has something, by their folders. */
function packagesOf({ inputs }) {
  const names = Object.keys(inputs).map((input) => /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//
    .exec(input)?.[1]).filter(Boolean);
  return [...new Set(names)].sort();
}

function licenceOf(name) {
  const home = path.join(folder, "node_modules", name);
  const file = fs.readdirSync(home).find((one) => /^(licen[cs]e|copying)/i.test(one));
  if (!file) throw new Error(`${name} has no text of its licence`);
  const { version } = JSON.parse(fs.readFileSync(path.join(home, "package.json"), "utf8"));
  return { title: `${name} ${version}`,
    text: fs.readFileSync(path.join(home, file), "utf8").trim().replaceAll("*/", "* /") };
}

function banner(metafile) {
  const byText = new Map();
  for (const { title, text } of packagesOf(metafile).map(licenceOf))
    byText.set(text, [...byText.get(text) ?? [], title]);
  const parts = [...byText].map(([text, titles]) => `${titles.join(", ")}:\n\n${text}\n`);
  return `/*!\nThis file is made of the packages below, whose licences follow.\n\n${parts.join("\n")}*/`;
}

const options = { absWorkingDir: folder, entryPoints: ["entry.js"], bundle: true, format: "esm",
  minify: true, charset: "utf8", legalComments: "inline", loader: { ".css": "empty" },
  target: "es2022", write: false, metafile: true };
const { metafile } = buildSync(options);
const { outputFiles: [made] } = buildSync({ ...options, banner: { js: banner(metafile) } });
fs.writeFileSync(output, made.contents);
