/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What commands about profiles ask the service for. */

#include "base/text.h"
#include "tool/profile/options.h"

/* Appends the path that answers what the options of `pmutool profile` want, with its arguments. */
void profile_append_path(struct text *path, const struct profile_options *options);

/*
 * Appends "/api/v1/profile", a resource below it ("/table") and which target and range it is about;
 * a range of all zero is left out: that of a run stands with the run.
 */
void profile_append_question(struct text *path, const char *resource, const char *target,
                             const struct profile_span *span);

/* Appends one more argument: "&name=value". The value may have any bytes. */
void profile_append_argument(struct text *path, const char *name, const char *value);
