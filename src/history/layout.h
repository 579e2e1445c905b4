/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A layout says what the totals of a row are, and which rates and ratios can be told from them. It
 * is stored beside the chunks, since the plan that it was made of is gone when they are read. It
 * belongs to the historian's thread, and is counted by reference.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "history/history_store.h"
#include "metric/formula.h"
#include "metric/plan.h"

enum series_kind {
    SERIES_RATE,     /* total 0 times scale, per second */
    SERIES_RATIO,    /* the formula of the totals */
    SERIES_COVERAGE, /* total 1 / total 0, at most 1 */
};

struct layout_series {
    enum series_kind kind;
    char *name; /* of the family */
    struct history_label labels[HISTORY_LABELS];
    double scale;
    size_t *totals; /* indices in a row */
    size_t n_totals;
    char **terms; /* for a ratio: the names of the totals in the formula */
    struct formula *formula;
};

struct layout {
    unsigned n_owners;
    char *bytes; /* as it is stored */
    size_t n_bytes;
    size_t n_totals;
    struct layout_series *series;
    size_t n_series;
};

/* Reads a stored layout. 0; -EBADMSG: it is none; -ENOMEM. */
int layout_parse(const void *bytes, size_t n_bytes, struct layout **ret_layout);
struct layout *layout_ref(struct layout *layout);
struct layout *layout_unref(struct layout *layout); /* takes NULL, returns NULL */
DEFINE_AUTO(layout, struct layout *, layout_unref)

/* Whether the totals are the same, and what is told from them. */
bool layout_is_same(const struct layout *a, const struct layout *b);

/* Whether two series have the same name and the same labels. */
bool layout_is_same_series(const struct layout_series *a, const struct layout_series *b);

/* The layout of times on CPUs: a total for each, and a rate with the label cpu. 0 or -errno. */
int layout_of_cpus(const unsigned *numbers, size_t n, struct layout **ret_layout);

/* "cpus", "per second", "ratio" or "". */
const char *layout_unit(const struct layout_series *series);

/* Where a total of a row comes from. */
struct total_source {
    size_t number; /* of the plan's numbers */
    size_t marker; /* the number that tells whether its group is unknown; SIZE_MAX: none does */
    bool is_apart; /* it is known where the counts of its group are not, as its time is */
};

/* The layout of the plan's histograms, whose numbers are its totals. 0 or -errno. */
int layout_of_latencies(const struct plan *plan, struct layout **ret_layout);

/*
 * The layout of what is counted by key of these lines of a breakdown: their numbers one behind the
 * other are its totals. A tally is told as a rate, and so has a name of its own. 0 or -errno.
 */
int layout_of_breakdown(const struct plan *plan, const struct breakdown *breakdown,
                        struct layout **ret_layout);

/* Whether a layout of such a breakdown is that of the lines of this one. */
bool layout_has_lines(const struct layout *layout, const struct breakdown *breakdown);

/* Whether a layout of a breakdown of this kind has this line. */
bool layout_has_line(const struct layout *layout, enum breakdown_kind kind,
                     const struct breakdown_line *line);

/* Appends the name of the rate of a counter: "…_per_second" for "…_total". */
void layout_append_rate_name(struct text *text, const char *counter);

/* How rows of a plan become rows of a layout. */
struct layout_binding {
    struct layout *layout;
    struct total_source *sources; /* layout->n_totals of them */
    size_t start;                 /* the number whose change begins a new life; SIZE_MAX: none */
    size_t marker; /* a number that is absent where nothing is counted; SIZE_MAX: none is */
};

/* Makes the layout of a plan's rates and ratios. 0 or -ENOMEM. */
int layout_of_plan(const struct plan *plan, struct layout_binding *ret_binding);
void layout_binding_done(struct layout_binding *binding);
