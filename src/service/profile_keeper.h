/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Keeps profiles where the history is kept, and takes in those of before. Minutes are kept one by
 * one when they are over for a while, so that functions have their names by then; when they have
 * become an hour, that replaces them. All of it belongs to the thread of profiles; what reads and
 * writes the disk is done by the historian, for whom nobody waits.
 */

#include <stdbool.h>

#include "history/history.h"
#include "profile/store.h"

struct profile_keeper;

/* history: borrowed; NULL: nothing is kept. bell_fd: written to when there is something to do. */
struct profile_keeper *profile_keeper_new(struct history *history, int bell_fd);

/* Not before the historian has ended, if there is one. */
struct profile_keeper *profile_keeper_free(struct profile_keeper *keeper);
DEFINE_AUTO(profile_keeper, struct profile_keeper *, profile_keeper_free)

/* Does a part of what is to be done, after a tick of the store. */
void profile_keeper_turn(struct profile_keeper *keeper, struct profile_store *store);

/* Keeps what is not kept yet, since the store ends. The next turn has another store. */
void profile_keeper_end(struct profile_keeper *keeper, struct profile_store *store);
