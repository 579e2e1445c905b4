/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Requests and exits in the answers of run/schedule_text.h and run/schedule_map.h. */

#include "base/text.h"
#include "run/schedule_ended_report.h"

/* Append what stands in quotation marks: the name of a device, and of a reason. */
void schedule_ended_append_device(const struct schedule_trace *trace, uint32_t device,
                                  struct text *text);
void schedule_ended_append_reason(uint32_t isa, uint32_t code, struct text *text);

/* Appends {"tid", "pid", "name"} of a thread. */
void schedule_ended_append_thread(const struct schedule_trace *trace, uint32_t thread,
                                  struct text *text);

/* Appends ,"requests":…,"exits":… of the report. 0 or -ENOMEM. */
int schedule_ended_append_report(const struct schedule_trace *trace, struct text *text);

/* Appends the same of the map, of that part of the time in so many columns. 0 or -ENOMEM. */
int schedule_ended_append_map(const struct schedule_trace *trace, uint64_t start_ns,
                              uint64_t end_ns, size_t columns, struct text *text);
