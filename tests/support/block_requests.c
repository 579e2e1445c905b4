/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Makes known requests of a block device and prints what the program for block devices has counted
 * meanwhile.
 *
 *     block_requests [-e ENTRIES] [-c CGROUP]… [-w] DEVICE STEP…
 *
 * Each cgroup, a directory, gets a slot, from SWITCH_PROGRAM_FIRST on; with -w this process gets
 * the next one. ENTRIES: the places of the table. Steps, each of N times 4 KiB, at blocks that
 * follow each other:
 *
 *     at=BLOCK              where the next step begins
 *     read=N, write=N       direct, each waits for its end
 *     together=N            N reads at once, of every second block
 *     buffered=N            written to the page cache
 *     discard=N, flush=N
 *     move=CGROUP           goes to a cgroup
 *     forget=SLOT           has the cgroup's slot taken away, as the k-th of -c, from 0 on
 *     load                  loads the programs; all before that is not counted
 *     wait                  says so, and goes on after a line of the input
 *
 * Prints each step, how many of its N have failed and what time they took (ns); and at the end, if
 * the programs were loaded, a line for each key: "cell
 * SLOT OPERATION MAJOR:MINOR REQUESTS BYTES ERRORS UNKNOWN LATENCIES SUM_NS QUEUED SUM_NS", then
 * "lost N" and "elapsed NS" since the load. Status 77 and a reason where there is no bpf.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/bpf/block/program.h"
#include "sys/bpf/switch/program.h"

#define BYTES       4096
#define MOST_GROUPS 8

struct bench {
    size_t entries, n_cgroups;
    const char *cgroups[MOST_GROUPS];
    bool watches;
    int direct, buffered; /* descriptors of the device */
    char *block;
    uint64_t at;
    struct switch_program *who;
    struct keyed_program *block_program;
    uint64_t since_ns;
};

static void fail(const char *what)
{
    fprintf(stderr, "block_requests: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* The id of a cgroup is the number of its directory. */
static uint64_t id_of(const char *cgroup)
{
    struct stat found;

    if (stat(cgroup, &found) < 0)
        fail(cgroup);
    return found.st_ino;
}

static void move_to(const char *cgroup)
{
    char path[4096];
    int fd;

    (void)snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "0", 1) != 1)
        fail(path);
    (void)close(fd);
}

static void refuse(enum bpf_refusal refusal)
{
    printf("%s\n", bpf_refusal_text(refusal));
    exit(refusal == BPF_REFUSAL_OTHER ? 1 : 77);
}

static void load(struct bench *bench)
{
    const size_t n_cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF);
    const struct switch_program_size size = {
        .n_cpus = n_cpus, .n_slots = 32, .n_lanes = 3, .n_watched = 1};
    enum bpf_refusal refusal;
    size_t slot = SWITCH_PROGRAM_FIRST;

    if (switch_program_load(&size, &bench->who, &refusal) < 0)
        refuse(refusal);
    for (size_t i = 0; i < bench->n_cgroups; i++)
        if (switch_program_set_slot(bench->who, id_of(bench->cgroups[i]), slot++) < 0)
            fail("no slot");
    if (bench->watches &&
        switch_program_watch(bench->who, switch_program_own_number(bench->who), slot, false) < 0)
        fail("the process cannot be watched");
    switch_program_set_watching(bench->who, bench->watches);
    if (block_program_load(bench->who, bench->entries, &bench->block_program, &refusal) < 0)
        refuse(refusal);
    bench->since_ns = clock_monotonic_ns();
}

typedef bool deed(struct bench *bench);

static bool do_read(struct bench *bench)
{
    return pread(bench->direct, bench->block, BYTES, (off_t)(bench->at * BYTES)) == BYTES;
}

static bool do_write(struct bench *bench)
{
    return pwrite(bench->direct, bench->block, BYTES, (off_t)(bench->at * BYTES)) == BYTES;
}

static bool do_buffered(struct bench *bench)
{
    return pwrite(bench->buffered, bench->block, BYTES, (off_t)(bench->at * BYTES)) == BYTES;
}

static bool do_discard(struct bench *bench)
{
    const uint64_t range[2] = {bench->at * BYTES, BYTES};

    return ioctl(bench->direct, BLKDISCARD, range) == 0;
}

static bool do_flush(struct bench *bench)
{
    return fsync(bench->direct) == 0;
}

static const struct {
    const char *name;
    deed *deed;
} deeds[] = {
    {"read", do_read},       {"write", do_write}, {"buffered", do_buffered},
    {"discard", do_discard}, {"flush", do_flush},
};

