/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A generic event of a thread has the type of the core PMU in the upper half of config
 * (EVENT_PMU_TYPE_SHIFT, since Linux 5.13). Where the kernel does not know that, as for Arm before
 * 6.6, it refuses the event, and the event is not supported for threads. On a CPU the kernel itself
 * finds the PMU of a generic event. A raw code has the type of one core PMU, as perf gives it.
 */
#include "count/core_kinds.h"

#include <linux/perf_event.h>

static bool is_generic(uint32_t type)
{
    return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE;
}

bool event_code_is_of_core(const struct event_code *code)
{
    return is_generic(code->type) || code->type == PERF_TYPE_RAW || code->core_type != 0;
}

static bool has_core_event(const struct event_group *group)
{
    for (size_t i = 0; i < group->n_opened; i++)
        if (event_code_is_of_core(&group->members[group->opened[i]].event->code))
            return true;
    return false;
}

size_t scope_most_parts(const struct scope *scope)
{
    return scope->hybrid && scope_is_of_threads(scope) ? pmu_list_n_cores(scope->hybrid) : 1;
}

size_t event_group_parts(const struct event_group *group, const struct scope *scope)
{
    const size_t most = scope_most_parts(scope);

    return most > 1 && has_core_event(group) ? most : 1;
}

const struct pmu *scope_core(const struct scope *scope, size_t place, size_t part)
{
    if (!scope->hybrid)
        return NULL;
    if (scope_is_of_threads(scope))
        return pmu_list_nth_core(scope->hybrid, part);
    return pmu_list_core_of(scope->hybrid, scope->cpus->cpus[place]);
}

bool event_counts_on(const struct event_code *code, const struct pmu *core)
{
    return !core || code->core_type == 0 || code->core_type == core->type;
}

struct event_code core_event_code(const struct event_code *code, const struct pmu *core,
                                  bool for_thread)
{
    struct event_code here = *code;

    if (!core || !event_code_is_of_core(code))
        return here;
    if (!event_counts_on(code, core))
        return (struct event_code){.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};
    if (is_generic(code->type) && for_thread)
        here.config |= (uint64_t)core->type << EVENT_PMU_TYPE_SHIFT;
    if (!is_generic(code->type))
        here.type = core->type;
    return here;
}

struct event_code core_time_keeper(const struct event_code *code, const struct pmu *core)
{
    return (struct event_code){
        .type = PERF_TYPE_HARDWARE,
        .config = PERF_COUNT_HW_CPU_CYCLES | (uint64_t)core->type << EVENT_PMU_TYPE_SHIFT,
        .exclude_user = code->exclude_user,
        .exclude_kernel = code->exclude_kernel,
        .exclude_hypervisor = code->exclude_hypervisor,
    };
}

size_t event_group_n_on(const struct event_group *group, const struct pmu *core)
{
    size_t n = 0;

    for (size_t i = 0; i < group->n_opened; i++) {
        const struct event_code *code = &group->members[group->opened[i]].event->code;

        n += event_code_is_of_core(code) && event_counts_on(code, core);
    }
    return n;
}
