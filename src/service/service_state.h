/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the running service holds: shared by its loop and by who makes its collectors. */

#include <systemd/sd-event.h>

#include "base/growing_wait.h"
#include "cycle/collector.h"
#include "resolve/mechanism_choice.h"
#include "service/births_pace.h"
#include "service/doubt_watch.h"
#include "service/notify.h"
#include "service/options.h"
#include "service/pages.h"
#include "service/schedule.h"
#include "service/serving.h"
#include "sys/cgroup_root.h"

struct service {
    const struct options *options;
    struct config *config;
    sd_event *event;
    sd_event_source *timer;
    struct event_resolver *resolver;
    struct snapshot_slot *slot;
    struct mechanism *mechanism;
    struct mechanism *bpf; /* of those that share their counters; NULL: there is none */
    struct switch_program_size bpf_size;
    struct mechanism_verdict verdict; /* on bpf */
    struct doubt_watch doubt;         /* on what it counts */
    const char *told_reason; /* that the log has given for what is counted by now. Static */
    struct collector *collector;
    struct pages pages;
    struct serving serving;
    struct notify notify;
    struct cgroup_root root;
    int root_error; /* why there is none */
    int hierarchy;  /* that perf_event belonged to when the root was opened */
    struct control_slot *control;
    sd_event_source *requests;       /* that come through the control slot */
    uint64_t pause_end_ns;           /* CLOCK_BOOTTIME; 0: no pause */
    sd_event_source *mounts;         /* off from a change until the next cycle */
    bool mounts_changed;             /* since the hierarchy was looked at … */
    bool counters_doubted;           /* … or counters had to show that they move, … */
    uint64_t doubt_at_ns;            /* … which they have to again from then on */
    bool cgroups_afresh;             /* a successor opens the counters of all cgroups itself … */
    struct growing_wait afresh_wait; /* … for standing still not before the end of this */
    sd_event_source *tree, *tasks; /* tell of births of cgroups, of processes; NULL: nobody asks */
    sd_event_source *births;       /* when those that were told of are followed */
    struct births_pace pace;
    struct schedule schedule;
    uint64_t missed;
    int failure; /* of the last cycle */
    int sysfs_fd, procfs_fd;
    unsigned connections;
    size_t descriptors;             /* for counters and what is counted, of … */
    uint64_t limit;                 /* … so many open files */
    struct growing_wait limit_wait; /* after a change that could not be followed */
};

/* Logs a failure in the words of errno, and passes it on. */
int service_fail(int error, const char *message, const char *key, const char *value);

/*
 * Divides the limit of open files, finds the cgroups and makes the first collector.
 * Logs what goes wrong. 0 or -errno.
 */
int service_start_collector(struct service *service);

/*
 * Reads the configuration again and has a successor count by it: whole or not at all;
 * what did not change keeps its counters and its totals. Logs what goes wrong, and
 * writes what came of it as a line for people. 0 or -errno: the old one goes on.
 */
int service_reload(struct service *service, struct text *outcome);

/*
 * Looks whether somebody has changed the limit of open files (prlimit(1)), and has a successor
 * count as much as fits: the rest is closed, and told as no_descriptors. Logs it.
 */
void service_follow_limit(struct service *service);

/* The next cycle is due at once. */
void service_cycle_now(struct service *service);

/*
 * Waits for births, to follow them until the next cycle; after each cycle. Nobody waits while a
 * collector works or is replaced: what it watches may be replaced with it.
 */
void service_watch_births(struct service *service);
void service_forget_births(struct service *service);

/* Makes the control slot and puts it on the loop. 0 or -errno, logged. */
int service_open_control(struct service *service);
void service_close_control(struct service *service);

/* Ends a pause whose time is over; before each cycle. */
void service_check_pause(struct service *service);

/* A successor with the same configuration, since the machine has changed. 0 or -errno, logged. */
int service_renew_collector(struct service *service, const char *why);

/* Finds the cgroups that can be counted, and says in the log where, or why there are none. */
void service_find_cgroups(struct service *service);

/* Is told of mounts, where the kernel tells of them. */
void service_watch_mounts(struct service *service);

/*
 * Looks whether somebody has moved perf_event to another hierarchy of cgroups: what is
 * open there stands still for ever. The cgroups are found and counted afresh then, as
 * new births. After each cycle.
 */
void service_follow_hierarchy(struct service *service);

/* Counts cgroups afresh, with their totals, where the collector finds that counters stand still. */
void service_check_counters(struct service *service);
