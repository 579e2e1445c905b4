/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What one target counted in one interval, over all its CPUs: the engine's only result. */

#include <stdbool.h>
#include <stdint.h>

#include "count/event_group.h"

struct event_sample {
    uint64_t count;    /* to be added to the total */
    double exact;      /* the same, not rounded: for ratios */
    double per_second; /* the same over the time it was counted in */
};

struct group_sample {
    bool counted;     /* the group is open and has had the PMU: 0 is a count, not a guess */
    bool ran;         /* the target ran: enabled advanced on some CPU */
    bool starved;     /* it waits for the PMU in vain: what stands at 0 is not known to be 0 */
    bool unknown;     /* on some CPU the delta is unknown: no rates, no ratios */
    uint64_t enabled; /* ns since the last reading, also where the counts are unknown … */
    uint64_t running; /* … so that coverage is told, down to 0 */
};

/*
 * Of the time in which the target ran, how much may have been another's, since the kernel did not
 * tell of a switch: ns, since it was first counted by the mechanism that counts it. Both 0: none.
 */
struct sample_doubt {
    uint64_t doubtful_ns, ran_ns;
};

/* One entry for each event and group of an event_groups, in their order. */
struct sample {
    size_t n_events, n_groups;
    struct sample_doubt doubt;
    struct group_sample *groups;
    struct event_sample *events;
};

/* A sample that is large enough for the groups; NULL if there is no memory. */
struct sample *sample_new(const struct event_groups *groups);
struct sample *sample_free(struct sample *sample);
DEFINE_AUTO(sample, struct sample *, sample_free)

void sample_clear(struct sample *sample);

/* Whether some group of it has counted. */
bool sample_has_counted(const struct sample *sample);

/* Whether the target ran in the interval, as far as some open group of it can tell. */
bool sample_has_run(const struct sample *sample);

/*
 * Adds what another target of the same groups counted: the machine is the sum of its
 * CPUs. A part that begins with this sample has counted nothing before: it makes the
 * sum no less known than it is.
 */
void sample_add(struct sample *sum, const struct sample *part, bool begins);
