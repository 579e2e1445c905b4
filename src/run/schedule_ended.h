/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Requests to block devices and exits of guests, each of which is told of when it has ended. */

#include "run/schedule_trace.h"

/*
 * Adds the request, or the exit, of a record to the trace, and tells the event, whose thread `a` is
 * known, where it is. 0 or -ENOMEM.
 */
int schedule_ended_add(struct schedule_trace *trace, const struct schedule_record *record,
                       uint64_t start_ns, struct schedule_event *event);
