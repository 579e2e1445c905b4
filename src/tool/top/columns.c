/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/top/columns.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"

/* Several counters may be the same input: a kind of targets has one of them. */
static const struct {
    const char *name;
    enum top_input input;
} inputs[] = {
    {"task_clock_seconds_total", TOP_CPU_SECONDS},
    {"cpu_seconds_total", TOP_CPU_SECONDS}, /* of the machine, by the kernel's accounting */
    {"cycles_total", TOP_CYCLES},
    {"instructions_total", TOP_INSTRUCTIONS},
    {"cache_misses_total", TOP_CACHE_MISSES},
    {"branch_misses_total", TOP_BRANCH_MISSES},
    {"context_switches_total", TOP_SWITCHES},
    {"cpu_migrations_total", TOP_MIGRATIONS},
    {"page_faults_total", TOP_FAULTS},
};

const struct top_column top_columns[N_TOP_ORDERS] = {
    [TOP_COLUMN_CPUS] = {"cpus", "CPUS", "CPUs used, on average", 'P', true, TOP_CPU_SECONDS,
                         TOP_PER_SECOND, 0.1},
    [TOP_COLUMN_IPC] = {"ipc", "IPC", "instructions per cycle", 'I', true, TOP_INSTRUCTIONS,
                        TOP_CYCLES, 0.1},
    [TOP_COLUMN_CACHE_MISSES] = {"cache-misses", "CMISS/s", "cache misses a second", 'M', false,
                                 TOP_CACHE_MISSES, TOP_PER_SECOND, 1000},
    [TOP_COLUMN_BRANCH_MISSES] = {"branch-misses", "BMISS/s",
                                  "branches a second that were predicted wrongly", 'B', false,
                                  TOP_BRANCH_MISSES, TOP_PER_SECOND, 1000},
    [TOP_COLUMN_SWITCHES] = {"switches", "SWITCH/s", "context switches a second", 'W', false,
                             TOP_SWITCHES, TOP_PER_SECOND, 10},
    [TOP_COLUMN_MIGRATIONS] = {"migrations", "MIGR/s", "moves to another CPU a second", 'G', false,
                               TOP_MIGRATIONS, TOP_PER_SECOND, 10},
    [TOP_COLUMN_FAULTS] = {"faults", "FAULT/s", "page faults a second", 'F', false, TOP_FAULTS,
                           TOP_PER_SECOND, 10},
    [TOP_COLUMN_NAME] = {"name", "NAME", "name", 'N', false, N_TOP_INPUTS, N_TOP_INPUTS, 0},
};

enum top_input top_input_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(inputs); i++)
        if (strcmp(inputs[i].name, name) == 0)
            return inputs[i].input;
    return N_TOP_INPUTS;
}

enum top_column_id top_column_find(const char *name)
{
    for (enum top_column_id i = 0; i < N_TOP_ORDERS; i++)
        if (strcmp(top_columns[i].name, name) == 0)
            return i;
    return N_TOP_ORDERS;
}

double top_column_value(enum top_column_id id, const double growth[N_TOP_INPUTS], double seconds)
{
    const struct top_column *column = &top_columns[id];
    const double below =
        column->denominator == TOP_PER_SECOND ? seconds : growth[column->denominator];

    return below > 0 ? growth[column->numerator] / below : NAN;
}
