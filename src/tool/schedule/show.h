/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What `pmutool schedule` prints of a run of kind `schedule`, as the service's API tells it. */

#include <jansson.h>
#include <stddef.h>

/* Prints the tables, with at most so many lines each. 0; -EINVAL: there is no such report in it;
 * -ENOMEM. */
int schedule_show(const json_t *run, size_t lines);
