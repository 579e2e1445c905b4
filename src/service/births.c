/* SPDX-License-Identifier: Apache-2.0 */

/*
 * inotify announces births of cgroups, and the kernel's records those of processes. Each of the two
 * sources is on until it announces something, and then off until that has been followed: so a storm
 * of births wakes us no more often than we are ready for it.
 */
#include "service/births.h"

#include <sys/epoll.h>

#include "base/clock.h"

/* The accuracy of the timer: sd-event would round to 250 ms. */
#define ACCURACY_US 1

static int on_timer(sd_event_source *source, uint64_t usec, void *context);

static bool is_awaited(const struct births *births)
{
    int enabled = SD_EVENT_OFF;

    return births->timer && sd_event_source_get_enabled(births->timer, &enabled) > 0;
}

/* Sets the timer, unless it fires sooner. What the next cycle would be late for is left to that. */
static void follow_at(struct births *births, uint64_t at_ns)
{
    const uint64_t at_us = at_ns / 1000;

    if (!births_pace_fits(at_ns, births->schedule->due_ns) ||
        (is_awaited(births) && births->timer_ns <= at_ns))
        return;
    births->timer_ns = at_ns;
    if (!births->timer) {
        (void)sd_event_add_time(births->event, &births->timer, CLOCK_MONOTONIC, at_us, ACCURACY_US,
                                on_timer, births);
        return;
    }
    if (sd_event_source_set_time(births->timer, at_us) >= 0)
        (void)sd_event_source_set_enabled(births->timer, SD_EVENT_ONESHOT);
}

/* Something was born or has ended: it is followed soon, with all that is announced until then. */
static void follow_soon(struct births *births)
{
    follow_at(births, births_pace_due(&births->pace, clock_monotonic_ns()));
}

static int on_tree(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct births *births = context;

    (void)source, (void)fd, (void)events;
    collector_tree_changed(births->collector);
    follow_soon(births);
    return 0;
}

static int on_tasks(sd_event_source *source, int fd, uint32_t events, void *context)
{
    (void)source, (void)fd, (void)events;
    follow_soon(context);
    return 0;
}

static int await(struct births *births, sd_event_source **source, int fd,
                 sd_event_io_handler_t handler)
{
    int r = sd_event_add_io(births->event, source, fd, EPOLLIN, handler, births);

    return r < 0 ? r : sd_event_source_set_enabled(*source, SD_EVENT_ONESHOT);
}

void births_init(struct births *births, sd_event *event, const struct schedule *schedule)
{
    *births = (struct births){.event = event, .schedule = schedule};
}

void births_done(struct births *births)
{
    births_forget(births);
    births->timer = sd_event_source_disable_unref(births->timer);
}

static void listen_to(struct births *births, struct collector *collector)
{
    const int tree_fd = collector_tree_fd(collector);
    const int tasks_fd = collector_tasks_fd(collector);

    births->collector = collector;
    /* Where nothing announces changes of the tree, each cycle has to look by itself. */
    if (tree_fd >= 0 && await(births, &births->tree, tree_fd, on_tree) < 0)
        collector_tree_changed(collector);
    if (tasks_fd >= 0)
        (void)await(births, &births->tasks, tasks_fd, on_tasks);
    if (collector_arm(collector))
        follow_soon(births);
}

/* What was born and is not open yet waits until there is time for it, or for the cycle. */
static void open_later(struct births *births)
{
    const struct births_pace *pace = &births->pace;

    if (births_pace_may_open(pace, pace->rested_ns, births->schedule->due_ns))
        follow_at(births, pace->rested_ns);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *context)
{
    struct births *births = context;
    const uint64_t begin_ns = clock_monotonic_ns(), begin_cpu_ns = clock_thread_cpu_ns();
    const bool opens = births_pace_may_open(&births->pace, begin_ns, births->schedule->due_ns);
    uint64_t now_ns;
    bool has_unopened;

    (void)source, (void)usec;
    births_forget(births);
    has_unopened = collector_follow(births->collector, opens);
    now_ns = clock_monotonic_ns();
    births_pace_followed(&births->pace, opens, now_ns - begin_ns,
                         clock_thread_cpu_ns() - begin_cpu_ns, now_ns);
    listen_to(births, births->collector);
    if (has_unopened)
        open_later(births);
    return 0;
}

void births_await(struct births *births, struct collector *collector)
{
    births_pace_cycle(&births->pace);
    listen_to(births, collector);
}

void births_forget(struct births *births)
{
    births->tree = sd_event_source_disable_unref(births->tree);
    births->tasks = sd_event_source_disable_unref(births->tasks);
    if (births->timer)
        (void)sd_event_source_set_enabled(births->timer, SD_EVENT_OFF);
}
