/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The answers that never change: each is made once and shared by every request that gets it. */

#include <microhttpd.h>
#include <stdbool.h>

#include "base/text.h"

enum answer {
    ANSWER_NONE, /* No answer of these is given: the request goes on. */
    ANSWER_MALFORMED,
    ANSWER_NOT_FOUND,
    ANSWER_METHOD_NOT_ALLOWED,
    ANSWER_BODY_REFUSED,
    ANSWER_RENDER_FAILED,
    ANSWER_TOO_MANY_READERS,
    ANSWER_CONTROL_METHOD,
    ANSWER_CONTROL_DISABLED,
    ANSWER_FOREIGN_ORIGIN,
    ANSWER_CONTROL_BUSY,
    ANSWER_CONTROL_LATE,
    N_ANSWERS,
};

struct answers {
    struct MHD_Response *responses[N_ANSWERS];
};

/* Makes all answers. 0 or -ENOMEM. */
int answers_init(struct answers *answers);
void answers_done(struct answers *answers);

enum MHD_Result answers_queue(const struct answers *answers, enum answer which,
                              struct MHD_Connection *mhd);

/* Answers with a plain text, of which a copy is made. */
enum MHD_Result answers_queue_text(struct MHD_Connection *mhd, unsigned status,
                                   const struct text *text);

/* Adds the headers that every response has. Returns false if memory ran out. */
bool response_describe(struct MHD_Response *response, const char *content_type);
