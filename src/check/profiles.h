/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Whether stacks would be sampled for profiles here. */

#include "config/config.h"
#include "sys/bpf/refusal.h"

struct check_profiles {
    bool are_sampled;
    const char *reason; /* why not; NULL: they are, or the configuration wants none. Static */
    bool is_for_want_of_rights; /* The service may have rights that this user has not. */
};

/* Has the kernel load the program that samples, with little room, and drops it again. */
struct check_profiles check_profiles_find(const struct config *config);

/* Prints how often stacks are sampled, and what they take; or why they are not. */
void check_print_profiles(const struct config *config, const struct check_profiles *profiles);
