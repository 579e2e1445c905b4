// SPDX-License-Identifier: Apache-2.0
// Writes every dashboard as classic JSON into grafana/ (npm run generate).
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import dashboards from "./node_modules/.dashboards/index.js";

const folder = new URL("grafana/", import.meta.url);

for (const name of readdirSync(folder)) {
  rmSync(new URL(name, folder));
}
for (const [name, dashboard] of Object.entries(dashboards.all())) {
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(dashboard, null, 2)}\n`);
}
