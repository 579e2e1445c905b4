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

/* Part of a text, which outlives it. */
struct piece {
    const char *at;
    size_t length;
};

struct request_target {
    struct piece authority; /* HOST:PORT of http://HOST:PORT/PATH; else empty */
    struct piece path;      /* begins with a slash; %HH is not decoded */
    struct piece query;     /* behind the question mark, or empty; it ends the text */
};

/* Whether a HOST or HOST:PORT is made of what it may be (RFC 3986, 3.2.2), and not empty. */
bool host_is_valid(struct piece host);

/*
 * Takes PATH, PATH?QUERY and http://HOST:PORT/PATH?QUERY. 0; -EINVAL: none of these; a
 * control character or a space; in the path a % without two digits, or %2F; %00 anywhere.
 */
int request_target_parse(const char *text, struct request_target *ret_target);

/* Whether the path, decoded, is this one. */
bool request_target_path_is(const struct request_target *target, const char *path);
