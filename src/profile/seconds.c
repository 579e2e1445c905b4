/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/seconds.h"

#include <errno.h>

#include "base/clock.h"
#include "profile/store_targets.h"

#define MS_PER_SECOND 1000

struct profile_seconds *profile_seconds_free(struct profile_seconds *seconds)
{
    free(seconds);
    return NULL;
}

static uint64_t greatest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The seconds of the range of which the ring has all samples. */
static struct profile_seconds *make_seconds(const struct profile_store *store,
                                            const struct profile_range *range)
{
    const uint64_t latest = store->latest_ns / NS_PER_SECOND + 1;
    const uint64_t last = range->to_ns / NS_PER_SECOND + (range->to_ns % NS_PER_SECOND > 0);
    const uint64_t end = last < latest ? last : latest;
    const uint64_t whole = store->recent.whole_from_ms / MS_PER_SECOND +
                           (store->recent.whole_from_ms % MS_PER_SECOND > 0);
    uint64_t from = range->from_ns / NS_PER_SECOND;
    struct profile_seconds *seconds;
    size_t n;

    from = greatest(from, greatest(whole, store->began_ns / NS_PER_SECOND));
    if (end > from + PROFILE_SECONDS_MOST)
        from = end - PROFILE_SECONDS_MOST;
    n = end > from ? (size_t)(end - from) : 0;
    seconds = calloc(1, sizeof(*seconds) + n * sizeof(seconds->samples[0]));
    if (!seconds)
        return NULL;
    seconds->from_ns = from * NS_PER_SECOND;
    seconds->n = n;
    seconds->rate_hz = store->rate_hz;
    return seconds;
}

static void count(const struct profile_store *store, const bool *is_in,
                  struct profile_seconds *seconds)
{
    const struct recent *recent = &store->recent;
    const uint64_t from_ms = seconds->from_ns / (NS_PER_SECOND / MS_PER_SECOND);

    for (size_t i = 0; i < recent->n; i++) {
        const struct recent_sample *sample = &recent->samples[i];
        const uint64_t after_ms = recent_time_ms(recent, sample) - from_ms;

        if (sample->target != RECENT_NO_TARGET && is_in[sample->target] &&
            after_ms < seconds->n * MS_PER_SECOND) /* what is earlier is a large number */
            seconds->samples[after_ms / MS_PER_SECOND]
                            [after_ms % MS_PER_SECOND * PROFILE_SECOND_PARTS / MS_PER_SECOND]++;
    }
}

int profile_store_seconds(const struct profile_store *store, const struct profile_range *range,
                          struct profile_seconds **ret_seconds)
{
    AUTO_FREE bool *is_in = calloc(store->n_targets, sizeof(*is_in));
    struct profile_seconds *seconds;

    if (!is_in)
        return -ENOMEM;
    if (!store_targets_in(store, range, is_in))
        return -ENOENT;
    seconds = make_seconds(store, range);
    if (!seconds)
        return -ENOMEM;
    count(store, is_in, seconds);
    *ret_seconds = seconds;
    return 0;
}
