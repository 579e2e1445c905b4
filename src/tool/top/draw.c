/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/top/draw.h"

#include <curses.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "tool/safe_text.h"
#include "tool/top/layout.h"

#define N_HEAD 4 /* lines above the table: two of the machine, a message, the titles */
#define N_FOOT 1 /* lines below it: the keys */

enum colour { NO_COLOUR, GREEN, CYAN, RED, YELLOW, TITLE, CHOSEN };

void top_draw_init(struct top_canvas *canvas, const struct top_glyphs *glyphs)
{
    static const struct {
        short pair, front, back;
    } pairs[] = {
        {GREEN, COLOR_GREEN, -1},
        {CYAN, COLOR_CYAN, -1},
        {RED, COLOR_RED, -1},
        {YELLOW, COLOR_YELLOW, -1},
        {TITLE, COLOR_BLACK, COLOR_GREEN},
        {CHOSEN, COLOR_BLACK, COLOR_CYAN},
    };

    *canvas = (struct top_canvas){.glyphs = glyphs};
    canvas->has_colours = has_colors() && start_color() == OK;
    if (!canvas->has_colours)
        return;
    (void)use_default_colors();
    for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
        (void)init_pair(pairs[i].pair, pairs[i].front, pairs[i].back);
}

void top_draw_done(struct top_canvas *canvas)
{
    text_done(&canvas->text);
}

/* Where there are no colours, titles are told by reversed ones. */
static attr_t attribute(const struct top_canvas *canvas, enum colour colour)
{
    if (canvas->has_colours)
        return (attr_t)COLOR_PAIR(colour);
    return colour == TITLE ? A_REVERSE : colour == CHOSEN ? A_REVERSE | A_BOLD : A_NORMAL;
}

/* Draws a text at the cursor. It fits into its line. */
static void add(const struct text *text, attr_t attributes)
{
    (void)attrset((int)attributes);
    if (text->length > 0 && !text->failed)
        (void)addnstr(text->data, (int)text->length);
    (void)attrset(A_NORMAL);
}

/* Draws the text of the canvas at the cursor, as much as fits into these columns, and empties it.
 */
static void put(struct top_canvas *canvas, attr_t attributes, size_t width)
{
    AUTO_TEXT struct text fits = {0};

    if (!canvas->text.failed)
        (void)safe_text_append_start(&fits, canvas->text.data, canvas->text.length, width);
    add(&fits, attributes);
    text_clear(&canvas->text);
}

/* Draws a name at the cursor. If it is too long for the line, its middle is left out. */
static void put_name(const struct top_canvas *canvas, attr_t attributes, const struct text *name,
                     size_t width)
{
    AUTO_TEXT struct text cut = {0};

    if (!name->failed)
        (void)safe_text_append_cut(&cut, name->data, name->length, width, canvas->glyphs->cut);
    add(&cut, attributes);
}

static void go_to(struct top_canvas *canvas, int y, int x)
{
    canvas->row = y;
    (void)move(y, x);
}

/* Returns the columns from the cursor to the right edge; a full line has put it on the next one. */
static size_t room(const struct top_canvas *canvas)
{
    const int left = COLS - getcurx(stdscr);

    return left > 0 && getcury(stdscr) == canvas->row ? (size_t)left : 0;
}

static void put_string(struct top_canvas *canvas, attr_t attributes, const char *string)
{
    text_append_string(&canvas->text, string);
    put(canvas, attributes, room(canvas));
}

/* Appends how many targets there are: "12 cgroups, 80 processes". */
static void append_targets(struct text *text, const struct top_rows *rows)
{
    const struct top_row *row;
    double cgroups = 0, processes = 0;

    for (row = rows->hash; row; row = row->hh.next) {
        cgroups += row->kind == TOP_CGROUP;
        if (row->kind == TOP_PROCESS)
            processes += row->members > 0 ? row->members : 0;
    }
    text_append_format(text, "%.0f cgroups, %.0f processes", cgroups, processes);
}

