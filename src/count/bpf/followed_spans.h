/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The spans that programs in the kernel follow now: their events, open, and which number has which
 * name. They count in the table of struct keyed_program.
 */

#include "count/scope.h"
#include "count/span.h"
#include "sys/perf_event.h"

struct followed_spans;

/* None is followed yet. ops: borrowed. NULL: no memory. */
struct followed_spans *followed_spans_new(const struct perf_ops *ops);
struct followed_spans *followed_spans_free(struct followed_spans *spans);
DEFINE_AUTO(followed_spans, struct followed_spans *, followed_spans_free)

/*
 * Ends those that are not wanted. NULL: no program, all end. What they have counted has been read.
 */
void followed_spans_keep(struct followed_spans *spans, struct keyed_program *program,
                         const struct span *wanted, size_t n_wanted);

/*
 * Follows a span from now on, unless it is followed already. cpus: some that are online; the events
 * are opened on one of them, and count on all. Why it cannot be followed; NULL: it is. Static.
 */
const char *followed_spans_add(struct followed_spans *spans, struct keyed_program *program,
                               const struct span *span, const struct cpu_list *cpus);

/* The name of the span of a number; "" if there is none. Borrowed until it ends. */
const char *followed_spans_name(const struct followed_spans *spans, uint64_t number);
