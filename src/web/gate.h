/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Who is let in over TCP: the users, the limit of requests, and the protection that is in force. It
 * belongs to the server's thread, except gate_protect() and gate_status().
 */

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <systemd/sd-event.h>

#include "metric/http_status.h"
#include "web/answers.h"
#include "web/connections.h"
#include "web/password_thread.h"
#include "web/protection_parts.h"
#include "web/rate_limit.h"
#include "web/verdicts.h"

struct gate {
    bool is_made;
    struct protection *protection; /* NULL: everybody is let in */
    struct rate_limit rate;
    struct verdicts verdicts;
    struct password_thread *passwords; /* started when somebody has to be hashed; NULL */
    int event_fd;                      /* something has come: a verdict, or a protection */
    pthread_mutex_t lock;
    struct protection *next; /* under the lock: what was given, and is not in force yet */
    bool has_next;
    struct password_job *asked; /* those whose client waits */
    _Atomic uint64_t hashes, unauthorized, limited;
};

/* 0 or -errno; gate_done() is to be called in any case. */
int gate_init(struct gate *gate);
void gate_done(struct gate *gate);

/* A descriptor that is readable while gate_turn() has something to do. Borrowed. */
int gate_fd(const struct gate *gate);

enum gate_news {
    GATE_RESUMED = 1,   /* clients go on: the daemons have to turn */
    GATE_PROTECTED = 2, /* another protection is in force: the headers of answers change */
};

/* Does what has come. Returns bits of enum gate_news. */
unsigned gate_turn(struct gate *gate);

/*
 * Whether the request whose headers are complete is let in. Returns ANSWER_NONE: it is, or its
 * password has to be hashed first, and the connection is suspended. When it goes on, ->at_gate is
 * set, and gate_leave() tells the verdict. Another answer: it is not let in.
 */
enum answer gate_ask(struct gate *gate, struct MHD_Connection *mhd, struct connection *connection);

/*
 * libmicrohttpd calls the handler once more as if it were for the first time: it goes on to the
 * body of the request if nothing is queued.
 */
enum answer gate_leave(struct connection *connection);

/* Lets those go on whose passwords are being hashed; to be called before the daemons stop. */
void gate_resume_all(struct gate *gate);

/* Puts a protection into force; a reference is taken over. Any thread may call it. */
void gate_protect(struct gate *gate, struct protection *protection);

/* Fills in the numbers of the gate. Any thread may ask. */
void gate_status(const struct gate *gate, struct http_status *ret_status);
