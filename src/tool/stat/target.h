/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Who is counted: the target of the command line as scopes of the engine. With -A each CPU is a
 * part of its own; else there is one part.
 */

#include "base/text.h"
#include "count/mechanism.h"
#include "sys/cgroup_root.h"
#include "tool/stat/options.h"

struct stat_part {
    int cpu;               /* the CPU that the part is; -1: it is the whole target */
    struct cpu_list *cpus; /* of that CPU alone, owned; NULL: the part is the whole target */
    struct scope scope;
    struct counter_set *set;
    struct sample *sample;
};

struct stat_target {
    struct scope scope;    /* the whole target */
    int cgroup_fd;         /* -1: the target is no cgroup */
    struct cpu_list *cpus; /* NULL: threads are counted */
    pid_t *tasks;          /* threads that are counted; NULL: CPUs are */
    size_t n_tasks;
    struct stat_part *parts;
    size_t n_parts;
};

/*
 * Finds the target. command: the process of the command, for a target that is one. Returns 0;
 * -EINVAL with a message for the user: there is no such target; -errno with a message in the same
 * way, or -ENOMEM. To be ended by stat_target_done() in any case.
 */
int stat_target_find(const struct stat_options *options, int sysfs_fd, int procfs_fd, pid_t command,
                     struct stat_target *ret_target, struct text *ret_message);

/*
 * Opens the counters, and takes the first readings, from which on they count. Threads that
 * processes of -p have started meanwhile are counted as well. 0; -ESRCH: the target has gone;
 * -errno.
 */
int stat_target_open(struct stat_target *target, const struct stat_options *options, int procfs_fd,
                     struct mechanism *mechanism, const struct event_groups *groups);

/* Closes the counters. */
void stat_target_close(struct stat_target *target);

void stat_target_done(struct stat_target *target);
