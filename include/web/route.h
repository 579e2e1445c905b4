/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What an HTTP server shows, and what may be asked of the program through it: a table with a line
 * for each path and method. A line has one of these functions:
 *
 *   render    a page, which is read with GET or HEAD; it is written at once, on the server's thread
 *   command   given with POST or PUT, and carried out by the owner of the control slot
 *             (web/control.h)
 *   ask       what another thread answers, soon or late (web/deferred.h), by any method
 *   next      a stream of server-sent events (https://html.spec.whatwg.org/multipage/
 *             server-sent-events.html), which is read with GET
 *
 * The functions are called on the server's thread, with the context of the table. They return 0 or
 * one of these, and then the text that they have written tells people why:
 *
 *   -EAGAIN    there is nothing to show yet: the client gets 503
 *   -EINVAL    an argument or the body is wrong: 400
 *   -ENOENT    what is asked for is not there: 404
 *   -EPERM     this program does not do that, as it runs: 403
 *   -EBUSY     too much of it is under way: 429
 *
 * After any other -errno the client gets 500, and nothing of the text. Below /api/ a refusal is the
 * JSON object {"error": TEXT}, elsewhere plain text.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "web/control.h"
#include "web/deferred.h"
#include "web/query.h"

/* Types of content that more than one page has. */
#define CONTENT_PLAIN_TEXT "text/plain; charset=utf-8"
#define CONTENT_HTML       "text/html; charset=utf-8"
#define CONTENT_JSON       "application/json"

/* What a client has sent, for the functions of a line. All of it is borrowed during the call. */
struct route_request {
    const struct query *query; /* it has no arguments where the line takes none */
    const char *rest;          /* what follows the path of a line with has_rest, decoded; or "" */
    const char *body;          /* body_length bytes, and a '\0' behind them; or "" */
    size_t body_length;
    bool may_control; /* Restricted lines answer this client. */
};

/*
 * The forms in which a page can be had, of which a client chooses by its Accept header
 * (web/negotiation.h). The function render gets the number of the form.
 */
struct route_form {
    const char *content_type; /* "text/plain; version=0.0.4; charset=utf-8" */
    bool can_escape;          /* the answer repeats the client's escaping= if it asked for one */
};

enum route_method { ROUTE_GET, ROUTE_POST, ROUTE_DELETE };

struct route {
    /* It begins with a slash, and is compared with the decoded path of a request. */
    const char *path;

    /* The path ends with a slash, and whatever follows it belongs to the line too: ->rest. */
    bool has_rest;

    /* With has_rest: only what ends with this, which is no part of ->rest: ".csv". NULL: all. */
    const char *ending;

    /* Of a line with `ask`. Pages and streams are read; commands take POST and PUT. */
    enum route_method method;

    /* The arguments of a request are parsed for the function below; without it there are none. */
    bool takes_query;

    /* The most bytes that the body of a request may have; 0: none. Such a line is restricted. */
    size_t takes_body;

    /*
     * Only a client that may control the program is answered: one on the control socket, or
     * anybody where http_server_control() was called for all sockets. The others get 403.
     */
    bool restricted;

    /* A page: its Content-Type, and its Content-Security-Policy, or NULL for none. */
    const char *content_type;
    const char *security_policy;

    /* A page in several forms has them in the place of a Content-Type. The first is the default. */
    const struct route_form *forms;
    size_t n_forms;

    /*
     * Tells one text of the page from the next. While the number stays, the text is written once
     * for each form (and compressed once), and shared by all who read it. The number 0 is for a
     * text that is never shared, and neither is the answer to a request with arguments. NULL: the
     * text never changes.
     */
    uint64_t (*version)(void *context);

    /* Writes the page into an empty text. `form` is 0 where the line has no forms. */
    int (*render)(void *context, const struct route_request *request, size_t form,
                  struct text *text);

    /* Makes of the arguments what the owner of the control slot is asked to do. */
    int (*command)(const struct query *query, struct control_request *ret_request,
                   struct text *text);

    /*
     * Asks. Returns 0 after it has handed the answer to somebody who calls deferred_answer(), which
     * may have happened already; on failure the answer is still the caller's.
     */
    int (*ask)(void *context, const struct route_request *request, struct deferred *answer,
               struct text *text);

    /*
     * Writes the events that a client which stands at *cursor has not had, and moves the cursor; it
     * writes nothing where there are none. The cursor is 0 for a new client. It is asked again
     * whenever http_server_news() was called. Too many clients get 503, also too many of one
     * network; one that does not read is dropped.
     */
    int (*next)(void *context, const struct route_request *request, uint64_t *cursor,
                struct text *text);
};

/* Where two lines have the same path and method, the first of them is taken. */
struct route_table {
    const struct route *routes;
    size_t n;
    void *context;
};
