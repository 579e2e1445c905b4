/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where in a function samples were taken: what an annotation of its instructions is made of. */

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "profile/store.h"

struct profile_place {
    uint32_t place;   /* in the file of the function */
    uint64_t samples; /* that were taken there */
};

struct profile_places {
    uint64_t from_ns, to_ns; /* CLOCK_REALTIME: the range that is covered */
    unsigned rate_hz;        /* of the samples */
    uint64_t all;            /* samples of the target in that range */
    uint32_t function;       /* its number in the store */
    enum profile_kind kind;
    char *owner, *name; /* of the function; owned */
    char *likely;       /* where there is none: a name that may have been meant; owned, or NULL */
    uint64_t samples;   /* that were taken in the function itself */
    uint64_t elsewhere; /* in other functions of that name, as two files may have */
    size_t n;
    struct profile_place places[]; /* sorted, no two alike; those that are known */
};

/* A function by its names. */
struct profile_wanted_function {
    const char *owner; /* NULL: any */
    const char *name;
};

/*
 * Counts samples of a range that are kept one by one and that were taken in a function of this
 * name: if there are several, in the one that has most of them. 0; -ENOENT: the target has no
 * samples at all; -ESRCH: none of the samples was taken in such a function, *ret_places says in
 * which range, how many there are in all, and what may have been meant; -ENOMEM.
 */
int profile_store_places(const struct profile_store *store, const struct profile_range *range,
                         const struct profile_wanted_function *wanted,
                         struct profile_places **ret_places);
struct profile_places *profile_places_free(struct profile_places *places);
DEFINE_AUTO(profile_places, struct profile_places *, profile_places_free)
