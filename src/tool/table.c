/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"

#define GAP 2 /* columns between two cells */

/* A cell that is cut shows so many columns at least, however narrow the terminal is. */
#define NARROWEST 8

/* Where nothing is cut, a cell that is longer sticks out, instead of moving those of all rows. */
#define WIDEST 60

struct cell {
    size_t at;    /* where its text begins in `texts`, as it is shown; NUL ends it */
    size_t width; /* in columns */
    enum style style;
    bool is_line; /* It is a line of its own. */
};

struct table {
    const struct table_column *columns;
    size_t n_columns;
    size_t *widths; /* of each column, its title included */
    struct cell *cells;
    size_t n_cells, capacity;
    struct text texts;
    size_t next; /* the column of the next cell */
};

struct table *table_new(const struct table_column *columns, size_t n)
{
    AUTO(table) struct table *table = calloc(1, sizeof(*table));

    if (!table)
        return NULL;
    table->columns = columns;
    table->n_columns = n;
    table->widths = calloc(n, sizeof(*table->widths));
    if (!table->widths)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        AUTO_TEXT struct text title = {0};

        if (columns[i].title)
            table->widths[i] = terminal_append_shown(&title, columns[i].title, 0);
    }
    return TAKE(table);
}

struct table *table_free(struct table *table)
{
    if (!table)
        return NULL;
    text_done(&table->texts);
    free(table->cells);
    free(table->widths);
    free(table);
    return NULL;
}

/* Returns the new cell, or NULL without memory: then the text has failed, and table_write() too. */
static struct cell *add_cell(struct table *table, const char *text, enum style style)
{
    struct cell *cells =
        array_reserve(table->cells, sizeof(*cells), &table->capacity, table->n_cells + 1);
    struct cell *cell;

    if (!cells) {
        table->texts.failed = true;
        return NULL;
    }
    table->cells = cells;
    cell = &cells[table->n_cells++];
    *cell = (struct cell){.at = table->texts.length, .style = style};
    cell->width = terminal_append_shown(&table->texts, text, 0);
    text_append_char(&table->texts, '\0');
    return cell;
}

void table_add(struct table *table, const char *text, enum style style)
{
    const struct cell *cell = add_cell(table, text, style);
    size_t *width = &table->widths[table->next];

    if (++table->next == table->n_columns)
        table->next = 0;
    if (cell && cell->width > *width)
        *width = cell->width;
}

void table_add_format(struct table *table, enum style style, const char *format, ...)
{
    AUTO_FREE char *text = NULL;
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (n < 0) {
        text = NULL;
        table->texts.failed = true;
    }
    table_add(table, text ? text : "", style);
}

void table_print_time(double seconds, char ret_text[TABLE_TIME_SIZE])
{
    const time_t time = (time_t)seconds;
    struct tm local = {0};

    *ret_text = '\0';
    if (localtime_r(&time, &local))
        (void)strftime(ret_text, TABLE_TIME_SIZE, "%Y-%m-%d %H:%M:%S", &local);
}

void table_add_time(struct table *table, double seconds)
{
    char text[TABLE_TIME_SIZE];

    table_print_time(seconds, text);
    table_add(table, text, STYLE_PLAIN);
}

void table_add_line(struct table *table, const char *text, enum style style)
{
    struct cell *cell = add_cell(table, text, style);

    if (cell)
        cell->is_line = true;
}

/* By how many columns the lines are too long for the terminal. */
static size_t width_beyond(const struct table *table, const struct terminal *terminal)
{
    size_t width = 0;

    for (size_t i = 0; i < table->n_columns; i++)
        width += table->widths[i] + (i > 0 ? GAP : 0);
    return terminal->width > 0 && width > terminal->width ? width - terminal->width : 0;
}

/* How much of a column may be cut off. */
static size_t spare_of(const struct table *table, size_t column)
{
    const size_t width = table->widths[column];

    return table->columns[column].may_be_cut && width > NARROWEST ? width - NARROWEST : 0;
}

/* How wide a column is shown where the lines are too long by so many columns. Those behind it give
 * way before it. */
static size_t width_cut(const struct table *table, size_t beyond, size_t column)
{
    for (size_t i = table->n_columns - 1; i > column; i--)
        beyond -= spare_of(table, i) < beyond ? spare_of(table, i) : beyond;
    return table->widths[column] -
           (spare_of(table, column) < beyond ? spare_of(table, column) : beyond);
}

/* How much room a column has; what is longer sticks out of it where nothing is cut. */
static size_t room_of(const struct table *table, size_t beyond, size_t column)
{
    const size_t width = table->widths[column];

    if (beyond > 0)
        return width_cut(table, beyond, column);
    return table->columns[column].may_be_cut && width > WIDEST ? WIDEST : width;
}

static void append_spaces(struct text *out, size_t n)
{
    while (n-- > 0)
        text_append_char(out, ' ');
}

/* cut: the most columns; 0: any. padded: how wide the cell is; the last cell of a line has 0. */
static void append_cell(struct text *out, const char *text, enum style style, size_t cut,
                        size_t padded, bool is_right)
{
    AUTO_TEXT struct text shown = {0};
    const size_t width = terminal_append_shown(&shown, text, cut);
    const size_t spaces = padded > width ? padded - width : 0;

    append_spaces(out, is_right ? spaces : 0);
    if (*text)
        text_append_string(out, terminal_begin_style(style));
    text_append(out, shown.data, shown.length);
    out->failed |= shown.failed;
    if (*text)
        text_append_string(out, terminal_end_style(style));
    append_spaces(out, is_right ? 0 : spaces);
}

/* Appends the cell of this column, with what stands between it and the next one. */
static void append_in_column(const struct table *table, const struct terminal *terminal, size_t i,
                             const char *text, enum style style, struct text *out)
{
    const struct table_column *column = &table->columns[i];
    const bool is_last = i + 1 == table->n_columns;
    const size_t beyond = width_beyond(table, terminal), room = room_of(table, beyond, i);

    append_cell(out, text, terminal->has_colour ? style : STYLE_PLAIN, beyond > 0 ? room : 0,
                is_last && !column->is_right ? 0 : room, column->is_right);
    if (!is_last) {
        append_spaces(out, GAP);
        return;
    }
    while (out->length > 0 && out->data[out->length - 1] == ' ')
        out->length--;
    text_append_char(out, '\n');
}

int table_write(const struct table *table, const struct terminal *terminal, struct text *out)
{
    size_t column = 0;

    for (size_t i = 0; table->columns[0].title && i < table->n_columns; i++)
        append_in_column(table, terminal, i, table->columns[i].title, STYLE_HEADING, out);
    if (text_error(&table->texts) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < table->n_cells; i++) {
        const struct cell *cell = &table->cells[i];
        const char *text = table->texts.data + cell->at;

        if (cell->is_line) {
            append_cell(out, text, terminal->has_colour ? cell->style : STYLE_PLAIN,
                        terminal->width, 0, false);
            text_append_char(out, '\n');
            continue;
        }
        append_in_column(table, terminal, column, text, cell->style, out);
        if (++column == table->n_columns)
            column = 0;
    }
    return text_error(out);
}

int table_print(const struct table *table)
{
    const struct terminal terminal = terminal_of(STDOUT_FILENO);
    AUTO_TEXT struct text out = {0};
    int r = table_write(table, &terminal, &out);

    if (r >= 0 && out.length > 0)
        (void)fwrite(out.data, 1, out.length, stdout);
    return r;
}
