/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How pmutool talks to the running service, over its control socket. */

#include <jansson.h>
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

/* The parser and the children of a command that takes these options and nothing else. */
error_t control_client_parse_alone(int key, char *argument, struct argp_state *state);
extern const struct argp_child control_client_alone[];

/*
 * Sends a POST request for this target, as "/-/reload", and prints the answer: to stdout if the
 * service has done it, else to stderr, as everything that goes wrong on the way. As JSON both go to
 * stdout: {"done": false, "message": "..."}. Returns the exit status, 0 or EXIT_REFUSED.
 */
int control_client_post(const struct control_client *client, const char *target);

/*
 * Sends a value to a path of the API, as "/api/v1/marks", and prints `done` if the service has done
 * it, else why not, as above.
 */
int control_client_post_json(const struct control_client *client, const char *path,
                             const json_t *body, const char *done);

/*
 * Tells on stderr why the last question of the client has failed: in the service's own words; or,
 * where there was no answer, which socket it is about. socket: as given by --socket, or NULL.
 * Returns EXIT_REFUSED.
 */
struct pmu_client;
int control_client_complain(const char *socket, const struct pmu_client *client);

/* Whether somebody answers on the usual socket, or would if this user might ask. */
bool control_client_finds_service(void);