static void draw_about(struct top_canvas *canvas, const struct top_rows *rows,
                       const struct top_about *about)
{
    const time_t seconds = (time_t)about->now;
    struct tm local;
    char time[16] = "";

    if (localtime_r(&seconds, &local))
        (void)strftime(time, sizeof(time), "%H:%M:%S", &local);
    go_to(canvas, 0, 0);
    put_string(canvas, A_BOLD, "pmutool top");
    text_append_format(&canvas->text, "  %s  from %s%s", time, about->source,
                       *about->mechanism ? ", counted by " : "");
    safe_text_append(&canvas->text, about->mechanism, strlen(about->mechanism));
    text_append_string(&canvas->text, "  ");
    put(canvas, A_NORMAL, room(canvas));
    append_targets(&canvas->text, rows);
    put(canvas, A_DIM, room(canvas));
}

/* Draws how many of the machine's CPUs are in use, as a bar and in figures. */
static void draw_meter(struct top_canvas *canvas, double used, double cpus)
{
    const size_t width = COLS >= 100 ? 40 : 20;
    char figures[40];
    size_t filled, n;

    n = (size_t)snprintf(figures, sizeof(figures), "%.2f of %.0f", used, cpus);
    filled = (size_t)fmin((double)width, used / cpus * (double)width + 0.5);
    put_string(canvas, A_BOLD, "CPUs [");
    for (size_t i = 0; i < width; i++) {
        const bool is_figure = i + n >= width;

        if (is_figure)
            text_append_char(&canvas->text, figures[i + n - width]);
        else
            text_append_string(&canvas->text, i < filled ? canvas->glyphs->bar : " ");
        put(canvas, is_figure ? A_BOLD : attribute(canvas, GREEN), 1);
    }
    put_string(canvas, A_BOLD, "]");
}

static void draw_figure(struct top_canvas *canvas, enum top_column_id id, double value)
{
    put_string(canvas, A_NORMAL, "  ");
    put_string(canvas, attribute(canvas, CYAN), top_columns[id].title);
    text_append_char(&canvas->text, ' ');
    top_cells_append_number(&canvas->text, value, top_columns[id].is_small);
    put(canvas, A_BOLD, room(canvas));
}

/* Draws what the machine as a whole does: the meter, and figures as far as they fit. */
static void draw_machine(struct top_canvas *canvas, const struct top_rows *rows)
{
    const struct top_row *machine = rows->machine;

    go_to(canvas, 1, 0);
    if (!machine)
        return;
    if (rows->cpus > 0 && !isnan(machine->values[TOP_COLUMN_CPUS]))
        draw_meter(canvas, machine->values[TOP_COLUMN_CPUS], rows->cpus);
    for (enum top_column_id id = TOP_COLUMN_IPC; id < N_TOP_COLUMNS; id++)
        if (!isnan(machine->values[id]) &&
            room(canvas) >= 2 + strlen(top_columns[id].title) + TOP_CELL_WIDTH)
            draw_figure(canvas, id, machine->values[id]);
}

static void draw_message(struct top_canvas *canvas, const struct top_state *state,
                         const struct top_about *about, const char *trouble)
{
    go_to(canvas, 2, 0);
    if (trouble) {
        text_append_format(&canvas->text, "%s  ", trouble);
        put(canvas, attribute(canvas, RED) | A_BOLD, room(canvas));
    }
    if (state->is_paused)
        put_string(canvas, attribute(canvas, YELLOW) | A_BOLD, "Paused: Space goes on.  ");
    if (about->paused)
        put_string(canvas, attribute(canvas, YELLOW), "Hardware counters are paused.  ");
    if (*about->uncounted) {
        safe_text_append(&canvas->text, about->uncounted, strlen(about->uncounted));
        text_append_string(&canvas->text, ".  ");
        put(canvas, attribute(canvas, YELLOW), room(canvas));
    }
    if (state->is_typing || *state->filter) {
        put_string(canvas, A_BOLD, "Filter: ");
        safe_text_append(&canvas->text, state->filter, strlen(state->filter));
        put(canvas, attribute(canvas, CYAN) | A_BOLD, room(canvas));
        if (state->is_typing)
            put_string(canvas, A_REVERSE, " ");
    }
}

