/* SPDX-License-Identifier: Apache-2.0 */
#include "run/schedule_map.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "expose/json_text.h"
#include "run/schedule_ended_json.h"
#include "run/schedule_replay.h"

/* Who had most of a column. */
struct cell {
    uint32_t thread; /* SCHEDULE_NOBODY: it is not known */
    float share, busy;
};

struct part {
    uint32_t thread;
    uint64_t ns;
};

/*
 * Who had how much of the column of a CPU that is being filled. There can be as many threads as
 * events, and so none is looked for: the parts of one are added up when the column is complete.
 */
struct filling {
    size_t column;
    struct part *parts; /* one for each slice */
    size_t n, most;
    bool is_seen; /* something has happened on the CPU */
};

struct map {
    const struct schedule_trace *trace;
    uint64_t start_ns, end_ns;
    size_t columns;
    struct filling *cpus;
    struct cell *cells; /* [cpu * columns + column] */
    uint32_t *numbers;  /* of each thread: 1 + its index in the answer; 0: it has none yet */
    uint32_t *threads;  /* in the answer */
    size_t n_threads;
};

static uint64_t column_start(const struct map *map, size_t column)
{
    return map->start_ns + (uint64_t)((double)(map->end_ns - map->start_ns) * (double)column /
                                      (double)map->columns);
}

static size_t column_at(const struct map *map, uint64_t time_ns)
{
    size_t column = (size_t)((double)(time_ns - map->start_ns) * (double)map->columns /
                             (double)(map->end_ns - map->start_ns));

    column = column < map->columns ? column : map->columns - 1;
    while (column > 0 && column_start(map, column) > time_ns)
        column--;
    while (column + 1 < map->columns && column_start(map, column + 1) <= time_ns)
        column++;
    return column;
}

static int compare_parts(const void *left, const void *right)
{
    const struct part *a = left, *b = right;

    return (a->thread > b->thread) - (a->thread < b->thread);
}

/* Makes one part of all those of a thread. */
static void sum_up(struct filling *filling)
{
    size_t n = 0;

    if (filling->n > 1)
        qsort(filling->parts, filling->n, sizeof(*filling->parts), compare_parts);
    for (size_t i = 0; i < filling->n; i++)
        if (n > 0 && filling->parts[n - 1].thread == filling->parts[i].thread)
            filling->parts[n - 1].ns += filling->parts[i].ns;
        else
            filling->parts[n++] = filling->parts[i];
    filling->n = n;
}

/* The column is complete. */
static void finish(struct map *map, size_t cpu)
{
    struct filling *filling = &map->cpus[cpu];
    struct cell *cell = &map->cells[cpu * map->columns + filling->column];
    const double width =
        (double)(column_start(map, filling->column + 1) - column_start(map, filling->column));
    uint64_t most = 0, busy = 0;

    sum_up(filling);
    for (size_t i = 0; i < filling->n; i++) {
        const struct part *part = &filling->parts[i];

        busy += part->thread == SCHEDULE_IDLE ? 0 : part->ns;
        if (part->ns <= most)
            continue;
        most = part->ns;
        cell->thread = part->thread;
    }
    cell->share = width > 0 ? (float)((double)most / width) : 0;
    cell->busy = width > 0 ? (float)((double)busy / width) : 0;
    filling->n = 0;
}

static int add_part(struct filling *filling, uint32_t thread, uint64_t ns)
{
    struct part *parts =
        array_reserve(filling->parts, sizeof(*parts), &filling->most, filling->n + 1);

    if (!parts)
        return -ENOMEM;
    filling->parts = parts;
    parts[filling->n++] = (struct part){thread, ns};
    return 0;
}

/* Slices of a CPU come one after the other. */
static int add_slice(struct map *map, const struct schedule_slice *slice)
{
    struct filling *filling = &map->cpus[slice->cpu];
    uint64_t from = slice->start_ns > map->start_ns ? slice->start_ns : map->start_ns;
    const uint64_t end = slice->end_ns < map->end_ns ? slice->end_ns : map->end_ns;
    int r = 0;

    filling->is_seen = true;
    if (from >= end)
        return 0;
    for (size_t column = column_at(map, from); from < end && r == 0; column++) {
        const uint64_t next =
            column + 1 < map->columns ? column_start(map, column + 1) : map->end_ns;
        const uint64_t to = next < end ? next : end;

        if (column != filling->column)
            finish(map, slice->cpu);
        filling->column = column;
        r = add_part(filling, slice->thread, to - from);
        from = to;
    }
    return r;
}

static int fill(struct map *map)
{
    AUTO(schedule_replay) struct schedule_replay *replay = schedule_replay_new(map->trace);
    struct schedule_step step;
    struct schedule_slice last;
    int r = replay ? 0 : -ENOMEM;

    while (r == 0 && schedule_replay_next(replay, &step)) {
        if (schedule_event_is_on_cpu(step.event))
            map->cpus[step.event->cpu].is_seen = true;
        if (step.has_slice)
            r = add_slice(map, &step.slice);
    }
    for (size_t cpu = 0; cpu < map->trace->n_cpus && r == 0; cpu++) {
        if (schedule_replay_last(replay, cpu, &last))
            r = add_slice(map, &last);
        finish(map, cpu);
    }
    return r;
}

