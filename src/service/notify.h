/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The messages to the service manager (sd_notify(3)): READY after the first complete cycle, a line
 * of STATUS, WATCHDOG while both threads live, STOPPING. They belong to the collector's thread.
 */

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "metric/snapshot.h"
#include "web/server.h"

/* When each thread was last seen at work, by CLOCK_MONOTONIC, and how long ago that may be. */
struct heartbeats {
    uint64_t cycle_ns; /* The last cycle published its snapshot then; 0: none has. */
    uint64_t cycle_limit_ns;
    uint64_t server_ns;
    uint64_t server_limit_ns;
};

/* Returns which thread stands still, "collector" or "server"; NULL: both live. */
const char *heartbeats_stopped(const struct heartbeats *heartbeats, uint64_t now_ns);

struct notify {
    struct snapshot_slot *slot;       /* The slot is borrowed. */
    const struct http_server *server; /* The watchdog looks at its heartbeat. It is borrowed. */
    uint64_t cycle_limit_ns;          /* A snapshot is stale from this age on. */
    sd_event_source *watchdog;        /* NULL: the service manager wants no WATCHDOG. */
    uint64_t watchdog_period_us;
    const char *stopped; /* This thread was logged as standing still; NULL: none was. */
    bool ready;          /* A cycle has been complete. */
    bool reloading_due;  /* RELOADING is still to be sent. */
    bool ready_due;      /* READY is still to be sent, after RELOADING if that is due too. */
    bool failed;         /* The last message could not be sent. */
    char status[128];    /* This line of STATUS was sent last. */
    uint64_t status_ns;  /* The last STATUS was sent at this time; 0: never. */
};

/*
 * Puts the watchdog on the loop, if the service manager wants one. A snapshot is stale from the age
 * cycle_limit_ns on. Returns 0 or -errno; notify_done() has to be called after a failure too.
 */
int notify_init(struct notify *notify, sd_event *event, struct snapshot_slot *slot,
                const struct http_server *server, uint64_t cycle_limit_ns);
void notify_done(struct notify *notify);

/*
 * Sends READY once, STATUS if it has changed, at most every 10 s, and again what could not be sent
 * before. It is called after each cycle.
 */
void notify_cycle(struct notify *notify);

/*
 * The first is called before a reload and the second after it. Before the first cycle is complete
 * they send nothing, because READY is sent when that cycle is complete.
 */
void notify_reloading(struct notify *notify);
void notify_reloaded(struct notify *notify);

void notify_stopping(struct notify *notify);
