/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What was found in the last half second for containers, machines and units. Who runs in one may
 * make any number of cgroups in it, which all have its names; to look for each could take a CPU.
 * The cgroup of the container itself is always looked for: another one may have that name now.
 */

#include <stdint.h>

#include "target/names.h"

#define NAMES_RECENT    64
#define NAMES_RECENT_NS (NS_PER_SECOND / 2) /* less than between two looks for one cgroup */

struct names_recent {
    struct recent_names {
        char *part; /* of a path, as names_host_part() tells it; NULL: nothing */
        unsigned sources;
        bool is_missing;
        uint64_t found_ns;
        struct names names;
    } all[NAMES_RECENT];
    size_t next; /* the oldest one, whose place is taken next */
};

void names_recent_done(struct names_recent *recent);

/* What was found for the container that this cgroup is in. NULL: it has to be looked for. */
const struct recent_names *names_recent_find(const struct names_recent *recent, const char *path,
                                             unsigned sources, uint64_t now_ns);

/* Keeps what was found; without memory it is not kept. */
void names_recent_keep(struct names_recent *recent, const char *path, unsigned sources,
                       uint64_t now_ns, const struct names *names, bool is_missing);
