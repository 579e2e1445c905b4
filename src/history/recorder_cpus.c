/* SPDX-License-Identifier: Apache-2.0 */
#include "history/recorder_cpus.h"

#include <errno.h>
#include <string.h>

#include "history/open_target.h"

static struct open_target *find_times(struct recorder *recorder, const struct open_target *target)
{
    static const struct text no_labels = {0};
    AUTO_TEXT struct text key = {0};
    struct open_target *times;

    text_append_format(&key, CPUS_KIND ":%s", target->key);
    if (text_error(&key) < 0)
        return NULL;
    times = open_target_find_or_make(recorder, key.data, CPUS_KIND, &no_labels);
    if (times)
        times->is_beside = times->is_counted = true;
    return times;
}

static bool is_known(const uint64_t *ran_ns, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ran_ns[i] != NUMBER_ABSENT_COUNT)
            return true;
    return false;
}

int recorder_add_cpus(struct recorder *recorder, const struct snapshot *snapshot, size_t n_rows)
{
    const struct snapshot_cpus *cpus = snapshot->cpus;
    AUTO(layout) struct layout *layout = NULL;
    struct open_target *target, *next;
    int r = 0;

    if (cpus->n_cpus > CHUNK_NUMBERS_MAX)
        return 0;
    r = layout_of_cpus(cpus->numbers, cpus->n_cpus, &layout);
    HASH_ITER(hh, recorder->targets, target, next)
        target->is_counted = target->is_counted && strcmp(target->kind, CPUS_KIND) != 0;
    for (size_t i = 0; i < n_rows && r == 0; i++) {
        const uint64_t *ran_ns = &cpus->ran_ns[i * cpus->n_cpus];

        if (!is_known(ran_ns, cpus->n_cpus))
            continue;
        target = find_times(recorder, recorder->rows[i]);
        r = target ? open_target_append(recorder, &target, layout, recorder->rows[i]->start,
                                        snapshot, ran_ns)
                   : -ENOMEM;
    }
    return r;
}
