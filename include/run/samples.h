/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a run of kind `record` has sampled. It never changes, and has several owners; any thread may
 * take and drop references.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/reference.h"
#include "base/text.h"

struct run_samples {
    struct reference reference;
    uint64_t taken;    /* samples */
    uint64_t lost;     /* others, for which there was no room */
    uint64_t complete; /* of those taken: their stacks go to the root */
    size_t n_bytes;
    unsigned char bytes[]; /* the profile: profile/tree_pack.h */
};

/* Copies the bytes of a profile; the caller fills in the rest, and is the first owner. NULL: no
 * memory. */
struct run_samples *run_samples_new(const void *bytes, size_t n);

/* Both take NULL, and return it. */
struct run_samples *run_samples_ref(struct run_samples *samples);
struct run_samples *run_samples_unref(struct run_samples *samples);
DEFINE_AUTO(run_samples, struct run_samples *, run_samples_unref)

/* Packs it behind other bytes, up to their end. 0 or -ENOMEM. */
int run_samples_pack(const struct run_samples *samples, struct text *bytes);

/* 0; -EBADMSG: these are no such bytes; what the profile is, is checked where it is read; -ENOMEM.
 */
int run_samples_unpack(const void *bytes, size_t n, struct run_samples **ret_samples);
