/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/bare_reads.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include "base/text.h"
#include "bench/bench.h"
#include "sys/descriptors.h"

#define ROUNDS  150
#define WARM_UP 10
#define PACE_NS 20000000

static int open_event(uint64_t config, int leader, pid_t pid, int cpu, unsigned long flags,
                      bool inherit_threads)
{
    struct perf_event_attr attr = {
        .size = sizeof(attr),
        .type = PERF_TYPE_SOFTWARE,
        .config = config,
        .disabled = leader < 0,
        .inherit = inherit_threads,
        .inherit_thread = inherit_threads,
        .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
                       PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    int fd = perf_ops_kernel.open(NULL, &attr, pid, cpu, leader, flags | PERF_FLAG_FD_CLOEXEC);

    if (fd < 0) {
        errno = -fd;
        bench_die("perf_event_open");
    }
    return fd;
}

static int *grow(int *array, size_t n)
{
    int *grown = reallocarray(array, n, sizeof(*grown));

    if (!grown)
        bench_die("memory");
    return grown;
}

void bare_reads_open(struct bare_reads *reads, pid_t pid, int cpu, unsigned long flags,
                     bool inherit_threads)
{
    static const uint64_t configs[BARE_EVENTS] = {
        PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CPU_MIGRATIONS,
        PERF_COUNT_SW_PAGE_FAULTS};
    int *group;

    reads->leaders = grow(reads->leaders, reads->n + 1);
    reads->descriptors = grow(reads->descriptors, BARE_EVENTS * (reads->n + 1));
    group = &reads->descriptors[BARE_EVENTS * reads->n];
    for (size_t i = 0; i < BARE_EVENTS; i++)
        group[i] = open_event(configs[i], i == 0 ? -1 : group[0], pid, cpu, flags, inherit_threads);
    reads->leaders[reads->n++] = group[0];
    if (perf_ops_kernel.ioctl(NULL, group[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) < 0)
        bench_die("PERF_EVENT_IOC_ENABLE");
}

static void read_all(const struct bare_reads *reads)
{
    uint64_t buffer[3 + 2 * BARE_EVENTS];

    for (size_t i = 0; i < reads->n; i++)
        if (read(reads->leaders[i], buffer, sizeof(buffer)) != (ssize_t)sizeof(buffer))
            bench_die("read");
}

/* Whether what the collector says it counts is what the bare loop reads. */
static void check_same(const struct bare_reads *reads, struct snapshot_slot *slot,
                       enum scope_kind kind, size_t n_targets)
{
    AUTO(snapshot) struct snapshot *snapshot = snapshot_slot_get(slot);

    if (snapshot->status.targets[kind] == n_targets &&
        snapshot->status.open_counters == reads->n * BARE_EVENTS)
        return;
    (void)fprintf(stderr, "%s: the two sides do not count the same\n",
                  program_invocation_short_name);
    exit(1);
}

static void measure(const struct bare_reads *reads, struct collector *collector,
                    double *ret_cycle_us, double *ret_bare_us)
{
    uint64_t cycle_times[ROUNDS], bare_times[ROUNDS], before;

    for (int round = -WARM_UP; round < ROUNDS; round++) {
        if (round == 0)
            (void)collector_tree_fd(collector); /* the event loop tells of changes; none come */
        bench_nap(PACE_NS);
        before = bench_cpu_ns();
        if (collector_cycle(collector, 0) < 0)
            bench_die("cycle");
        if (round >= 0)
            cycle_times[round] = bench_cpu_ns() - before;
        bench_nap(PACE_NS);
        before = bench_cpu_ns();
        read_all(reads);
        if (round >= 0)
            bare_times[round] = bench_cpu_ns() - before;
    }
    *ret_cycle_us = bench_median_us(cycle_times, ROUNDS);
    *ret_bare_us = bench_median_us(bare_times, ROUNDS);
}

static struct config *parse(const char *yaml)
{
    struct config *config = NULL;
    struct config_error error;

    if (config_parse(yaml, strlen(yaml), &config, &error) >= 0)
        return config;
    (void)fprintf(stderr, "%s: %s\n", program_invocation_short_name, error.message);
    exit(1);
}

void bare_reads_measure(const struct bare_reads *reads, const char *yaml, int cgroup_root_fd,
                        enum scope_kind kind, size_t n_targets, double *ret_cycle_us,
                        double *ret_bare_us)
{
    AUTO_CLOSE int sysfs_fd = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO_CLOSE int procfs_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO(config) struct config *config = parse(yaml);
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    AUTO(snapshot_slot) struct snapshot_slot *slot = snapshot_slot_new();
    AUTO(mechanism) struct mechanism *mechanism = mechanism_direct_new(&perf_ops_kernel);
    AUTO(collector) struct collector *collector = NULL;
    struct collector_setup setup = {.config = config,
                                    .perf = &perf_ops_kernel,
                                    .direct = mechanism,
                                    .mechanism_reason = "",
                                    .slot = slot,
                                    .sysfs_fd = sysfs_fd,
                                    .procfs_fd = procfs_fd,
                                    .cgroup_root_fd = cgroup_root_fd};
    uint64_t descriptors;

    if (descriptors_raise_limit(&descriptors) < 0 || event_resolver_new(sysfs_fd, &resolver) < 0)
        bench_die("start");
    setup.resolver = resolver;
    setup.descriptors = (size_t)descriptors / 2;
    if (collector_new(&setup, NULL, &collector) < 0)
        bench_die("collector");
    measure(reads, collector, ret_cycle_us, ret_bare_us);
    check_same(reads, slot, kind, n_targets);
}

void bare_reads_done(struct bare_reads *reads)
{
    for (size_t i = 0; i < BARE_EVENTS * reads->n; i++)
        (void)close(reads->descriptors[i]);
    free(reads->descriptors);
    free(reads->leaders);
    *reads = (struct bare_reads){0};
}
