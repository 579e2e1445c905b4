/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Profiles of runs of kind `record`, of which the historian's thread knows. */

#include "history/history.h"
#include "service/profile_arguments.h"
#include "service/runs.h"
#include "web/deferred.h"

enum profile_run_answer {
    PROFILE_RUN_PROFILE,
    PROFILE_RUN_TABLE,
    PROFILE_RUN_DIFFERENCE,
    PROFILE_RUN_NOTHING, /* it is not asked about runs */
};

/*
 * Has it answered, of the run or the runs of the arguments, which are taken over, whatever is
 * returned: as history_work_submit(). file_name: as in struct history_work.
 */
int profile_runs_ask(struct runs *runs, struct history *history, enum profile_run_answer wanted,
                     struct profile_arguments *arguments, const char *content_type,
                     const char *file_name, struct deferred *answer, struct text *text);
