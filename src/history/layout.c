/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A stored layout is strings that end with '\0': the version; the number of totals; then for each
 * series its kind, name, scale, labels, totals, and for a ratio the formula and its names. Numbers
 * are decimals, and each list has its length before it. A series of version 1 has two labels; those
 * of version 2, which is that of what is counted by key, have three.
 */
#include "history/layout.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "history/chunk.h"

#define LAYOUT_VERSION  2 /* the latest */
#define LAYOUT_LIST_MAX 4096

static void free_series(struct layout_series *series)
{
    for (size_t i = 0; i < HISTORY_LABELS; i++) {
        free(series->labels[i].name);
        free(series->labels[i].value);
    }
    for (size_t i = 0; series->terms && i < series->n_totals; i++)
        free(series->terms[i]);
    free(series->terms);
    free(series->totals);
    free(series->name);
    (void)formula_free(series->formula);
}

struct layout *layout_ref(struct layout *layout)
{
    layout->n_owners++;
    return layout;
}

struct layout *layout_unref(struct layout *layout)
{
    if (!layout || --layout->n_owners > 0)
        return NULL;
    for (size_t i = 0; layout->series && i < layout->n_series; i++)
        free_series(&layout->series[i]);
    free(layout->series);
    free(layout->bytes);
    free(layout);
    return NULL;
}

bool layout_is_same(const struct layout *a, const struct layout *b)
{
    return a == b || (a->n_bytes == b->n_bytes && memcmp(a->bytes, b->bytes, a->n_bytes) == 0);
}

bool layout_is_same_series(const struct layout_series *a, const struct layout_series *b)
{
    if (strcmp(a->name, b->name) != 0)
        return false;
    for (size_t i = 0; i < HISTORY_LABELS; i++) {
        const struct history_label *one = &a->labels[i], *other = &b->labels[i];

        if (!one->name != !other->name || (one->name && (strcmp(one->name, other->name) != 0 ||
                                                         strcmp(one->value, other->value) != 0)))
            return false;
    }
    return true;
}

const char *layout_unit(const struct layout_series *series)
{
    static const char cpus[] = "cpus_used";
    const size_t length = strlen(series->name);

    if (series->kind == SERIES_COVERAGE)
        return "ratio";
    if (series->kind == SERIES_RATIO)
        return "";
    if (length >= strlen(cpus) && strcmp(series->name + length - strlen(cpus), cpus) == 0)
        return "cpus";
    return "per second";
}

/* Where a reader of strings stands. It has failed once a string was missing or wrong. */
struct reader {
    const char *at, *end;
    int error;
};

static const char *read_string(struct reader *reader)
{
    const char *string = reader->at;
    const char *end =
        reader->error ? NULL : memchr(string, '\0', (size_t)(reader->end - reader->at));

    if (!end) {
        reader->error = reader->error ? reader->error : -EBADMSG;
        return "";
    }
    reader->at = end + 1;
    return string;
}

static char *copy_string(struct reader *reader)
{
    char *copy = strdup(read_string(reader));

    if (!copy && !reader->error)
        reader->error = -ENOMEM;
    return copy;
}

/* Reads a number from 0 to `most`. */
static size_t read_number(struct reader *reader, size_t most)
{
    uint64_t value = 0;
    const char *string = read_string(reader);

    if (reader->error || parse_u64(string, &value) < 0 || value > most) {
        reader->error = reader->error ? reader->error : -EBADMSG;
        return 0;
    }
    return (size_t)value;
}

static double read_scale(struct reader *reader)
{
    const char *string = read_string(reader);
    char *end = NULL;
    const double value = strtod(string, &end);

    if (!reader->error && (end == string || *end || !isfinite(value)))
        reader->error = -EBADMSG;
    return value;
}

static void *read_list(struct reader *reader, size_t item_size, size_t most, size_t *ret_n)
{
    const size_t n = read_number(reader, most);
    void *items = reader->error ? NULL : calloc(n + 1, item_size);

    if (!items && !reader->error)
        reader->error = -ENOMEM;
    *ret_n = items ? n : 0;
    return items;
}

static void parse_formula(struct reader *reader, struct layout_series *series)
{
    struct formula_error wrong;
    const char *text = read_string(reader);
    int r;

    series->terms = calloc(series->n_totals + 1, sizeof(char *));
    if (!series->terms)
        reader->error = -ENOMEM;
    for (size_t i = 0; i < series->n_totals && series->terms; i++)
        series->terms[i] = copy_string(reader);
    if (reader->error)
        return;
    r = formula_parse(text, (const char *const *)series->terms, series->n_totals, &series->formula,
                      &wrong);
    if (r < 0)
        reader->error = r == -ENOMEM ? -ENOMEM : -EBADMSG;
}

static void parse_series(struct reader *reader, size_t n_labels, size_t n_totals,
                         struct layout_series *series)
{
    static const size_t least[] = {[SERIES_RATE] = 1, [SERIES_RATIO] = 0, [SERIES_COVERAGE] = 2};

    series->kind = (enum series_kind)read_number(reader, SERIES_COVERAGE);
    series->name = copy_string(reader);
    series->scale = read_scale(reader);
    for (size_t i = 0; i < n_labels; i++) {
        series->labels[i].name = copy_string(reader);
        series->labels[i].value = copy_string(reader);
        if (series->labels[i].name && !*series->labels[i].name)
            free(TAKE(series->labels[i].name));
    }
    series->totals = read_list(reader, sizeof(size_t), LAYOUT_LIST_MAX, &series->n_totals);
    for (size_t i = 0; i < series->n_totals; i++)
        series->totals[i] = read_number(reader, n_totals ? n_totals - 1 : 0);
    if (series->n_totals < least[series->kind] || (series->n_totals > 0 && n_totals == 0))
        reader->error = reader->error ? reader->error : -EBADMSG;
    if (series->kind == SERIES_RATIO && !reader->error)
        parse_formula(reader, series);
}

int layout_parse(const void *bytes, size_t n_bytes, struct layout **ret_layout)
{
    AUTO(layout) struct layout *layout = calloc(1, sizeof(*layout));
    struct reader reader = {bytes, (const char *)bytes + n_bytes, 0};
    size_t version;

    if (!layout)
        return -ENOMEM;
    layout->n_owners = 1;
    layout->bytes = malloc(n_bytes + 1);
    if (!layout->bytes)
        return -ENOMEM;
    memcpy(layout->bytes, bytes, n_bytes);
    layout->n_bytes = n_bytes;
    version = read_number(&reader, LAYOUT_VERSION);
    if (version < 1 && !reader.error)
        return -EBADMSG;
    layout->n_totals = read_number(&reader, CHUNK_NUMBERS_MAX);
    layout->series =
        read_list(&reader, sizeof(*layout->series), LAYOUT_LIST_MAX, &layout->n_series);
    for (size_t i = 0; i < layout->n_series && !reader.error; i++)
        parse_series(&reader, version + 1, layout->n_totals, &layout->series[i]);
    if (reader.error)
        return reader.error;
    *ret_layout = TAKE(layout);
    return 0;
}
