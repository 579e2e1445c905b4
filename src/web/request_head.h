/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a request says of itself before its body, each header looked at. */

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

#include "web/request_target.h"

/* A header that means something to us. */
struct head_field {
    unsigned n;         /* how often it was sent */
    struct piece value; /* the last one's, without blanks around it */
};

struct request_head {
    bool malformed; /* 400: RFC 9112 has no such request, or two readers may differ over it */
    bool has_body;
    struct head_field host;
    struct head_field content_length;
    struct head_field transfer_encoding;
    struct head_field origin;
    struct head_field fetch_site;
};

/*
 * In the callback that tells the request's target: takes from libmicrohttpd what it would
 * decide by itself, and not well. See the source.
 */
void request_head_shield(struct MHD_Connection *mhd);

/*
 * In the handler's first call. target: as it was sent, so many bytes; all three texts stand
 * where libmicrohttpd keeps them.
 */
void request_head_read(struct MHD_Connection *mhd, const char *method, const char *target,
                       size_t target_length, const char *http_version,
                       struct request_head *ret_head);
