// SPDX-License-Identifier: Apache-2.0

// What all dashboards have in common: tags, links from each to all others, which keep the time
// and the variables, marks where something restarted, and numbers for their panels.

import { Builder } from "@grafana/grafana-foundation-sdk/cog";
import {
  AnnotationQuery,
  AnnotationQueryBuilder,
  Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  Panel,
  RowBuilder,
  RowPanel,
  VariableModel,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { ofExporters, selector } from "./promql";
import { commonVariables, datasource, jobVariables } from "./variables";

export const tag = "pmu_exporter";

export interface Board {
  uid: string;
  title: string;
  description: string;
  tags: string[];
  from: string; // how far back it looks when it is opened
  allHosts?: boolean; // no instance is chosen: it shows all of the chosen jobs
  variables: Builder<VariableModel>[]; // beside the common ones
  annotations: Builder<AnnotationQuery>[];
  rows: Row[];
}

export interface Row {
  title: string;
  panels: Builder<Panel>[];
}

/** Marks at the values of a metric that holds a time in seconds. */
export function marks(name: string, color: string, metric: string, text: string) {
  return new AnnotationQueryBuilder()
    .name(name)
    .datasource(datasource)
    .enable(true)
    .iconColor(color)
    .expr(`1000 * ${metric}`)
    .titleFormat(name)
    .textFormat(text)
    .step("60s")
    .useValueForTime(true);
}

export function startsOf(series: typeof selector) {
  const starts = ofExporters(series("process_start_time_seconds"), series);
  return marks("Start of an exporter", "blue", `(${starts})`, "{{instance}}");
}

export const exporterStarts = startsOf(selector);

function links(): DashboardLinkBuilder {
  return new DashboardLinkBuilder("pmu_exporter")
    .type(DashboardLinkType.Dashboards)
    .tags([tag])
    .includeVars(true)
    .keepTime(true);
}

/**
 * Panels are known by number in links to them: each has one, in the order of the page. The SDK
 * would hide links and marks in a menu.
 */
function finished(dashboard: Dashboard): Dashboard {
  dashboard.panels?.forEach((panel: Panel | RowPanel, i: number) => (panel.id = i + 1));
  dashboard.links?.forEach((link) => delete link.placement);
  dashboard.annotations?.list?.forEach((mark) => delete mark.placement);
  return dashboard;
}

export function board(face: Board): Dashboard {
  const common = face.allHosts ? jobVariables() : commonVariables();
  const builder = new DashboardBuilder(`PMU / ${face.title}`)
    .uid(face.uid)
    .description(face.description)
    .tags([tag, ...face.tags])
    .readonly()
    .time({ from: face.from, to: "now" })
    .refresh("1m")
    .tooltip(DashboardCursorSync.Crosshair)
    .variables([...common, ...face.variables])
    .annotations(face.annotations)
    .link(links());
  for (const row of face.rows) {
    builder.withRow(new RowBuilder(row.title));
    row.panels.forEach((panel) => builder.withPanel(panel));
  }
  return finished(builder.build());
}