/* Draws a text flush right in a number of columns. */
static void put_right(struct top_canvas *canvas, attr_t attributes, const char *string, size_t n,
                      size_t width)
{
    for (size_t i = n; i < width; i++)
        text_append_char(&canvas->text, ' ');
    text_append(&canvas->text, string, n);
    put(canvas, attributes, room(canvas));
}

static void draw_titles(struct top_canvas *canvas, const struct top_layout *layout,
                        const struct top_state *state)
{
    const enum top_column_id order = state->settings.order;
    const attr_t title = attribute(canvas, TITLE), chosen = attribute(canvas, CHOSEN);

    go_to(canvas, N_HEAD - 1, 0);
    for (size_t i = 0; i < layout->n_columns; i++) {
        const enum top_column_id id = layout->columns[i];

        put_right(canvas, id == order ? chosen : title, top_columns[id].title,
                  strlen(top_columns[id].title), TOP_CELL_WIDTH);
    }
    if (layout->spark > 0) {
        text_append_format(&canvas->text, "  %-*.*s", (int)layout->spark, (int)layout->spark,
                           "HISTORY");
        put(canvas, title, room(canvas));
    }
    text_append_string(&canvas->text, "  ");
    put(canvas, title, room(canvas));
    text_append_format(&canvas->text, "%-*s", (int)room(canvas),
                       state->settings.show == TOP_SHOW_CGROUPS     ? "CGROUP"
                       : state->settings.show == TOP_SHOW_PROCESSES ? "PROCESS"
                                                                    : "CGROUP OR PROCESS");
    put(canvas, order == TOP_COLUMN_NAME ? chosen : title, room(canvas));
}

/* Appends the branches of the tree before a name, from the top down. */
static void append_branches(struct top_canvas *canvas, const struct top_view *view,
                            const struct top_line *line)
{
    const struct top_glyphs *const glyphs = canvas->glyphs;
    const char *pieces[16];
    size_t n = 0;

    if (line->parent == SIZE_MAX)
        return;
    pieces[n++] = line->is_last ? glyphs->last : glyphs->branch;
    for (const struct top_line *above = &view->lines[line->parent];
         above->parent != SIZE_MAX && n < ARRAY_SIZE(pieces); above = &view->lines[above->parent])
        pieces[n++] = above->is_last ? glyphs->blank : glyphs->pass;
    while (n > 0)
        text_append_string(&canvas->text, pieces[--n]);
}

/* Draws the name: branches, the name itself cut to the room, and how many processes it has. */
static void draw_name(struct top_canvas *canvas, const struct top_view *view,
                      const struct top_line *line)
{
    AUTO_TEXT struct text safe = {0};
    attr_t attributes = line->row ? A_NORMAL : A_DIM;

    append_branches(canvas, view, line);
    put(canvas, attribute(canvas, CYAN), room(canvas));
    safe_text_append(&safe, line->name, strlen(line->name));
    if (line->row && line->row->kind == TOP_PROCESS && line->row->members > 1)
        text_append_format(&safe, " (%.0f)", line->row->members);
    if (line->row && line->values[TOP_COLUMN_CPUS] >= 0.5)
        attributes |= A_BOLD;
    put_name(canvas, attributes, &safe, room(canvas));
}

static void draw_line(struct top_canvas *canvas, const struct top_rows *rows,
                      const struct top_view *view, size_t index, const struct top_layout *layout,
                      enum top_column_id order)
{
    const struct top_line *line = &view->lines[index];

    for (size_t i = 0; i < layout->n_columns; i++) {
        const enum top_column_id id = layout->columns[i];
        AUTO_TEXT struct text number = {0};
        const attr_t dim = line->row && line->values[id] > 0 ? A_NORMAL : A_DIM;

        top_cells_append_number(&number, line->values[id], top_columns[id].is_small);
        if (!number.failed)
            put_right(canvas, id == order ? A_BOLD : dim, number.data, number.length,
                      TOP_CELL_WIDTH);
    }
    if (layout->spark > 0) {
        text_append_string(&canvas->text, "  ");
        if (line->row)
            top_cells_append_sparkline(&canvas->text, rows, line->row,
                                       order < N_TOP_COLUMNS ? order : TOP_COLUMN_CPUS,
                                       (unsigned)layout->spark, canvas->glyphs);
        else
            text_append_format(&canvas->text, "%*s", (int)layout->spark, "");
        put(canvas, attribute(canvas, GREEN), room(canvas));
    }
    put_string(canvas, A_NORMAL, "  ");
    draw_name(canvas, view, line);
}

