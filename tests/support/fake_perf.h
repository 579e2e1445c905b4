/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A kernel behind struct perf_ops: events whose values and times a test sets, and that fail on
 * request. */

#include <errno.h>
#include <string.h>

#include "sys/perf_event.h"

#define FAKE_EVENTS 512

struct fake_event {
    bool open, enabled;
    int leader; /* the leader's descriptor: its own if it leads */
    int cpu;
    pid_t pid;
    struct perf_event_attr attr;
    uint64_t value;
    uint64_t time_enabled, time_running; /* these are set for a leader only */
};

struct fake_perf {
    struct perf_ops ops;
    struct fake_event events[FAKE_EVENTS]; /* the event of each descriptor */
    int next;                              /* the next descriptor; none is used again */
    int n_open;
    uint64_t n_reads;
    uint64_t n_hardware_enabled; /* how often a group with a hardware leader was enabled */
    int ioctl_error;             /* -errno with which enabling and disabling fail; 0: they do not */
    pid_t ended;                 /* this thread has ended; 0: none has */
    bool lacks_inherit_thread;   /* as kernels before 5.13 do */
    /*
     * A PMU: so many counters that count anything, and one that counts cycles only. Of
     * the first kind others hold some all the time. Each reading of a group with hardware
     * events is a millisecond after the one before. 0 counters: times are the test's matter.
     */
    int counters, taken;
    bool has_cycle_counter;
    /* Each may be NULL. -errno to fail, 0 to go on. */
    int (*refuse_open)(struct fake_perf *fake, const struct perf_event_attr *attr, int cpu,
                       int group_fd);
    /* What read() returns instead of the reading; 1 to go on. 0 is an end of file. */
    ssize_t (*refuse_read)(struct fake_perf *fake, int fd);
};

static inline bool fake_is_hardware(const struct fake_event *event)
{
    return event->open && event->attr.type != PERF_TYPE_SOFTWARE;
}

/* Whether the group is the event's, or one that came before it to the same CPU and counts. */
static inline bool fake_goes_first(const struct fake_perf *fake, const struct fake_event *event,
                                   int leader)
{
    const struct fake_event *other = &fake->events[event->leader];

    return event->leader == leader ||
           (event->leader < leader && other->enabled && event->cpu == fake->events[leader].cpu);
}

/* Counters that the group takes, with others beside it or as if it were alone. */
static inline int fake_counters_taken(const struct fake_perf *fake, int leader, bool alone)
{
    bool cycles_taken = !fake->has_cycle_counter;
    int n = alone ? 0 : fake->taken;

    for (int i = 0; i < fake->next; i++) {
        const struct fake_event *event = &fake->events[i];
        bool is_cycles = event->attr.config == PERF_COUNT_HW_CPU_CYCLES;

        if (!fake_is_hardware(event) ||
            !(alone ? event->leader == leader : fake_goes_first(fake, event, leader)))
            continue;
        if (is_cycles && !cycles_taken)
            cycles_taken = true;
        else
            n++;
    }
    return n;
}

static inline void fake_pass_time(struct fake_perf *fake, int leader)
{
    if (fake->counters == 0 || !fake->events[leader].enabled ||
        fake_counters_taken(fake, leader, true) == 0)
        return;
    fake->events[leader].time_enabled += 1000000;
    if (fake_counters_taken(fake, leader, false) <= fake->counters)
        fake->events[leader].time_running += 1000000;
}

static inline int fake_open(void *context, struct perf_event_attr *attr, pid_t pid, int cpu,
                            int group_fd, unsigned long flags)
{
    struct fake_perf *fake = context;
    int fd = fake->next;

    (void)flags;
    if (fake->lacks_inherit_thread && attr->inherit_thread)
        return -EINVAL;
    if (pid > 0 && cpu < 0 && pid == fake->ended)
        return -ESRCH;
    if (fake->refuse_open) {
        int r = fake->refuse_open(fake, attr, cpu, group_fd);

        if (r < 0)
            return r;
    }
    if (fd >= FAKE_EVENTS)
        return -EMFILE;
    fake->next++;
    fake->n_open++;
    fake->events[fd] = (struct fake_event){.open = true,
                                           .enabled = !attr->disabled,
                                           .leader = group_fd < 0 ? fd : group_fd,
                                           .cpu = cpu,
                                           .pid = pid,
                                           .attr = *attr};
    if (fake->counters > 0 &&
        fake_counters_taken(fake, fake->events[fd].leader, true) > fake->counters) {
        fake->events[fd].open = false;
        fake->n_open--;
        return -EINVAL;
    }
    return fd;
}

