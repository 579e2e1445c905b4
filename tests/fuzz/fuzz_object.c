/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Programs and libraries as a worker reads them: whatever the file, the table and the names hold.
 * The same bytes are also given to those who take what a worker has written.
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "profile/code_listing.h"
#include "profile/disassembler.h"
#include "profile/object_table.h"
#include "profile/object_worker.h"

/* Of the starts of a table; more of them find no other ways. */
#define STARTS_MOST 256
#define LISTED_MOST 4

/* Memory that is written anew for each input. */
static int memory(int *fd)
{
    if (*fd < 0)
        *fd = memfd_create("fuzz", MFD_CLOEXEC);
    FUZZ_CHECK(*fd >= 0 && ftruncate(*fd, 0) == 0 && lseek(*fd, 0, SEEK_SET) == 0);
    return *fd;
}

/* Has a job done. The bytes are the caller's; NULL: there is no result. */
static char *work(struct worker_job *job, size_t *ret_n)
{
    static int output = -1;
    struct stat status;
    char *bytes;

    job->output = memory(&output);
    if (object_worker_run(job) != OBJECT_READ)
        return NULL;
    FUZZ_CHECK(fstat(output, &status) == 0);
    *ret_n = (size_t)status.st_size;
    bytes = malloc(*ret_n + 1);
    FUZZ_CHECK(bytes && pread(output, bytes, *ret_n, 0) == (ssize_t)*ret_n);
    return bytes;
}

static void check_names(const struct object_table *table, int fd)
{
    struct worker_job job = {.kind = OBJECT_JOB_NAMES, .fd = fd, .debug_fd = fd};
    struct object_names names;
    uint32_t starts[STARTS_MOST];
    char *bytes;
    size_t n;

    while (job.n_starts < table->n_starts && job.n_starts < STARTS_MOST) {
        starts[job.n_starts] = table->starts[job.n_starts] & ~OBJECT_START_GAP;
        job.n_starts++;
    }
    job.starts = starts;
    bytes = work(&job, &n);
    if (!bytes)
        return;
    FUZZ_CHECK(object_names_parse(bytes, n, job.n_starts, &names) == 0);
    object_names_done(&names);
    free(bytes);
}

/* A listing of the function that begins there. */
static void check_code(const struct object_table *table, uint32_t start, int fd)
{
    const uint32_t starts[] = {start, object_table_function_end(table, start)};
    struct worker_job job = {.kind = OBJECT_JOB_CODE,
                             .fd = fd,
                             .debug_fd = fd,
                             .starts = starts,
                             .n_starts = ARRAY_SIZE(starts)};
    struct code_listing *listing;
    size_t n;
    char *bytes;

    (void)disassembler_load();
    bytes = work(&job, &n);
    if (!bytes)
        return;
    FUZZ_CHECK(code_listing_parse(bytes, n, starts[0], starts[1], &listing) == 0);
    (void)code_listing_free(listing);
    free(bytes);
}

static void check_codes(const struct object_table *table, int fd)
{
    check_code(table, 0, fd);
    for (size_t i = 0; i < table->n_starts && i < LISTED_MOST; i++)
        check_code(table, table->starts[i] & ~OBJECT_START_GAP, fd);
}

static void check_functions(const struct object_table *table)
{
    for (size_t i = 0; i < table->n_starts; i++) {
        const uint32_t address = table->starts[i] & ~OBJECT_START_GAP;
        uint32_t start = UINT32_MAX;
        const bool found = object_table_function(table, address, &start);

        FUZZ_CHECK(found == !(table->starts[i] & OBJECT_START_GAP));
        FUZZ_CHECK(!found || start == address);
    }
}

/* What is mapped has an address, and what is not has none. */
static void check_segments(const struct object_table *table)
{
    uint32_t address;

    for (size_t i = 0; i < table->n_segments; i++) {
        const struct object_segment *const segment = &table->segments[i];
        const uint64_t end = segment->offset + segment->size;

        if (segment->size > 0 && segment->offset <= UINT32_MAX)
            FUZZ_CHECK(object_table_address(table, (uint32_t)segment->offset, &address));
        if (table->n_segments == 1 && end <= UINT32_MAX)
            FUZZ_CHECK(!object_table_address(table, (uint32_t)end, &address));
    }
}

static void check_file(int fd)
{
    struct worker_job job = {.kind = OBJECT_JOB_TABLE, .fd = fd, .debug_fd = -1};
    struct object_table *table = NULL;
    size_t n;
    char *bytes = work(&job, &n);

    if (!bytes)
        return;
    FUZZ_CHECK(object_table_parse(bytes, n, &table) == 0);
    free(bytes);
    check_functions(table);
    check_segments(table);
    check_names(table, fd);
    check_codes(table, fd);
    (void)object_table_free(table);
}

/* The file as a perf map: each function that is told is found at its first address and its last. */
static void check_map(int fd)
{
    struct worker_job job = {.kind = OBJECT_JOB_MAP, .fd = fd, .debug_fd = -1};
    struct perf_map *map = NULL;
    size_t n;
    char *bytes = work(&job, &n);

    if (!bytes)
        return;
    FUZZ_CHECK(perf_map_parse(bytes, n, &map) == 0);
    free(bytes);
    for (size_t i = 0; i < map->n; i++) {
        FUZZ_CHECK(perf_map_find(map, map->rows[i].start) == &map->rows[i]);
        FUZZ_CHECK(perf_map_find(map, map->rows[i].end - 1) == &map->rows[i]);
    }
    (void)perf_map_free(map);
}

/* What is no job for it writes nothing. */
static void check_other_jobs(int fd)
{
    struct worker_job job = {.kind = OBJECT_JOB_STATE, .fd = fd, .debug_fd = -1};
    size_t n;

    FUZZ_CHECK(!work(&job, &n));
}

/* Who checks a result is given what no worker has written. */
static void check_parsers(const uint8_t *data, size_t size)
{
    struct object_table *table = NULL;
    struct object_names names;
    struct code_listing *listing = NULL;
    struct perf_map *map = NULL;
    uint32_t start;

    if (object_table_parse(data, size, &table) == 0) {
        (void)object_table_function(table, 0x1000, &start);
        (void)object_table_free(table);
    }
    for (size_t n = 0; n < 4; n++)
        if (object_names_parse(data, size, n, &names) == 0)
            object_names_done(&names);
    if (code_listing_parse(data, size, 0, UINT32_MAX, &listing) == 0)
        (void)code_listing_free(listing);
    if (perf_map_parse(data, size, &map) == 0) {
        (void)perf_map_find(map, 0x1000);
        (void)perf_map_free(map);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int input = -1;
    const int fd = memory(&input);

    FUZZ_CHECK(write(fd, data, size) == (ssize_t)size);
    check_file(fd);
    check_map(fd);
    check_other_jobs(fd);
    check_parsers(data, size);
    return 0;
}
