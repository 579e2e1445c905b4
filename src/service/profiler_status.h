/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the profiler tells of itself, for /metrics. */

#include <stdbool.h>
#include <stdint.h>

#include "metric/profile_status.h"
#include "profile/sampler.h"
#include "profile/store.h"

struct profiler_facts {
    bool wanted;
    const char *reason; /* why nothing is sampled; NULL: it is. Static */
    unsigned rate_hz;
    const struct profile_store *store;  /* NULL: there is none */
    const struct sampler *sampler;      /* NULL: nothing is sampled */
    const struct profile_status *ended; /* what samplers and stores have counted that have ended */
    uint64_t cpu_ns;                    /* of the profiler's thread */
};

struct profile_status profiler_status_make(const struct profiler_facts *facts);
