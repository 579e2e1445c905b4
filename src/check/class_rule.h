/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which rule of the configuration a class of targets is of. */

#include "resolve/resolution.h"

struct class_rule {
    const char *what; /* "cgroups", "processes"; static */
    size_t index;     /* among the rules of these */
    const struct config_words *groups;
};

/* The class is one of cgroups or of processes. */
struct class_rule class_rule_of(const struct resolution *resolution, size_t class_index);
