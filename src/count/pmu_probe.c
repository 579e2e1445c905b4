/* SPDX-License-Identifier: Apache-2.0 */

/*
 * First the largest group is sought that can be opened: the kernel refuses a group that the PMU
 * could not hold even if nobody else counted. Then, by halving, how many of its first events run
 * together; all of them are tried first, since mostly nobody else counts. While a group waits for
 * counters, its time enabled advances and its time running does not. A try is shorter than the
 * turns of the kernel (4 ms), so that a group runs for all of it or not at all.
 */
#include "count/pmu_probe.h"

#include <time.h>

#include "count/perf_group.h"
#include "sys/thread_cpus.h"

#define RUN_NS 1000000

/*
 * The time running may be less than the time enabled by 1/16, since the kernel does not read both
 * clocks at the same instant.
 */
#define TOLERANCE 16

struct probe {
    const struct perf_ops *ops;
    struct scope scope;
    const struct event *events[PMU_PROBE_MOST]; /* the largest group that can be opened */
    size_t n_events;
    int descriptors[PMU_PROBE_MOST];
};

static int open_next(struct probe *probe, const struct event *event, size_t n_open)
{
    int fd = perf_event_open_at(probe->ops, event, &(struct perf_site){.scope = &probe->scope},
                                n_open ? probe->descriptors[0] : -1);

    if (fd >= 0)
        probe->descriptors[n_open] = fd;
    return fd;
}

/* Whether the kernel's answer is about the state of the machine, and not about the PMU. */
static bool is_of_machine(int error, const struct scope *scope)
{
    enum absence absence = perf_group_absence(error, scope);

    return absence == ABSENCE_NO_DESCRIPTORS || absence == ABSENCE_CPU_OFFLINE;
}

/*
 * Opens the events in turns until none of them fits any more. One that is refused may have used up
 * the counter that only it can have ("cycles" of Intel); others may still fit.
 */
static int find_largest(struct probe *probe, const struct event *const *events, size_t n_events)
{
    size_t refused = 0;
    int r = 0;

    for (size_t i = 0; probe->n_events < PMU_PROBE_MOST && refused < n_events && r == 0; i++) {
        const struct event *event = events[i % n_events];
        int fd = open_next(probe, event, probe->n_events);

        if (fd >= 0) {
            probe->events[probe->n_events++] = event;
            refused = 0;
        } else if (is_of_machine(fd, &probe->scope)) {
            r = fd;
        } else {
            refused++;
        }
    }
    perf_group_close(probe->ops, probe->descriptors, probe->n_events);
    return r;
}

/*
 * Lets the group that is open count for a while. 1: it had its counters all the time; 0: it had
 * not; -errno.
 */
static int run(const struct probe *probe, size_t n_open)
{
    static const struct timespec while_it_runs = {.tv_nsec = RUN_NS};
    const struct perf_ops *ops = probe->ops;
    struct group_reading reading;
    ssize_t n;
    int r =
        ops->ioctl(ops->context, probe->descriptors[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);

    if (r < 0)
        return r;
    (void)nanosleep(&while_it_runs, NULL);
    n = ops->read(ops->context, probe->descriptors[0], &reading, sizeof(reading));
    if (n < 0)
        return (int)n;
    return (size_t)n >= offsetof(struct group_reading, values) && reading.n_values == n_open &&
           reading.enabled > 0 && reading.running >= reading.enabled - reading.enabled / TOLERANCE;
}

static int runs_together(struct probe *probe, size_t n_events)
{
    size_t n_open = 0;
    int r = 0;

    while (n_open < n_events && r >= 0) {
        r = open_next(probe, probe->events[n_open], n_open);
        n_open += r >= 0;
    }
    if (r >= 0)
        r = run(probe, n_open);
    perf_group_close(probe->ops, probe->descriptors, n_open);
    return r;
}

static int find_running(struct probe *probe, size_t *ret_free)
{
    size_t run = 0, too_many = probe->n_events + 1;

    for (size_t n = probe->n_events; run + 1 < too_many; n = (run + too_many) / 2) {
        int r = runs_together(probe, n);

        if (r < 0)
            return r;
        if (r > 0)
            run = n;
        else
            too_many = n;
    }
    *ret_free = run;
    return 0;
}

int pmu_probe_free(const struct perf_ops *ops, const struct event *const *events, size_t n_events,
                   const struct cpu_list *cpus, const struct pmu_list *hybrid, size_t *ret_free)
{
    struct probe probe = {
        .ops = ops,
        .scope = {.kind = SCOPE_SYSTEM, .cgroup_fd = -1, .cpus = cpus, .hybrid = hybrid}};
    struct thread_cpus *before = thread_cpus_save();
    int r;

    if (before)
        (void)thread_move_to_cpu(cpus->cpus[0]); /* from another CPU it only takes longer */
    r = find_largest(&probe, events, n_events);
    if (r >= 0)
        r = find_running(&probe, ret_free);
    (void)thread_cpus_restore(before);
    return r;
}
