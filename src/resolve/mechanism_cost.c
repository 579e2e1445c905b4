/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/mechanism_cost.h"

#define DIRECT_NS           300
#define DIRECT_NS_PER_EVENT 75
#define BPF_NS              200
#define BPF_NS_PER_EVENT    100

struct switch_cost direct_switch_cost(const struct resolution *resolution)
{
    struct switch_cost cost = {
        .of_a_cgroup = resolution_most_opened(resolution, SCOPE_CGROUP),
        .of_the_system = resolution_most_opened(resolution, SCOPE_SYSTEM),
    };

    if (cost.of_a_cgroup > 0 && cost.of_the_system > 0)
        cost.ns =
            DIRECT_NS + DIRECT_NS_PER_EVENT * (unsigned)(2 * cost.of_a_cgroup + cost.of_the_system);
    return cost;
}

unsigned bpf_switch_cost_ns(size_t n_charged)
{
    return n_charged == 0 ? 0 : BPF_NS + BPF_NS_PER_EVENT * (unsigned)n_charged;
}
