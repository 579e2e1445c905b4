/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the keys of programs that count by key are called. */

#include "count/breakdown.h"

/* Directories where names are found. Borrowed. */
struct observer_paths {
    int sysfs_fd, procfs_fd;
};

/* What a key stands for. */
struct observed_key {
    enum breakdown_kind kind;
    struct breakdown_line line;
};

typedef void observer_name(const struct observer_paths *paths, const struct keyed_key *key,
                           struct observed_key *ret_key);

observer_name observer_name_block;
