/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The chunks of a target are read one after the other, wherever they are: on disk, in memory, not
 * yet stored. Each stands by itself, so their order does not matter. For each layout that they have
 * there are sums; after a reload there may be several.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "history/key.h"
#include "history/recorder_latencies.h"
#include "history/store.h"
#include "history/sums.h"

#define LAYOUTS_MAX 256

struct reading {
    const struct history_query *query;
    struct history_store *store;
    struct sums_range range;
    struct history_answer *answer;
    struct sums sums[LAYOUTS_MAX];
    size_t n_sums;
};

static void reading_done(struct reading *reading)
{
    for (size_t i = 0; i < reading->n_sums; i++)
        sums_done(&reading->sums[i]);
}

static struct sums *find_sums(struct reading *reading, const void *bytes, size_t length)
{
    for (size_t i = 0; i < reading->n_sums; i++)
        if (reading->sums[i].layout->n_bytes == length &&
            memcmp(reading->sums[i].layout->bytes, bytes, length) == 0)
            return &reading->sums[i];
    return NULL;
}

/* The sums for a layout. With too many layouts the last are left out: NULL and 0. */
static int open_sums(struct reading *reading, const void *bytes, size_t length,
                     struct sums **ret_sums)
{
    AUTO(layout) struct layout *layout = NULL;
    int r;

    *ret_sums = find_sums(reading, bytes, length);
    if (*ret_sums || reading->n_sums == LAYOUTS_MAX)
        return 0;
    r = layout_parse(bytes, length, &layout);
    if (r == 0)
        r = sums_init(&reading->sums[reading->n_sums], layout);
    if (r < 0)
        return r;
    *ret_sums = &reading->sums[reading->n_sums++];
    return 0;
}

/* The first chunk says which labels the target has. */
static int learn_labels(struct reading *reading, const void *labels, size_t length)
{
    struct history_answer *answer = reading->answer;

    if (!answer->labels)
        answer->labels = key_read_labels(labels ? labels : "", length, &answer->n_labels);
    return answer->labels ? 0 : -ENOMEM;
}

/* What is damaged is left out, and counted. */
static int forgive(struct reading *reading, int r)
{
    if (r != -EBADMSG)
        return r;
    reading->store->n_damaged++;
    return 0;
}

static int read_chunk(const struct chunk_row *row, uint64_t id, void *context)
{
    struct reading *reading = context;
    AUTO_CHUNK_ROWS struct chunk_rows rows = {0};
    struct sums *sums = NULL;
    int r = learn_labels(reading, row->labels, row->labels_length);

    (void)id;
    if (r == 0)
        r = open_sums(reading, row->layout, row->layout_length, &sums);
    if (r == 0 && sums)
        r = chunk_decode(row->blob, row->blob_length, sums->layout->n_totals, &rows);
    if (r == 0 && sums)
        r = sums_add(sums, &rows, &reading->range);
    return forgive(reading, r);
}

static int read_open(const struct open_target *target, void *context)
{
    struct reading *reading = context;
    AUTO_CHUNK_ROWS struct chunk_rows rows = {0};
    struct sums *sums = NULL;
    int r = learn_labels(reading, target->labels.data, target->labels.length);

    if (r == 0)
        r = open_sums(reading, target->layout->bytes, target->layout->n_bytes, &sums);
    if (r == 0 && sums)
        r = open_rows_read(&target->rows, &rows);
    return r == 0 && sums ? sums_add(sums, &rows, &reading->range) : r;
}

/* Reads the rows of a key. */
static int read_key(struct history_store *store, const char *key, struct reading *reading)
{
    const uint64_t start_ms = reading->range.start_ns / NS_PER_MS;
    const uint64_t end_ms = reading->range.end_ns / NS_PER_MS + 1;
    struct database *databases[2];
    const size_t n = vault_readable(&store->past, databases);

    for (size_t i = 0; i < n; i++) {
        int r = chunk_table_each(databases[i], key, start_ms, end_ms, read_chunk, reading);

        if (r == -ENOMEM)
            return r;
        if (r < 0) /* what the other places have is still told */
            vault_failed(&store->past, databases[i], r);
    }
    return recorder_each(&store->recorder, key, read_open, reading);
}

