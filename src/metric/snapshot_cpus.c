/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "metric/snapshot.h"

static size_t count_rows(const struct roster *roster)
{
    size_t n = 0;

    for (size_t i = 0; i < roster->catalogue->n_plans; i++)
        n += roster->parts[i].n;
    return n;
}

struct snapshot_cpus *snapshot_cpus_new(const struct roster *roster, const struct cpu_list *cpus)
{
    const size_t n = count_rows(roster) * cpus->n;
    struct snapshot_cpus *made = calloc(1, sizeof(*made));

    if (!made)
        return NULL;
    made->n_cpus = cpus->n;
    made->numbers = calloc(cpus->n + 1, sizeof(*made->numbers));
    made->ran_ns = malloc((n + 1) * sizeof(*made->ran_ns));
    if (!made->numbers || !made->ran_ns)
        return snapshot_cpus_free(made);
    for (size_t i = 0; i < cpus->n; i++)
        made->numbers[i] = (unsigned)cpus->cpus[i].value;
    for (size_t i = 0; i < n; i++)
        made->ran_ns[i] = NUMBER_ABSENT_COUNT;
    return made;
}

struct snapshot_cpus *snapshot_cpus_free(struct snapshot_cpus *cpus)
{
    if (!cpus)
        return NULL;
    free(cpus->numbers);
    free(cpus->ran_ns);
    free(cpus);
    return NULL;
}

uint64_t *snapshot_cpus_row(const struct snapshot_cpus *cpus, const struct roster *roster,
                            size_t account)
{
    const struct roster_place *place = &roster->places[account];
    size_t row = place->target;

    for (size_t i = 0; i < place->part; i++)
        row += roster->parts[i].n;
    return &cpus->ran_ns[row * cpus->n_cpus];
}
