/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which requests are refused, whatever their path is. */

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

#include "web/answers.h"
#include "web/exchange.h"

/* What the line of a request lets its client do. */
struct request_rights {
    bool is_known;     /* The method is one of those that we know. */
    bool is_allowed;   /* A line of the path has the method. */
    bool changes;      /* A web page of another origin may not ask for it. */
    bool is_forbidden; /* The client may not ask for it at all. */
    size_t takes_body; /* The body of the request may have so many bytes. */
};

/*
 * Looks at a request whose headers are complete. Returns ANSWER_NONE where nothing is wrong with
 * it. Otherwise the refusal must be queued at once, in the handler's first call, so that
 * libmicrohttpd reads nothing further from the connection; ANSWER_METHOD says that its method is
 * not allowed, for which the caller has an answer of its own.
 */
enum answer request_refusal(struct MHD_Connection *mhd, const struct asked *asked,
                            const char *method, const char *http_version,
                            const struct request_rights *rights);
