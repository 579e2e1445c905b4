/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The share of a limit that one of those who are limited together may take: a top-level cgroup
 * of all cgroups and of all series, a user of all cgroups of users and of all processes.
 *
 * It is three quarters of what the others leave. Most machines have one tenant that has almost
 * everything, so a fair division by the number of tenants would refuse what there is room for. Yet
 * whoever makes thousands of cgroups or processes must not be able to push out all others: a
 * quarter of what was free is always left to the next one, however many have come before. A share
 * of a share, as that of a user within user.slice, is 9/16 of all. Where few fit, the first of a
 * tenant needs no more than room.
 */

#include <stddef.h>

/* Rounds up, so that whoever is alone with a limit of 1 has that one. */
static inline size_t share_of_one(size_t limit)
{
    return limit - limit / 4;
}

/* The same where others have so much of the limit already. 0: they have all of it. */
static inline size_t share_left(size_t limit, size_t of_others)
{
    return of_others < limit ? share_of_one(limit - of_others) : 0;
}
