/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Between two cycles. What begins now and ends before the next cycle would be lost to it, and of
 * what lives longer its beginning; so the first two stages of the cycle, discover and open, are
 * done for those who are born as soon as the kernel tells of them. The other stages are the
 * cycle's: what is shown is of one interval, however many were born in it.
 */
#include "base/clock.h"
#include "cycle/collector_parts.h"

int collector_tasks_fd(const struct collector *collector)
{
    return collector->processes ? process_targets_fd(collector->processes) : -1;
}

bool collector_arm(struct collector *collector)
{
    bool told = collector->cgroups && cgroup_targets_are_told(collector->cgroups);

    if (collector->processes)
        told |= process_targets_arm(collector->processes);
    return told;
}

void collector_follow(struct collector *collector)
{
    const bool may_open = collector->may_open;

    collector->now_ns = clock_monotonic_ns();
    collector->between = true;
    collector->may_open = false;
    (void)collector_discover(collector);
    (void)collector_open(collector);
    collector->may_open |= may_open;
    collector->between = false;
}
