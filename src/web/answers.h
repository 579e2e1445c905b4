/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The answers that never change: each is made once and shared by every request that gets it. */

#include <microhttpd.h>
#include <stdbool.h>

enum answer {
    ANSWER_NONE, /* No answer of these is given: the request goes on. */
    ANSWER_MALFORMED,
    ANSWER_NOT_FOUND,
    ANSWER_BODY_REFUSED,
    ANSWER_BODY_TOO_LONG,
    ANSWER_RENDER_FAILED,
    ANSWER_TOO_MANY_READERS,
    ANSWER_TOO_MANY_WAIT,
    ANSWER_TOO_MANY_STREAMS,
    ANSWER_LATE,
    ANSWER_CONTROL_DISABLED,
    ANSWER_FOREIGN_ORIGIN,
    ANSWER_CONTROL_BUSY,
    ANSWER_CONTROL_LATE,
    ANSWER_UNAUTHORIZED,
    ANSWER_PASSWORDS_BUSY,
    ANSWER_RATE_LIMITED,
    ANSWER_TOO_MANY_SCRAPES,
    N_ANSWERS,
    ANSWER_METHOD, /* The method is not allowed; the answer names those that are. */
};

struct answers {
    struct MHD_Response *responses[N_ANSWERS][2]; /* as plain text, and in JSON */
};

/* Makes all answers. 0 or -ENOMEM. */
int answers_init(struct answers *answers);
void answers_done(struct answers *answers);

enum MHD_Result answers_queue(const struct answers *answers, enum answer which, bool in_json,
                              struct MHD_Connection *mhd);
