/* SPDX-License-Identifier: Apache-2.0 */
#include "check/budget.h"

#include <stdio.h>

#include "check/left_out.h"

static void print_share(const struct config *config, const struct pmu_share *share)
{
    const struct pmu_division *division = &share->division;

    if (share->is_measured)
        (void)printf("hardware counters of each CPU: %zu free now", share->n_free);
    else
        (void)printf("hardware counters of each CPU: how many are free cannot be found out now");
    if (config->limits.pmu_counters == CONFIG_ALL_COUNTERS)
        (void)printf("; limits.pmu_counters is all: the kernel multiplexes what is wanted beyond "
                     "them, and who counts single tasks has what is left\n");
    else
        (void)printf(", pmu_exporter may use %zu (limits.pmu_counters%s)\n", share->budget,
                     config->limits.pmu_counters ? "" : ": auto, half");
    (void)printf("  processes %zu + nested cgroups %zu + system %zu = %zu in use at once\n",
                 division->processes, division->cgroups, division->system,
                 pmu_division_sum(division));
}

void check_print_budget(const struct resolution *resolution, const struct pmu_share *share)
{
    if (!share->is_wanted)
        return;
    print_share(resolution->config, share);
    check_print_left_out(resolution, ABSENCE_OVER_BUDGET, NULL);
}
