/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Who is counted by a run, or by `pmutool stat`: what somebody names, as scopes of the engine. Each
 * CPU can be a row of figures; else there is one row. A row has one part, and one more for each PMU
 * that counts no core, which is opened elsewhere.
 */

#include "base/text.h"
#include "count/mechanism.h"
#include "run/uncore.h"
#include "sys/cgroup_root.h"
#include "sys/pmu.h"

/* The machine that is counted on. */
struct run_machine {
    int sysfs_fd, procfs_fd;
    const char *cgroupfs;  /* where cgroups are mounted; NULL: the list of mounts tells */
    struct pmu_list *pmus; /* NULL: not known */
};

enum run_target_kind {
    TARGET_COMMAND,   /* a process that is about to execute a command, and all that it starts */
    TARGET_MACHINE,   /* all that runs on the CPUs */
    TARGET_CGROUP,    /* a cgroup, and those below it */
    TARGET_PROCESSES, /* processes with all their threads, and what they start */
    TARGET_THREADS,   /* single threads, and what they start */
};

/* Who is to be counted. Everything is borrowed. */
struct run_wish {
    enum run_target_kind kind;
    const char *cgroup; /* "a/b", "/a/b", or with the place where cgroups are mounted */
    const pid_t *tasks; /* processes, threads, or the process of the command */
    size_t n_tasks;
    const struct cpu_list *cpus; /* of the machine or the cgroup; NULL: all that are online */
    bool is_per_cpu;             /* each CPU is a row */
    bool skips_gone; /* of TARGET_PROCESSES: those that have ended are left out; else no target is
                        there where one of them is not */
};

struct run_part {
    size_t row;
    int cpu;               /* the CPU that the row is; -1: it is the whole target */
    struct cpu_list *cpus; /* owned; NULL: the part is opened where the whole target is */
    uint32_t *types;       /* owned; as in struct scope */
    const struct event_groups *groups; /* what is opened; borrowed */
    struct scope scope;
    struct counter_set *set;
    struct sample *sample;
};

struct run_target {
    struct scope scope;    /* the whole target */
    int cgroup_fd;         /* -1: the target is no cgroup */
    struct cpu_list *cpus; /* NULL: threads are counted */
    pid_t *tasks;          /* threads that are counted; NULL: CPUs are */
    size_t n_tasks;
    struct run_part *parts; /* first one for each row */
    size_t n_parts;
    size_t n_rows;
};

/*
 * Finds the target. Returns 0;
 * -EINVAL with a message for the user: there is no such target; -errno with a message in the same
 * way, or -ENOMEM. To be ended by run_target_done() in any case.
 */
int run_target_find(const struct run_wish *wish, const struct run_machine *machine,
                    struct run_target *ret_target, struct text *ret_message);

/*
 * Says what is opened: these groups; of a machine with such PMUs each part gets its own. All are
 * borrowed. 0 or -ENOMEM.
 */
int run_target_set_groups(struct run_target *target, const struct event_groups *groups,
                          const struct run_uncores *uncores);

/*
 * Opens the counters, and takes the first readings, from which on they count. Threads that
 * the processes have started meanwhile are counted as well. 0; -ESRCH: the target has gone;
 * -errno.
 */
int run_target_open(struct run_target *target, const struct run_wish *wish, int procfs_fd,
                    struct mechanism *mechanism);

/* Closes the counters. */
void run_target_close(struct run_target *target);

void run_target_done(struct run_target *target);
