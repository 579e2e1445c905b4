/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * The kernel's types, reduced to the fields that our programs read. libbpf finds out where these
 * fields are in the running kernel (CO-RE, preserve_access_index).
 */

#include <linux/types.h>

#define KERNEL_TYPE __attribute__((preserve_access_index))

struct kernfs_node {
    __u64 id;
} KERNEL_TYPE;

struct cgroup_subsys_state {
    struct cgroup *cgroup;
    struct cgroup_subsys_state *parent;
} KERNEL_TYPE;

struct cgroup_root {
    int hierarchy_id; /* 0: that of cgroup v2 */
} KERNEL_TYPE;

struct cgroup {
    struct cgroup_subsys_state self;
    struct kernfs_node *kn;
    struct cgroup_root *root;
} KERNEL_TYPE;

struct css_set {
    struct cgroup_subsys_state *subsys[16];
    struct cgroup *dfl_cgrp;
} KERNEL_TYPE;

/* The run queue of a CPU. At a switch its lock is held, and its clock has just been read. */
struct rq {
    __u64 nr_switches; /* at sched_switch with the switch that is taking place */
    __u64 clock;       /* ns, as it was read last: at a switch or at a tick */
} KERNEL_TYPE;

struct cfs_rq {
    struct rq *rq; /* only with CONFIG_FAIR_GROUP_SCHED */
} KERNEL_TYPE;

struct sched_entity {
    struct cfs_rq *cfs_rq; /* with CONFIG_FAIR_GROUP_SCHED; set whatever the task's policy is */
    __u64 sum_exec_runtime;
    __u64 prev_sum_exec_runtime; /* its value when the task was picked; not for real-time tasks */
    unsigned char sched_delayed; /* since Linux 6.12: it sleeps and is still on the run queue */
} KERNEL_TYPE;

struct sched_info {
    unsigned long pcount;         /* how often the task got a CPU */
    unsigned long long run_delay; /* ns for which it has waited in all, without the present wait */
    unsigned long long last_arrival; /* when it got its CPU, by rq.clock; 0 for the idle task */
    unsigned long long last_queued;  /* when it began to wait on its present CPU; 0: it does not */
} KERNEL_TYPE;

typedef struct {
    int counter;
} KERNEL_TYPE atomic_t;

struct signal_struct {
    atomic_t live; /* threads that have not ended */
} KERNEL_TYPE;

struct thread_info {
    __u32 cpu;
} KERNEL_TYPE;

struct task_struct {
    struct thread_info thread_info;
    unsigned int __state; /* since Linux 5.14; 0: it runs, or may run */
    unsigned int flags;   /* PF_… */
    struct css_set *cgroups;
    struct sched_entity se;
    struct sched_info sched_info; /* only with CONFIG_SCHED_INFO */
    int pid;                      /* number of the thread in the initial PID namespace */
    int tgid;                     /* number of the process in the initial PID namespace */
    __u64 start_time;             /* ns, CLOCK_MONOTONIC */
    struct signal_struct *signal;
    struct mm_struct *mm;
    int exit_state; /* not 0: the task has ended, and leaves its CPU for the last time */
} KERNEL_TYPE;

/* Before Linux 5.14 and 5.16. */
struct task_struct___earlier {
    long state;
    unsigned int cpu;
} KERNEL_TYPE;

enum cgroup_subsys_id { perf_event_cgrp_id = 8 };