/* Which rows have the columns: those of the target, those of its latencies, those by key. */
struct wanted_rows {
    bool usual, latencies, by_key[BREAKDOWN_KIND_COUNT_];
};

static struct wanted_rows wanted_by(const struct history_query *query)
{
    struct wanted_rows wanted = {.usual = query->n_columns == 0};
    enum breakdown_kind kind;

    for (size_t i = 0; i < query->n_columns; i++)
        if (plan_is_of_histogram(query->columns[i]))
            wanted.latencies = true;
        else if (plan_is_of_breakdown(query->columns[i], &kind))
            wanted.by_key[kind] = true;
        else
            wanted.usual = true;
    return wanted;
}

static int read_latencies(struct history_store *store, struct reading *reading)
{
    AUTO_TEXT struct text key = {0};

    text_append_format(&key, LATENCIES_KIND ":%s", reading->query->target);
    return text_error(&key) < 0 ? -ENOMEM : read_key(store, key.data, reading);
}

static int read_by_key(struct history_store *store, enum breakdown_kind kind,
                       struct reading *reading)
{
    AUTO_TEXT struct text key = {0};

    by_key_append_key(&key, kind, reading->query->target);
    return text_error(&key) < 0 ? -ENOMEM : read_key(store, key.data, reading);
}

static int read_all(struct history_store *store, struct reading *reading)
{
    const struct wanted_rows wanted = wanted_by(reading->query);
    int r = 0;

    if (wanted.usual)
        r = read_key(store, reading->query->target, reading);
    if (r == 0 && wanted.latencies)
        r = read_latencies(store, reading);
    for (size_t i = 0; i < BREAKDOWN_KIND_COUNT_ && r == 0; i++)
        if (wanted.by_key[i])
            r = read_by_key(store, (enum breakdown_kind)i, reading);
    return r;
}

static bool is_wanted(const struct history_query *query, const char *name)
{
    for (size_t i = 0; i < query->n_columns; i++)
        if (strcmp(query->columns[i], name) == 0)
            return true;
    return query->n_columns == 0;
}

/* All times of all layouts, each once. */
static int take_times(const struct reading *reading, struct history_answer *answer)
{
    size_t at[LAYOUTS_MAX] = {0}, n = 0;

    for (size_t i = 0; i < reading->n_sums; i++)
        n += reading->sums[i].n_points;
    answer->times_ns = calloc(n + 1, sizeof(*answer->times_ns));
    if (!answer->times_ns)
        return -ENOMEM;
    for (;;) {
        uint64_t least = UINT64_MAX;

        for (size_t i = 0; i < reading->n_sums; i++)
            if (at[i] < reading->sums[i].n_points && reading->sums[i].times_ns[at[i]] < least)
                least = reading->sums[i].times_ns[at[i]];
        if (least == UINT64_MAX)
            return 0;
        for (size_t i = 0; i < reading->n_sums; i++)
            at[i] += at[i] < reading->sums[i].n_points && reading->sums[i].times_ns[at[i]] == least;
        answer->times_ns[answer->n_times++] = least;
    }
}

static bool has_labels(const struct history_series *series, const struct layout_series *known)
{
    for (size_t i = 0; i < HISTORY_LABELS; i++) {
        const bool has = series->labels[i].name, should = known->labels[i].name;

        if (has != should || (has && strcmp(series->labels[i].value, known->labels[i].value) != 0))
            return false;
    }
    return true;
}

static int copy_series(const struct layout_series *known, size_t n_times,
                       struct history_series *series)
{
    series->name = strdup(known->name);
    series->unit = layout_unit(known);
    series->values = calloc(n_times + 1, sizeof(*series->values));
    if (!series->name || !series->values)
        return -ENOMEM;
    for (size_t i = 0; i < n_times; i++)
        series->values[i] = NAN;
    for (size_t i = 0; i < HISTORY_LABELS && known->labels[i].name; i++) {
        series->labels[i].name = strdup(known->labels[i].name);
        series->labels[i].value = strdup(known->labels[i].value);
        if (!series->labels[i].name || !series->labels[i].value)
            return -ENOMEM;
    }
    return 0;
}

