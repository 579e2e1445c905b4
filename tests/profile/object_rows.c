/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Prints what a reader takes out of a file: object_rows FILE shows its rows, --functions FILE
 * [DEBUG_FILE] the functions with their names, --map FILE a perf map, --sizes FILE ... a line of
 * figures for each. Addresses are those of the file.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "profile/object_table.h"
#include "profile/program_reader.h"
#include "support/program.h"

/* Has a job done, and waits. */
static struct object_result read_object(struct object_reader *reader, const struct object_job *job)
{
    struct pollfd end = {.fd = object_reader_fd(reader), .events = POLLIN};
    struct object_result result;

    errno = -object_reader_begin(reader, job);
    if (errno || poll(&end, 1, -1) != 1)
        die("object_reader_begin");
    errno = -object_reader_finish(reader, &result);
    if (errno)
        die("object_reader_finish");
    return result;
}

static int open_file(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        die(path);
    return fd;
}

/* The table of a file. NULL: it has none, which is told. */
static struct object_table *read_table(struct object_reader *reader, int fd)
{
    const struct object_job job = {.kind = OBJECT_JOB_TABLE, .fd = fd, .debug_fd = -1};
    const struct object_result result = read_object(reader, &job);
    struct object_table *table = NULL;

    if (result.outcome != OBJECT_READ) {
        (void)printf("%s\n", object_outcome_name(result.outcome));
        return NULL;
    }
    errno = -object_table_parse(result.bytes, result.n, &table);
    if (errno)
        die("object_table_parse");
    return table;
}

static void print_row(const struct object_table *table, const struct object_row *row)
{
    static const char *const cfas[] = {"none",     "end",      "sp",  "fp",
                                       "sp_deref", "fp_deref", "plt", "signal"};
    static const char *const registers[] = {"same", "cfa", "lost"};
    const struct unwind_rule *rule = &table->rules[row->rule];

    (void)printf("%" PRIx64 " %s%+d%+d fp=%s%+d ra=%s%+d\n", table->base + row->address,
                 cfas[rule->cfa], 8 * rule->cfa_offset, 8 * rule->extra, registers[rule->fp],
                 8 * rule->fp_offset, registers[rule->ra], 8 * rule->ra_offset);
}

static void print_rows(struct object_reader *reader, const char *path)
{
    AUTO(object_table) struct object_table *table = read_table(reader, open_file(path));

    for (size_t i = 0; table && i < table->n_rows; i++)
        print_row(table, &table->rows[i]);
}

static void print_names(const struct object_table *table, const struct object_job *job,
                        const struct object_result *result, size_t from)
{
    struct object_names names;

    if (result->outcome != OBJECT_READ) {
        (void)printf("%s\n", object_outcome_name(result->outcome));
        return;
    }
    errno = -object_names_parse(result->bytes, result->n, job->n_starts, &names);
    if (errno)
        die("object_names_parse");
    for (size_t i = 0; i < names.n; i++)
        (void)printf("%" PRIx64 " %s\n",
                     table->base + (table->starts[from + i] & ~OBJECT_START_GAP),
                     table->starts[from + i] & OBJECT_START_GAP ? "-"
                     : names.names[i]                           ? names.names[i]
                                                                : "?");
    object_names_done(&names);
}

static void print_functions(struct object_reader *reader, const char *path, const char *debug)
{
    const int fd = open_file(path);
    AUTO(object_table) struct object_table *table = read_table(reader, fd);
    struct object_job job = {.kind = OBJECT_JOB_NAMES, .fd = fd, .debug_fd = -1};

    if (debug)
        job.debug_fd = open_file(debug);
    for (size_t i = 0; table && i < table->n_starts; i += job.n_starts) {
        const size_t left = table->n_starts - i;
        struct object_result result;

        job.starts = table->starts + i;
        job.n_starts = left < OBJECT_JOB_STARTS_MOST ? left : OBJECT_JOB_STARTS_MOST;
        result = read_object(reader, &job);
        print_names(table, &job, &result, i);
    }
}

static void print_map(struct object_reader *reader, const char *path)
{
    const struct object_job job = {.kind = OBJECT_JOB_MAP, .fd = open_file(path), .debug_fd = -1};
    const struct object_result result = read_object(reader, &job);
    AUTO(perf_map) struct perf_map *map = NULL;

    if (result.outcome != OBJECT_READ) {
        (void)printf("%s\n", object_outcome_name(result.outcome));
        return;
    }
    errno = -perf_map_parse(result.bytes, result.n, &map);
    if (errno)
        die("perf_map_parse");
    for (size_t i = 0; i < map->n; i++)
        (void)printf("%" PRIx64 " %" PRIx64 " %s\n", map->rows[i].start, map->rows[i].end,
                     map->rows[i].name);
}

static void print_sizes(struct object_reader *reader, const char *path)
{
    const struct object_job job = {.kind = OBJECT_JOB_TABLE, .fd = open_file(path), .debug_fd = -1};
    const uint64_t start_ns = clock_monotonic_ns();
    const struct object_result result = read_object(reader, &job);
    const uint64_t read_ns = clock_monotonic_ns();
    AUTO(object_table) struct object_table *table = NULL;

    (void)close(job.fd);
    if (result.outcome != OBJECT_READ) {
        (void)printf("%s: %s\n", path, object_outcome_name(result.outcome));
        return;
    }
    errno = -object_table_parse(result.bytes, result.n, &table);
    if (errno)
        die("object_table_parse");
    (void)printf("%s: rows %zu rules %zu starts %zu bytes %zu cpu_ms %.1f wall_ms %.1f parse_ms "
                 "%.2f\n",
                 path, table->n_rows, table->n_rules, table->n_starts, result.n,
                 (double)result.cpu_ns / 1e6, (double)(read_ns - start_ns) / 1e6,
                 (double)(clock_monotonic_ns() - read_ns) / 1e6);
}

int main(int argc, char **argv)
{
    AUTO(object_reader) struct object_reader *reader = NULL;

    errno = -program_reader_new(&reader);
    if (errno)
        die("program_reader_new");
    if (argc == 2)
        print_rows(reader, argv[1]);
    else if ((argc == 3 || argc == 4) && strcmp(argv[1], "--functions") == 0)
        print_functions(reader, argv[2], argc == 4 ? argv[3] : NULL);
    else if (argc == 3 && strcmp(argv[1], "--map") == 0)
        print_map(reader, argv[2]);
    else if (argc >= 3 && strcmp(argv[1], "--sizes") == 0)
        for (int i = 2; i < argc; i++)
            print_sizes(reader, argv[i]);
    else
        return 2;
    return 0;
}
