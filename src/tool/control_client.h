/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How pmutool gives a command to the running service, over its control socket. */

/* The exit status if the service has not done what it was asked for, or cannot be reached. */
#define EXIT_REFUSED 1

/*
 * Sends a POST request for this target, as "/-/reload", and prints the answer: to stdout if the
 * service has done it, else to stderr, as everything that goes wrong on the way. Returns the exit
 * status, 0 or EXIT_REFUSED.
 */
int control_client_post(const char *socket_path, const char *target);
