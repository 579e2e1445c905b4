/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which requests are not answered as asked, whatever their path. */

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

#include "web/answers.h"
#include "web/request_target.h"

enum request_kind {
    REQUEST_TO_SHOW,
    REQUEST_TO_DO,
};

/* The first line of a request, which is known before its headers. */
struct asked {
    const char *text; /* the target as it was sent, in libmicrohttpd's memory; so many bytes */
    size_t length;
    bool malformed; /* then the next is nothing */
    struct request_target target;
};

/*
 * Looks at a request whose headers are complete. ANSWER_NONE where it is a plain GET
 * or HEAD, or, for what is to be done and not to be shown, a POST or PUT without a
 * body, of no web page but ours; else the refusal: it must be queued at once, in the
 * handler's first call, so that libmicrohttpd reads nothing further from the connection.
 */
enum answer request_refusal(struct MHD_Connection *mhd, const struct asked *asked,
                            const char *method, const char *http_version, enum request_kind kind);