static inline ssize_t fake_read(void *context, int fd, void *buffer, size_t size)
{
    struct fake_perf *fake = context;
    uint64_t *out = buffer;
    size_t n = 0;

    fake->n_reads++;
    fake_pass_time(fake, fd);
    if (fake->refuse_read) {
        ssize_t r = fake->refuse_read(fake, fd);

        if (r != 1)
            return r;
    }
    for (int i = 0; i < fake->next; i++)
        if (fake->events[i].open && fake->events[i].leader == fd) {
            if ((3 + 2 * (n + 1)) * sizeof(uint64_t) > size)
                return -ENOSPC;
            out[3 + 2 * n] = fake->events[i].value;
            out[4 + 2 * n] = 1000 + (uint64_t)i;
            n++;
        }
    out[0] = n;
    out[1] = fake->events[fd].time_enabled;
    out[2] = fake->events[fd].time_running;
    return (ssize_t)((3 + 2 * n) * sizeof(uint64_t));
}

static inline int fake_ioctl(void *context, int fd, unsigned long request, unsigned long argument)
{
    struct fake_perf *fake = context;

    if ((request != PERF_EVENT_IOC_ENABLE && request != PERF_EVENT_IOC_DISABLE) ||
        argument != PERF_IOC_FLAG_GROUP || fake->events[fd].leader != fd)
        return -EINVAL;
    if (fake->ioctl_error < 0)
        return fake->ioctl_error;
    fake->events[fd].enabled = request == PERF_EVENT_IOC_ENABLE;
    fake->n_hardware_enabled += fake->events[fd].enabled && fake_is_hardware(&fake->events[fd]);
    return 0;
}

static inline void fake_close(void *context, int fd)
{
    struct fake_perf *fake = context;

    if (fd >= 0 && fd < FAKE_EVENTS && fake->events[fd].open) {
        fake->events[fd].open = false;
        fake->n_open--;
    }
}

static inline void fake_perf_init(struct fake_perf *fake)
{
    memset(fake, 0, sizeof(*fake));
    fake->next = 3;
    fake->ops = (struct perf_ops){.open = fake_open,
                                  .read = fake_read,
                                  .ioctl = fake_ioctl,
                                  .close = fake_close,
                                  .context = fake};
}

/* The open event with this config on this CPU; NULL: none. */
static inline struct fake_event *fake_find(struct fake_perf *fake, uint64_t config, int cpu)
{
    for (int i = 0; i < fake->next; i++)
        if (fake->events[i].open && fake->events[i].attr.config == config &&
            fake->events[i].cpu == cpu)
            return &fake->events[i];
    return NULL;
}

/* The open event with this config of this thread; NULL: none. */
static inline struct fake_event *fake_find_thread(struct fake_perf *fake, uint64_t config,
                                                  pid_t thread)
{
    for (int i = 0; i < fake->next; i++)
        if (fake->events[i].open && fake->events[i].attr.config == config &&
            fake->events[i].cpu < 0 && fake->events[i].pid == thread)
            return &fake->events[i];
    return NULL;
}

/* Lets the group of that event run: adds to its leader's times. */
static inline void fake_run(struct fake_perf *fake, uint64_t config, int cpu, uint64_t enabled,
                            uint64_t running)
{
    struct fake_event *leader = &fake->events[fake_find(fake, config, cpu)->leader];

    leader->time_enabled += enabled;
    leader->time_running += running;
}

static inline void fake_count(struct fake_perf *fake, uint64_t config, int cpu, uint64_t count)
{
    fake_find(fake, config, cpu)->value += count;
}
