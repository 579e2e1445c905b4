/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the profiler tells of itself, for /metrics. */

#include <stdbool.h>
#include <stdint.h>

#include "profile/sampler.h"
#include "profile/store.h"

struct profile_status_slot;

struct profiler_facts {
    bool wanted;
    const char *reason; /* why nothing is sampled; NULL: it is. Static */
    unsigned rate_hz;
    const struct profile_store *store; /* NULL: there is none */
    const struct sampler *sampler;     /* NULL: nothing is sampled */
    uint64_t cpu_ns;                   /* of the profiler's thread */
};

void profiler_status_tell(struct profile_status_slot *slot, const struct profiler_facts *facts);
