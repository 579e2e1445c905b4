/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What an HTTP server shows, and what may be asked of the program through it: a table with a line
 * for each path. A line is either a page, which is read with GET or HEAD, or a command, which is
 * given with POST or PUT and carried out by the owner of the control slot (web/control.h).
 *
 * The functions of a line are called on the server's thread, with the context of the table. They
 * return 0 or one of these, and then the text that they have written tells people why:
 *
 *   -EAGAIN    there is nothing to show yet: the client gets 503
 *   -EINVAL    an argument of the query is wrong: 400
 *   -ENOENT    what the query asks for is not there: 404
 *
 * After any other -errno the client gets 500, and nothing of the text.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "web/control.h"
#include "web/query.h"

/* Types of content that more than one page has. */
#define CONTENT_PLAIN_TEXT "text/plain; charset=utf-8"
#define CONTENT_HTML       "text/html; charset=utf-8"

struct route {
    /* It begins with a slash, and is compared with the decoded path of a request. */
    const char *path;

    /* The arguments of a request are parsed for the function below; without it there are none. */
    bool takes_query;

    /*
     * Only a client that may control the program is answered: one on the control socket, or
     * anybody where http_server_control() was called for all sockets. The others get 403.
     */
    bool restricted;

    /* A page: its Content-Type, and its Content-Security-Policy, or NULL for none. */
    const char *content_type;
    const char *security_policy;

    /*
     * Tells one text of the page from the next. While the number stays, the text is written once
     * and shared by all who read it. The number 0 is for a text that is never shared, and neither
     * is the answer to a request with arguments. NULL: the text never changes.
     */
    uint64_t (*version)(void *context);

    /* Writes the page into an empty text. NULL: the line is a command. */
    int (*render)(void *context, const struct query *query, struct text *text);

    /* Makes of the arguments what the owner of the control slot is asked to do. */
    int (*command)(const struct query *query, struct control_request *ret_request,
                   struct text *text);
};

/* Where two lines have the same path, the first of them is taken. */
struct route_table {
    const struct route *routes;
    size_t n;
    void *context;
};
