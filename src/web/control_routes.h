/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Commands on their way to the owner of the control slot and back. The connection that gave one is
 * suspended until the answer is there, so that the server's thread waits for nobody. All of this
 * belongs to that thread.
 */

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "web/answers.h"
#include "web/connections.h"
#include "web/control.h"

struct control_routes {
    struct control_slot *slot; /* The slot is borrowed; NULL: no command can be given. */
    uint64_t patience_ns;      /* An answer is waited for so long. */

    struct MHD_Connection *waiting; /* This connection gave the command; NULL: none did. */
    uint64_t deadline_ns;           /* At this time the client is told that no answer came. */
    bool resumed;                   /* The connection is about to be answered. */
    bool answered;                  /* The owner has answered; false: the deadline has passed. */
    bool good;                      /* The command was carried out. */
    struct text text;               /* The owner of the slot says this to the command. */
};

/*
 * Passes a request to the owner of the slot and suspends the connection, whose handler is called
 * again when it is resumed; or answers 503 where another request is being carried out.
 */
enum MHD_Result control_routes_ask(struct control_routes *control, const struct answers *answers,
                                   struct MHD_Connection *mhd, struct connection *connection,
                                   const struct control_request *request);

/* Tells whether this connection has asked and was not answered yet. */
bool control_routes_is_waiting(const struct control_routes *control,
                               const struct MHD_Connection *mhd);

/* Answers the connection that has asked and was resumed; then the next one may ask. */
enum MHD_Result control_routes_answer(struct control_routes *control, const struct answers *answers,
                                      struct MHD_Connection *mhd, struct connection *connection);

/*
 * Both resume the connection that waits. control_routes_collect() does if the owner has answered;
 * it is called when control_slot_answer_fd() is readable. control_routes_expire() does if the
 * connection has waited too long. They return true if they have resumed one: its daemon then has to
 * turn.
 */
bool control_routes_collect(struct control_routes *control);
bool control_routes_expire(struct control_routes *control, uint64_t now_ns);

/* It is called when a request has ended, also where its client has left in the middle. */
void control_routes_completed(struct control_routes *control, const struct MHD_Connection *mhd);

/* It is called before the daemons are stopped: libmicrohttpd ends no suspended connection. */
void control_routes_done(struct control_routes *control);
