/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Numbers of users that accounts were given beside their own (subuid(5)): who has such
 * numbers may be as many users as there are, and is one all the same.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "sys/name_service.h"

struct subordinate_ids;

/*
 * Of the file, normally /etc/subuid; where it cannot be read there are none. service: knows the
 * accounts; borrowed. 0 or -ENOMEM.
 */
int subordinate_ids_new(const char *path, struct name_service *service,
                        struct subordinate_ids **ret_ids);
struct subordinate_ids *subordinate_ids_free(struct subordinate_ids *ids);
DEFINE_AUTO(subordinate_ids, struct subordinate_ids *, subordinate_ids_free)

/* Reads the file again if it is another by now. Without memory what was read stands. */
void subordinate_ids_refresh(struct subordinate_ids *ids);

/*
 * The account that has the number: by the range that it is in, the first of the file if there are
 * several; where the account's name is not known, or not yet, the first number of the range: so the
 * range is a user of its own. The number itself if it is in none.
 */
uid_t subordinate_ids_owner(struct subordinate_ids *ids, uid_t uid);

/* A line "account:first:count". False where it is none; the name is a piece of the line. */
struct subordinate_range {
    const char *account;
    size_t n_account;
    uid_t first;
    uint32_t count; /* at least 1, and first + count is a number too */
};
bool subordinate_range_parse(const char *line, struct subordinate_range *ret_range);
