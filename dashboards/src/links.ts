// SPDX-License-Identifier: Apache-2.0

// Links from what a panel shows to the dashboard that has more of it, with the time that is shown.

import { DynamicConfigValue } from "@grafana/grafana-foundation-sdk/dashboard";

export interface Link {
  board: string; // its uid
  title: string;
  variable: string; // of that dashboard, which gets a value
  keep: string[]; // variables whose values are those that are chosen here
  value?: string; // what Grafana knows it by; else that of the cell
}

function url(link: Link): string {
  const value = link.value ?? "__value.raw";
  const kept = link.keep.map((name) => `\${${name}:queryparam}`).join("&");
  return `/d/${link.board}?var-${link.variable}=\${${value}:percentencode}&${kept}&\${__url_time_range}`;
}

export function links(...all: Link[]): DynamicConfigValue {
  return { id: "links", value: all.map((link) => ({ title: link.title, url: url(link) })) };
}
