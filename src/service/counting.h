/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What counts: the collector, and all that decides what it is made for. When one of these changes
 * (the configuration, the CPUs, the limit of open files, the hierarchy of cgroups, the mechanism) a
 * successor is made, which takes over the totals and the open counters.
 */

#include <stdint.h>

#include "config/config.h"
#include "cycle/collector.h"
#include "profile/targets.h"
#include "service/births.h"
#include "service/file_limit.h"
#include "service/hierarchy.h"
#include "service/mechanisms.h"
#include "service/memory_watch.h"
#include "service/options.h"
#include "service/schedule.h"
#include "target/target_names.h"

struct counting {
    struct config *config;
    struct snapshot_slot *slot; /* Each cycle publishes its snapshot there. */
    struct event_resolver *resolver;
    struct profile_targets *profile_targets; /* Whose samples are told apart. */
    struct profile_status_slot *profile_status;
    struct collector *collector;
    struct mechanisms mechanisms;
    struct hierarchy hierarchy;
    struct file_limit files;
    struct memory_watch memory;
    struct births births;
    struct schedule schedule;
    uint64_t missed;    /* So many cycles were left out before the next one. */
    int failure;        /* The last cycle has returned this: 0 or -errno. */
    bool keeps_history; /* On a disk. */
    bool has_new_limit; /* Of open files, which no collector counts by yet. */
    struct target_names *names;
    struct object_reader *state_reader; /* borrowed; NULL: state files name nobody */
    struct object_reader *probe_reader; /* borrowed; NULL: no probe is put on a program */
    int sysfs_fd, procfs_fd, rootfs_fd;
};

/* Makes all of it empty, so that counting_done() may be called. Takes the configuration over. */
void counting_init(struct counting *counting, struct config *config);

/*
 * Divides the limit of open files, finds the cgroups and makes the first collector, whose first
 * cycle is due at once. keeps_history: on a disk. Logs what goes wrong. 0 or -errno.
 */
int counting_start(struct counting *counting, const struct options *options, bool keeps_history,
                   sd_event *event);
void counting_done(struct counting *counting);

/*
 * Runs one cycle, and makes a successor before or after it where the machine has changed. A failure
 * is logged, but not again in the cycles after it.
 */
void counting_cycle(struct counting *counting);

/* Runs the first cycle; it is called before anything but the collector has been started. */
void counting_first_cycle(struct counting *counting);

/* Waits for births until the next cycle, which is due at schedule.due_ns from now on. */
void counting_rest(struct counting *counting);

/* Makes the next cycle due now. It is called after each change that is to be seen soon. */
void counting_hurry(struct counting *counting);

/*
 * Looks whether perf_event has moved to another hierarchy of cgroups, after each cycle and when
 * mounts have changed. A successor that this makes is in a hurry (counting_hurry()).
 */
void counting_follow_hierarchy(struct counting *counting);

/*
 * Has a successor count by this configuration: whole or not at all. What did not change keeps its
 * counters and its totals. Returns 0, and the configuration is taken over; or -errno, and the
 * configuration before goes on.
 */
int counting_reconfigure(struct counting *counting, struct config *config);