/* All are given to the device before the first is awaited. */
static void read_together(struct bench *bench, long n)
{
    const uint64_t begin_ns = clock_monotonic_ns();
    struct iocb *blocks = calloc((size_t)n, sizeof(*blocks));
    struct iocb **pointers = calloc((size_t)n, sizeof(*pointers));
    struct io_event *events = calloc((size_t)n, sizeof(*events));
    aio_context_t context = 0;
    long n_well = 0, n_given = 0;

    if (!blocks || !pointers || !events || syscall(SYS_io_setup, n, &context) < 0)
        fail("io_setup");
    for (long i = 0; i < n; i++, bench->at += 2) {
        blocks[i] = (struct iocb){.aio_lio_opcode = IOCB_CMD_PREAD,
                                  .aio_fildes = (uint32_t)bench->direct,
                                  .aio_buf = (uintptr_t)bench->block,
                                  .aio_nbytes = BYTES,
                                  .aio_offset = (int64_t)(bench->at * BYTES)};
        pointers[i] = &blocks[i];
    }
    while (n_given < n) {
        const long given = syscall(SYS_io_submit, context, n - n_given, pointers + n_given);

        if (given <= 0)
            fail("io_submit");
        n_given += given;
    }
    if (syscall(SYS_io_getevents, context, n, n, events, NULL) != n)
        fail("io_getevents");
    for (long i = 0; i < n; i++)
        n_well += events[i].res == BYTES;
    (void)syscall(SYS_io_destroy, context);
    free(blocks);
    free(pointers);
    free(events);
    printf("together %ld failed %ld took %" PRIu64 "\n", n, n - n_well,
           clock_monotonic_ns() - begin_ns);
}

static void wait_for_line(void)
{
    char line[16];

    printf("waiting\n");
    if (!fgets(line, sizeof(line), stdin))
        fail("the input has ended");
}

/* A step with a number; false: there is no such step. */
static bool do_times(struct bench *bench, const char *name, size_t length, unsigned long n)
{
    for (size_t i = 0; i < sizeof(deeds) / sizeof(*deeds); i++) {
        const uint64_t begin_ns = clock_monotonic_ns();
        unsigned long failed = 0;

        if (strlen(deeds[i].name) != length || strncmp(deeds[i].name, name, length) != 0)
            continue;
        for (unsigned long j = 0; j < n; j++, bench->at++)
            failed += !deeds[i].deed(bench);
        printf("%s %lu failed %lu took %" PRIu64 "\n", deeds[i].name, n, failed,
               clock_monotonic_ns() - begin_ns);
        return true;
    }
    return false;
}

static void forget(struct bench *bench, size_t i)
{
    if (switch_program_clear_slot(bench->who, id_of(bench->cgroups[i])) < 0)
        fail("the slot stays");
}

static void do_step(struct bench *bench, const char *step)
{
    const char *value = strchr(step, '=');
    const size_t length = value ? (size_t)(value++ - step) : strlen(step);

    if (strcmp(step, "load") == 0)
        load(bench);
    else if (strcmp(step, "wait") == 0)
        wait_for_line();
    else if (strncmp(step, "move=", 5) == 0)
        move_to(value);
    else if (strncmp(step, "forget=", 7) == 0)
        forget(bench, strtoul(value, NULL, 10));
    else if (strncmp(step, "together=", 9) == 0)
        read_together(bench, strtol(value, NULL, 10));
    else if (strncmp(step, "at=", 3) == 0)
        bench->at = strtoul(value, NULL, 10);
    else if (!value || !do_times(bench, step, length, strtoul(value, NULL, 10))) {
        errno = EINVAL;
        fail(step);
    }
}

static void print_distribution(const struct keyed_delta *delta, size_t distribution)
{
    printf(" %" PRIu64 " ", delta->sums_ns[distribution]);
    for (size_t i = 0; i < KEYED_BUCKETS; i++)
        printf(i > 0 ? ",%" PRIu64 : "%" PRIu64, delta->buckets[distribution][i]);
}

static void print_cell(void *context, const struct keyed_key *key, const struct keyed_delta *delta)
{
    (void)context;
    printf("cell %u %u %u:%u", key->slot, key->detail, major(key->subject), minor(key->subject));
    for (size_t i = 0; i < KEYED_TALLIES; i++)
        printf(" %" PRIu64, delta->tallies[i]);
    for (size_t i = 0; i < KEYED_DISTRIBUTIONS; i++)
        print_distribution(delta, i);
    printf("\n");
}

static void open_device(struct bench *bench, const char *device)
{
    bench->direct = open(device, O_RDWR | O_DIRECT | O_CLOEXEC);
    bench->buffered = open(device, O_RDWR | O_CLOEXEC);
    if (bench->direct < 0 || bench->buffered < 0)
        fail(device);
    bench->block = aligned_alloc(BYTES, BYTES);
    if (!bench->block)
        fail("no memory");
    memset(bench->block, 'x', BYTES);
}

static void read_options(struct bench *bench, int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "e:c:w")) >= 0) {
        if (option == 'e')
            bench->entries = strtoul(optarg, NULL, 10);
        else if (option == 'c' && bench->n_cgroups < MOST_GROUPS)
            bench->cgroups[bench->n_cgroups++] = optarg;
        else if (option == 'w')
            bench->watches = true;
        else
            exit(2);
    }
}

int main(int argc, char **argv)
{
    struct bench bench = {.entries = 1000};

    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    read_options(&bench, argc, argv);
    if (optind >= argc)
        return 2;
    open_device(&bench, argv[optind++]);
    while (optind < argc)
        do_step(&bench, argv[optind++]);
    if (!bench.block_program)
        return 0;
    printf("elapsed %" PRIu64 "\n", clock_monotonic_ns() - bench.since_ns);
    keyed_table_read(keyed_program_table(bench.block_program), print_cell, NULL);
    printf("lost %" PRIu64 "\n", keyed_program_lost(bench.block_program));
    (void)keyed_program_free(bench.block_program);
    (void)switch_program_free(bench.who);
    free(bench.block);
    return 0;
}
