/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One process as /proc shows it. What it is asked for is read when it is asked for,
 * and kept. Names are the choice of strangers: bytes, with anything in them.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

/* What /proc/PID/stat tells (proc(5)). */
struct process_stat {
    char comm[64]; /* the kernel gives 15 bytes, and more for its own threads */
    char state;    /* R, S, D, Z, X … */
    pid_t parent;
    uint64_t start_ticks; /* since boot, in USER_HZ */
    uint64_t threads;     /* that live, and its first one even if that has exited */
    bool kernel_thread;
};

/* Text of the file, NUL-terminated. False if it is none. comm ends at the last `)`. */
bool process_stat_parse(const char *text, struct process_stat *ret_stat);

/* Whether it has ended: a zombie none of whose threads lives, or what is left of one. */
bool process_stat_is_ended(const struct process_stat *stat);

/* The start as a time of day; the same for the same ticks, whoever sets the clock meanwhile. */
uint64_t process_start_realtime_ns(uint64_t start_ticks);

/*
 * Reads the comm of a process that is known already: a third of what process_open() costs.
 * ret_comm as in struct process_stat. 0, -ESRCH as below, or another -errno.
 */
int process_read_comm(int procfs_fd, pid_t pid, char ret_comm[64]);

/* Whose a process is, as process_uid() below. 0, -ESRCH as below, or another -errno. */
int process_read_uid(int procfs_fd, pid_t pid, uid_t *ret_uid);

/* Our own number, as this procfs has it; 0: it does not know us. */
pid_t process_self(int procfs_fd);

struct process;

/*
 * Opens /proc/PID and reads its stat. 0; -ESRCH where there is none, or none that we may see
 * (hidepid of proc(5)); or another -errno.
 */
int process_open(int procfs_fd, pid_t pid, struct process **ret_process);
struct process *process_close(struct process *process);
DEFINE_AUTO(process, struct process *, process_close)

pid_t process_pid(const struct process *process);
const struct process_stat *process_stat(const struct process *process);
uid_t process_uid(const struct process *process); /* owner of /proc/PID: the effective user */

/*
 * The map of the user namespace that it is in (user_namespaces(7)), as it was written or up to
 * this size. 0, -ESRCH or another -errno.
 */
#define PROCESS_UID_MAP_SIZE 256
int process_read_uid_map(const struct process *process, char ret_map[PROCESS_UID_MAP_SIZE]);

/*
 * The executable: the target of /proc/PID/exe where we may read that (CAP_SYS_PTRACE), without
 * " (deleted)"; else its first argument. Empty for kernel threads. Belongs to the process.
 * 0, -ESRCH or -ENOMEM.
 */
int process_exe(struct process *process, const char **ret_exe);

/* The arguments joined by spaces, at most 4096 bytes; empty for kernel threads. As above. */
int process_cmdline(struct process *process, const char **ret_cmdline);

/* Numbers of all processes that we may see, ascending; else as below. */
int process_list(int procfs_fd, pid_t **ret_pids, size_t *ret_n);

/*
 * Numbers of its threads, ascending. *ret_threads is the caller's to free. 0, -ESRCH, -ENOMEM, or
 * another -errno.
 */
int process_threads(int procfs_fd, pid_t pid, pid_t **ret_threads, size_t *ret_n);

/*
 * The processes that a thread has started, or that the kernel gave it when their parents ended, as
 * far as they live. As above; -ESRCH too where the kernel does not tell (CONFIG_PROC_CHILDREN).
 * *ret_children may be NULL.
 */
int process_thread_children(int procfs_fd, pid_t pid, pid_t thread, pid_t **ret_children,
                            size_t *ret_n);
