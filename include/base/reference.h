/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How many owners an object has that is shared by reference. The object embeds a struct reference;
 * its own functions x_ref() and x_unref() call reference_take() and reference_drop(), and x_unref()
 * frees the object when the latter says so.
 *
 * Any thread may take and drop references. Who takes one must hold one already, or be given the
 * object by somebody who does (by a lock, as in struct snapshot_slot): a count that has reached 0
 * never rises again. The object itself is read by all owners at once, and is thus immutable, or has
 * a lock of its own.
 */

#include <stdatomic.h>
#include <stdbool.h>

struct reference {
    atomic_uint n_owners;
};

/* Who makes the object is its first owner. */
static inline void reference_init(struct reference *reference)
{
    atomic_init(&reference->n_owners, 1);
}

/* Nothing is ordered by it: whoever takes a reference sees the object already. */
static inline void reference_take(struct reference *reference)
{
    (void)atomic_fetch_add_explicit(&reference->n_owners, 1, memory_order_relaxed);
}

/*
 * True: it was the last owner, who frees the object now. Release and acquire, so that whatever the
 * other owners did with the object has happened before.
 */
static inline bool reference_drop(struct reference *reference)
{
    return atomic_fetch_sub_explicit(&reference->n_owners, 1, memory_order_acq_rel) == 1;
}
