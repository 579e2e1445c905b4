/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Requests and exits in the trace-event format (run/schedule_text.h). */

#include "base/text.h"
#include "run/schedule_trace.h"

/* Appends them with the names of their tracks, each behind a comma; their processes have the
 * numbers from first_pid on. 0 or -ENOMEM. */
int schedule_ended_append_trace_events(const struct schedule_trace *trace, int first_pid,
                                       struct text *text);
