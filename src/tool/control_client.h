/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How pmutool asks something of the running service, over its control socket. */

/* What was asked could not be done; EXIT_BAD_CONFIG is for a command line that is wrong. */
#define EXIT_REFUSED 1

/*
 * Sends a POST of this target ("/-/reload") and prints the answer: to stdout where it
 * was done, else to stderr, like everything that goes wrong on the way. Returns the
 * exit status, 0 or EXIT_REFUSED.
 */
int control_client_post(const char *socket_path, const char *target);
