/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What latencies take: memory for each target and CPU, and CPU time to read all targets once.
 *
 *     bench_latency [SLOTS [CPUS [TURNS]]]
 *
 * Reads the cells as a cycle does, where no target has switched since the last reading, where one
 * in a hundred has, and where all have. Shown are the least and the median of all turns. Needs
 * nothing of the machine.
 */
#include "bench/bench.h"
#include "count/bpf/slots.h"

static struct {
    size_t n_slots, n_cpus, n_turns;
    struct switch_program_latency *cells; /* [cpu][slot] */
    struct slot_latencies *latencies;
    struct bpf_slots *slots;
    uint64_t *times;
} bench;

/* What a switch does, on each CPU for one in so many slots. */
static void switch_some(size_t one_in)
{
    for (size_t i = 0; i < bench.n_slots * bench.n_cpus; i += one_in) {
        struct switch_program_latency *cell = &bench.cells[i];

        cell->sums_ns[LATENCY_RUN_QUEUE] += 1000;
        cell->buckets[i % LATENCY_BUCKETS]++;
        cell->tallies[LATENCY_SWITCHES_VOLUNTARY]++;
        cell->changes++;
    }
}

static uint64_t read_all(void)
{
    const uint64_t begin_ns = bench_cpu_ns();

    bpf_slots_note_refresh(bench.slots);
    (void)bpf_slots_latencies(bench.slots, SWITCH_PROGRAM_REST);
    return bench_cpu_ns() - begin_ns;
}

/* one_in: 0 if none has switched. */
static void run(const char *name, size_t one_in)
{
    double median_us;

    for (size_t turn = 0; turn < bench.n_turns; turn++) {
        if (one_in)
            switch_some(one_in);
        bench.times[turn] = read_all();
    }
    median_us = bench_median_us(bench.times, bench.n_turns);
    printf("%-20s %9.1f %9.1f\n", name, (double)bench.times[0] / 1e3, median_us);
}

static size_t argument(int argc, char **argv, int i, size_t otherwise)
{
    return argc > i ? strtoul(argv[i], NULL, 10) : otherwise;
}

/* Cgroups beside each other. */
static void make_slots(void)
{
    const struct slot_cells cells = {.lanes =
                                         calloc(bench.n_slots * bench.n_cpus, sizeof(uint64_t)),
                                     .n_cpus = bench.n_cpus,
                                     .n_slots = bench.n_slots,
                                     .n_lanes = 1,
                                     .n_reserved = SWITCH_PROGRAM_FIRST};
    struct cgroup_lineage *lineage = malloc(sizeof(*lineage) + sizeof(*lineage->ids));
    bool new;

    bench.latencies =
        slot_latencies_new(&(struct latency_memory){bench.cells, bench.n_cpus, bench.n_slots});
    bench.slots = bpf_slots_new(&cells, bench.latencies);
    if (!cells.lanes || !lineage || !bench.latencies || !bench.slots)
        bench_die("memory");
    lineage->n = 1;
    for (size_t slot = SWITCH_PROGRAM_FIRST; slot < bench.n_slots; slot++) {
        size_t entered;

        lineage->ids[0] = slot;
        if (bpf_slots_enter(bench.slots, lineage, &entered, &new) < 0)
            bench_die("memory");
    }
    free(lineage);
}

int main(int argc, char **argv)
{
    bench.n_slots = argument(argc, argv, 1, 4096);
    bench.n_cpus = argument(argc, argv, 2, 2);
    bench.n_turns = argument(argc, argv, 3, 200);
    bench.cells = calloc(bench.n_slots * bench.n_cpus, sizeof(*bench.cells));
    bench.times = calloc(bench.n_turns, sizeof(*bench.times));
    if (!bench.cells || !bench.times || !bench.n_turns)
        bench_die("memory and turns");
    make_slots();
    printf("%zu bytes for each target and CPU; %zu slots, %zu CPUs:\n", sizeof(*bench.cells),
           bench.n_slots, bench.n_cpus);
    printf("%-20s %9s %9s\n", "us to read all", "least", "median");
    run("none has switched", 0);
    run("1 in 100", 100);
    run("all", 1);
    (void)bpf_slots_free(bench.slots);
    (void)slot_latencies_free(bench.latencies);
    free(bench.cells);
    free(bench.times);
    return 0;
}
