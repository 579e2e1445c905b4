/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One ring a CPU. Each is in the order of time, and what a process does may be
 * told on several, so that they are merged by time, up to the beginning of the
 * look: else a death could be told on one CPU while the birth before it, on
 * another whose ring was looked at earlier, is left for the next time.
 */
#include "sys/task_events.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/clock.h"
#include "sys/cpu_list.h"
#include "sys/task_ring.h"

#define ONLINE      "/sys/devices/system/cpu/online"
#define ONLINE_SIZE 4096

struct task_events {
    int online_fd;
    char online[ONLINE_SIZE]; /* what it said when the rings were opened */
    uint64_t until_ns;        /* the end of this look */
    bool lost;
    size_t n_rings;
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
    events = calloc(1, sizeof(*events) + cpus->n * sizeof(events->rings[0]));
    if (!events)
        return -ENOMEM;
    memcpy(events->online, online, sizeof(online));
    events->online_fd = TAKE_FD(fd);
    r = open_rings(events, cpus);
    if (r < 0)
        return r;
    *ret_events = TAKE(events);
    return 0;
}

struct task_events *task_events_free(struct task_events *events)
{
    if (!events)
        return NULL;
    for (size_t i = 0; i < events->n_rings; i++)
        task_ring_close(&events->rings[i]);
    (void)close(events->online_fd);
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
