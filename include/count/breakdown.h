/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What is counted of a target by a key that the machine chooses: requests by device and operation,
 * exits of guests by their reason, interrupts by their line. A breakdown has a line for each key
 * that was seen, and a line has numbers: tallies, and distributions of durations behind them. It is
 * used both for what was counted in an interval and for what was counted since some beginning.
 *
 * Breakdowns are counted by reference. Whoever has the only reference may change one; from when it
 * is shared it is immutable, and any thread may take and drop references.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "count/latency.h"
#include "sys/bpf/keyed.h"

enum breakdown_kind {
    BREAKDOWN_BLOCK_IO,
    BREAKDOWN_SOFTIRQS,
    BREAKDOWN_HARDIRQS,
    BREAKDOWN_KVM_EXITS,
    BREAKDOWN_KVM_ENTRIES,
    BREAKDOWN_TCP,
    BREAKDOWN_SPANS,
    BREAKDOWN_SYSTEM_CALLS,
    BREAKDOWN_SYSTEM_CALL_TIMES,
    BREAKDOWN_KIND_COUNT_,
};

/* What the lines of a kind have. */
struct breakdown_shape {
    enum latency_kind wanted_by;         /* the word of the configuration that asks for it */
    const char *label_names[2];          /* NULL: no such label. Static */
    size_t n_tallies, n_distributions;   /* at most KEYED_TALLIES and KEYED_DISTRIBUTIONS */
    struct latency_layout distributions; /* of each: KEYED_BUCKETS, and where they begin */
    size_t most_lines;                   /* further keys are added to the line BREAKDOWN_OTHER */
};

extern const struct breakdown_shape breakdown_shapes[BREAKDOWN_KIND_COUNT_];

/*
 * A label's value is cut to what fits; so are names that a driver or a device has given itself. It
 * is printable ASCII of which nothing has to be escaped.
 */
#define BREAKDOWN_LABEL_BYTES 48

/* What stands for all keys for which there was no line any more. */
#define BREAKDOWN_OTHER "other"

struct breakdown_line {
    char labels[2][BREAKDOWN_LABEL_BYTES]; /* "" for one that the kind has not */
};

struct breakdown {
    enum breakdown_kind kind;
    size_t n_lines;
    struct breakdown_line *lines; /* ascending by their labels */
    uint64_t *numbers;            /* [line][breakdown_numbers(kind)] */
};

/* The line of all keys that have none of their own. */
struct breakdown_line breakdown_others(enum breakdown_kind kind);

/* How many numbers a line has: the tallies, then for each distribution its buckets and its sum. */
size_t breakdown_numbers(enum breakdown_kind kind);

/* The place of a distribution's first bucket among the numbers of a line. */
size_t breakdown_first_bucket(enum breakdown_kind kind, size_t distribution);

/* Without lines. NULL: no memory. */
struct breakdown *breakdown_new(enum breakdown_kind kind);
struct breakdown *breakdown_ref(struct breakdown *breakdown);
struct breakdown *breakdown_unref(struct breakdown *breakdown);
DEFINE_AUTO(breakdown, struct breakdown *, breakdown_unref)

/*
 * Adds numbers to the line of these labels, which is made if need be; to the line BREAKDOWN_OTHER
 * where there are too many. 0 or -ENOMEM.
 */
int breakdown_add(struct breakdown *breakdown, const struct breakdown_line *line,
                  const uint64_t *numbers);

/* Adds all lines of another breakdown of the same kind. 0 or -ENOMEM: some may be missing then. */
int breakdown_add_all(struct breakdown *sum, const struct breakdown *part);

/* One breakdown of each kind, or NULL where nothing was counted. The references are its owner's. */
struct breakdowns {
    struct breakdown *of[BREAKDOWN_KIND_COUNT_];
};

/* Drops all references. */
void breakdowns_clear(struct breakdowns *breakdowns);

/*
 * Adds what was counted to sums that others may share: what is shared is copied first. 0 or
 * -ENOMEM: then the sums are as they were, or lack kinds of the part.
 */
int breakdowns_add(struct breakdowns *sums, const struct breakdowns *part);
