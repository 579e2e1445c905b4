/* SPDX-License-Identifier: Apache-2.0 */
#include "service/doubt_watch.h"

#include <math.h>

#include "base/clock.h"
#include "count/mechanism.h"

#define MINUTE_NS (60 * NS_PER_SECOND)

void doubt_watch_begin(struct doubt_watch *watch, uint64_t now_ns, uint64_t unattributed_ns)
{
    *watch =
        (struct doubt_watch){.begin_ns = now_ns, .unattributed_ns = unattributed_ns, .share = NAN};
}

/* Cycles may be far apart, so a "minute" is the time that has passed when a cycle finds it over. */
bool doubt_watch_is_too_much(struct doubt_watch *watch, uint64_t now_ns, size_t n_cpus,
                             uint64_t unattributed_ns)
{
    const uint64_t passed_ns = now_ns - watch->begin_ns;

    if (passed_ns < MINUTE_NS || n_cpus == 0)
        return false;
    watch->share =
        (double)(unattributed_ns - watch->unattributed_ns) / ((double)passed_ns * (double)n_cpus);
    watch->bad_minutes = watch->share > MOST_DOUBT ? watch->bad_minutes + 1 : 0;
    watch->begin_ns = now_ns;
    watch->unattributed_ns = unattributed_ns;
    if (watch->bad_minutes < DOUBT_MINUTES || watch->reported)
        return false;
    watch->reported = true;
    return true;
}

void doubt_watch_leave(struct doubt_watch *watch, uint64_t now_ns)
{
    *watch =
        (struct doubt_watch){.share = NAN, .retry_ns = now_ns + DOUBT_RETRY_MINUTES * MINUTE_NS};
}

bool doubt_watch_wants_retry(struct doubt_watch *watch, uint64_t now_ns)
{
    if (watch->retry_ns == 0 || now_ns < watch->retry_ns)
        return false;
    watch->retry_ns = 0;
    return true;
}