static struct history_series *open_series(struct history_answer *answer,
                                          const struct layout_series *known)
{
    struct history_series *all;

    for (size_t i = 0; i < answer->n_series; i++)
        if (strcmp(answer->series[i].name, known->name) == 0 &&
            has_labels(&answer->series[i], known))
            return &answer->series[i];
    all = reallocarray(answer->series, answer->n_series + 1, sizeof(*all));
    if (!all)
        return NULL;
    answer->series = all;
    all[answer->n_series] = (struct history_series){0};
    return copy_series(known, answer->n_times, &all[answer->n_series++]) < 0
               ? NULL
               : &all[answer->n_series - 1];
}

static void take_values(const struct sums *sums, const struct layout_series *known,
                        const struct history_answer *answer, struct history_series *series)
{
    size_t point = 0;

    for (size_t i = 0; i < answer->n_times && point < sums->n_points; i++)
        if (answer->times_ns[i] == sums->times_ns[point]) {
            const double value = sums_value(sums, known, point++);

            if (!isnan(value))
                series->values[i] = value;
        }
}

static int take_series(const struct reading *reading, struct history_answer *answer)
{
    for (size_t i = 0; i < reading->n_sums; i++)
        for (size_t j = 0; j < reading->sums[i].layout->n_series; j++) {
            const struct layout_series *known = &reading->sums[i].layout->series[j];
            struct history_series *series;

            if (!is_wanted(reading->query, known->name))
                continue;
            series = open_series(answer, known);
            if (!series)
                return -ENOMEM;
            take_values(&reading->sums[i], known, answer, series);
        }
    return 0;
}

static int find_open(const struct open_target *target, void *context)
{
    bool *const found = context;

    (void)target;
    *found = true;
    return 0;
}

bool history_store_knows(struct history_store *store, const char *key)
{
    struct database *databases[2];
    const size_t n = vault_readable(&store->past, databases);
    bool found = false;

    (void)recorder_each(&store->recorder, key, find_open, &found);
    for (size_t i = 0; i < n && !found; i++) {
        AUTO_STATEMENT sqlite3_stmt *statement = NULL;

        if (database_prepare(databases[i], "SELECT 1 FROM targets WHERE key = ?", &statement) < 0)
            continue;
        (void)sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
        found = sqlite3_step(statement) == SQLITE_ROW;
    }
    return found;
}

static int make_answer(struct history_store *store, struct reading *reading)
{
    int r = read_all(store, reading);

    for (size_t i = 0; i < reading->n_sums && r == 0; i++)
        r = sums_sort(&reading->sums[i]);
    if (r == 0)
        r = take_times(reading, reading->answer);
    if (r == 0)
        r = take_series(reading, reading->answer);
    if (r == 0 && !reading->answer->labels && !history_store_knows(store, reading->query->target))
        r = -ENOENT;
    return r;
}

int history_store_query(struct history_store *store, const struct history_query *query,
                        struct history_answer **ret_answer)
{
    AUTO(history_answer) struct history_answer *answer = calloc(1, sizeof(*answer));
    AUTO_FREE struct reading *reading = calloc(1, sizeof(*reading));
    int r;

    if (!answer || !reading)
        return -ENOMEM;
    answer->step_ns = query->step_ns ? query->step_ns : NS_PER_SECOND;
    reading->query = query;
    reading->store = store;
    reading->answer = answer;
    reading->range = (struct sums_range){
        query->start_ns, query->end_ns < INT64_MAX ? query->end_ns : INT64_MAX, answer->step_ns};
    r = make_answer(store, reading);
    reading_done(reading);
    if (r < 0)
        return r;
    *ret_answer = TAKE(answer);
    return 0;
}
