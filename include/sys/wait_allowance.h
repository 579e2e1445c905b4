/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How long a cycle waits for another thread that may hang: no longer than a tenth of a second for
 * an answer, and no more than a tenth of the time altogether; unused time is saved up. If it has
 * waited in vain, it waits no more until there is an answer again.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* All zero is how it begins. */
struct wait_allowance {
    uint64_t begin_ns; /* when the last wait began */
    uint64_t saved_ns; /* time for waiting that was left after it */
    bool hangs; /* somebody has waited in vain; who answers makes it false, under the mutex */
};

/*
 * Waits until `is_there` says so of `what`, or the time is up. The mutex is held before and after,
 * and the condition is signalled at each answer. Returns whether it is there.
 */
bool wait_allowance_spend(struct wait_allowance *allowance, pthread_cond_t *answered,
                          pthread_mutex_t *mutex, bool (*is_there)(const void *what),
                          const void *what);
