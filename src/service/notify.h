/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the service manager is told of the service: READY with the first complete
 * cycle, a line of STATUS, the watchdog's WATCHDOG while both threads live, STOPPING.
 * Belongs to the collector's thread.
 */

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "metric/snapshot.h"
#include "web/server.h"

/* When each thread was last seen at work, on CLOCK_MONOTONIC, and how old that may be. */
struct heartbeats {
    uint64_t cycle_ns; /* 0: no cycle is complete */
    uint64_t cycle_limit_ns;
    uint64_t server_ns;
    uint64_t server_limit_ns;
};

/* Static names of the thread that stands still, "collector" or "server"; NULL: both live. */
const char *heartbeats_stopped(const struct heartbeats *heartbeats, uint64_t now_ns);

struct notify {
    struct snapshot_slot *slot;       /* borrowed, like the server */
    const struct http_server *server; /* its heartbeat */
    uint64_t cycle_limit_ns;
    sd_event_source *watchdog; /* NULL: nobody wants it */
    uint64_t watchdog_period_us;
    const char *stopped; /* what has been logged of heartbeats_stopped() */
    bool ready;          /* there was a complete cycle */
    bool reloading_due;  /* what is still to be told … */
    bool ready_due;      /* … and then this */
    bool failed;         /* the last try to tell */
    char status[128];
    uint64_t status_ns; /* when it was told */
};

/*
 * Puts the watchdog on the loop, where one is wanted. cycle_limit_ns: from what age on
 * a cycle is stale. 0 or -errno; notify_done() is wanted also then.
 */
int notify_init(struct notify *notify, sd_event *event, struct snapshot_slot *slot,
                const struct http_server *server, uint64_t cycle_limit_ns);
void notify_done(struct notify *notify);

/*
 * After each cycle: READY once, and STATUS where it has changed, at most every 10 s; and again
 * what could not be told before.
 */
void notify_cycle(struct notify *notify);

/* Around a reload. Before the first cycle there is nothing to tell: READY comes with that. */
void notify_reloading(struct notify *notify);
void notify_reloaded(struct notify *notify);

void notify_stopping(struct notify *notify);
