/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is told where the service has no profile of a target. */

#include <jansson.h>

#include "base/text.h"
#include "client/client.h"

/*
 * Tells why the last request about a target had no answer, as control_client_complain() does; and
 * where there is nothing of that target, of which ones there is. before: another target that was
 * asked about, or NULL. Returns EXIT_REFUSED.
 */
int profile_complain(const char *socket, struct pmu_client *client, const char *target,
                     const char *before);

/*
 * Appends a sentence with the targets that have samples, of the answer that lists them
 * (/api/v1/profile/targets). Nothing is appended where the one that was asked about is among them.
 */
void profile_append_known(struct text *text, const json_t *answer, const char *target);
