/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which requests are refused, whatever their path is. */

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

#include "web/answers.h"
#include "web/request_target.h"

enum request_kind {
    REQUEST_FOR_PAGE,
    REQUEST_FOR_COMMAND,
};

/* The first line of a request, which is known before its headers. */
struct asked {
    const char *text; /* The target as it was sent; libmicrohttpd owns the memory. */
    size_t length;    /* The text has so many bytes. */
    bool malformed;   /* The text could not be parsed, so `target` says nothing. */
    struct request_target target;
};

/*
 * Looks at a request whose headers are complete. Returns ANSWER_NONE where it is a plain GET or
 * HEAD for a page, or a POST or PUT for a command that has no body and comes from no web page but
 * ours. Otherwise the refusal must be queued at once, in the handler's first call, so that
 * libmicrohttpd reads nothing further from the connection.
 */
enum answer request_refusal(struct MHD_Connection *mhd, const struct asked *asked,
                            const char *method, const char *http_version, enum request_kind kind);
