/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which cgroups can be counted: the hierarchy that perf_event belongs to, and whether it moves. */

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/growing_wait.h"
#include "config/config.h"
#include "sys/cgroup_root.h"

struct hierarchy {
    const char *path; /* The argument of --path.cgroupfs, or NULL. It is borrowed. */
    int procfs_fd;    /* The descriptor is borrowed. */
    struct cgroup_root root;
    int root_error;          /* A negative errno tells why there is no root. */
    int number;              /* perf_event belonged to this hierarchy when the root was opened. */
    sd_event_source *mounts; /* The source is off from a change of mounts until the next cycle. */
    bool mounts_changed;     /* Mounts have changed since the hierarchy was looked at. */
    bool counters_doubted;   /* Mounts have changed since counters had to show that they move. */
    uint64_t doubt_at_ns;    /* Counters need not show before this time that they move. */
    struct growing_wait afresh_wait; /* Before its end counters that stand still are left so. */
};

/* Finds the cgroups that can be counted. Where there are none, the root's descriptor is -1. */
void hierarchy_init(struct hierarchy *hierarchy, const char *path, int procfs_fd);
void hierarchy_done(struct hierarchy *hierarchy);

/* Logs where cgroups are counted, or why there are none although the configuration has rules. */
void hierarchy_log(const struct hierarchy *hierarchy, const struct config *config);

/*
 * Has the handler called, once, when mounts change, where the kernel announces that. The handler
 * calls hierarchy_mounts_changed(). After each cycle hierarchy_await_mounts() has it called again:
 * mounts come and go by the hundred where containers do, and wake us once a cycle.
 */
void hierarchy_watch_mounts(struct hierarchy *hierarchy, sd_event *event,
                            sd_event_io_handler_t handler, void *context);
void hierarchy_await_mounts(struct hierarchy *hierarchy);
void hierarchy_mounts_changed(struct hierarchy *hierarchy);

/*
 * Looks whether somebody has moved perf_event to another hierarchy: what is open in the one before
 * stands still for ever. Returns true if so, with the new root in the hierarchy and the old one in
 * ret_before: the caller ends that root when a successor counts in the new one, or else goes back.
 */
bool hierarchy_has_moved(struct hierarchy *hierarchy, struct hierarchy *ret_before);
void hierarchy_go_back(struct hierarchy *hierarchy, const struct hierarchy *before);

/*
 * Tells whether counters of cgroups have to show that they move, since mounts have changed. It
 * returns true at most every half minute.
 */
bool hierarchy_wants_doubt(struct hierarchy *hierarchy);

/*
 * Tells whether counters that stand still are to be opened afresh now, and logs that. Those that go
 * on to stand still after that are not helped by it: it returns true after times that grow.
 */
bool hierarchy_may_open_afresh(struct hierarchy *hierarchy);
