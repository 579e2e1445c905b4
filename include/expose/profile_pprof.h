/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Writes profiles as pprof has them (src/expose/pprof.proto). Each sample has two values,
 * samples/count and cpu/nanoseconds; where an event was recorded, the second one is that event, as
 * "page-faults/count". Stacks are of functions, without addresses: a function has one
 * location, and its program or library is a mapping and its file name.
 */

#include "base/text.h"
#include "profile/tree.h"
#include "target/identity.h"

/* A profile among others in one file, which labels tell from them: cgroup="/a". */
struct profile_part {
    const struct profile_tree *tree;
    const struct label *labels;
    size_t n_labels;
};

/*
 * Appends the bytes of one file, which are not compressed. Its range is from the first begin to the
 * last end, its period that of the first profile that has a rate. 0 or -ENOMEM.
 */
int profile_pprof_write(const struct profile_part *parts, size_t n, struct text *bytes);
