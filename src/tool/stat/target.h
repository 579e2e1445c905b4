/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Who is counted: the target of the command line as scopes of the engine. With -A each CPU is a row
 * of figures; else there is one row. A row has one part, and one more for each PMU that counts no
 * core, which is opened elsewhere.
 */

#include "base/text.h"
#include "count/mechanism.h"
#include "sys/cgroup_root.h"
#include "sys/pmu.h"
#include "tool/stat/options.h"
#include "tool/stat/uncore.h"

/* The machine that is counted on. */
struct stat_machine {
    int sysfs_fd, procfs_fd;
    struct pmu_list *pmus; /* NULL: not known */
};

struct stat_part {
    size_t row;
    int cpu;               /* the CPU that the row is; -1: it is the whole target */
    struct cpu_list *cpus; /* owned; NULL: the part is opened where the whole target is */
    uint32_t *types;       /* owned; as in struct scope */
    const struct event_groups *groups; /* what is opened; borrowed */
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
    struct stat_part *parts; /* first one for each row */
    size_t n_parts;
    size_t n_rows;
};

/*
 * Finds the target. command: the process of the command, for a target that is one. Returns 0;
 * -EINVAL with a message for the user: there is no such target; -errno with a message in the same
 * way, or -ENOMEM. To be ended by stat_target_done() in any case.
 */
int stat_target_find(const struct stat_options *options, const struct stat_machine *machine,
                     pid_t command, struct stat_target *ret_target, struct text *ret_message);

/*
 * Says what is opened: these groups; of a machine with such PMUs each part gets its own. All are
 * borrowed. 0 or -ENOMEM.
 */
int stat_target_set_groups(struct stat_target *target, const struct event_groups *groups,
                           const struct stat_uncores *uncores);

/*
 * Opens the counters, and takes the first readings, from which on they count. Threads that
 * processes of -p have started meanwhile are counted as well. 0; -ESRCH: the target has gone;
 * -errno.
 */
int stat_target_open(struct stat_target *target, const struct stat_options *options, int procfs_fd,
                     struct mechanism *mechanism);

/* Closes the counters. */
void stat_target_close(struct stat_target *target);

void stat_target_done(struct stat_target *target);
