/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Counts the owners of an object that is shared by reference. The object embeds a struct reference.
 * Its own functions x_ref() and x_unref() call reference_take() and reference_drop(), and x_unref()
 * frees the object when reference_drop() says so.
 *
 * Any thread may take and drop references. Whoever takes one must hold one already, or be given the
 * object under a lock by somebody who does (as in struct snapshot_slot), because a count that has
 * reached 0 must never rise again. All owners read the object at once, so it is immutable or has a
 * lock of its own.
 */

#include <stdatomic.h>
#include <stdbool.h>

struct reference {
    atomic_uint n_owners;
};

/* Whoever makes the object is its first owner. */
static inline void reference_init(struct reference *reference)
{
    atomic_init(&reference->n_owners, 1);
}

/* This needs no memory order: whoever takes a reference sees the object already. */
static inline void reference_take(struct reference *reference)
{
    (void)atomic_fetch_add_explicit(&reference->n_owners, 1, memory_order_relaxed);
}

/*
 * Returns true if this was the last owner, who must free the object now. The memory order is
 * release and acquire, so that all that other owners did with the object has happened by then.
 */
static inline bool reference_drop(struct reference *reference)
{
    return atomic_fetch_sub_explicit(&reference->n_owners, 1, memory_order_acq_rel) == 1;
}