static void draw_keys(struct top_canvas *canvas)
{
    static const struct {
        const char *key, *what;
    } keys[] = {{"h", "Help"},      {"/", "Filter"},    {"t", "Tree"},  {"c", "Cgroups"},
                {"p", "Processes"}, {"a", "All"},       {"<>", "Sort"}, {"r", "Reverse"},
                {"i", "Idle"},      {"Space", "Pause"}, {"q", "Quit"}};

    go_to(canvas, LINES - 1, 0);
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        put_string(canvas, A_BOLD, keys[i].key);
        text_append_format(&canvas->text, "%s ", keys[i].what);
        put(canvas, attribute(canvas, CHOSEN), room(canvas));
    }
}

static void draw_help(struct top_canvas *canvas)
{
    int y = 0;

    go_to(canvas, 0, 0);
    put_string(canvas, A_BOLD, "Keys of pmutool top (any key goes back)");
    for (size_t i = 0; top_key_helps[i].keys; i++) {
        go_to(canvas, y = (int)i + 2, 2);
        text_append_format(&canvas->text, "%-18s", top_key_helps[i].keys);
        put(canvas, attribute(canvas, CYAN), room(canvas));
        put_string(canvas, A_NORMAL, top_key_helps[i].help);
    }
    for (enum top_column_id id = 0; id < N_TOP_ORDERS; id++) {
        go_to(canvas, ++y, 2);
        text_append_format(&canvas->text, "%-18c", top_columns[id].key);
        put(canvas, attribute(canvas, CYAN), room(canvas));
        text_append_format(&canvas->text, "sort by %s: %s", top_columns[id].title,
                           top_columns[id].help);
        put(canvas, A_NORMAL, room(canvas));
    }
}

/* Keeps the first line that is shown within the list. */
static void keep_within(struct top_state *state, size_t n)
{
    const size_t lines = LINES > N_HEAD + N_FOOT ? (size_t)(LINES - N_HEAD - N_FOOT) : 1;
    const size_t most = n > lines ? n - lines : 0;

    state->page = lines;
    if (state->scroll > most)
        state->scroll = most;
}

static void draw_table(struct top_canvas *canvas, const struct top_rows *rows,
                       const struct top_view *view, struct top_state *state)
{
    const struct top_layout layout =
        top_layout_make(rows, state->settings.order, (size_t)(COLS > 0 ? COLS : 0));

    draw_titles(canvas, &layout, state);
    for (size_t i = 0; i < state->page && state->scroll + i < view->n; i++) {
        go_to(canvas, N_HEAD + (int)i, 0);
        draw_line(canvas, rows, view, state->scroll + i, &layout, state->settings.order);
    }
    if (view->n == 0) {
        go_to(canvas, N_HEAD, 0);
        put_string(canvas, A_DIM,
                   *state->filter ? "  no name contains the filter" : "  nothing to show");
    }
}

void top_draw(struct top_canvas *canvas, const struct top_rows *rows, const struct top_view *view,
              struct top_state *state, const struct top_about *about, const char *trouble)
{
    for (enum top_column_id id = 0; id < N_TOP_ORDERS; id++)
        state->has[id] = id == TOP_COLUMN_NAME || top_rows_have(rows, id);
    keep_within(state, view->n);
    (void)erase();
    if (state->shows_help) {
        draw_help(canvas);
    } else {
        draw_about(canvas, rows, about);
        draw_machine(canvas, rows);
        draw_message(canvas, state, about, trouble);
        draw_table(canvas, rows, view, state);
        draw_keys(canvas);
    }
    (void)refresh();
}
