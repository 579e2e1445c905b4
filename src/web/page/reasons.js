// SPDX-License-Identifier: Apache-2.0
// Why something is not counted: the words of /metrics (include/event/absence.h), for people.

const REASONS = {
  no_pmu: "this machine has no such PMU",
  unknown_event: "no source of events knows the name",
  not_supported: "the PMU does not support it",
  not_permitted: "not permitted",
  pmu_busy: "somebody else holds the PMU",
  over_budget: "beyond our share of the PMU",
  group_too_large: "more events than the PMU has counters",
  never_scheduled: "the kernel never ran it",
  no_descriptors: "no file descriptors are left",
  no_memory: "the memory limit of the exporter leaves no room",
  over_limit: "a limit of the configuration is reached",
  cpu_offline: "the CPU is offline",
  target_gone: "the target has ended",
  bad_filter: "the filter is no condition",
};

/** A reason in words; one that is not known here stands as it is. */
export function reasonInWords(reason) {
  return REASONS[reason] ?? reason;
}
