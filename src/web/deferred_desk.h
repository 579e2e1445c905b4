/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The server's side of deferred answers (web/deferred.h): connections that are suspended until
 * somebody answers. All of this belongs to the server's thread.
 */

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "web/connections.h"
#include "web/deferred.h"

struct deferred_hub;

struct deferred_desk {
    struct deferred_hub *hub; /* It is shared with those who answer. */
    struct deferred *first;   /* The list of those for which a client is there. */
    unsigned n;               /* The list has so many. */
    unsigned most;            /* It may have so many. */
    unsigned share;           /* Clients of one network may have so many of them. */
    uint64_t patience_ns;     /* An answer is waited for so long. */
};

/* How an answer has come out. */
struct deferred_result {
    bool late; /* Nobody has answered in time. */
    int error; /* 0, or what deferred_refuse() was called with */
    const char *content_type;
    char *file_name; /* NULL: it is no file to save. */
    struct text text;
};

/* Returns 0, or -errno. deferred_desk_done() is to be called also then. */
int deferred_desk_init(struct deferred_desk *desk, unsigned most, unsigned share,
                       uint64_t patience_ns);

/*
 * Resumes all connections; to be called before the daemons are stopped: libmicrohttpd ends no
 * suspended connection.
 */
void deferred_desk_close(struct deferred_desk *desk);
void deferred_desk_done(struct deferred_desk *desk);

/* A descriptor that is readable while deferred_desk_collect() has something to do. Borrowed. */
int deferred_desk_fd(const struct deferred_desk *desk);

/*
 * Makes an answer for a connection. Returns 0; -EBUSY: there are too many, or too many of this
 * client's network (the control socket has a place always); -ENOMEM. deferred_leave() ends the
 * server's part of it.
 */
int deferred_new(struct deferred_desk *desk, const struct connection *connection,
                 struct MHD_Connection *mhd, struct deferred **ret_answer);

/* Nobody was handed the answer, and nobody will call deferred_answer(). */
void deferred_withdraw(struct deferred *answer);

/* Says that the client of this answer has gone, or has had it. */
void deferred_leave(struct deferred *answer);

/* Tells whether there is an answer; if there is none, the connection is suspended until then. */
bool deferred_is_there(struct deferred *answer);

/* Moves the answer out, once deferred_is_there() was true. The caller frees the text and the name.
 */
void deferred_take(struct deferred *answer, struct deferred_result *ret_result);

/*
 * Both resume connections: of those that have been answered, and of those that have waited too
 * long or have gone. They return true if they have resumed one: the daemons then have to turn.
 */
bool deferred_desk_collect(struct deferred_desk *desk);
bool deferred_desk_expire(struct deferred_desk *desk, uint64_t now_ns);