static void number_threads(struct map *map)
{
    for (size_t i = 0; i < map->trace->n_cpus * map->columns; i++) {
        const uint32_t thread = map->cells[i].thread;

        if (thread == SCHEDULE_NOBODY || map->numbers[thread])
            continue;
        map->threads[map->n_threads++] = thread;
        map->numbers[thread] = (uint32_t)map->n_threads;
    }
}

static void append_threads(const struct map *map, struct text *text)
{
    text_append_string(text, ",\"threads\":[");
    for (size_t i = 0; i < map->n_threads; i++) {
        const struct schedule_thread *thread = &map->trace->threads[map->threads[i]];

        text_append_format(text,
                           "%s{\"tid\":%" PRIu32 ",\"pid\":%" PRIu32 ",\"name\":", i > 0 ? "," : "",
                           thread->tid, thread->pid);
        json_append_string(text, thread->name);
        text_append_char(text, '}');
    }
    text_append_string(text, "]");
}

/* Two digits are more than a screen shows. */
static void append_share(float share, struct text *text)
{
    text_append_format(text, "%.2g", share > 1 ? 1.0 : (double)share);
}

static void append_cpu(const struct map *map, size_t cpu, struct text *text)
{
    const struct cell *cells = map->cells + cpu * map->columns;

    text_append_format(text, "{\"cpu\":%zu,\"threads\":[", cpu);
    for (size_t i = 0; i < map->columns; i++) {
        text_append_string(text, i > 0 ? "," : "");
        if (cells[i].thread == SCHEDULE_NOBODY)
            text_append_string(text, "null");
        else
            text_append_u64(text, map->numbers[cells[i].thread] - 1);
    }
    text_append_string(text, "],\"shares\":[");
    for (size_t i = 0; i < map->columns; i++) {
        text_append_string(text, i > 0 ? "," : "");
        append_share(cells[i].share, text);
    }
    text_append_string(text, "],\"busy\":[");
    for (size_t i = 0; i < map->columns; i++) {
        text_append_string(text, i > 0 ? "," : "");
        append_share(cells[i].busy, text);
    }
    text_append_string(text, "]}");
}

static void append_map(const struct map *map, struct text *text)
{
    const char *between = "";

    text_append_string(text, "{\"start\":");
    json_append_seconds(text, map->start_ns);
    text_append_string(text, ",\"end\":");
    json_append_seconds(text, map->end_ns);
    text_append_format(text, ",\"columns\":%zu", map->columns);
    append_threads(map, text);
    text_append_string(text, ",\"cpus\":[");
    for (size_t cpu = 0; cpu < map->trace->n_cpus; cpu++) {
        if (!map->cpus[cpu].is_seen)
            continue;
        text_append_string(text, between);
        append_cpu(map, cpu, text);
        between = ",\n";
    }
    text_append_char(text, ']');
}

static int make(struct map *map, struct text *text)
{
    const size_t n_cpus = map->trace->n_cpus;
    int r;

    map->cpus = calloc(n_cpus + 1, sizeof(*map->cpus));
    map->cells = calloc(n_cpus * map->columns + 1, sizeof(*map->cells));
    map->numbers = calloc(map->trace->n_threads, sizeof(*map->numbers));
    map->threads = calloc(map->trace->n_threads, sizeof(*map->threads));
    if (!map->cpus || !map->cells || !map->numbers || !map->threads)
        return -ENOMEM;
    for (size_t i = 0; i < n_cpus * map->columns; i++)
        map->cells[i].thread = SCHEDULE_NOBODY;
    r = map->end_ns > map->start_ns ? fill(map) : 0;
    if (r < 0)
        return r;
    number_threads(map);
    append_map(map, text);
    r = schedule_ended_append_map(map->trace, map->start_ns, map->end_ns, map->columns, text);
    text_append_char(text, '}');
    return r < 0 ? r : text_error(text);
}

int schedule_map_append(const struct schedule_trace *trace, const struct schedule_map_range *range,
                        struct text *text)
{
    const size_t n_cpus = trace->n_cpus > 0 ? trace->n_cpus : 1;
    struct map map = {.trace = trace, .columns = SCHEDULE_MAP_CELLS_MAX / n_cpus};
    int r;

    map.columns = range->columns < map.columns ? range->columns : map.columns;
    map.end_ns =
        range->end_ns && range->end_ns < trace->duration_ns ? range->end_ns : trace->duration_ns;
    map.start_ns = range->start_ns < map.end_ns ? range->start_ns : map.end_ns;
    r = make(&map, text);
    for (size_t cpu = 0; map.cpus && cpu < trace->n_cpus; cpu++)
        free(map.cpus[cpu].parts);
    free(map.cpus);
    free(map.cells);
    free(map.numbers);
    free(map.threads);
    return r;
}
