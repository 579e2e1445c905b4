// SPDX-License-Identifier: Apache-2.0

import {
  CustomVariableBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  VariableRefresh,
  VariableSort,
} from "@grafana/grafana-foundation-sdk/dashboard";

export const datasource = { type: "prometheus", uid: "${datasource}" };

/** Which Prometheus: the variable that every panel names. */
export function datasourceVariable(): DatasourceVariableBuilder {
  return new DatasourceVariableBuilder("datasource").label("Data source").type("prometheus");
}

/** A variable whose values are those of a label; it follows the time that is shown. */
export function labelVariable(
  name: string,
  label: string,
  series: string,
  of: string = name,
): QueryVariableBuilder {
  const query = `label_values(${series}, ${of})`;
  return new QueryVariableBuilder(name)
    .label(label)
    .datasource(datasource)
    .query({ query, refId: name })
    .definition(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc);
}

function all(variable: QueryVariableBuilder, allValue: string): QueryVariableBuilder {
  return variable
    .multi(true)
    .includeAll(true)
    .allValue(allValue)
    .current({ selected: true, text: ["All"], value: ["$__all"] });
}

/** Several of them, or all: those that have the label. */
export function several(variable: QueryVariableBuilder): QueryVariableBuilder {
  return all(variable, ".+");
}

/** The same, and all takes those in that do not have the label. */
export function severalOrNone(variable: QueryVariableBuilder): QueryVariableBuilder {
  return all(variable, ".*");
}

export function choice(name: string, label: string, ...values: string[]): CustomVariableBuilder {
  return new CustomVariableBuilder(name)
    .label(label)
    .values(values.join(", "))
    .current({ selected: true, text: values[0]!, value: values[0]! });
}

/** Which exporters, where all hosts of a job are shown. */
export function jobVariables() {
  return [
    datasourceVariable(),
    several(labelVariable("job", "Job", "pmu_exporter_build_info")),
  ];
}

/** Which exporters: on every other dashboard, before its own. */
export function commonVariables() {
  return [
    ...jobVariables(),
    several(
      labelVariable("instance", "Instance", 'pmu_exporter_build_info{job=~"$job"}'),
    ),
  ];
}

