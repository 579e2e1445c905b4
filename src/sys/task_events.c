/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Each CPU has a ring, whose records are in the order of time. Records of one process may be in
 * several rings. So the rings are merged by time, up to the time when the look began. Without this
 * limit a look could give a death from one ring, and leave the birth before it, in a ring that was
 * looked at earlier, to the next look.
 */
#include "sys/task_events.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "sys/cpu_list.h"
#include "sys/task_bell.h"
#include "sys/task_ring.h"

#define ONLINE      "/sys/devices/system/cpu/online"
#define ONLINE_SIZE 4096

struct task_events {
    int online_fd;
    char online[ONLINE_SIZE]; /* the text of the file when the rings were opened */
    uint64_t until_ns;        /* this look gives no records that are newer */
    bool lost;
    int bells_fd; /* an epoll of all bells; -1: there are none */
    size_t n_rings, n_bells;
    struct task_bell *bells; /* behind the rings */
    struct task_ring rings[];
};

static int read_online(int fd, char ret_text[ONLINE_SIZE])
{
    ssize_t n = TEMP_FAILURE_RETRY(pread(fd, ret_text, ONLINE_SIZE - 1, 0));

    if (n < 0)
        return -errno;
    ret_text[n] = '\0';
    return 0;
}

static int open_rings(struct task_events *events, const struct cpu_list *cpus)
{
    for (size_t i = 0; i < cpus->n; i++) {
        int r = task_ring_open(&events->rings[events->n_rings++], cpus->cpus[i]);

        if (r < 0)
            return r;
    }
    return 0;
}

static int open_bells(struct task_events *events, const struct cpu_list *cpus)
{
    events->bells_fd = epoll_create1(EPOLL_CLOEXEC);
    if (events->bells_fd < 0)
        return -errno;
    for (size_t i = 0; i < cpus->n; i++) {
        struct epoll_event wanted = {.events = EPOLLIN};
        struct task_bell *bell = &events->bells[events->n_bells++];
        int r = task_bell_open(bell, cpus->cpus[i]);

        if (r < 0)
            return r;
        if (epoll_ctl(events->bells_fd, EPOLL_CTL_ADD, bell->fd, &wanted) < 0)
            return -errno;
    }
    return 0;
}

static void close_bells(struct task_events *events)
{
    for (size_t i = 0; i < events->n_bells; i++)
        task_bell_close(&events->bells[i]);
    events->n_bells = 0;
    cleanup_close(&events->bells_fd);
    events->bells_fd = -1;
}

/* Allocates an object with a ring and a bell for each CPU. NULL: no memory. */
static struct task_events *allocate(size_t n_cpus)
{
    struct task_events *events =
        calloc(1, sizeof(*events) + n_cpus * (sizeof(events->rings[0]) + sizeof(*events->bells)));

    if (!events)
        return NULL;
    events->online_fd = events->bells_fd = -1;
    events->bells = (struct task_bell *)(events->rings + n_cpus);
    return events;
}

int task_events_new(struct task_events **ret_events)
{
    AUTO(task_events) struct task_events *events = NULL;
    AUTO(cpu_list) struct cpu_list *cpus = NULL;
    AUTO_CLOSE int fd = open(ONLINE, O_RDONLY | O_CLOEXEC);
    char online[ONLINE_SIZE];
    int r = fd < 0 ? -errno : read_online(fd, online);

    if (r < 0)
        return r;
    r = cpu_list_parse(online, &cpus);
    if (r < 0)
        return r;
    events = allocate(cpus->n);
    if (!events)
        return -ENOMEM;
    memcpy(events->online, online, sizeof(online));
    events->online_fd = TAKE_FD(fd);
    r = open_rings(events, cpus);
    if (r < 0)
        return r;
    if (open_bells(events, cpus) < 0) /* without bells nobody is woken; no record is lost by it */
        close_bells(events);
    *ret_events = TAKE(events);
    return 0;
}

struct task_events *task_events_free(struct task_events *events)
{
    if (!events)
        return NULL;
    for (size_t i = 0; i < events->n_rings; i++)
        task_ring_close(&events->rings[i]);
    close_bells(events);
    cleanup_close(&events->online_fd);
    free(events);
    return NULL;
}

int task_events_begin(struct task_events *events)
{
    char online[ONLINE_SIZE];
    int r = read_online(events->online_fd, online);

    if (r < 0)
        return r;
    if (strcmp(online, events->online) != 0)
        return -ESTALE;
    events->until_ns = clock_monotonic_ns();
    for (size_t i = 0; i < events->n_rings; i++)
        events->lost |= task_ring_begin(&events->rings[i]);
    return 0;
}

bool task_events_next(struct task_events *events, struct task_event *ret_event)
{
    struct task_ring *oldest = NULL;

    for (size_t i = 0; i < events->n_rings; i++) {
        struct task_ring *ring = &events->rings[i];

        if (task_ring_peek(ring, events->until_ns) &&
            (!oldest || ring->next_time_ns < oldest->next_time_ns))
            oldest = ring;
    }
    if (!oldest && !events->lost)
        return false;
    *ret_event = oldest ? oldest->next : (struct task_event){.kind = TASK_EVENT_LOST};
    if (oldest)
        oldest->is_pending = false;
    else
        events->lost = false;
    return true;
}

bool task_events_are_served(struct task_events *events)
{
    bool served = true;

    for (size_t i = 0; i < events->n_rings; i++)
        served &= task_ring_is_served(&events->rings[i]);
    return served;
}

int task_events_fd(const struct task_events *events)
{
    return events->bells_fd;
}

bool task_events_arm(struct task_events *events)
{
    bool has_records = events->lost;

    for (size_t i = 0; i < events->n_bells; i++)
        task_bell_arm(&events->bells[i]);
    for (size_t i = 0; i < events->n_rings; i++)
        has_records |= !task_ring_is_empty(&events->rings[i]);
    return has_records;
}
