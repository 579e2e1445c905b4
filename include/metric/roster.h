/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A roster says who is shown: it has the identities of the targets, and the place of each one's
 * row among the numbers of a snapshot. It is immutable and counted by reference; any thread may
 * take and drop references.
 */

#include <stddef.h>

#include "metric/account.h"
#include "metric/catalogue.h"
#include "target/identity.h"

/* The targets of one plan. Their rows follow each other without a gap. */
struct roster_part {
    struct identity **identities; /* references */
    size_t n;
    size_t first; /* index of the first number of the first row in snapshot.numbers */
};

/* The numbers of a row do not tell whose it is: where nothing can be counted a row has none. */
struct roster_place {
    size_t part;   /* index of its plan in the catalogue, and so of its part */
    size_t target; /* index among the targets of that plan */
};

struct roster {
    struct catalogue *catalogue;
    struct roster_part *parts;   /* one for each plan of the catalogue */
    size_t *rows;                /* for each account: index of its first number */
    struct roster_place *places; /* for each account: which target it is */
    size_t n_numbers;            /* of all rows together */
};

/*
 * Makes a roster of the accounts, which may be in any order. The plan of each must be one of the
 * catalogue. 0 or -ENOMEM.
 */
int roster_new(struct catalogue *catalogue, struct account *const *accounts, size_t n_accounts,
               struct roster **ret_roster);
struct roster *roster_ref(struct roster *roster);
struct roster *roster_unref(struct roster *roster);
DEFINE_AUTO(roster, struct roster *, roster_unref)
