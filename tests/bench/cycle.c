/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What a cycle costs over the reads that it cannot do without.
 *
 *     bench_cycle [CGROUPS …]        as root; default 10 100 500
 *
 * For each number of cgroups: that many cgroups with a process each, one in ten
 * of which wakes every 100 ms; on one side the collector's whole cycle, on the
 * other a bare loop of read(2) over as many groups of the same 4 software events.
 * Both in turn, 20 ms apart, CPU time of the thread, medians.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/collector.h"
#include "base/clock.h"
#include "base/text.h"
#include "sys/cgroup_root.h"
#include "sys/descriptors.h"

#define ROUNDS       150
#define WARM_UP      10
#define PACE_NS      20000000
#define MOST_CGROUPS 2000
#define N_EVENTS     4

struct fixture {
    struct cgroup_root root;
    char top[64];
    size_t n;
    pid_t children[MOST_CGROUPS];
};

static void die(const char *what)
{
    (void)fprintf(stderr, "bench_cycle: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void nap(uint64_t ns)
{
    const struct timespec time = {.tv_sec = (time_t)(ns / NS_PER_SECOND),
                                  .tv_nsec = (long)(ns % NS_PER_SECOND)};

    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static uint64_t thread_cpu_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static void live_in(int directory, bool busy)
{
    int procs = openat(directory, "cgroup.procs", O_WRONLY | O_CLOEXEC);

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (procs < 0 || dprintf(procs, "0") < 0)
        _exit(1);
    for (;;)
        nap(busy ? NS_PER_SECOND / 10 : 10 * NS_PER_SECOND);
}

static void make_cgroups(struct fixture *fixture, size_t n)
{
    (void)snprintf(fixture->top, sizeof(fixture->top), "bench_cycle_%d", (int)getpid());
    if (mkdirat(fixture->root.fd, fixture->top, 0755) < 0)
        die("mkdir");
    for (size_t i = 0; i < n; i++) {
        char path[128];
        int directory;

        (void)snprintf(path, sizeof(path), "%s/%04zu.service", fixture->top, i);
        if (mkdirat(fixture->root.fd, path, 0755) < 0)
            die("mkdir");
        directory = openat(fixture->root.fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        fixture->children[i] = fork();
        if (fixture->children[i] == 0)
            live_in(directory, i % 10 == 0);
        (void)close(directory);
        fixture->n = i + 1;
    }
}

static void remove_cgroups(struct fixture *fixture)
{
    for (size_t i = 0; i < fixture->n; i++)
        if (fixture->children[i] > 1 && kill(fixture->children[i], SIGKILL) == 0)
            (void)waitpid(fixture->children[i], NULL, 0);
    for (size_t i = 0; i < fixture->n; i++) {
        char path[128];

        (void)snprintf(path, sizeof(path), "%s/%04zu.service", fixture->top, i);
        for (int try = 0; unlinkat(fixture->root.fd, path, AT_REMOVEDIR) < 0 && try < 100; try++)
            nap(10000000);
    }
    (void)unlinkat(fixture->root.fd, fixture->top, AT_REMOVEDIR);
    fixture->n = 0;
}

/* The other side: a group a cgroup and CPU, opened as the collector opens them. */
static size_t open_bare(const struct fixture *fixture, const struct cpu_list *cpus, int *leaders)
{
    static const uint64_t configs[N_EVENTS] = {
        PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CPU_MIGRATIONS,
        PERF_COUNT_SW_PAGE_FAULTS};
    size_t n = 0;

    for (size_t i = 0; i < fixture->n; i++) {
        char path[128];
        int directory;

        (void)snprintf(path, sizeof(path), "%s/%04zu.service", fixture->top, i);
        directory = openat(fixture->root.fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        for (size_t cpu = 0; cpu < cpus->n; cpu++) {
            int leader = -1;

            for (size_t event = 0; event < N_EVENTS; event++) {
                struct perf_event_attr attr = {
                    .size = sizeof(attr),
                    .type = PERF_TYPE_SOFTWARE,
                    .config = configs[event],
                    .disabled = event == 0,
                    .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
                                   PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
                };
                int fd = perf_ops_kernel.open(NULL, &attr, directory, cpus->cpus[cpu].value, leader,
                                              PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC);

                if (fd < 0) {
                    errno = -fd;
                    die("perf_event_open");
                }
                leader = leader < 0 ? fd : leader;
            }
            (void)perf_ops_kernel.ioctl(NULL, leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
            leaders[n++] = leader;
        }
        (void)close(directory);
    }
    return n;
}

static void read_bare(const int *leaders, size_t n)
{
    uint64_t buffer[3 + 2 * N_EVENTS];

    for (size_t i = 0; i < n; i++)
        if (read(leaders[i], buffer, sizeof(buffer)) != (ssize_t)sizeof(buffer))
            die("read");
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static double median_us(uint64_t *times)
{
    qsort(times, ROUNDS, sizeof(*times), by_value);
    return (double)times[ROUNDS / 2] / 1e3;
}

/* Whether what the collector says it counts is what the bare loop reads. */
static void check_same(struct snapshot_slot *slot, const struct fixture *fixture, size_t n_leaders)
{
    AUTO(snapshot) struct snapshot *snapshot = snapshot_slot_get(slot);

    if (snapshot->status.targets[SCOPE_CGROUP] != fixture->n ||
        snapshot->status.open_counters != n_leaders * N_EVENTS) {
        (void)fprintf(stderr, "bench_cycle: the two sides do not count the same\n");
        exit(1);
    }
}

static void measure(struct fixture *fixture, struct collector *collector,
                    struct snapshot_slot *slot, const struct cpu_list *cpus)
{
    AUTO_FREE int *leaders = calloc(fixture->n * cpus->n, sizeof(*leaders));
    uint64_t cycle_times[ROUNDS], bare_times[ROUNDS];
    size_t n_leaders = open_bare(fixture, cpus, leaders);
    double cycle_us, bare_us;

    for (int round = -WARM_UP; round < ROUNDS; round++) {
        uint64_t before;

        if (round == 0)
            (void)collector_tree_fd(collector); /* the event loop tells of changes; none come */
        nap(PACE_NS);
        before = thread_cpu_ns();
        if (collector_cycle(collector, 0) < 0)
            die("cycle");
        if (round >= 0)
            cycle_times[round] = thread_cpu_ns() - before;
        nap(PACE_NS);
        before = thread_cpu_ns();
        read_bare(leaders, n_leaders);
        if (round >= 0)
            bare_times[round] = thread_cpu_ns() - before;
    }
    check_same(slot, fixture, n_leaders);
    cycle_us = median_us(cycle_times);
    bare_us = median_us(bare_times);
    (void)printf("cycle: %4zu cgroups x %zu CPUs x %d events: %8.1f us, bare reads %8.1f us, "
                 "ratio %.2f (wanted at most 1.30), %.2f us a cgroup\n",
                 fixture->n, cpus->n, N_EVENTS, cycle_us, bare_us, cycle_us / bare_us,
                 cycle_us / (double)fixture->n);
    (void)fflush(stdout);
}

static struct config *make_config(const char *top)
{
    AUTO_TEXT struct text text = {0};
    struct config *config = NULL;
    struct config_error error;

    text_append_format(&text,
                       "groups:\n- name: software\n  events: [task-clock, context-switches, "
                       "cpu-migrations, page-faults]\ntargets:\n  cgroups:\n  - include: "
                       "[\"/%s/*\"]\n    groups: [software]\nlimits: {cgroups: %d}\n",
                       top, MOST_CGROUPS * 2);
    if (config_parse(text.data, text.length, &config, &error) < 0) {
        (void)fprintf(stderr, "bench_cycle: %s\n", error.message);
        exit(1);
    }
    return config;
}

static void run(size_t n)
{
    struct fixture fixture = {0};
    AUTO(config) struct config *config = NULL;
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    AUTO(snapshot_slot) struct snapshot_slot *slot = snapshot_slot_new();
    AUTO(cpu_list) struct cpu_list *cpus = NULL;
    AUTO(mechanism) struct mechanism *mechanism = mechanism_direct_new(&perf_ops_kernel);
    struct collector *collector;
    struct collector_setup setup = {.perf = &perf_ops_kernel, .mechanism = mechanism, .slot = slot};
    uint64_t descriptors;

    setup.sysfs_fd = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptors_raise_limit(&descriptors) < 0 || cgroup_root_open(NULL, &fixture.root) < 0 ||
        event_resolver_new(setup.sysfs_fd, &resolver) < 0 ||
        cpu_list_read_online(setup.sysfs_fd, &cpus) < 0)
        die("start");
    make_cgroups(&fixture, n);
    config = make_config(fixture.top);
    setup.config = config;
    setup.resolver = resolver;
    setup.cgroup_root_fd = fixture.root.fd;
    setup.descriptors = (size_t)descriptors / 2;
    if (collector_new(&setup, NULL, &collector) < 0)
        die("collector");
    measure(&fixture, collector, slot, cpus);
    collector = collector_free(collector);
    remove_cgroups(&fixture);
    cgroup_root_done(&fixture.root);
    (void)close(setup.sysfs_fd);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {10, 100, 500};

    if (argc > 1)
        for (int i = 1; i < argc; i++)
            run(strtoul(argv[i], NULL, 10));
    else
        for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
            run(sizes[i]);
    return 0;
}
