/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The routes that ask something of the program. The connection that asks is suspended
 * until the answer is there, so that the server's thread waits for nobody. All of it
 * belongs to that thread.
 */

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "web/answers.h"
#include "web/connections.h"
#include "web/control.h"

struct control_routes {
    struct control_slot *slot; /* borrowed; NULL: there are no such routes */
    uint64_t patience_ns;      /* how long an answer is waited for */

    struct MHD_Connection *waiting; /* the one that asked, or NULL */
    uint64_t deadline_ns;
    bool resumed; /* it is about to be answered: with … */
    bool answered;
    bool good;
    struct text text;
};

/* Answers a request, or suspends its connection until it can be; it is then called again. */
enum MHD_Result control_routes_answer(struct control_routes *control, const struct answers *answers,
                                      struct MHD_Connection *mhd, struct connection *connection,
                                      enum control_action action);

/*
 * Looks for the answer, when control_slot_answer_fd() is readable; and lets go of who
 * has waited too long. True: a connection was resumed, and its daemon has to turn.
 */
bool control_routes_collect(struct control_routes *control);
bool control_routes_expire(struct control_routes *control, uint64_t now_ns);

/* The request of this connection has ended, one way or the other. */
void control_routes_completed(struct control_routes *control, const struct MHD_Connection *mhd);

/* Before the daemons are stopped: libmicrohttpd ends no connection that is suspended. */
void control_routes_done(struct control_routes *control);
