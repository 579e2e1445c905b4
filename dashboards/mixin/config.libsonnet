// SPDX-License-Identifier: Apache-2.0
//
// What one may change, with its defaults. `_config` is shared with other mixins that are added to this
// one, so everything of ours is below `pmuExporter`. An example, which needs each `+`:
//
//   (import 'mixin.libsonnet') + {
//     _config+:: { pmuExporter+: { alerts+: { PMUIPCRegression+: { minLoss: 0.2 } } } },
//   }
//
// A field that is not here, or that is of another type, ends the rendering with an error.
//
// Ranges (as in rate(…[5m])) cannot be changed, since the names of recorded series tell them. Nor can
// the median, the quantiles and the factors that make the baseline and the spread of a service: the
// alerts on regressions were judged with these alone.
{
  _config+:: {
    pmuExporter: {
      // Matchers that find the exporters among all that Prometheus scrapes. Only PMUExporterDown needs
      // them (`up`): the other metrics have names that nothing else has.
      selector: 'job=~".*pmu.*"',

      // Where the runbooks are: %s is the name of the alert. The default is a path in the repository.
      runbookURLPattern: 'dashboards/runbooks/%s.md',

      // Where the page of an exporter is, to which alerts and the dashboard Service lead: %s is the
      // label `instance`. It has to be another one where instances are not HOST:PORT, or have TLS.
      pageURLPattern: 'http://%s',

      // How often Prometheus evaluates a group of rules. More than what stands here is too long for
      // groups that others read: they look back at what was recorded in the last minutes.
      groupIntervals: {
        pmu_regressions: '1m',
        pmu_counting: '1m',
        pmu_exporter: '1m',
        pmu_services_counters: '1m',
        pmu_services_latencies: '1m',
        pmu_services_coverage: '4m',
        pmu_services: '1m',
        pmu_hosts: '4m',
        pmu_machines: '1m',
        pmu_services_spread: '1h',
      },

      // When a service (the path of a cgroup, over all hosts) is compared with its own past.
      services: {
        minAgeSeconds: 600,  // what was counted for less than so many seconds is left out
        minMegacyclesPerSecond: 100,  // for ratios of the PMU: millions of cycles per second
        minCPUs: 0.05,  // for context switches: CPUs used
        minCoverage: 0.5,  // for ratios of the PMU: share of the time in which their group had it
        minWaitsPerSecond: 5,  // for waits for a CPU: how many there are per second
        minRequestsPerSecond: 5,  // for block I/O: requests per second, reads and writes apart
      },

      // Each alert has these three:
      //   severity       its label
      //   for            for how long its condition has to hold before it fires
      //   keepFiringFor  for how long it goes on after that; 0s leaves it out
      // What else it has is said beside it. A spread is how far the ratio of a service is off from day
      // to day when nothing is wrong.
      alerts: {
        PMUIPCRegression: {
          severity: 'warning',
          'for': '10m',
          keepFiringFor: '15m',
          minLoss: 0.13,  // share of the instructions per cycle that must be lost
          minLossPerSpread: 0.2,  // what is added to minLoss, as a share of the spread
          minSpreads: 1.1,  // the loss must be more than so many spreads
        },
        PMUCacheMissRegression: {
          severity: 'warning',
          'for': '10m',
          keepFiringFor: '15m',
          minFactor: 1.5,  // how many times the baseline
          minSpreads: 1.5,  // the increase must be more than so many spreads
          minIncrease: 1,  // and more than so many misses per 1000 instructions
        },
        PMUBranchMissRegression: {
          severity: 'warning',
          'for': '10m',
          keepFiringFor: '15m',
          minFactor: 1.5,  // how many times the baseline
          minSpreads: 1.5,  // the increase must be more than so many spreads
          minIncrease: 1,  // and more than so many misses per 1000 instructions
        },
        PMUContextSwitchStorm: {
          severity: 'warning',
          'for': '10m',
          keepFiringFor: '15m',
          minFactor: 3,  // how many times the baseline
          minSpreads: 1.5,  // the increase must be more than so many spreads
          minSwitchesPerSecond: 1000,  // over all hosts
        },
        PMURunQueueLatencyRegression: {
          severity: 'warning',
          'for': '12m',
          keepFiringFor: '15m',
          minFactor: 3,  // how many times the baseline
          minSpreads: 1.5,  // the increase must be more than so many spreads
          minSeconds: 0.004,  // what one in 100 waits exceeds
        },
        PMUBlockIOLatencyRegression: {
          severity: 'warning',
          'for': '12m',
          keepFiringFor: '15m',
          minFactor: 3,  // how many times the baseline
          minSpreads: 1.5,  // the increase must be more than so many spreads
          minSeconds: 0.002,  // what one in 100 requests exceeds
        },
        PMUCoverageLow: {
          severity: 'info',
          'for': '30m',
          keepFiringFor: '0s',
          minCoverage: 0.5,  // share of the time in which a group had the PMU; below it is too little
          minCPUs: 0.05,  // if groups wanted the PMU for no more CPUs than this, nothing is said
        },
        PMUTargetsUncounted: {
          severity: 'warning',
          'for': '15m',
          keepFiringFor: '0s',
          maxTargets: 0,  // so many uncounted targets of an exporter are no alert
        },
        PMUCyclesLate: {
          severity: 'warning',
          'for': '15m',
          keepFiringFor: '0s',
          maxShare: 0.05,  // such a share of late cycles is no alert
        },
        PMUEventUnsupported: {
          severity: 'info',
          'for': '1h',
          keepFiringFor: '0s',
          // Regular expressions. Events and reasons that match are no alert, unless the event was
          // counted a day ago.
          ignoredEvents: '(task|cpu)-clock.*',
          ignoredReasons: 'no_pmu|over_budget',
        },
        PMUConfigReloadFailed: {
          severity: 'warning',
          'for': '5m',
          keepFiringFor: '0s',
        },
        PMUWebConfigReloadFailed: {
          severity: 'warning',
          'for': '5m',
          keepFiringFor: '0s',
        },
        PMUExporterStale: {
          severity: 'critical',
          'for': '2m',
          keepFiringFor: '0s',
          maxAgeSeconds: 10,  // numbers of such an age are no alert
          maxIntervals: 5,  // nor are those that are so many intervals old
        },
        PMUExporterDown: {
          severity: 'critical',
          'for': '5m',
          keepFiringFor: '0s',
        },
      },

      dashboards: {
        titlePrefix: 'PMU / ',
        uidPrefix: 'pmu-',  // links between dashboards follow it; letters, digits, - and _
        tags: ['pmu_exporter'],  // which all have, before their own; the links are to what has all of these
        timezone: 'browser',  // or utc, or a name as Europe/Paris
        refresh: '1m',  // how often a dashboard asks again; '' is never
        datasource: '',  // which data source is chosen at first; '' is Grafana's default
        datasourceRegex: '',  // which data sources are offered, as /^prod-/; '' is all of Prometheus
        // Matchers of the exporters that are offered and shown, as cluster="a". Fleet shows all hosts of
        // the jobs that these have, since what rules record has no other label.
        exporterSelector: '',

        // From when on a dashboard shows what it shows, by the name of its file.
        from: {
          cpus: 'now-1h',
          explorer: 'now-1h',
          exporter: 'now-6h',
          fleet: 'now-6h',
          interrupts: 'now-6h',
          kvm: 'now-6h',
          latency: 'now-6h',
          overview: 'now-6h',
          process_groups: 'now-6h',
          process_overview: 'now-6h',
          scheduler: 'now-6h',
          service: 'now-6h',
        },
      },
    },
  },
}
