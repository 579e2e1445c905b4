/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a request says of itself before its body: its first line and each header. */

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

#include "web/request_target.h"

/* A header that has a meaning for us. */
struct head_field {
    unsigned n;         /* The header was sent so many times. */
    struct piece value; /* The last header of that name has this value, without blanks around. */
};

struct request_head {
    bool malformed; /* RFC 9112 forbids the request, or two readers may differ over it: 400. */
    bool has_body;
    struct head_field host;
    struct head_field content_length;
    struct head_field transfer_encoding;
    struct head_field origin;
    struct head_field fetch_site;
};

/*
 * Takes decisions away from libmicrohttpd that it would not make well; the source says which. It is
 * called in the callback that tells the request's target. takes_body: a line of the path takes a
 * body, so libmicrohttpd has to know its length, and may tell the client to go on with it.
 */
void request_head_shield(struct MHD_Connection *mhd, bool takes_body);

/*
 * Reads the head. It is called in the handler's first call, with the method, the target as it was
 * sent, and the version where libmicrohttpd keeps them in its memory.
 */
void request_head_read(struct MHD_Connection *mhd, const char *method, const char *target,
                       size_t target_length, const char *http_version,
                       struct request_head *ret_head);
