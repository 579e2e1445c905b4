/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Births are followed between cycles: inotify tells of cgroups, the kernel's records of processes.
 * Each source tells once and is off until what it told has been followed, so that a storm wakes
 * us as often as we are ready for it.
 */
#include <sys/epoll.h>

#include "base/clock.h"
#include "service/service_state.h"

/* sd-event rounds by that. */
#define ACCURACY_US 1

static int on_births(sd_event_source *source, uint64_t usec, void *context);

/* Makes the timer, or sets it. What cannot be followed so is the next cycle's. */
static void follow_at(struct service *service, uint64_t at_ns)
{
    const uint64_t at_us = at_ns / 1000;

    if (!births_pace_fits(&service->pace, at_ns, service->schedule.due_ns))
        return;
    if (!service->births) {
        (void)sd_event_add_time(service->event, &service->births, CLOCK_MONOTONIC, at_us,
                                ACCURACY_US, on_births, service);
        return;
    }
    if (sd_event_source_set_time(service->births, at_us) >= 0)
        (void)sd_event_source_set_enabled(service->births, SD_EVENT_ONESHOT);
}

static bool is_awaited(const struct service *service)
{
    int enabled = SD_EVENT_OFF;

    return service->births && sd_event_source_get_enabled(service->births, &enabled) > 0;
}

static void tell(struct service *service)
{
    if (!is_awaited(service))
        follow_at(service, births_pace_due(&service->pace, clock_monotonic_ns()));
}

static int on_tree(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct service *service = context;

    (void)source;
    (void)fd;
    (void)events;
    collector_tree_changed(service->collector);
    tell(service);
    return 0;
}

static int on_tasks(sd_event_source *source, int fd, uint32_t events, void *context)
{
    (void)source;
    (void)fd;
    (void)events;
    tell(context);
    return 0;
}

static int on_births(sd_event_source *source, uint64_t usec, void *context)
{
    struct service *service = context;
    const uint64_t begin_ns = clock_monotonic_ns(), begin_cpu_ns = clock_thread_cpu_ns();
    uint64_t now_ns;

    (void)source;
    (void)usec;
    service_forget_births(service);
    collector_follow(service->collector);
    now_ns = clock_monotonic_ns();
    births_pace_followed(&service->pace, now_ns - begin_ns, clock_thread_cpu_ns() - begin_cpu_ns,
                         now_ns);
    service_watch_births(service);
    return 0;
}

static int await(struct service *service, sd_event_source **source, int fd,
                 sd_event_io_handler_t handler)
{
    int r = sd_event_add_io(service->event, source, fd, EPOLLIN, handler, service);

    return r < 0 ? r : sd_event_source_set_enabled(*source, SD_EVENT_ONESHOT);
}

void service_watch_births(struct service *service)
{
    const int tree_fd = collector_tree_fd(service->collector);
    const int tasks_fd = collector_tasks_fd(service->collector);

    /* where nobody can tell, each cycle looks by itself */
    if (tree_fd >= 0 && await(service, &service->tree, tree_fd, on_tree) < 0)
        collector_tree_changed(service->collector);
    if (tasks_fd >= 0)
        (void)await(service, &service->tasks, tasks_fd, on_tasks);
    if (collector_arm(service->collector))
        tell(service);
}

void service_forget_births(struct service *service)
{
    service->tree = sd_event_source_disable_unref(service->tree);
    service->tasks = sd_event_source_disable_unref(service->tasks);
    if (service->births)
        (void)sd_event_source_set_enabled(service->births, SD_EVENT_OFF);
}
