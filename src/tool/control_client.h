/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How pmutool talks to the running service, over its control socket. */

#include <stdbool.h>

#include "tool/command.h"

/* The exit status if the service has not done what it was asked for, or cannot be reached. */
#define EXIT_REFUSED 1

/* How a command that the service carries out was called; all zero before. */
struct control_client {
    const char *socket; /* of --socket; NULL: the usual one */
    bool json;
};

/* The options --socket and --json, for the children of a command's argp; its input is the struct.
 */
extern const struct argp control_client_argp;

/*
 * Sends a POST request for this target, as "/-/reload", and prints the answer: to stdout if the
 * service has done it, else to stderr, as everything that goes wrong on the way. As JSON both go to
 * stdout: {"done": false, "message": "..."}. Returns the exit status, 0 or EXIT_REFUSED.
 */
int control_client_post(const struct control_client *client, const char *target);

/*
 * The pieces of a conversation, for who does not wait for it as a whole.
 *
 * Connects to the socket and returns a descriptor, or -errno. flags: 0 or SOCK_NONBLOCK.
 */
int control_client_connect(const char *path, int flags);

/* Says in words what a failure to connect, to send or to receive means. error: an errno. */
const char *control_client_explain(int error);

/*
 * Finds the body in a whole answer, and whether the service has done what it was asked for. Returns
 * NULL if this is no answer of HTTP.
 */
const char *control_client_body(const char *answer, bool *ret_good);
