/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What of a snapshot a selection names (expose/targets_json.h). */

#include "expose/targets_json.h"
#include "target/identity.h"

/* Whether columns are named, and this family with that ending is one of them. */
bool targets_selection_names(const struct targets_selection *selection, const char *family,
                             const char *ending);

/* Whether a target is one of those that are named; all are, if none is. */
bool targets_selection_has(const struct targets_selection *selection, const char *prefix,
                           const struct identity *identity);
