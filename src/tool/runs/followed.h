/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A run that the service carries out for a command of ours: asked for, looked at, ended early. */

#include <jansson.h>
#include <stdint.h>

#include "client/client.h"
#include "tool/control_client.h"

struct followed_run {
    const struct control_client *where; /* borrowed */
    struct pmu_client *client;          /* borrowed */
    uint64_t id;
};

/* Functions return the exit status: EXIT_SUCCESS, or else the reason stands on stderr. */

/* Begins the run that this describes (POST /api/v1/runs), and takes its number. */
int followed_run_begin(struct followed_run *run, const json_t *request);

/*
 * Asks for the run ("") or what belongs to it ("/trace", ".csv"). The caller drops the answer,
 * which is NULL where there is none.
 */
int followed_run_get(const struct followed_run *run, const char *what, json_t **ret_answer);

/*
 * Asks for the run as it is when it is over; *ret_run is NULL as long as it goes on. The answer has
 * all rows of it. `is_patient`: that nobody answers, as when the service starts anew, is no
 * failure.
 */
int followed_run_look(const struct followed_run *run, bool is_patient, json_t **ret_run);

/* Ends the run early. It is over a moment later. */
int followed_run_stop(const struct followed_run *run);

/* Ends the run and forgets it. */
int followed_run_delete(const struct followed_run *run);
