/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "target/target_names_parts.h"

void names_queue_add(struct target_names *names, struct named_target *target, unsigned queue,
                     uint64_t due_ns)
{
    target->queue = (int)queue;
    target->due_ns = due_ns;
    TAILQ_INSERT_TAIL(&names->queues[queue], target, in_queue);
}

void names_queue_leave(struct named_target *target)
{
    if (target->queue >= 0)
        TAILQ_REMOVE(&target->names->queues[target->queue], target, in_queue);
    target->queue = -1;
}

void names_queue_again(struct named_target *target, uint64_t now_ns)
{
    if (!target->is_missing || target->tries >= NAMES_TRIES) {
        named_target_close(target);
        return;
    }
    target->wants_look = true;
    names_queue_add(target->names, target, target->tries,
                    now_ns + (NS_PER_SECOND << (target->tries - 1)));
}

void names_queue_renew(struct target_names *names, bool look)
{
    struct named_target *target, *next;

    HASH_ITER(hh, names->all, target, next) {
        if (look)
            target->tries = 0;
        /* who waits for the first look, or for another one, has that at once */
        target->wants_look |= look || target->queue >= 0;
        if (target->is_served)
            continue; /* the thread sees to it itself */
        names_queue_leave(target);
        names_queue_add(names, target, QUEUE_OF_RENEWED, 0);
    }
}

struct named_target *names_queue_first(const struct target_names *names, uint64_t now_ns,
                                       uint64_t *ret_due_ns)
{
    uint64_t due_ns = UINT64_MAX;

    for (size_t i = 0; i < NAMES_QUEUES; i++) {
        struct named_target *first = TAILQ_FIRST(&names->queues[i]);

        if (first && first->due_ns <= now_ns)
            return first;
        if (first && first->due_ns < due_ns)
            due_ns = first->due_ns;
    }
    *ret_due_ns = due_ns;
    return NULL;
}
