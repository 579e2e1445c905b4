/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * In which order things are opened that belong to several tenants. Opening may be slow, so there is
 * time for some of them alone in each round. The tenants take turns, one thing each, and the next
 * round goes on behind the tenant that had the last turn. So who wants thousands opened lets nobody
 * else wait for more than one of them.
 */

#include <stddef.h>
#include <stdint.h>

struct turn {
    void *what, *of; /* the thing, and what it is a part of */
    uint64_t tenant; /* 0: it is nobody's, and comes first */
    uint64_t after;  /* scratch: who has the least of these has the next turn */
    size_t rank;     /* scratch: so many of the same tenant come before it */
    size_t order;    /* scratch: so many were added before it */
};

struct turns {
    struct turn *turns;
    size_t n, capacity;
    uint64_t last; /* the tenant that had the last turn */
};

void turns_done(struct turns *turns);

/* Nothing is to be opened. Who had the last turn stays known. */
void turns_clear(struct turns *turns);

/* Adds something. Both pointers are borrowed; `of` may be NULL. 0 or -ENOMEM. */
int turns_add(struct turns *turns, void *what, void *of, uint64_t tenant);

/* Puts what was added into the order of the turns. Of one tenant, what was added first is first. */
void turns_sort(struct turns *turns);

/* Notes that this one has had its turn. */
void turns_took(struct turns *turns, size_t index);
