/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What the history costs: records some time of made-up targets (1,000), a second each up to now,
 * and prints the bytes of a sample on disk at each level, the memory, the CPU time of recording,
 * and that of reading an hour of one target. One target in twenty is busy, five are lightly loaded,
 * the others run now and then. With a file name it writes what TEXT_TARGETS of them counted in the
 * last hour as OpenMetrics, for promtool; "-" is none. With `latency` they have all distributions
 * of latency too.
 *
 *     bench_history DIRECTORY SECONDS [FILE [TARGETS [latency]]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "history/store.h"

#define TARGETS_MAX  10000
#define TEXT_TARGETS 20
#define HOUR_S       UINT64_C(3600)
#define EVENTS       8

static size_t n_targets = 1000;
static uint64_t begin_s; /* the time of day at which recording begins */

static const char *const names[EVENTS] = {"cycles",         "instructions", "branches",
                                          "branch-misses",  "task-clock",   "context-switches",
                                          "cpu-migrations", "page-faults"};

static struct event events[EVENTS];

static double random_share(void)
{
    return (double)random() / (double)RAND_MAX;
}

/* How much of a second a target runs. */
static double load_of(size_t target)
{
    if (target % 20 == 0)
        return 0.6 + 0.3 * random_share();
    if (target % 20 <= 5)
        return 0.01 + 0.02 * random_share();
    return random() % 30 == 0 ? 0.001 * (1 + random_share()) : 0;
}

static void count(struct sample *sample, size_t target)
{
    const double load = load_of(target), per_cycle = 0.9 + 0.2 * random_share();
    const double counts[EVENTS] = {load * 3e9,
                                   load * 3e9 * per_cycle,
                                   load * 6e8 * per_cycle,
                                   load * 1e7 * (0.5 + random_share()),
                                   load * 1e9,
                                   load > 0 ? 5 + load * 200 * random_share() : 0,
                                   load > 0 ? 3 * random_share() : 0,
                                   load > 0 ? 50 * load * random_share() : 0};

    for (size_t g = 0; g < 2; g++)
        sample->groups[g] = (struct group_sample){.counted = true,
                                                  .ran = load > 0,
                                                  .enabled = (uint64_t)counts[4],
                                                  .running = (uint64_t)counts[4]};
    for (size_t i = 0; i < EVENTS; i++)
        sample->events[i].count = (uint64_t)counts[i];
}

/* Some switches, with waits and slices of lengths that vary by a factor of some dozens. */
static void count_latencies(struct sample *sample, size_t target)
{
    const double load = load_of(target);
    const size_t n = load > 0 ? 5 + (size_t)(load * 200 * random_share()) : 0;

    sample->latencies = (struct latencies){.tallies[LATENCY_SWITCHES_VOLUNTARY] = n};
    for (size_t d = 0; d < LATENCY_DISTRIBUTION_COUNT_; d++)
        for (size_t i = 0; i < n && (d < LATENCY_OFF_CPU_UNINTERRUPTIBLE || target % 20 == 0);
             i++) {
            const size_t bucket = 2 + (size_t)(3 * random_share() + 3 * random_share());

            sample->latencies.buckets[latency_layouts[d].first + bucket]++;
            sample->latencies.sums_ns[d] += (uint64_t)(1000 * random_share()) << bucket;
        }
}

static struct plan *make_plan(unsigned latency, struct event_groups **ret_groups)
{
    const struct event *core[] = {&events[0], &events[1], &events[2], &events[3]};
    const struct event *software[] = {&events[4], &events[5], &events[6], &events[7]};
    const struct group_spec groups[] = {{.name = "core", .events = core, .n_events = 4},
                                        {.name = "software", .events = software, .n_events = 4}};
    const struct plan_spec spec = {.prefix = "pmu_cgroup_",
                                   .target = "it",
                                   .start_time = true,
                                   .totals = true,
                                   .group_times = true,
                                   .rates = true,
                                   .ratios = true,
                                   .latency = latency};
    struct plan *plan = NULL;

    for (size_t i = 0; i < EVENTS; i++)
        events[i] = (struct event){.name = strdup(names[i]),
                                   .metric = strdup(names[i]),
                                   .description = strdup("x"),
                                   .encoding = strdup("x"),
                                   .pmu = strdup("cpu"),
                                   .scale = 1};
    events[4].scale = EVENT_SCALE_NANOSECONDS;
    events[4].is_clock = true;
    if (event_groups_new(SCOPE_CGROUP, groups, 2, ret_groups) < 0)
        return NULL;
    (*ret_groups)->groups[0].n_opened = (*ret_groups)->groups[1].n_opened = 4;
    return plan_new(&spec, *ret_groups, &plan) < 0 ? NULL : plan;
}

static void write_text(FILE *text, struct account *const *accounts, uint64_t second)
{
    for (size_t t = 0; text && t < TEXT_TARGETS; t++)
        for (size_t i = 0; i < accounts[t]->plan->n_described; i++) {
            const struct column *column = &accounts[t]->plan->columns[i];

            if (column->kind == COLUMN_TOTAL || column->kind == COLUMN_GROUP_ENABLED ||
                column->kind == COLUMN_GROUP_RUNNING)
                (void)fprintf(text, "n%zu_total{cgroup=\"/system.slice/%zu\"} %llu %llu\n", i, t,
                              (unsigned long long)accounts[t]->row[i].count,
                              (unsigned long long)(begin_s + second));
        }
}

/* What is stored of a level. */
struct stored {
    uint64_t chunks, samples, bytes;
    uint64_t oldest_ms;
};

static int add_stored(const struct chunk_row *row, uint64_t id, void *context)
{
    struct stored *stored = (struct stored *)context + row->level;
    AUTO(layout) struct layout *layout = NULL;
    AUTO_CHUNK_ROWS struct chunk_rows rows = {0};

    (void)id;
    if (layout_parse(row->layout, row->layout_length, &layout) < 0 ||
        chunk_decode(row->blob, row->blob_length, layout->n_totals, &rows) < 0)
        return 0;
    for (size_t i = rows.has_base; i < rows.n_rows; i++)
        for (size_t j = 0; j < rows.n_numbers; j++)
            stored->samples += rows.totals[i * rows.n_numbers + j] != ROW_UNKNOWN;
    stored->bytes += row->blob_length;
    if (stored->chunks++ == 0 || row->start_ms < stored->oldest_ms)
        stored->oldest_ms = row->start_ms;
    return 0;
}

static void print_stored(struct history_store *store)
{
    static const char *const levels[LEVELS_] = {"each second", "ten seconds", "minutes"};
    struct stored stored[LEVELS_] = {0};
    const double now_s = (double)clock_realtime_ns() / 1e9;
    uint64_t used = 0, samples = 0;

    (void)chunk_table_all(&store->past.disk, add_stored, stored);
    (void)database_size(&store->past.disk, &used);
    for (size_t i = 0; i < LEVELS_; i++) {
        samples += stored[i].samples;
        if (stored[i].chunks > 0)
            (void)printf("%s: %llu samples in %llu chunks, %.3f bytes each, from %.1f h ago\n",
                         levels[i], (unsigned long long)stored[i].samples,
                         (unsigned long long)stored[i].chunks,
                         (double)stored[i].bytes / (double)stored[i].samples,
                         (now_s - (double)stored[i].oldest_ms / 1000) / 3600);
    }
    (void)printf("the file: %.1f MB, %.3f bytes for each of its samples\n", (double)used / 1e6,
                 (double)used / (double)samples);
}

static void read_hours(struct history_store *store, uint64_t seconds)
{
    const uint64_t begin = clock_thread_cpu_ns();
    size_t points = 0;

    for (size_t i = 0; i < 40; i++) {
        char key[64];
        struct history_query query = {.target = key,
                                      .start_ns = (begin_s + seconds - HOUR_S) * NS_PER_SECOND,
                                      .end_ns = (begin_s + seconds) * NS_PER_SECOND,
                                      .step_ns = NS_PER_SECOND};
        AUTO(history_answer) struct history_answer *answer = NULL;

        (void)snprintf(key, sizeof(key), "cgroup:/system.slice/%zu", i);
        if (history_store_query(store, &query, &answer) == 0)
            points += answer->n_times * answer->n_series;
    }
    (void)printf("reading the last hour of one target: %.2f ms of CPU, %zu values\n",
                 (double)(clock_thread_cpu_ns() - begin) / 40e6, points / 40);
}

static uint64_t resident_bytes(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file && fscanf(file, "%*u %lu", &pages) != 1)
        pages = 0;
    if (file)
        (void)fclose(file);
    return pages * 4096;
}

