// SPDX-License-Identifier: Apache-2.0
//
// The monitoring mixin of pmu_exporter: its alerts, rules and dashboards, with what config.libsonnet
// lets one change. The alerts and rules are those of ../rules, the dashboards those of ../grafana, so
// whoever vendors the mixin takes the folder above, too.
(import 'config.libsonnet') +
(import 'rules.libsonnet') +
(import 'dashboards.libsonnet')
