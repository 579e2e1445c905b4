/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One request and its answer, as far as they have come. It belongs to the server's thread. */

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "web/request_target.h"

struct deferred;
struct served_route;

/* The first line of a request, which is known before its headers. */
struct asked {
    const char *text; /* The target as it was sent; libmicrohttpd owns the memory. */
    size_t length;    /* The text has so many bytes. */
    bool malformed;   /* The text could not be parsed, so `target` says nothing. */
    struct request_target target;
};

struct exchange {
    struct asked asked;        /* It is valid once the first line has come. */
    bool in_api;               /* The path is below /api/: errors are JSON. */
    size_t first_line;         /* Lines before this one of the table have another path. */
    struct served_route *line; /* The line of the path and the method; NULL: there is none. */
    char *query;               /* The arguments as they were sent; NULL: there are none to read. */
    char *path;                /* The decoded path; NULL: it stands in `asked` as it is. */
    const char *rest;          /* It is a part of `path`, or empty. */
    struct text upload;        /* The body of the request, as far as it has come. */
    bool upload_is_too_long;   /* It has more bytes than the line takes. */
    struct deferred *deferred; /* The answer that somebody else gives; NULL: there is none. */
};

/* Forgets the request. Somebody may still give its deferred answer, which then reaches nobody. */
void exchange_done(struct exchange *exchange);

/*
 * Takes a part of the request's body. What is more than `limit` bytes is read and thrown away, as
 * libmicrohttpd lets nobody answer before the end of a body.
 */
void exchange_take_upload(struct exchange *exchange, const char *bytes, size_t n, size_t limit);
