/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Hashes passwords, one at a time, on a thread of its own: a hash of bcrypt takes 50 ms and more.
 */

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

#define PASSWORD_LONGEST 256 /* bytes, of a name and of a password; longer ones are wrong */

struct connection;

struct password_job {
    struct password_job *next;       /* in a queue of the thread */
    struct password_job *next_asked; /* in the list of those whose clients wait */
    struct MHD_Connection *mhd;      /* it is suspended */
    struct connection *connection;
    char password[PASSWORD_LONGEST + 1]; /* wiped once it is hashed */
    char hash[64];                       /* the password is compared with this one */
    bool is_unknown;                     /* the user is unknown: wrong, whatever comes of it */
    bool is_right;                       /* what came of it */
    uint8_t digest[32];                  /* by which a right one is known again */
};

struct password_thread;

/* Starts the thread. A result makes the eventfd readable, which is borrowed. 0 or -errno. */
int password_thread_new(int event_fd, struct password_thread **ret_thread);

/* Gives a job, which is taken over. -EBUSY: too many wait, and the job is still the caller's. */
int password_thread_give(struct password_thread *thread, struct password_job *job);

/* Takes a job that is done, for the caller to free. NULL: none is. */
struct password_job *password_thread_take(struct password_thread *thread);

/* Wipes and frees a job. Takes NULL. */
struct password_job *password_job_free(struct password_job *job);
DEFINE_AUTO(password_job, struct password_job *, password_job_free)

/*
 * Ends the thread, without waiting for a hash that is being made. Jobs that are left are freed.
 * Takes NULL.
 */
struct password_thread *password_thread_free(struct password_thread *thread);
DEFINE_AUTO(password_thread, struct password_thread *, password_thread_free)
