/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What `pmutool profile` asks the service for. */

#include "base/text.h"
#include "tool/profile/options.h"

/* Appends the path that answers what the options want, with its arguments. */
void profile_append_path(struct text *path, const struct profile_options *options);
