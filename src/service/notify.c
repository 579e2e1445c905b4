/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watchdog wants to know whether numbers are still counted and shown. A loop that turns is not
 * enough: the collector lives if it publishes snapshots, and the server if its own loop turns,
 * which it does twice a second without requests.
 *
 * WATCHDOG is sent four times as often as it has to be. After a pause of the whole machine both
 * heartbeats look old for a moment, and one WATCHDOG is held back; the next one comes in time.
 */
#include "service/notify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "log/log.h"
#include "metric/exporter_status.h"
#include "sys/service_manager.h"

#define SERVER_LIMIT_NS    (5 * NS_PER_SECOND)
#define STATUS_INTERVAL_NS (10 * NS_PER_SECOND)
#define SENT_PER_WATCHDOG  4
#define TRIES_PER_PERIOD   4 /* if the service manager did not take a message */

const char *heartbeats_stopped(const struct heartbeats *heartbeats, uint64_t now_ns)
{
    /* A thread may have moved its heartbeat past now, so an age could be negative. */
    if (heartbeats->cycle_ns == 0 || heartbeats->cycle_ns + heartbeats->cycle_limit_ns < now_ns)
        return "collector";
    if (heartbeats->server_ns + heartbeats->server_limit_ns < now_ns)
        return "server";
    return NULL;
}

/*
 * Takes what came of sending a message, and returns whether it was sent. Of messages that fail one
 * after the other only the first is logged.
 */
static bool was_sent(struct notify *notify, int r)
{
    if (r < 0 && !notify->failed)
        log_warning("cannot tell the service manager", "error",
                    r == -EAGAIN ? "it does not read its socket" : strerror(-r));
    notify->failed = r < 0;
    return r >= 0;
}

/* Sends what is due, in its order: READY would mean nothing before RELOADING was sent. */
static void send_due(struct notify *notify)
{
    if (notify->reloading_due)
        notify->reloading_due = !was_sent(notify, service_manager_reloading());
    if (notify->ready_due && !notify->reloading_due)
        notify->ready_due = !was_sent(notify, service_manager_ready());
}

static const char *find_stopped(const struct notify *notify)
{
    AUTO(snapshot) struct snapshot *snapshot = snapshot_slot_get(notify->slot);
    const struct heartbeats heartbeats = {
        .cycle_ns = snapshot ? snapshot->taken_ns : 0,
        .cycle_limit_ns = notify->cycle_limit_ns,
        .server_ns = http_server_heartbeat_ns(notify->server),
        .server_limit_ns = SERVER_LIMIT_NS,
    };

    return heartbeats_stopped(&heartbeats, clock_monotonic_ns());
}

static int on_watchdog(sd_event_source *source, uint64_t usec, void *context)
{
    struct notify *notify = context;
    const char *stopped = find_stopped(notify);
    uint64_t next_us = notify->watchdog_period_us;
    int r;

    (void)usec;
    if (!stopped && !was_sent(notify, service_manager_alive()))
        next_us /= TRIES_PER_PERIOD;
    else if (stopped && notify->ready && stopped != notify->stopped)
        log_error("the watchdog of systemd is not told that pmu_exporter is alive", "thread",
                  stopped, "reason", "it stands still");
    notify->stopped = stopped;
    r = sd_event_source_set_time_relative(source, next_us);
    return r < 0 ? r : sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static int start_watchdog(struct notify *notify, sd_event *event, uint64_t usec)
{
    int r;

    notify->watchdog_period_us = usec / SENT_PER_WATCHDOG;
    r = sd_event_add_time_relative(event, &notify->watchdog, CLOCK_MONOTONIC,
                                   notify->watchdog_period_us, notify->watchdog_period_us / 10 + 1,
                                   on_watchdog, notify);
    if (r < 0)
        return r;
    /* A cycle that is due at the same time comes first, because it renews its heartbeat. */
    return sd_event_source_set_priority(notify->watchdog, SD_EVENT_PRIORITY_NORMAL + 1);
}

int notify_init(struct notify *notify, sd_event *event, struct snapshot_slot *slot,
                const struct http_server *server, uint64_t cycle_limit_ns)
{
    uint64_t usec = 0;
    int r = service_manager_watchdog(&usec);

    *notify = (struct notify){.slot = slot, .server = server, .cycle_limit_ns = cycle_limit_ns};
    if (r < 0)
        log_warning("the watchdog of systemd cannot be told that pmu_exporter is alive", "reason",
                    "WATCHDOG_USEC is not valid");
    return usec > 0 ? start_watchdog(notify, event, usec) : 0;
}

void notify_done(struct notify *notify)
{
    notify->watchdog = sd_event_source_disable_unref(notify->watchdog);
}

/*
 * Returns the mechanism by which cgroups are counted; if there are none, that of processes; if
 * there are none either, that of the system.
 */
static const char *mechanism_name(const struct exporter_status *status)
{
    static const enum scope_kind kinds[] = {SCOPE_CGROUP, SCOPE_PROCESS, SCOPE_SYSTEM};
    const char *name = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(kinds) && !name; i++)
        name = status->mechanisms[kinds[i]].name;
    return name ? name : "none";
}

static void send_status(struct notify *notify, const struct exporter_status *status)
{
    const uint64_t now_ns = clock_monotonic_ns();
    char line[sizeof(notify->status)] = "";

    (void)snprintf(
        line, sizeof(line),
        "cgroups: %" PRIu64 ", processes: %" PRIu64 ", open counters: %" PRIu64 ", mechanism: %s%s",
        status->targets[SCOPE_CGROUP], status->targets[SCOPE_PROCESS], status->open_counters,
        mechanism_name(status), status->paused ? ", hardware events paused" : "");
    if (strcmp(line, notify->status) == 0)
        return;
    if (notify->status_ns > 0 && now_ns - notify->status_ns < STATUS_INTERVAL_NS)
        return;
    if (!was_sent(notify, service_manager_status(line)))
        return;
    notify->status_ns = now_ns;
    (void)memcpy(notify->status, line, sizeof(line));
}

void notify_cycle(struct notify *notify)
{
    AUTO(snapshot) struct snapshot *snapshot = snapshot_slot_get(notify->slot);

    if (!snapshot)
        return;
    send_status(notify, &snapshot->status);
    notify->ready_due |= !notify->ready;
    notify->ready = true;
    send_due(notify);
}

void notify_reloading(struct notify *notify)
{
    notify->reloading_due = notify->ready;
    send_due(notify);
}

void notify_reloaded(struct notify *notify)
{
    notify->ready_due |= notify->ready;
    send_due(notify);
}

void notify_stopping(struct notify *notify)
{
    (void)was_sent(notify, service_manager_stopping());
}
