/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a request asks for: the second word of its first line (RFC 9112, 3.2), as the
 * client has sent it. The rules are those of Go's net/http, which people know from other
 * exporters, with two exceptions: an encoded slash or NUL is an error, and a path is
 * compared as it is, without "." and ".." or double slashes being resolved.
 */

#include <stdbool.h>
#include <stddef.h>

/* A part of a text; the text has to outlive it. */
struct piece {
    const char *at;
    size_t length;
};

struct request_target {
    struct piece authority; /* It is the HOST:PORT of http://HOST:PORT/PATH, else it is empty. */
    struct piece path;      /* It begins with a slash; %HH is not decoded. */
    struct piece query;     /* It stands behind the question mark, and ends with the text. */
};

/* Tells whether a HOST or HOST:PORT has only characters that it may have (RFC 3986, 3.2.2). */
bool host_is_valid(struct piece host);

/*
 * Parses PATH, PATH?QUERY or http://HOST:PORT/PATH?QUERY. Returns 0, or -EINVAL: the text is none
 * of these, or has a control character, a space or %00, or the path has %2F or a % without two
 * digits.
 */
int request_target_parse(const char *text, struct request_target *ret_target);

/* Returns the decoded path, which the caller frees; NULL: there is no memory. */
char *request_target_path(const struct request_target *target);

/* Tells whether the path begins with this text, as it was sent. */
bool request_target_is_below(const struct request_target *target, const char *path);
