// SPDX-License-Identifier: Apache-2.0

// The four kinds of panels. Each is told everything that a reader needs: title, what it says
// (description), its unit, and from where on a value is good or bad.

import {
  BigValueGraphMode,
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  HeatmapCellLayout,
  HeatmapCalculationMode,
  HeatmapCalculationOptionsBuilder,
  HeatmapCalculationBucketConfigBuilder,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  TableSortByFieldStateBuilder,
  TooltipDisplayMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from "@grafana/grafana-foundation-sdk/common";
import { DynamicConfigValue } from "@grafana/grafana-foundation-sdk/dashboard";
import * as heatmaps from "@grafana/grafana-foundation-sdk/heatmap";
import { DataqueryBuilder, PromQueryFormat } from "@grafana/grafana-foundation-sdk/prometheus";
import * as stats from "@grafana/grafana-foundation-sdk/stat";
import * as tables from "@grafana/grafana-foundation-sdk/table";
import * as graphs from "@grafana/grafana-foundation-sdk/timeseries";
import { Level, thresholds } from "./thresholds";
import { datasource } from "./variables";

/** What every panel says of itself. A dashboard is 24 wide. */
export interface Face {
  title: string;
  description: string;
  unit: string;
  levels: Level[];
  width?: number;
  height?: number;
}

/** A query, and what its series are called, where {{label}} stands for a label's value. */
export interface Line {
  expression: string;
  legend: string;
}

/** Grafana calls queries A, B, C. */
function nameOf(position: number): string {
  return String.fromCharCode("A".charCodeAt(0) + position);
}

function query(line: Line, position: number): DataqueryBuilder {
  return new DataqueryBuilder()
    .refId(nameOf(position))
    .datasource(datasource)
    .expr(line.expression)
    .legendFormat(line.legend)
    .range();
}

function instantQuery(line: Line, position: number): DataqueryBuilder {
  return query(line, position).format(PromQueryFormat.Table).instant();
}

/** Lines over time. Levels of more than one colour are drawn as dashed lines. */
export function graph(face: Face, ...lines: Line[]): graphs.PanelBuilder {
  const style =
    face.levels.length > 1 ? GraphThresholdsStyleMode.Dashed : GraphThresholdsStyleMode.Off;
  return new graphs.PanelBuilder()
    .title(face.title)
    .description(face.description)
    .datasource(datasource)
    .unit(face.unit)
    .span(face.width ?? 8)
    .height(face.height ?? 8)
    .min(0)
    .lineWidth(1)
    .fillOpacity(5)
    .thresholds(thresholds(face.levels))
    .thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(style))
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true),
    )
    .tooltip(
      new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending),
    )
    .targets(lines.map(query));
}

/** One number, of now or of the whole time shown, in the colour of its level. */
export function number(face: Face, expression: string): stats.PanelBuilder {
  return new stats.PanelBuilder()
    .title(face.title)
    .description(face.description)
    .datasource(datasource)
    .unit(face.unit)
    .span(face.width ?? 4)
    .height(face.height ?? 4)
    .thresholds(thresholds(face.levels))
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(["lastNotNull"]))
    .graphMode(BigValueGraphMode.None)
    .noValue("none")
    .targets([query({ expression, legend: face.title }, 0).instant()]);
}

function map(face: Face, line: Line): heatmaps.PanelBuilder {
  return new heatmaps.PanelBuilder()
    .title(face.title)
    .description(face.description)
    .datasource(datasource)
    .unit(face.unit)
    .span(face.width ?? 12)
    .height(face.height ?? 8)
    .thresholds(thresholds(face.levels))
    .color(
      new heatmaps.HeatmapColorOptionsBuilder()
        .mode(heatmaps.HeatmapColorMode.Scheme)
        .scheme("Turbo")
        .steps(64),
    )
    .cellGap(0)
    .tooltip(new heatmaps.HeatmapTooltipBuilder().mode(TooltipDisplayMode.Single).showColorScale(true))
    .targets([query(line, 0)]);
}

