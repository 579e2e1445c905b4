/* SPDX-License-Identifier: Apache-2.0 */
#define HASH_NONFATAL_OOM 1

#include "tool/top/rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void forget(struct top_rows *rows, struct top_row *row)
{
    if (rows->machine == row)
        rows->machine = NULL;
    HASH_DEL(rows->hash, row);
    free(row);
}

void top_rows_done(struct top_rows *rows)
{
    struct top_row *row, *next;

    HASH_ITER(hh, rows->hash, row, next) {
        forget(rows, row);
    }
    *rows = (struct top_rows){0};
}

static void fill(double *numbers, size_t n, double value)
{
    for (size_t i = 0; i < n; i++)
        numbers[i] = value;
}

static struct top_row *add_row(struct top_rows *rows, const char *key, size_t length, unsigned hash)
{
    struct top_row *row = calloc(1, sizeof(*row) + length + 1), *added;

    if (!row)
        return NULL;
    memcpy(row->key, key, length + 1);
    HASH_ADD_KEYPTR_BYHASHVALUE(hh, rows->hash, row->key, length, hash, row);
    HASH_FIND_BYHASHVALUE(hh, rows->hash, row->key, length, hash, added);
    if (!added) { /* With HASH_NONFATAL_OOM an addition may fail. */
        free(row);
        return NULL;
    }
    row->born = rows->pages;
    fill(row->totals, N_TOP_INPUTS, NAN);
    fill(row->growth, N_TOP_INPUTS, NAN);
    fill(row->values, N_TOP_COLUMNS, NAN);
    return row;
}

/* Finds the row of a reading, or adds one. NULL if there is no memory. */
static struct top_row *find_row(struct top_rows *rows, const struct top_reading *reading)
{
    const size_t length = strlen(reading->name) + 1;
    AUTO_FREE char *key = malloc(length + 1);
    struct top_row *row;
    unsigned hash;

    if (!key)
        return NULL;
    key[0] = (char)('a' + (int)reading->kind);
    memcpy(key + 1, reading->name, length);
    hash = (unsigned)keyed_hash(&rows->hash_key, key, length);
    HASH_FIND_BYHASHVALUE(hh, rows->hash, key, length, hash, row);
    if (!row)
        row = add_row(rows, key, length, hash);
    if (!row)
        return NULL;
    row->kind = reading->kind;
    if (reading->kind == TOP_MACHINE)
        rows->machine = row;
    return row;
}

/*
 * Whether the counters of this reading began at 0 after the page before was taken over. A cgroup's
 * counters also begin anew if it was made again under its name; those of a group of processes go on
 * as long as the group is on the page, whoever comes and goes.
 */
static bool began_at_zero(const struct top_rows *rows, const struct top_row *row,
                          const struct top_reading *reading)
{
    const bool is_new = row->born == rows->pages;
    const bool is_reborn =
        reading->kind == TOP_CGROUP && !is_new && reading->started > row->started;

    return (is_new || is_reborn) && reading->started > rows->read_at;
}

static double growth_of(double before, double now, bool from_zero)
{
    const double base = from_zero ? 0 : before;

    return now >= base ? now - base : NAN; /* NaN if one is not known, or if it fell */
}

/*
 * How many CPUs of the machine were in use. The kernel accounts its time in ticks, so the exporter
 * takes that time over at most every half second (count/cpu_usage.h). On pages that come faster it
 * stays for one or two pages and then grows by the sum: the rate is that since it last grew, and
 * stands until it grows again. Where it does not grow for a second, nothing ran.
 */
static double machine_cpus(const struct top_rows *rows, struct top_row *row)
{
    const double since = rows->taken - row->cpu_time_grew;

    if (row->growth[TOP_CPU_SECONDS] == 0 && since < 1)
        return row->values[TOP_COLUMN_CPUS];
    row->cpu_time_grew = rows->taken;
    return top_column_value(TOP_COLUMN_CPUS, row->growth, since);
}

static double value_of(const struct top_rows *rows, struct top_row *row, enum top_column_id id)
{
    return row->kind == TOP_MACHINE && id == TOP_COLUMN_CPUS
               ? machine_cpus(rows, row)
               : top_column_value(id, row->growth, rows->seconds);
}

static void update_row(struct top_rows *rows, struct top_row *row,
                       const struct top_reading *reading)
{
    const bool from_zero = began_at_zero(rows, row, reading);

    for (size_t i = 0; i < N_TOP_INPUTS; i++) {
        row->growth[i] =
            rows->seconds > 0 ? growth_of(row->totals[i], reading->totals[i], from_zero) : NAN;
        row->totals[i] = reading->totals[i];
        rows->has[i] |= !isnan(reading->totals[i]);
    }
    for (enum top_column_id id = 0; id < N_TOP_COLUMNS; id++) {
        row->values[id] = value_of(rows, row, id);
        row->history[rows->pages % TOP_HISTORY][id] = (float)row->values[id];
    }
    row->started = reading->started;
    row->members = reading->members;
    row->seen = rows->pages;
}

static void forget_unseen(struct top_rows *rows)
{
    struct top_row *row, *next;

    HASH_ITER(hh, rows->hash, row, next) {
        if (row->seen != rows->pages)
            forget(rows, row);
    }
}

/* Takes over when the page was made. Returns an enum top_news. */
static int take_times(struct top_rows *rows, const struct top_page *page)
{
    const bool is_first = rows->pages == 0;
    const bool is_other = !is_first && page->process_started != rows->process_started;
    const double seconds = page->taken - rows->taken;

    if (!is_first && !is_other && page->sequence == rows->sequence)
        return TOP_SAME;
    rows->seconds = is_first || is_other || !(seconds > 0) ? 0 : seconds;
    rows->process_started = page->process_started;
    rows->sequence = page->sequence;
    rows->taken = page->taken;
    rows->cpus = page->cpus;
    return rows->seconds > 0 ? TOP_RATES : TOP_BASE;
}

int top_rows_update(struct top_rows *rows, const struct top_page *page, double now)
{
    const int news = take_times(rows, page);

    if (news == TOP_SAME)
        return news;
    if (rows->pages == 0)
        hash_key_draw(&rows->hash_key);
    rows->pages++;
    memset(rows->has, 0, sizeof(rows->has));
    for (size_t i = 0; i < page->n; i++) {
        struct top_row *row = find_row(rows, &page->readings[i]);

        if (!row)
            return -ENOMEM;
        if (row->seen != rows->pages) /* A page has each name once; a second one is ignored. */
            update_row(rows, row, &page->readings[i]);
    }
    forget_unseen(rows);
    rows->read_at = now;
    return news;
}

bool top_rows_have(const struct top_rows *rows, enum top_column_id id)
{
    const struct top_column *column = &top_columns[id];

    return id < N_TOP_COLUMNS && rows->has[column->numerator] &&
           (column->denominator == TOP_PER_SECOND || rows->has[column->denominator]);
}

double top_row_past(const struct top_rows *rows, const struct top_row *row, enum top_column_id id,
                    unsigned ago)
{
    if (ago >= TOP_HISTORY || ago >= rows->pages || rows->pages - ago < row->born)
        return NAN;
    return (double)row->history[(rows->pages - ago) % TOP_HISTORY][id];
}
