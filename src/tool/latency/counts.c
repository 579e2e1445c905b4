/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/latency/counts.h"

#include <string.h>

#include "tool/table.h"

/* The most families of one label, with the column of the key and the one of rates. */
#define MOST_COLUMNS 8

static bool has_same_label(const struct latency_family *a, const struct latency_family *b)
{
    return a->count_of && b->count_of && strcmp(a->kind, b->kind) == 0 &&
           strcmp(a->label ? a->label : "", b->label ? b->label : "") == 0;
}

static size_t count_families(const struct latency_family *first)
{
    const struct latency_family *end = latency_families + LATENCY_FAMILIES;
    size_t n = 0;

    while (first + n < end && has_same_label(first, first + n))
        n++;
    return n;
}

bool latency_counts_begin(const struct latency_family *family, const struct distributions *counted)
{
    if (!family->count_of || (family > latency_families && has_same_label(family, family - 1)))
        return false;
    for (size_t i = 0; i < counted->n; i++)
        if (counted->all[i].family == family && distribution_is_shown(&counted->all[i]))
            return true;
    return false;
}

static void append_title(struct text *text, const struct latency_family *families, size_t n,
                         double seconds)
{
    for (size_t i = 0; i < n; i++)
        text_append_format(text, "%s%s", i > 0 ? ", " : "", families[i].title);
    text_append_format(text, " of %s", families->count_of);
    if (families->label)
        text_append_format(text, " by %s", families->label);
    text_append_format(text, ", in %.3g s\n", seconds);
}

static void add_row(struct table *table, const struct distribution *row,
                    const struct distributions *counted, size_t n, double seconds)
{
    if (row->family->label)
        table_add(table, row->labels[0].value, STYLE_PLAIN);
    for (size_t i = 0; i < n; i++) {
        const struct distribution *one = distributions_find(counted, row->family + i, row->labels);

        table_add_format(table, STYLE_PLAIN, "%.0f", one ? distribution_count(one) : 0);
    }
    table_add_format(table, STYLE_PLAIN, "%.4g", distribution_count(row) / seconds);
}

void latency_append_counts(struct text *text, const struct latency_family *family,
                           const struct distributions *counted, double seconds)
{
    static const struct terminal plain = {0};
    struct table_column columns[MOST_COLUMNS] = {{0}};
    const size_t n = count_families(family);
    size_t n_columns = 0;
    AUTO_TEXT struct text rate = {0};
    AUTO(table) struct table *table = NULL;

    append_title(text, family, n, seconds);
    text_append_format(&rate, "%s/s", family->title);
    text_append_char(&rate, '\0');
    if (family->label)
        columns[n_columns++] = (struct table_column){.title = family->label};
    for (size_t i = 0; i < n; i++)
        columns[n_columns++] = (struct table_column){.title = family[i].title, .is_right = true};
    columns[n_columns++] = (struct table_column){.title = rate.data, .is_right = true};
    table = text_error(&rate) < 0 ? NULL : table_new(columns, n_columns);
    text->failed |= !table;
    for (size_t i = 0; table && i < counted->n; i++)
        if (counted->all[i].family == family && distribution_is_shown(&counted->all[i]))
            add_row(table, &counted->all[i], counted, n, seconds);
    text->failed |= table && table_write(table, &plain, text) < 0;
}
