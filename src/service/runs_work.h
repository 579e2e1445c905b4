/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is asked of runs that are kept, and is answered by the historian's thread. */

#include "run/schedule_map.h"
#include "service/history_work.h"
#include "service/runs.h"

enum runs_form { RUNS_JSON, RUNS_JSON_FILE, RUNS_CSV_FILE, RUNS_TRACE_FILE };

/* Each as history_work_submit(). */
int runs_ask_list(struct runs *runs, struct history *history, struct deferred *answer,
                  struct text *text);
int runs_ask_show(struct runs *runs, struct history *history, uint64_t id, enum runs_form form,
                  struct deferred *answer, struct text *text);
int runs_ask_map(struct runs *runs, struct history *history, uint64_t id,
                 const struct schedule_map_range *range, struct deferred *answer,
                 struct text *text);
int runs_ask_compare(struct runs *runs, struct history *history, uint64_t a, uint64_t b,
                     struct deferred *answer, struct text *text);
int runs_ask_delete(struct runs *runs, struct history *history, uint64_t id,
                    struct deferred *answer, struct text *text);

/*
 * For the historian's thread: a run that goes on, or else one that is kept, with all that it has.
 * 0; -ENOENT or -EBADMSG, with words; -ENOMEM.
 */
int runs_find(struct runs *runs, struct history_store *store, uint64_t id, struct text *text,
              struct recording **ret_recording);

/* Takes the names over. */
int runs_ask_rename(struct runs *runs, struct history *history, uint64_t id,
                    struct run_rename *rename, struct deferred *answer, struct text *text);

/*
 * Keeps a run that somebody else has counted, as recording_parse_imported() takes it. That is left
 * to the historian's thread, since it may take a second.
 */
int runs_ask_keep(struct runs *runs, struct history *history, const char *body, size_t length,
                  struct deferred *answer, struct text *text);
