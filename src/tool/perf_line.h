/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How perf is told of an event. */

#include "event/event.h"

/*
 * The arguments of `perf stat` that count what the event counts, quoted for a shell: "-e cycles:u".
 * perf itself excludes guests where no modifier says otherwise. NULL with 0: perf has no such form
 * for it. The caller frees the result. 0 or -ENOMEM.
 */
int perf_line_of(const struct event *event, char **ret_line);
