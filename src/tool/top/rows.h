/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The targets that `pmutool top` knows, with what they did between the last two pages and a short
 * history of it. A target that is on a page no more is forgotten, and the history is of fixed
 * length, so memory is bounded by the number of targets.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "base/cleanup.h"
#include "base/keyed_hash.h"
#include "tool/top/columns.h"
#include "tool/top/page.h"

#define TOP_HISTORY 32 /* values that are kept of each column, one for each page */

struct top_row {
    enum top_kind kind;
    double started, members;      /* as in struct top_reading */
    double totals[N_TOP_INPUTS];  /* of the last page */
    double growth[N_TOP_INPUTS];  /* between the last two pages; NaN: not known */
    double values[N_TOP_COLUMNS]; /* made of it */
    double cpu_time_grew; /* of the machine: when the page was made on which its CPU time grew */
    float history[TOP_HISTORY][N_TOP_COLUMNS]; /* a ring; the last one is at (pages - 1) */
    uint64_t born;                             /* the number of the page on which it was first */
    uint64_t seen;                             /* the number of the page on which it was last */
    UT_hash_handle hh;
    char key[]; /* a character for the kind, and the name; unique */
};

struct top_rows {
    struct top_row *hash;     /* all of them, the machine too */
    struct hash_key hash_key; /* Strangers choose names. It is drawn with the first page. */
    struct top_row *machine;  /* NULL: the pages tell nothing of it */
    uint64_t pages;           /* that were taken */
    double process_started, sequence, taken; /* of the last page */
    double read_at; /* when that page was taken over, in seconds since the epoch */
    double seconds; /* between the last two pages; 0: there was no page before that counts */
    double cpus;
    bool has[N_TOP_INPUTS]; /* Some target of the last page has it. */
};

enum top_news {
    TOP_SAME,  /* The page is that of the same cycle as the one before: nothing has changed. */
    TOP_BASE,  /* It is the first one, or that of an exporter that has begun anew. */
    TOP_RATES, /* The rows have rates now. */
};

/*
 * Takes a page over. now: CLOCK_REALTIME in seconds. A counter that fell has no rate this time. A
 * target that was not on the page before has rates if it was born after that page was taken over:
 * its counters began at 0 then. Returns an enum top_news, or -ENOMEM; then the rows are to be
 * freed.
 */
int top_rows_update(struct top_rows *rows, const struct top_page *page, double now);
void top_rows_done(struct top_rows *rows);

/* Returns the name of a target: the label as the exporter has it; empty for the machine. */
static inline const char *top_row_name(const struct top_row *row)
{
    return row->key + 1;
}

/* Tells whether a column can have numbers here: its counters exist. */
bool top_rows_have(const struct top_rows *rows, enum top_column_id id);

/*
 * Returns the value of `ago` pages before the last one; NaN: it was not known, or the row or the
 * history does not go back so far.
 */
double top_row_past(const struct top_rows *rows, const struct top_row *row, enum top_column_id id,
                    unsigned ago);
