/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Who is shown: the identities of the targets, and where the row of each lies
 * among the numbers of a snapshot. Immutable and counted by reference;
 * references may be taken and dropped by any thread.
 */

#include <stddef.h>

#include "metric/account.h"
#include "metric/catalogue.h"
#include "target/identity.h"

/* The targets of one plan: their rows follow each other. */
struct roster_part {
    struct identity **identities; /* references */
    size_t n;
    size_t first; /* index of the first number of the first row */
};

struct roster {
    struct catalogue *catalogue;
    struct roster_part *parts; /* one for each plan of the catalogue */
    size_t *rows;              /* of each account: index of its first number */
    size_t n_numbers;
};

/* The accounts, in any order; each one's plan must be of the catalogue. 0 or -ENOMEM. */
int roster_new(struct catalogue *catalogue, struct account *const *accounts, size_t n_accounts,
               struct roster **ret_roster);
struct roster *roster_ref(struct roster *roster);
struct roster *roster_unref(struct roster *roster);
DEFINE_AUTO(roster, struct roster *, roster_unref)