/** Time to the right, a row for each series, its value as colour. */
export function rows(face: Face, line: Line): heatmaps.PanelBuilder {
  return map(face, line)
    .calculate(false)
    .rowsFrame(new heatmaps.RowsHeatmapOptionsBuilder().value(face.title))
    .cellValues(new heatmaps.CellValuesBuilder().unit(face.unit));
}

/** Time to the right, values upwards, as colour how many series have such a value. */
export function distribution(face: Face, line: Line): heatmaps.PanelBuilder {
  const thirty = new HeatmapCalculationBucketConfigBuilder()
    .mode(HeatmapCalculationMode.Count)
    .value("30");
  return map(face, line)
    .calculate(true)
    .calculation(new HeatmapCalculationOptionsBuilder().yBuckets(thirty))
    .yAxis(new heatmaps.YAxisConfigBuilder().unit(face.unit));
}

/** Time to the right, a row for each bucket of a histogram, as colour how many are in it. */
export function bucketRows(face: Face, line: Line): heatmaps.PanelBuilder {
  return map(face, line)
    .calculate(false)
    .rowsFrame(new heatmaps.RowsHeatmapOptionsBuilder().layout(HeatmapCellLayout.Le))
    .yAxis(new heatmaps.YAxisConfigBuilder().unit(face.unit))
    .cellValues(new heatmaps.CellValuesBuilder().unit("cps"))
    .targets([query(line, 0).format(PromQueryFormat.Heatmap)]);
}

/** A column of a table: a query of its own, joined to the others by their labels. */
export interface Column {
  title: string;
  unit: string;
  expression: string;
  levels?: Level[];
}

function columnStyle(column: Column): DynamicConfigValue[] {
  const style: DynamicConfigValue[] = [{ id: "unit", value: column.unit }];
  if (column.levels) {
    style.push({ id: "thresholds", value: thresholds(column.levels).build() });
    style.push({ id: "custom.cellOptions", value: { type: "color-text" } });
  }
  return style;
}

/** Grafana's name of the values of a query, once the answers of several are one table. */
function valueOf(position: number, columns: Column[]): string {
  return columns.length > 1 ? `Value #${nameOf(position)}` : "Value";
}

export interface TableFace extends Face {
  labels: Record<string, string>; // those that are shown, and their titles
  sortBy?: string[]; // titles, falling; "-" before one: rising
}

function order(title: string): TableSortByFieldStateBuilder {
  const rises = title.startsWith("-");
  return new TableSortByFieldStateBuilder()
    .displayName(rises ? title.slice(1) : title)
    .desc(!rises);
}

/** What comes with an answer and says nothing to the reader. */
const noise = ["Time", "__name__", "job", "metric"];

export function table(face: TableFace, ...columns: Column[]): tables.PanelBuilder {
  const renamed = { ...face.labels };
  columns.forEach((column, i) => (renamed[valueOf(i, columns)] = column.title));
  const hidden = noise.filter((name) => !(name in face.labels));
  const panel = new tables.PanelBuilder()
    .title(face.title)
    .description(face.description)
    .datasource(datasource)
    .unit(face.unit)
    .span(face.width ?? 24)
    .height(face.height ?? 10)
    .thresholds(thresholds(face.levels))
    .targets(columns.map((column, i) =>
      instantQuery({ expression: column.expression, legend: column.title }, i)))
    .withTransformation({ id: "merge", options: {} })
    .withTransformation({
      id: "organize",
      options: {
        excludeByName: Object.fromEntries(hidden.map((name) => [name, true])),
        indexByName: Object.fromEntries(Object.keys(renamed).map((name, i) => [name, i])),
        renameByName: renamed,
      },
    });
  columns.forEach((column) => panel.overrideByName(column.title, columnStyle(column)));
  if (face.sortBy) {
    panel.sortBy(face.sortBy.map(order));
  }
  return panel;
}

/** An info metric as a table: its labels are what it says, its value is always 1. */
export function labelsTable(face: TableFace, expression: string): tables.PanelBuilder {
  return table(face, { title: "is there", unit: "none", expression }).overrideByName("is there", [
    { id: "custom.hidden", value: true },
  ]);
}
