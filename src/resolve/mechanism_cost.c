/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/mechanism_cost.h"

#define DIRECT_NS           300 /* added once a switch */
#define DIRECT_NS_PER_EVENT 75  /* for every event that is switched */
#define BPF_NS              200
#define BPF_NS_PER_EVENT    100 /* for every event that is read */

unsigned direct_switch_cost_ns(size_t events_of_a_cgroup, size_t events_of_the_system)
{
    if (events_of_a_cgroup == 0)
        return 0;
    return DIRECT_NS + DIRECT_NS_PER_EVENT *
                           (2 * (unsigned)events_of_a_cgroup + (unsigned)events_of_the_system);
}

unsigned bpf_switch_cost_ns(size_t events_of_all)
{
    return events_of_all == 0 ? 0 : BPF_NS + BPF_NS_PER_EVENT * (unsigned)events_of_all;
}
