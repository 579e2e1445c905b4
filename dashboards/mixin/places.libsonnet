// SPDX-License-Identifier: Apache-2.0
//
// Where the values of config.libsonnet stand in the expressions of ../rules: the text around a value
// (%s), which has to be there `times` times with the default in it. A number has a text behind it, too,
// so that it is the whole number; there is an end of line behind each expression.
local place(text, times=1) = { text: text, times: times };

// In one rule, where the text is in others, too.
local placeIn(rule, text) = place(text) + { rule: rule };

// The thresholds that all alerts on an increase have, and those of one of them.
local increase(more) = {
  minFactor: place('_baseline\n  > %s\nand'),
  minSpreads: place('> 1 + %s * last_over_time'),
} + more;

{
  // Fields of `services`, in the rules that record.
  services: {
    minAgeSeconds: place('pmu_cgroup_start_time_seconds < time() - %s\n', 10),
    minMegacyclesPerSecond: place('pmu_cgroup_cycles:rate5m[10m]) >= %se6\n', 3),
    minCPUs: place('pmu_cgroup_task_clock_seconds:rate5m[10m]) >= %s\n'),
    minCoverage: place('_coverage:ratio_rate5m[10m]) >= %s\n', 5),
    minWaitsPerSecond:
      placeIn('job_cgroup:pmu_cgroup_run_queue_latency_seconds:p99_rate5m', '  >= %s\n'),
    minRequestsPerSecond:
      placeIn('job_cgroup_op:pmu_cgroup_block_io_latency_seconds:p99_rate5m', '  >= %s\n'),
  },

  // Fields of `alerts`, each in the alert of its name.
  alerts: {
    PMUIPCRegression: {
      minLoss: place('> %s + '),
      minLossPerSpread: place(' + %s * last_over_time'),
      minSpreads: place('> %s * last_over_time'),
    },
    PMUCacheMissRegression: increase({ minIncrease: place('_baseline\n  > %s\n\n') }),
    PMUBranchMissRegression: increase({ minIncrease: place('_baseline\n  > %s\n\n') }),
    PMUContextSwitchStorm: increase({ minSwitchesPerSecond: place('[10m])\n  > %s\n') }),
    PMURunQueueLatencyRegression: increase({ minSeconds: place(':rate15m > %s\n') }),
    PMUBlockIOLatencyRegression: increase({ minSeconds: place(':rate15m > %s\n') }),
    PMUCoverageLow: {
      minCoverage: place(') < %s\n'),
      minCPUs: place('> %s\n', 4),
    },
    PMUTargetsUncounted: { maxTargets: place('pmu_exporter_targets_uncounted > %s\n') },
    PMUCyclesLate: { maxShare: place('> %s\n') },
    PMUEventUnsupported: {
      ignoredEvents: place('event!~"%s"'),
      ignoredReasons: place('reason!~"%s"'),
    },
    PMUConfigReloadFailed: {},
    PMUWebConfigReloadFailed: {},
    PMUExporterStale: {
      maxAgeSeconds: place('pmu_exporter_snapshot_age_seconds > %s\n'),
      maxIntervals: place('> %s * pmu_exporter_interval_seconds'),
    },
    PMUExporterDown: {},
  },

  selector: placeIn('PMUExporterDown', 'up{%s}'),
}
