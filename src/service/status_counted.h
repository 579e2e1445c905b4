/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What /api/v1/status says of a snapshot: what is counted, and what is left out. */

#include "base/text.h"
#include "metric/snapshot.h"

/* Each appends a member with its value, without a comma. */
void status_append_mechanisms(struct text *text, const struct snapshot *snapshot);
/* Whether some target wants distributions of latency, and why there are none. */
void status_append_latency(struct text *text, const struct snapshot *snapshot);

/* Whether stacks are sampled, how many were, and what that takes. */
void status_append_profiles(struct text *text, const struct snapshot *snapshot);

void status_append_targets(struct text *text, const struct snapshot *snapshot);

/* The groups of which something is counted, with the least coverage that a target of them has. */
void status_append_groups(struct text *text, const struct snapshot *snapshot);

/* Events that are not counted, and targets that are wanted and not counted now. */
void status_append_left_out(struct text *text, const struct snapshot *snapshot);
