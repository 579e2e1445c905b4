/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The instructions of a function, with the samples that were taken at each of them. */

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "profile/code_listing.h"
#include "profile/places.h"

/* Shares of fewer samples are not told: half of a hundred is known to 5 % only. */
#define ANNOTATION_SAMPLES_LEAST 100

struct annotation {
    const struct code_listing *listing; /* borrowed */
    uint64_t placed;                    /* samples that are at an instruction */
    uint64_t samples[];                 /* [row of the listing] */
};

struct annotation *annotation_free(struct annotation *annotation);
DEFINE_AUTO(annotation, struct annotation *, annotation_free)

/* An address of the file at which samples were taken, from the base. */
struct annotation_address {
    uint32_t address;
    uint64_t samples;
};

/*
 * Counts samples for the instruction that has their address; those that lie outside of the listing
 * belong to none. addresses: sorted. NULL: no memory.
 */
struct annotation *annotation_new(const struct code_listing *listing,
                                  const struct annotation_address *addresses, size_t n);
