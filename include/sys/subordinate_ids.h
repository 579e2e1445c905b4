/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Numbers of users that accounts have beside their own (subuid(5)). An account with such numbers
 * can act as many users, and is one all the same: limits for each user must see through it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "sys/name_service.h"

struct subordinate_ids;

/*
 * Reads the file, normally /etc/subuid; where it cannot be read, no account has such numbers.
 * service: is asked for the numbers of accounts; borrowed. 0 or -ENOMEM.
 */
int subordinate_ids_new(const char *path, struct name_service *service,
                        struct subordinate_ids **ret_ids);
struct subordinate_ids *subordinate_ids_free(struct subordinate_ids *ids);
DEFINE_AUTO(subordinate_ids, struct subordinate_ids *, subordinate_ids_free)

/* Reads the file again if it has changed. If there is no memory, what was read before stands. */
void subordinate_ids_refresh(struct subordinate_ids *ids);

/*
 * The user number of the account that a number belongs to, by the first range of the file that
 * contains it. If the account is not known, or not yet, it is the first number of the range, so
 * that the range counts as one user. A number in no range belongs to itself.
 */
uid_t subordinate_ids_owner(struct subordinate_ids *ids, uid_t uid);

/* A line of the file, "account:first:count". The name points into the line. */
struct subordinate_range {
    const char *account;
    size_t n_account;
    uid_t first;
    uint32_t count; /* at least 1; first + count does not overflow */
};

/* False: the line has another form. */
bool subordinate_range_parse(const char *line, struct subordinate_range *ret_range);
