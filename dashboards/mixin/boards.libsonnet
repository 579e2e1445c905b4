// SPDX-License-Identifier: Apache-2.0
//
// The text of each dashboard, by the name of its file.
{
  cpus: importstr '../grafana/cpus.json',
  explorer: importstr '../grafana/explorer.json',
  exporter: importstr '../grafana/exporter.json',
  fleet: importstr '../grafana/fleet.json',
  interrupts: importstr '../grafana/interrupts.json',
  kvm: importstr '../grafana/kvm.json',
  latency: importstr '../grafana/latency.json',
  overview: importstr '../grafana/overview.json',
  process_groups: importstr '../grafana/process_groups.json',
  process_overview: importstr '../grafana/process_overview.json',
  scheduler: importstr '../grafana/scheduler.json',
  service: importstr '../grafana/service.json',
}
