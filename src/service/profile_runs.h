/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Profiles of runs of kind `record`: the historian's thread has them. */

#include "history/history.h"
#include "service/profile_arguments.h"
#include "service/profile_questions.h"
#include "service/runs.h"

/* What answers, of the run of the arguments, or of two: for struct history_work, `work`. */
int profile_run_work_profile(struct history_store *store, const void *question, struct text *text);
int profile_run_work_table(struct history_store *store, const void *question, struct text *text);
int profile_run_work_difference(struct history_store *store, const void *question,
                                struct text *text);

/*
 * Has a question answered by one of these, and not by its own `work`. Its arguments, a struct
 * profile_arguments, are taken over, whatever is returned: as history_work_submit().
 */
int profile_runs_ask(struct runs *runs, struct history *history,
                     const struct profile_question *question,
                     int (*work)(struct history_store *store, const void *question,
                                 struct text *text),
                     struct deferred *answer, struct text *text);
