/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is told where the service has no profile of a target. */

#include <jansson.h>

#include "base/text.h"
#include "client/client.h"

#define PROFILE_NOT_FOUND 404 /* the status of an answer */

/*
 * Tells why the last request about a target had no answer, as control_client_complain() does; and
 * where there is nothing of that target, of which ones there is. before: another target that was
 * asked about, or NULL. Returns EXIT_REFUSED.
 */
int profile_complain(const char *socket, struct pmu_client *client, const char *target,
                     const char *before);

/* Appends which marks there are, the latest few, of the answer that lists them. */
void profile_append_marks(struct text *text, const json_t *answer);

/* Tells of which time there are samples of a target, where a range of it has none. */
void profile_tell_kept(struct pmu_client *client, const char *target);

/* Appends that sentence, of the answer that lists the targets. Nothing where it has no samples. */
void profile_append_kept(struct text *text, const json_t *answer, const char *target);

/*
 * Appends a sentence with the targets that have samples, of the answer that lists them
 * (/api/v1/profile/targets), and the one that may have been meant. Nothing is appended where the
 * one that was asked about is among them.
 */
void profile_append_known(struct text *text, const json_t *answer, const char *target);
