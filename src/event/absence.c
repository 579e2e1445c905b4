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
    [ABSENCE_OVER_LIMIT] = "over_limit",
    [ABSENCE_CPU_OFFLINE] = "cpu_offline",
    [ABSENCE_TARGET_GONE] = "target_gone",
};

const char *absence_name(enum absence absence)
{
    return names[absence];
}
