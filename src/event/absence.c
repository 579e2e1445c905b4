/* SPDX-License-Identifier: Apache-2.0 */
#include "event/absence.h"

static const char *const names[ABSENCE_COUNT_] = {
    [ABSENCE_NONE] = "",
    [ABSENCE_NO_PMU] = "no_pmu",
    [ABSENCE_UNKNOWN_EVENT] = "unknown_event",
    [ABSENCE_NOT_SUPPORTED] = "not_supported",
    [ABSENCE_NOT_PERMITTED] = "not_permitted",
    [ABSENCE_PMU_BUSY] = "pmu_busy",
    [ABSENCE_OVER_BUDGET] = "over_budget",
    [ABSENCE_GROUP_TOO_LARGE] = "group_too_large",
    [ABSENCE_NEVER_SCHEDULED] = "never_scheduled",
    [ABSENCE_NO_DESCRIPTORS] = "no_descriptors",
    [ABSENCE_NO_MEMORY] = "no_memory",
    [ABSENCE_OVER_LIMIT] = "over_limit",
    [ABSENCE_CPU_OFFLINE] = "cpu_offline",
    [ABSENCE_TARGET_GONE] = "target_gone",
    [ABSENCE_BAD_FILTER] = "bad_filter",
};

/* The reason with the greater weight is the one that is reported. */
static const unsigned char weights[ABSENCE_COUNT_] = {
    [ABSENCE_NONE] = 0,           [ABSENCE_NO_PMU] = 1,          [ABSENCE_UNKNOWN_EVENT] = 2,
    [ABSENCE_NOT_SUPPORTED] = 3,  [ABSENCE_GROUP_TOO_LARGE] = 4, [ABSENCE_NEVER_SCHEDULED] = 5,
    [ABSENCE_PMU_BUSY] = 6,       [ABSENCE_OVER_BUDGET] = 7,     [ABSENCE_CPU_OFFLINE] = 8,
    [ABSENCE_OVER_LIMIT] = 9,     [ABSENCE_NO_DESCRIPTORS] = 10, [ABSENCE_NO_MEMORY] = 11,
    [ABSENCE_NOT_PERMITTED] = 12, [ABSENCE_BAD_FILTER] = 13,     [ABSENCE_TARGET_GONE] = 14,
};

enum absence absence_foremost(enum absence a, enum absence b)
{
    return weights[b] > weights[a] ? b : a;
}

const char *absence_name(enum absence absence)
{
    return names[absence];
}
