/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Requests and exits in the trace-event format (run/schedule_text.h). */

#include "base/text.h"
#include "run/schedule_trace.h"

/* Appends one, behind a comma. Their processes have the numbers from first_pid on. */
void schedule_ended_append_trace_event(const struct schedule_trace *trace,
                                       const struct schedule_event *event, int first_pid,
                                       struct text *text);

/* Appends the names of their tracks, each behind a comma. 0 or -ENOMEM. */
int schedule_ended_append_names(const struct schedule_trace *trace, int first_pid,
                                struct text *text);
