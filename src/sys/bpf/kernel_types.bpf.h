/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* The kernel's types, reduced to what the program reads of them; the loader finds the offsets. */

#include <linux/types.h>

#define KERNEL_TYPE __attribute__((preserve_access_index))

struct kernfs_node {
    __u64 id;
} KERNEL_TYPE;

struct cgroup_subsys_state {
    struct cgroup *cgroup;
    struct cgroup_subsys_state *parent;
} KERNEL_TYPE;

struct cgroup {
    struct cgroup_subsys_state self;
    struct kernfs_node *kn;
} KERNEL_TYPE;

struct css_set {
    struct cgroup_subsys_state *subsys[16];
    struct cgroup *dfl_cgrp;
} KERNEL_TYPE;

/* Of a CPU. Its lock is held at a switch, and its clock of that moment. */
struct rq {
    __u64 nr_switches; /* with the one that is being told */
    __u64 clock;       /* ns, as it was last looked at: at a switch, at a tick */
} KERNEL_TYPE;

struct cfs_rq {
    struct rq *rq; /* with CONFIG_FAIR_GROUP_SCHED */
} KERNEL_TYPE;

struct sched_entity {
    struct cfs_rq *cfs_rq; /* as above; of each task, whatever its policy */
    __u64 sum_exec_runtime;
    __u64 prev_sum_exec_runtime; /* the same when the task was last picked; fair ones only */
} KERNEL_TYPE;

struct sched_info {
    __u64 last_arrival; /* on a CPU, by that one's clock; 0 of who idles */
} KERNEL_TYPE;

typedef struct {
    int counter;
} KERNEL_TYPE atomic_t;

struct signal_struct {
    atomic_t live; /* threads that have not ended */
} KERNEL_TYPE;

struct task_struct {
    struct css_set *cgroups;
    struct sched_entity se;
    struct sched_info sched_info; /* with CONFIG_SCHED_INFO */
    int pid;                      /* of the thread, in the initial namespace … */
    int tgid;                     /* … and of the process */
    struct signal_struct *signal;
    struct mm_struct *mm;
    int exit_state; /* not 0: it has ended, and leaves its CPU for the last time */
} KERNEL_TYPE;

enum cgroup_subsys_id { perf_event_cgrp_id = 8 };
