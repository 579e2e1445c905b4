/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The BPF programs that count spans (src/sys/bpf/spans/spans.bpf.c): the time from one event to
 * another one of the same key. The events are tracepoints and probes that the caller has opened as
 * perf events; the key is a number in the records of both tracepoints, or the thread. Each span has
 * programs of its own, and all count in one table (sys/bpf/keyed.h).
 *
 * A span belongs to who was running at its begin. A begin is remembered until the end of its key
 * comes, or another begin of its key, or until there are more begins than a span has room for: then
 * the oldest of those that share its place is forgotten. An end of whose key nothing is remembered
 * counts nothing.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/bpf/keyed_program.h"
#include "sys/bpf/spans/counts.h"

/* How many spans there may be. */
#define SPANS_MOST 16

enum span_side { SPAN_BEGIN, SPAN_END, SPAN_SIDES };

/* What an event is, and where its records have the key. */
struct span_event {
    bool is_tracepoint;    /* else a probe */
    uint32_t offset, size; /* in bytes; a size of 0: the key is the thread */
};

/*
 * Makes the table; no span is counted yet. `of` may end before it only if no span is added after
 * that. The functions below take what this has made.
 *
 * Lost are begins that were given up, since another one of their key or too many others came before
 * their end; and spans that found no place in the table.
 */
keyed_program_load spans_program_load;

/*
 * Loads the programs of a span, whose number (below SPANS_MOST) is free. They count when each is
 * attached to its event: ioctl(event, PERF_EVENT_IOC_SET_BPF, spans_program_descriptor()). They end
 * when the event is closed. A span takes 200 KiB. 0, or -errno with the reason in *ret_refusal.
 */
int spans_program_add(struct keyed_program *spans, size_t number,
                      const struct span_event events[SPAN_SIDES], enum bpf_refusal *ret_refusal);

/* Ends a span, if there is one of the number, which is free again. What it has counted stays. */
void spans_program_remove(struct keyed_program *spans, size_t number);

/* The program for an event of a span that was added. The descriptor stays the program's. */
int spans_program_descriptor(const struct keyed_program *spans, size_t number, enum span_side side);
