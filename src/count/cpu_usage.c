/* SPDX-License-Identifier: Apache-2.0 */
#include "count/cpu_usage.h"

#include "base/clock.h"

/*
 * The kernel rounds each of five numbers down to a tick (10 ms at most). Over half a second a rate
 * is so wrong by a tenth of a CPU at most.
 */
#define LEAST_NS (NS_PER_SECOND / 2)

/* Makes the reading the base, whatever was before. */
static struct cpu_usage_delta begin(struct cpu_usage *usage, const struct cpu_time *reading,
                                    uint64_t now_ns)
{
    *usage = (struct cpu_usage){.base = *reading, .base_ns = now_ns, .based = true};
    return (struct cpu_usage_delta){.state = CPU_USAGE_UNKNOWN};
}

struct cpu_usage_delta cpu_usage_advance(struct cpu_usage *usage, const struct cpu_time *reading,
                                         uint64_t now_ns)
{
    const bool fell =
        reading->user_ns < usage->base.user_ns || reading->system_ns < usage->base.system_ns;
    struct cpu_usage_delta delta = {.state = CPU_USAGE_KNOWN};

    if (!usage->based || (fell && usage->fell))
        return begin(usage, reading, now_ns);
    usage->fell = fell;
    if (fell)
        return (struct cpu_usage_delta){.state = CPU_USAGE_UNKNOWN};
    if (now_ns < usage->base_ns + LEAST_NS)
        return (struct cpu_usage_delta){.state = CPU_USAGE_TOO_SOON};
    delta.user_ns = reading->user_ns - usage->base.user_ns;
    delta.system_ns = reading->system_ns - usage->base.system_ns;
    delta.cpus = (double)(delta.user_ns + delta.system_ns) / (double)(now_ns - usage->base_ns);
    usage->base = *reading;
    usage->base_ns = now_ns;
    return delta;
}
