/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The text of the configuration in force, for the server's thread: the main thread sets it, at the
 * start and after each reload.
 */

#include <pthread.h>

#include "base/shared_text.h"

struct config_shown {
    pthread_mutex_t mutex;
    struct shared_text *text; /* NULL: the built-in default runs */
};

void config_shown_init(struct config_shown *shown);
void config_shown_done(struct config_shown *shown);

/* Takes a reference to the text, or NULL. */
void config_shown_set(struct config_shown *shown, struct shared_text *text);

/* Returns a new reference, or NULL. */
struct shared_text *config_shown_get(struct config_shown *shown);
