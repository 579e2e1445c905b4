/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What it takes to read a table of keys, beside reading a hash map of the same keys and counts in
 * batches, which copies them, and compares nothing.
 *
 *     sudo bench_keyed [KEYS [TURNS]]
 *
 * Reads the table as a cycle does, where no key has counted since the last reading, where one in a
 * hundred has, and where all have. The two take turns; shown are the least and the median, and what
 * part the median is of that of the batches.
 */
#include <linux/bpf.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/bench.h"
#include "sys/bpf/keyed_table.h"

#define BATCH 512

static struct {
    size_t n_keys, n_turns;
    struct keyed_table *table;
    struct keyed_cell *cells; /* of the table, by number */
    int copied;               /* the hash map */
    uint64_t *times[2];       /* of the table, of the batches */
    size_t told;
} bench;

static long bpf(enum bpf_cmd command, union bpf_attr *attr)
{
    return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static void update(int map, const void *key, const void *value)
{
    union bpf_attr attr = {.map_fd = (__u32)map, .key = (uintptr_t)key, .value = (uintptr_t)value};

    if (bpf(BPF_MAP_UPDATE_ELEM, &attr) < 0)
        bench_die("a key");
}

static void make_copied(void)
{
    union bpf_attr attr = {.map_type = BPF_MAP_TYPE_HASH,
                           .key_size = sizeof(struct keyed_key),
                           .value_size = sizeof(struct keyed_counts),
                           .max_entries = (__u32)bench.n_keys};

    bench.copied = (int)bpf(BPF_MAP_CREATE, &attr);
    if (bench.copied < 0)
        bench_die("a map");
}

/* Gives each key a cell, as a program does. */
static void make_keys(void)
{
    static const struct keyed_counts zeros;
    const struct keyed_maps maps = keyed_table_maps(bench.table);

    bench.cells = mmap(NULL, bench.n_keys * sizeof(*bench.cells), PROT_READ | PROT_WRITE,
                       MAP_SHARED, maps.keyed_cells, 0);
    if (bench.cells == MAP_FAILED)
        bench_die("the cells");
    for (uint32_t i = 0; i < bench.n_keys; i++) {
        const struct keyed_key key = {.slot = i / 4 + 2, .detail = i % 4, .subject = 0x800};

        bench.cells[i].detail = key.detail;
        bench.cells[i].subject = key.subject;
        bench.cells[i].owner = key.slot + 1;
        update(maps.keyed, &key, &i);
        update(bench.copied, &key, &zeros);
    }
}

static void count_some(size_t one_in)
{
    for (size_t i = 0; i < bench.n_keys; i += one_in) {
        struct keyed_counts *counts = &bench.cells[i].counts;

        counts->sums_ns[0] += 1000;
        counts->buckets[0][i % KEYED_BUCKETS]++;
        counts->tallies[0]++;
    }
}

static void take(void *context, const struct keyed_key *key, const struct keyed_delta *delta)
{
    (void)context, (void)key;
    bench.told += delta->tallies[0];
}

static uint64_t read_table(void)
{
    const uint64_t begin_ns = bench_cpu_ns();

    keyed_table_read(bench.table, take, NULL);
    return bench_cpu_ns() - begin_ns;
}

static uint64_t read_batches(void)
{
    static struct keyed_key keys[BATCH];
    static struct keyed_counts counts[BATCH];
    const uint64_t begin_ns = bench_cpu_ns();
    uint64_t from = 0;
    union bpf_attr attr = {.batch = {.out_batch = (uintptr_t)&from,
                                     .keys = (uintptr_t)keys,
                                     .values = (uintptr_t)counts,
                                     .map_fd = (__u32)bench.copied}};
    long r;

    do {
        attr.batch.count = BATCH;
        r = bpf(BPF_MAP_LOOKUP_BATCH, &attr);
        attr.batch.in_batch = (uintptr_t)&from;
    } while (r >= 0);
    if (errno != ENOENT)
        bench_die("a batch");
    return bench_cpu_ns() - begin_ns;
}

/* one_in: 0 if no key has counted. */
static void run(const char *name, size_t one_in)
{
    double medians[2];

    for (size_t turn = 0; turn < bench.n_turns; turn++) {
        if (one_in)
            count_some(one_in);
        bench.times[0][turn] = read_table();
        bench.times[1][turn] = read_batches();
    }
    for (size_t i = 0; i < 2; i++)
        medians[i] = bench_median_us(bench.times[i], bench.n_turns);
    printf("%-20s %9.1f %9.1f %9.1f %9.1f %9.2f\n", name, (double)bench.times[0][0] / 1e3,
           medians[0], (double)bench.times[1][0] / 1e3, medians[1], medians[0] / medians[1]);
}

static size_t argument(int argc, char **argv, int i, size_t otherwise)
{
    return argc > i ? strtoul(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    bench.n_keys = argument(argc, argv, 1, 4096);
    bench.n_turns = argument(argc, argv, 2, 200);
    for (size_t i = 0; i < 2; i++)
        bench.times[i] = calloc(bench.n_turns, sizeof(*bench.times[i]));
    if (!bench.n_turns || !bench.times[0] || !bench.times[1])
        bench_die("memory and turns");
    if (keyed_table_new(bench.n_keys, &bench.table) < 0)
        bench_die("a table");
    make_copied();
    make_keys();
    printf("%zu keys, %zu bytes each\n%-20s %19s %19s\n", bench.n_keys, sizeof(*bench.cells), "",
           "the table", "batches, copied");
    printf("%-20s %9s %9s %9s %9s %9s\n", "us to read all", "least", "median", "least", "median",
           "of them");
    run("none has counted", 0);
    run("1 in 100", 100);
    run("all", 1);
    (void)keyed_table_free(bench.table);
    return bench.told > 0 ? 0 : 1;
}
