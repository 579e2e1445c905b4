/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Requests that the historian's thread answers. */

#include <stdbool.h>

#include "history/history.h"
#include "web/deferred.h"

/*
 * What is to be done for a request. `work` runs on the historian's thread and writes the answer; it
 * returns 0, or what a route's function would, with a text that tells people why. The arguments are
 * malloc()ed, or NULL.
 */
struct history_work {
    int (*work)(struct history_store *store, const void *arguments, struct text *text);
    void *arguments;
    void (*free_arguments)(void *arguments);
    bool is_question; /* nothing changes: it is not done where the client has gone */
    const char *content_type;
    const char *file_name; /* as which browsers save the answer; NULL: they show it */
};

/*
 * Has it done, and answered. The arguments are taken over, whatever is returned: 0, and the answer
 * is on its way; or what `ask` of a route returns, with the reason in words.
 */
int history_work_submit(struct history *history, const struct history_work *work,
                        struct deferred *answer, struct text *text);