static void make_accounts(struct plan *plan, struct account *accounts[TARGETS_MAX])
{
    for (size_t t = 0; t < n_targets; t++) {
        char name[64];
        const struct label label = {"cgroup", name};

        (void)snprintf(name, sizeof(name), "/system.slice/%zu", t);
        accounts[t] = account_new(plan, identity_new(&label, 1, NULL, 0), 5);
    }
}

/* A snapshot is never taken at the very second. */
static void set_times(struct snapshot *snapshot, uint64_t second)
{
    snapshot->taken_ns = (1000 + second) * NS_PER_SECOND + (uint64_t)random() % 100000;
    snapshot->taken_realtime_ns = (begin_s + second) * NS_PER_SECOND + (uint64_t)random() % 100000;
}

int main(int argc, char **argv)
{
    const struct history_options options = {
        .directory = argc > 1 ? argv[1] : NULL,
        .limits = {HOUR_S * NS_PER_SECOND, 24 * HOUR_S * NS_PER_SECOND,
                   7 * 24 * HOUR_S * NS_PER_SECOND, UINT64_C(1) << 30}};
    const struct exporter_status status = {.interval_ns = NS_PER_SECOND};
    struct account *accounts[TARGETS_MAX];
    struct event_groups *groups = NULL;
    struct plan *plan = make_plan(argc > 5 ? LATENCY_SCHEDULER : 0, &groups);
    struct sample *sample = sample_new(groups);
    struct catalogue *catalogue = NULL;
    struct roster *roster = NULL;
    struct history_store store;
    FILE *text = argc > 3 && strcmp(argv[3], "-") != 0 ? fopen(argv[3], "w") : NULL;
    const uint64_t seconds = argc > 2 ? strtoull(argv[2], NULL, 10) : HOUR_S;
    uint64_t cpu_ns = 0, before, most = 0;

    if (argc > 4)
        n_targets = strtoull(argv[4], NULL, 10);
    if (n_targets < 40 || n_targets > TARGETS_MAX)
        return 2;
    begin_s = clock_realtime_ns() / NS_PER_SECOND - seconds;
    make_accounts(plan, accounts);
    if (catalogue_new(&plan, 1, NULL, 0, &catalogue) < 0 ||
        roster_new(catalogue, accounts, n_targets, &roster) < 0 ||
        history_store_init(&store, &options) < 0)
        return 1;
    before = resident_bytes();
    history_store_open(&store);
    for (uint64_t second = 1; second <= seconds; second++) {
        struct snapshot *snapshot;
        uint64_t begin;

        for (size_t t = 0; t < n_targets; t++) {
            count(sample, t);
            account_update(accounts[t], sample);
            if (plan->n_histograms > 0)
                count_latencies(sample, t);
            account_add_latencies(accounts[t], &sample->latencies);
        }
        if (second + HOUR_S > seconds)
            write_text(text, accounts, second);
        snapshot = snapshot_new(roster, accounts, n_targets, &status);
        set_times(snapshot, second);
        begin = clock_thread_cpu_ns();
        history_store_record(&store, snapshot);
        while (store.reductions_left > 0)
            (void)thinning_go_on(&store);
        cpu_ns += clock_thread_cpu_ns() - begin;
        (void)snapshot_unref(snapshot);
        most = resident_bytes() > most ? resident_bytes() : most;
    }
    (void)printf("%.1f h of %zu targets: %llu samples recorded\n", (double)seconds / 3600,
                 n_targets, (unsigned long long)store.status.samples);
    print_stored(&store);
    (void)printf("recording a second of %zu targets: %.2f ms of CPU\n", n_targets,
                 (double)cpu_ns / (double)seconds / 1e6);
    (void)printf("memory beside it: %.1f MB\n", (double)(most - before) / 1e6);
    read_hours(&store, seconds);
    if (text) {
        (void)fputs("# EOF\n", text);
        (void)fclose(text);
    }
    history_store_done(&store);
    return 0;
}
