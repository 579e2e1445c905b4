// SPDX-License-Identifier: Apache-2.0

import { Dashboard } from "@grafana/grafana-foundation-sdk/dashboard";
import { cpus } from "./cpus";
import { explorer } from "./explorer";
import { exporter } from "./exporter";
import { fleet } from "./fleet";
import { interruptsAndNetwork } from "./interrupts";
import { kvm } from "./kvm";
import { latency } from "./latency";
import { overview } from "./overview";
import { processGroups } from "./process_groups";
import { processOverview } from "./process_overview";
import { scheduler } from "./scheduler";
import { service } from "./service";

/** Every dashboard, by the name of its file. */
export const all = (): Record<string, Dashboard> => ({
  overview: overview(),
  fleet: fleet(),
  service: service(),
  process_overview: processOverview(),
  process_groups: processGroups(),
  cpus: cpus(),
  latency: latency(),
  scheduler: scheduler(),
  interrupts: interruptsAndNetwork(),
  kvm: kvm(),
  explorer: explorer(),
  exporter: exporter(),
});
